/** Network failures as errors with a hint; no message contains a path or a query. */
import { STATUS_CODES } from "node:http";
import { SpillwayError, systemCode } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import type { Shortfall } from "../source.ts";

type NetworkFault = { readonly code: SpillwayError["code"]; readonly fact: string; readonly hint: string };

/** The first row whose pattern matches the error's code describes what happened. */
const faults: readonly (readonly [pattern: RegExp, fault: NetworkFault])[] = [
  [
    /^(ENOTFOUND|EAI_NONAME|EAI_NODATA|ENODATA)$/,
    { code: "network_failed", fact: "cannot be found: no such host", hint: "Check the spelling of the host." },
  ],
  [
    /^EAI_|^ESERVFAIL$/,
    { code: "network_failed", fact: "cannot be looked up", hint: "Check the name server, then try again." },
  ],
  [
    /^ECONNREFUSED$/,
    { code: "network_failed", fact: "refused the connection", hint: "Check the port, and that its server is running." },
  ],
  [
    /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT)$/,
    { code: "network_timeout", fact: "did not answer in time", hint: "Try again later, or raise network.timeout." },
  ],
  [
    /^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENETDOWN)$/,
    { code: "network_failed", fact: "cannot be reached from here", hint: "Check this machine's network." },
  ],
  [
    /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH|UND_ERR_PRX_TLS)/,
    {
      code: "network_failed",
      fact: "offers no secure connection that can be trusted",
      hint: "If its certificate is your company's own, name the issuer's file in the setting network.ca_file.",
    },
  ],
  [
    /^UND_ERR_HEADERS_OVERFLOW$/,
    {
      code: "response_invalid",
      fact: "answered with headers that are too large",
      hint: "Fetch another page of that site.",
    },
  ],
  [
    /^(HPE_|UND_ERR_RES_)/,
    { code: "response_invalid", fact: "answered with malformed HTTP", hint: "Fetch the page from another source." },
  ],
  [
    /^(Z_|ERR_BROTLI|ERR_ZSTD|ERR__ERROR|ZSTD_|ERR_ZLIB|ERR_PADDING)/,
    {
      code: "response_invalid",
      fact: "answered with a compressed body that cannot be decompressed",
      hint: "Try again; if it fails again, fetch the page from another source.",
    },
  ],
  [
    // undici's codes for a proxy that refuses a tunnel or a request.
    /^(UND_ERR_ABORTED|UND_ERR_INVALID_ARG)$/,
    { code: "network_failed", fact: "was blocked by the proxy", hint: "Check HTTPS_PROXY and its rules." },
  ],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED|ECONNABORTED)$/,
    { code: "network_failed", fact: "closed the connection without a complete answer", hint: "Try again." },
  ],
];

/** A network error as a `SpillwayError`; any other error is returned unchanged. */
export function toNetworkError(error: unknown, url: URL): unknown {
  if (error instanceof SpillwayError) return error;
  const code = findErrorCode(error);
  if (code === undefined) return error;
  const {
    code: ours,
    fact,
    hint,
  } = findFault(code) ?? {
    code: "network_failed",
    fact: "could not be fetched",
    hint: "Try again.",
  };
  return new SpillwayError(ours, `${clip(url.host)} ${fact} (${code}).`, { hint, cause: error });
}

/** Whether a retry may help: the connection failed for a reason that may pass. */
export function isTransient(error: unknown): boolean {
  if (error instanceof SpillwayError) return false;
  return /^(ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|ENET|EHOST|UND_ERR_(SOCKET|CONNECT_TIMEOUT|CLOSED))/.test(
    findErrorCode(error) ?? "",
  );
}

/** Why a body ended early, worded as the end of a note; undefined for other errors. */
export function describeShortfall(error: unknown): Shortfall | undefined {
  const code = findErrorCode(error);
  if (code === "Z_BUF_ERROR") return { by: "connection", reason: "its compressed data is cut off" };
  return code !== undefined && /^(ECONN|EPIPE|UND_ERR_(SOCKET|RES_|CLOSED|BODY)|HPE_)/.test(code)
    ? { by: "connection", reason: "the connection broke off" }
    : undefined;
}

/** The error for a status without content; its wording is contract. */
export function makeStatusError(status: number, hint = makeStatusHint(status)): SpillwayError {
  return new SpillwayError("http_status", `HTTP ${status} ${STATUS_CODES[status] ?? "Unknown Status"}`, { hint });
}

/** The error for a fetch that did not finish in time. */
export function makeDeadlineError(url: URL, timeoutMs: number): SpillwayError {
  const sentence = `${clip(url.host)} did not answer within ${timeoutMs / 1_000} s.`;
  return new SpillwayError("network_timeout", sentence, { hint: "Try again later, or raise network.timeout." });
}

function findFault(code: string): NetworkFault | undefined {
  return faults.find(([pattern]) => pattern.test(code))?.[1];
}

/** undici wraps the socket's error as the cause. */
function findErrorCode(error: unknown): string | undefined {
  // The parser gives no code for some malformed responses.
  if (error instanceof Error && error.name === "HTTPParserError") return systemCode(error) ?? "HPE_INVALID";
  const inner = error instanceof Error && error.cause !== undefined ? systemCode(error.cause) : undefined;
  const outer = systemCode(error);
  return outer === undefined || outer === "UND_ERR_SOCKET" ? (inner ?? outer) : outer;
}

function makeStatusHint(status: number): string {
  if (status === 204 || status === 205) return "The server has no content for this URL.";
  if (status === 304)
    return "The server treated the request as a revalidation. Fetch it again with noCache (on the command line --no-cache).";
  if (status === 401 || status === 407) return "It needs credentials: set them for this host in network.headers.";
  if (status === 403) return "The server refuses access. Try another source for the same content.";
  if (status === 404 || status === 410) return "There is no such page. Check the URL, or search for where it moved.";
  if (status === 429) return "The server limits the rate of requests. Wait, then fetch it again.";
  if (status === 451) return "The server may not show it for legal reasons. Try another source.";
  if (status >= 500) return "The server failed, also after retries. Try later, or another source.";
  return status >= 400 ? "Check the URL." : "The server did not name another URL. Check the URL.";
}
