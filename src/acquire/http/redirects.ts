/** Requests a URL: retries transient failures, and follows redirects as separate requests, up to the final response. */
import { isUtf8 } from "node:buffer";
import { SpillwayError } from "../../errors.ts";
import { formatCount, formatDuration } from "../../system/quantities.ts";
import { clip } from "../../system/safe-names.ts";
import { isTransient, makeStatusError, toNetworkError } from "./network-errors.ts";
import type { TransportResponse } from "./transport/undici-transport.ts";
import { parseTarget } from "./url.ts";
import { type Wait, waitByClock } from "./wait-by-clock.ts";

/** The last response of a chain, and the redirects that led to it. */
export type FinalResponse = TransportResponse & {
  readonly url: URL;
  readonly hops: readonly RedirectHop[];
  /** Whether every redirect stayed on the origin that was requested; other sites chose nothing. */
  readonly isDirect: boolean;
};

/** A redirect that was followed. */
type RedirectHop = Pick<TransportResponse, "status" | "headers"> & { readonly url: URL };

/** Sends one request; a response of any status resolves. */
export type Send = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<TransportResponse>;

export type RetryOptions = {
  readonly maxTries: number;
  readonly maxRetryDelayMs: number;
  /** Waits between two attempts. Default: by the clock. */
  readonly pause?: Wait;
};

/** How the requests of a chain are made; headers are chosen again for each hop. */
export type FollowOptions = RetryOptions & {
  readonly send: Send;
  /** Our own headers for this URL; the credentials of its host only where no other origin led to it. */
  headersFor(url: URL, isDirect: boolean): Readonly<Record<string, string>>;
  /** The caller's headers; they are never sent to another origin. */
  readonly callerHeaders: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

const MAX_REDIRECTS = 5;
const FIRST_RETRY_DELAY_MS = 300;
/** A year; what a server asks beyond that is the same to us. */
const MAX_RETRY_AFTER_S = 365 * 24 * 60 * 60;

/** The response that is not a redirect; throws on a loop, a bad target and after too many redirects. */
export async function followRedirects(start: URL, options: FollowOptions): Promise<FinalResponse> {
  const visited = new Set<string>();
  const hops: RedirectHop[] = [];
  for (let url = start; ; ) {
    visited.add(url.href);
    const isDirect = !hasLeftOrigin(visited, start);
    const headers = { ...options.headersFor(url, isDirect), ...(isDirect ? options.callerHeaders : {}) };
    const response = await requestWithRetries(url, headers, options);
    const next = findRedirect(response, url);
    if (next === undefined) return { ...response, url, hops, isDirect };
    response.discard();
    if (visited.has(next.href)) throw makeLoopError(next, visited.size);
    if (hops.length === MAX_REDIRECTS) throw makeTooManyError();
    hops.push({ status: response.status, headers: response.headers, url });
    url = next;
  }
}

/** Throws for a response that carries no content; its body is discarded. The hint replaces the one of its status. */
export function assertHasContent(response: FinalResponse, hint?: string): void {
  const { status } = response;
  if (status >= 200 && status < 300 && status !== 204 && status !== 205) return;
  response.discard();
  const waitMs = status === 429 || status === 503 ? readRetryAfterMs(response) : undefined;
  // The header's own words are not repeated: its server may write anything.
  const waitHint = waitMs === undefined ? undefined : `It asks to wait ${formatDuration(waitMs)} (Retry-After).`;
  throw makeStatusError(status, waitHint ?? hint);
}

/** After a visit to another origin, a redirect back was chosen by that origin, so it gets no secrets either. */
function hasLeftOrigin(visited: ReadonlySet<string>, { origin }: URL): boolean {
  return [...visited].some((href) => new URL(href).origin !== origin);
}

/** Sends one request, again while its failures may pass; a response of any status resolves. */
export async function requestWithRetries(
  url: URL,
  headers: Readonly<Record<string, string>>,
  options: RetryOptions & Pick<FollowOptions, "send" | "signal">,
): Promise<TransportResponse> {
  for (let tries = 1; ; tries++) {
    const isLast = tries >= options.maxTries;
    const response = await options.send(url, headers, options.signal).catch((error: unknown) => {
      if (options.signal.aborted) throw error;
      if (isLast || !isTransient(error)) throw toNetworkError(error, url);
      return undefined;
    });
    const delayMs = response === undefined ? backoffMs(tries) : findRetryDelayMs(response, tries);
    if (response !== undefined && (isLast || delayMs === undefined || delayMs > options.maxRetryDelayMs)) {
      return response;
    }
    response?.discard();
    const waitMs = Math.min(delayMs ?? 0, options.maxRetryDelayMs);
    await (options.pause ?? waitByClock)(waitMs, options.signal);
  }
}

/** Undefined for a response that is final; else how long to wait, as the server asks or by our own backoff. */
function findRetryDelayMs(response: TransportResponse, tries: number): number | undefined {
  const { status } = response;
  if (!(status === 408 || status === 425 || status === 429 || (status >= 500 && status < 600))) return undefined;
  return readRetryAfterMs(response) ?? backoffMs(tries);
}

/** How long the server asks to wait; undefined where the header is missing or is neither seconds nor a date. */
function readRetryAfterMs({ headers }: TransportResponse): number | undefined {
  const retryAfter = headers["retry-after"]?.trim() ?? "";
  if (/^\d+$/.test(retryAfter)) return Math.min(Number(retryAfter), MAX_RETRY_AFTER_S) * 1_000;
  // Date.parse accepts many strings that are not dates; an HTTP date begins with its weekday.
  const date = /^(mon|tue|wed|thu|fri|sat|sun)/i.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** Doubles with each attempt; jitter keeps many clients from retrying at the same moment. */
function backoffMs(tries: number): number {
  return FIRST_RETRY_DELAY_MS * 2 ** (tries - 1) * (0.75 + Math.random() / 2);
}

/** Whether a response sends its reader to another URL. */
export function isRedirect({ status }: Pick<TransportResponse, "status">): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function findRedirect(response: TransportResponse, url: URL): URL | undefined {
  if (!isRedirect(response)) return undefined;
  const { status, headers, discard } = response;
  const location = readLocation(headers);
  try {
    if (location === "") throw makeStatusError(status);
    return parseTarget(location, url);
  } catch (error) {
    discard();
    throw location === "" ? error : makeBadTargetError(url, error);
  }
}

/** The target of a redirect as its server wrote it: header bytes arrive as Latin-1, and many servers send UTF-8. */
export function readLocation({ location = "" }: TransportResponse["headers"]): string {
  const bytes = Buffer.from(location, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : location;
}

function makeBadTargetError(url: URL, cause: unknown): SpillwayError {
  const reason = cause instanceof SpillwayError ? ` (${cause.message})` : "";
  return new SpillwayError(
    "response_invalid",
    `${clip(url.host)} redirects to a URL that cannot be fetched${reason}.`,
    {
      hint: "This is an error of the site; fetch another of its URLs.",
      cause,
    },
  );
}

function makeLoopError(url: URL, requests: number): SpillwayError {
  const sentence = `Redirect loop: ${clip(url.host)} redirects back to an earlier URL after ${formatCount(requests, "request")}.`;
  return new SpillwayError("response_invalid", sentence, {
    hint: "The site may want cookies (set them in network.headers). Otherwise fetch another URL.",
  });
}

function makeTooManyError(): SpillwayError {
  return new SpillwayError("response_invalid", `More than ${MAX_REDIRECTS} redirects.`, {
    hint: "Fetch the URL that they should lead to.",
  });
}
