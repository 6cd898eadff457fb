/** Sends the requests of a page that a browser runs. The browser follows redirects, so that its rules for origins apply. */

import { openResponseBody } from "./body/response-body.ts";
import { type Deadline, withDeadline } from "./deadline.ts";
import { isRedirect, type RetryOptions, readLocation, requestWithRetries, type Send } from "./redirects.ts";
import type { HeaderOptions } from "./request-headers.ts";
import { parseTarget } from "./url.ts";

type Headers = Readonly<Record<string, string>>;

export type PageRequestOptions = {
  /** Headers of the browser that are passed on. */
  readonly headers: Headers;
  /** Whether the page's own origin requests something from itself; only then are places of network.allow reached. */
  readonly isOwnOrigin: boolean;
  /** Whether network.headers are sent; never to another origin. */
  readonly withCredentials: boolean;
  readonly signal: AbortSignal;
};

/** A response of any status, decoded; the body of a redirect is empty. */
export type PageResponse = {
  readonly status: number;
  readonly headers: Headers;
  readonly chunks: AsyncIterable<Uint8Array>;
};

export type PageRequesterOptions = {
  readonly retries: RetryOptions;
  readonly timeoutMs: number;
  readonly maxExpansion: number;
  headersFor(url: URL, options: HeaderOptions): Headers;
  /** Sends to the page's own origin, behind the guard of the settings. */
  readonly sendOwn: Send;
  /** Sends to every other origin, behind a guard that allows public places only. */
  readonly sendForeign: Send;
};

/** A function that sends one request of a page. */
export function makePageRequester(options: PageRequesterOptions) {
  const { retries, timeoutMs, maxExpansion } = options;

  async function request(url: URL, asked: PageRequestOptions, deadline: Deadline): Promise<PageResponse> {
    const { isOwnOrigin } = asked;
    const withCredentials = isOwnOrigin && asked.withCredentials;
    const headers = { ...asked.headers, ...options.headersFor(url, { prefers: "source", withCredentials }) };
    const send = isOwnOrigin ? options.sendOwn : options.sendForeign;
    const response = await requestWithRetries(url, headers, { ...retries, send, signal: deadline.combined });
    const location = isRedirect(response) ? readLocation(response.headers) : "";
    if (location !== "") {
      response.discard();
      // The browser gets only targets that could be fetched: no file: or data:, no user name or password.
      const { href } = parseTarget(location, url);
      return { status: response.status, headers: { ...response.headers, location: href }, chunks: noChunks() };
    }
    const final = { ...response, url, hops: [], isDirect: true };
    const { chunks } = openResponseBody(final, { ...deadline, maxExpansion });
    return { status: response.status, headers: response.headers, chunks };
  }

  return async (given: URL, asked: PageRequestOptions): Promise<PageResponse> => {
    const url = parseTarget(given.href);
    return withDeadline({ url, timeoutMs, signal: asked.signal }, (deadline) => request(url, asked, deadline));
  };
}

async function* noChunks(): AsyncGenerator<Uint8Array> {}
