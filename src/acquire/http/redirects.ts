/** Requests a URL: retries transient failures, and follows redirects as separate requests, up to the final response. */
import { isUtf8 } from "node:buffer";
import { setTimeout as pause } from "node:timers/promises";
import { SpillwayError } from "../../errors.ts";
import { SHORT_NAME_CHARS } from "../../system/clip-lengths.ts";
import { formatCount } from "../../system/quantities.ts";
import { clip } from "../../system/safe-names.ts";
import { isTransient, makeStatusError, toNetworkError } from "./network-errors.ts";
import type { TransportResponse } from "./transport/undici-transport.ts";
import { parseTarget } from "./url.ts";

/** The last response of a chain, and the redirects that led to it. */
export type FinalResponse = TransportResponse & { readonly url: URL; readonly hops: readonly RedirectHop[] };

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
  /** Waits between two attempts; tests do not wait. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** How the requests of a chain are made; headers are chosen again for each hop. */
export type FollowOptions = RetryOptions & {
  readonly send: Send;
  /** Our own headers for this URL: user agent, accepted types, the credentials of its host. */
  headersFor(url: URL): Readonly<Record<string, string>>;
  /** The caller's headers; they are never sent to another origin. */
  readonly callerHeaders: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

const MAX_REDIRECTS = 5;
const FIRST_RETRY_DELAY_MS = 300;

/** The response that is not a redirect; throws on a loop, a bad target and after too many redirects. */
export async function followRedirects(start: URL, options: FollowOptions): Promise<FinalResponse> {
  const visited = new Set<string>();
  const hops: RedirectHop[] = [];
  for (let url = start; ; ) {
    visited.add(url.href);
    const sendsCallerHeaders = url.origin === start.origin && !hasLeftOrigin(visited, start);
    const response = await requestWithRetries(url, sendsCallerHeaders, options);
    const next = findRedirect(response, url);
    if (next === undefined) return { ...response, url, hops };
    response.discard();
    if (visited.has(next.href)) throw makeLoopError(next, visited.size);
    if (hops.length === MAX_REDIRECTS) throw makeTooManyError();
    hops.push({ status: response.status, headers: response.headers, url });
    url = next;
  }
}

/** Throws for a response that carries no content; its body is discarded. */
export function assertHasContent(response: FinalResponse): void {
  const { status } = response;
  if (status >= 200 && status < 300 && status !== 204 && status !== 205) return;
  response.discard();
  const retryAfter = response.headers["retry-after"];
  const hint =
    retryAfter && (status === 429 || status === 503)
      ? `It asks to wait: Retry-After ${clip(retryAfter, SHORT_NAME_CHARS)}.`
      : undefined;
  throw makeStatusError(status, hint);
}

/** After a visit to another origin, a redirect back was chosen by that origin, so it gets no caller headers either. */
function hasLeftOrigin(visited: ReadonlySet<string>, { origin }: URL): boolean {
  return [...visited].some((href) => new URL(href).origin !== origin);
}

async function requestWithRetries(
  url: URL,
  sendsCallerHeaders: boolean,
  options: FollowOptions,
): Promise<TransportResponse> {
  const headers = { ...options.headersFor(url), ...(sendsCallerHeaders ? options.callerHeaders : {}) };
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
    await (options.pause ?? pauseFor)(waitMs, options.signal);
  }
}

/** Undefined for a response that is final; else how long to wait, as the server asks or by our own backoff. */
function findRetryDelayMs({ status, headers }: TransportResponse, tries: number): number | undefined {
  if (!(status === 408 || status === 425 || status === 429 || (status >= 500 && status < 600))) return undefined;
  const retryAfter = headers["retry-after"]?.trim() ?? "";
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  // Date.parse accepts many strings that are not dates; an HTTP date begins with its weekday.
  const date = /^(mon|tue|wed|thu|fri|sat|sun)/i.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN;
  return Number.isNaN(date) ? backoffMs(tries) : Math.max(0, date - Date.now());
}

/** Doubles with each attempt; jitter keeps many clients from retrying at the same moment. */
function backoffMs(tries: number): number {
  return FIRST_RETRY_DELAY_MS * 2 ** (tries - 1) * (0.75 + Math.random() / 2);
}

async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal });
}

function findRedirect({ status, headers, discard }: TransportResponse, url: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  const location = decodeAsUtf8(headers.location ?? "");
  try {
    if (location === "") throw makeStatusError(status);
    return parseTarget(location, url);
  } catch (error) {
    discard();
    throw location === "" ? error : makeBadTargetError(url, error);
  }
}

/** Header bytes arrive as Latin-1, and many servers send UTF-8. */
function decodeAsUtf8(header: string): string {
  const bytes = Buffer.from(header, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : header;
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
