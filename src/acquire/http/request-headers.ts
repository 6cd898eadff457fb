/** The headers of our own requests: accepted types and encodings, user agent, cache conditions, credentials. */
import type { Environment } from "../../config/paths.ts";
import type { Settings } from "../../config/settings.ts";
import { SpillwayError } from "../../errors.ts";
import { version } from "../../version.ts";
import { type KnownValidators, makeConditionalHeaders } from "../freshness.ts";
import type { PagePreference } from "../source.ts";
import { acceptedEncodings } from "./body/content-encoding.ts";
import { makeCredentials } from "./credentials.ts";

/** What varies from one fetch to the next. */
export type HeaderOptions = {
  readonly prefers: PagePreference;
  readonly validators?: KnownValidators;
  readonly noCache?: boolean;
  /** False where another site chose the URL: then the credentials of its host are not sent. */
  readonly withCredentials?: boolean;
};

export type RequestHeaders = {
  headersFor(url: URL, options: HeaderOptions): Readonly<Record<string, string>>;
  /** Whether network.headers names the host of this URL. */
  hasCredentials(url: URL): boolean;
  /** Changes with everything that may change the response, credentials included: only ever passed to a hash. */
  fingerprint(url: URL, prefers: PagePreference): string;
};

const accepts: Readonly<Record<PagePreference, string>> = {
  markdown: "text/markdown, text/html;q=0.9, */*;q=0.8",
  source: "text/html, application/xhtml+xml, */*;q=0.8",
};

/** The headers by the settings; throws if the user agent cannot be sent. */
export function makeRequestHeaders(settings: Settings, env: Environment): RequestHeaders {
  const credentials = makeCredentials(settings["network.headers"], env);
  const userAgent = settings["network.user_agent"] ?? `Spillway/${version} (retrieval for AI agents)`;
  assertSendable(userAgent);
  // A response that was cached under other guard rules must not be used under these.
  const guardRules = [settings["network.allow"], settings["network.deny"]];
  return {
    headersFor: (url, { prefers, noCache, validators, withCredentials = true }) => ({
      accept: accepts[prefers],
      "accept-encoding": acceptedEncodings,
      "user-agent": userAgent,
      ...(noCache ? { "cache-control": "no-cache" } : {}),
      ...makeConditionalHeaders(validators, url),
      ...(withCredentials ? credentials.headersFor(url) : {}),
    }),
    hasCredentials: credentials.hasHeadersFor,
    fingerprint: (url, prefers) =>
      JSON.stringify([url.href, accepts[prefers], userAgent, guardRules, credentials.fingerprint]),
  };
}

function assertSendable(userAgent: string): void {
  if (/^[\x20-\x7e]+$/.test(userAgent)) return;
  throw new SpillwayError("config_invalid", "The setting network.user_agent cannot be sent.", {
    hint: "Use printable ASCII characters only.",
  });
}
