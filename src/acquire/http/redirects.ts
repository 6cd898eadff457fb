/** From a URL to the answer that counts: tries again what may pass, and follows redirects, each as a request of its own. */
import { isUtf8 } from "node:buffer";
import { setTimeout as pause } from "node:timers/promises";
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import { isPassing, networkError, statusError } from "./network-errors.ts";
import type { Response } from "./undici-transport.ts";
import { parseTarget } from "./url.ts";

/** The last answer of a chain, and the redirects that led to it. */
export type Reply = Response & { readonly url: URL; readonly hops: readonly Hop[] };

/** A redirect that was followed. */
export type Hop = Pick<Response, "status" | "headers"> & { readonly url: URL };

/** How one request is made; what it may be told about a URL is decided anew for each hop. */
export type Exchange = {
  send(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response>;
  /** Ours for this URL: who asks, what is wanted, the credentials of its host. */
  headersFor(url: URL): Readonly<Record<string, string>>;
  /** The caller's own; they never leave the origin they were meant for. */
  readonly callerHeaders: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly tries: number;
  readonly longestWaitMs: number;
  /** Time between two tries; tests do not wait. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
};

const mostRedirects = 5;
const firstWaitMs = 300;

export async function follow(start: URL, exchange: Exchange): Promise<Reply> {
  const seen = new Set<string>();
  const hops: Hop[] = [];
  for (let url = start; ; ) {
    seen.add(url.href);
    const response = await tryHop(url, url.origin === start.origin && !leftHome(seen, start), exchange);
    const next = redirectOf(response, url);
    if (next === undefined) return { ...response, url, hops };
    response.discard();
    if (seen.has(next.href)) throw loop(next, seen.size);
    if (hops.length === mostRedirects) throw tooMany();
    hops.push({ status: response.status, headers: response.headers, url });
    url = next;
  }
}

/** Once elsewhere, a redirect back home is somebody else's idea and gets none of the caller's headers either. */
function leftHome(seen: ReadonlySet<string>, { origin }: URL): boolean {
  return [...seen].some((href) => new URL(href).origin !== origin);
}

async function tryHop(url: URL, atHome: boolean, exchange: Exchange): Promise<Response> {
  const headers = { ...exchange.headersFor(url), ...(atHome ? exchange.callerHeaders : {}) };
  for (let tries = 1; ; tries++) {
    const last = tries >= exchange.tries;
    const outcome = await exchange.send(url, headers, exchange.signal).catch((error: unknown) => {
      if (exchange.signal.aborted) throw error;
      if (last || !isPassing(error)) throw networkError(error, url);
      return undefined;
    });
    const waitMs = outcome === undefined ? backoff(tries) : waitAsked(outcome, tries);
    if (outcome !== undefined && (last || waitMs === undefined || waitMs > exchange.longestWaitMs)) {
      return outcome;
    }
    outcome?.discard();
    const wait = Math.min(waitMs ?? 0, exchange.longestWaitMs);
    await (exchange.pause ?? waitFor)(wait, exchange.signal);
  }
}

/** Undefined for an answer that stands; else how long to wait, by the server's word or by ours. */
function waitAsked({ status, headers }: Response, tries: number): number | undefined {
  if (!(status === 408 || status === 425 || status === 429 || (status >= 500 && status < 600))) return undefined;
  const asked = headers["retry-after"]?.trim() ?? "";
  if (/^\d+$/.test(asked)) return Number(asked) * 1_000;
  // The platform takes much for a date that is none; a real one begins with its weekday.
  const date = /^(mon|tue|wed|thu|fri|sat|sun)/i.test(asked) ? Date.parse(asked) : Number.NaN;
  return Number.isNaN(date) ? backoff(tries) : Math.max(0, date - Date.now());
}

/** Doubling, with a spread so that many do not come back at once. */
function backoff(tries: number): number {
  return firstWaitMs * 2 ** (tries - 1) * (0.75 + Math.random() / 2);
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal });
}

function redirectOf({ status, headers, discard }: Response, url: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  const location = asUtf8(headers.location ?? "");
  try {
    if (location === "") throw statusError(status);
    return parseTarget(location, url);
  } catch (error) {
    discard();
    throw location === "" ? error : badTarget(url, error);
  }
}

/** Header bytes arrive as Latin-1, and many servers send UTF-8. */
function asUtf8(header: string): string {
  const bytes = Buffer.from(header, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : header;
}

function badTarget(url: URL, cause: unknown): SpillwayError {
  const why = cause instanceof SpillwayError ? ` (${cause.message})` : "";
  return new SpillwayError("response_invalid", `${clip(url.host)} redirects to where nothing can be fetched${why}.`, {
    hint: "That is the site's mistake; fetch another URL of it.",
    cause,
  });
}

function loop(url: URL, hops: number): SpillwayError {
  const sentence = `Redirect loop: ${clip(url.host)} leads back to where it was after ${hops} requests.`;
  return new SpillwayError("response_invalid", sentence, {
    hint: "The site may want cookies (set them in network.headers). Otherwise fetch another URL.",
  });
}

function tooMany(): SpillwayError {
  return new SpillwayError("response_invalid", `More than ${mostRedirects} redirects.`, {
    hint: "Fetch the URL that it should lead to.",
  });
}
