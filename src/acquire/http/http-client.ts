/** HTTP client: SSRF guard, per-host delay, robots.txt, one deadline; reports what could not be verified. */
import type { Environment } from "../../config/paths.ts";
import type { Settings } from "../../config/settings.ts";
import { clip } from "../../system/safe-names.ts";
import type { OpenedSource, OpenOptions, PagePreference, UnchangedSource } from "../source.ts";
import { openResponseBody } from "./body/response-body.ts";
import { type Deadline, withDeadline } from "./deadline.ts";
import { type Guard, makeGuard } from "./guard/address-guard.ts";
import { makeHostDelay } from "./host-delay.ts";
import { toOpenedSource, toUnchangedSource } from "./opened-response.ts";
import { makePageRequester, type PageRequestOptions, type PageResponse } from "./page-requests.ts";
import { preferMarkdown } from "./prefer-markdown.ts";
import {
  assertHasContent,
  type FinalResponse,
  type FollowOptions,
  followRedirects,
  type RetryOptions,
  type Send,
} from "./redirects.ts";
import { type HeaderOptions, makeRequestHeaders, type RequestHeaders } from "./request-headers.ts";
import { makeRobotsCheck } from "./robots-check.ts";
import { makeServiceRequester, type ServiceRequest } from "./service-request.ts";
import { getPort, makeProxyChooser } from "./transport/env-proxy.ts";
import { type Dialler, systemDialler } from "./transport/guarded-connect.ts";
import type { GuardedProxy } from "./transport/guarded-proxy.ts";
import { type Lane, openTransport, type Transport } from "./transport/undici-transport.ts";
import type { Wait } from "./wait-by-clock.ts";

export type HttpOpenOptions = OpenOptions &
  HeaderOptions & {
    /** The caller's own headers; dropped when a redirect leaves the origin. */
    readonly headers?: Readonly<Record<string, string>>;
  };

/** All users of one client share its connections; disposing it closes them. */
export type HttpClient = AsyncDisposable & {
  open(url: URL, options: HttpOpenOptions): Promise<OpenedSource | UnchangedSource>;
  /**
   * Sends JSON to a service that the user's own settings name, or asks it for some, and returns its response. Naming the
   * service allows its host and port and nothing else; network.deny still applies, and no redirect is followed.
   */
  requestService(service: URL, options: ServiceRequest): Promise<string>;
  /** Sends one request of a page that a browser runs; a redirect is returned, not followed. */
  requestForPage(url: URL, options: PageRequestOptions): Promise<PageResponse>;
  /**
   * A proxy for a program that dials by itself, such as git, to reach this URL: every connection passes the same guard.
   * Where the environment names a proxy, it is that one; then only the host's name is checked, and `isGuarded` is false.
   */
  openProxy(url: URL, limits: { readonly maxBytes: number }): Promise<GuardedProxy & { readonly isGuarded: boolean }>;
  /** Everything that decides which bytes a URL returns, credentials included: only ever passed to a hash. */
  fingerprint(url: URL, prefers: PagePreference): Promise<string>;
};

export type HttpClientOptions = {
  readonly settings: Settings;
  readonly env: Environment;
  readonly now?: () => number;
  /** How names are resolved and addresses dialled. Default: by this machine. */
  readonly dialler?: Dialler;
  /** Default: the one made from the settings. */
  readonly guard?: Guard;
  /** Waits between two attempts, and between two requests to one host. Default: by the clock. */
  readonly pause?: Wait;
};

/** The client itself, which lazy-client.ts loads on first use; nothing is connected before the first fetch. */
export function makeHttpClient(options: HttpClientOptions): HttpClient {
  const { settings, env, now = Date.now, pause } = options;
  const maxExpansion = settings["network.expansion"];
  const timeoutMs = settings["network.timeout"];
  const retries: RetryOptions = {
    maxTries: settings["network.tries"],
    maxRetryDelayMs: settings["network.retry_wait"],
    ...(pause ? { pause } : {}),
  };
  const requestHeaders = makeRequestHeaders(settings, env);
  const transport = openGuardedTransport(options);
  // A page must not reach, through a browser, what the user allowed for fetches: its other origins are public places.
  const publicTransport = openGuardedTransport({ ...options, settings: { ...settings, "network.allow": [] } });
  const waitForHost = makeHostDelay(settings["network.delay"], now, pause);
  const makeSend = makeSender(transport);
  const services = makeServiceRequester({
    retries,
    maxExpansion,
    headersFor: (url) => requestHeaders.headersFor(url, { prefers: "source" }),
    openTransport: (service) => openGuardedTransport(options, service),
  });

  /**
   * Requests through one transport, after the robots.txt that the same transport fetches. It is fetched without
   * credentials: it is public, and the page may be one that another site redirected to.
   */
  function makeSender(through: Transport): (lane: Lane) => Send {
    const checkRobots = makeRobotsCheck({
      request: (url, signal) =>
        followRedirects(url, {
          ...makeFollowOptions({ prefers: "source", withCredentials: false }, signal),
          send: (target, headers, until) => through.request(target, headers, until),
        }),
      timeoutMs,
      maxExpansion,
      now,
    });
    return (lane) => async (url, headers, signal) => {
      if (settings["network.robots"] === "on") await checkRobots(url, signal);
      await waitForHost(url.host, signal);
      return through.request(url, headers, signal, { lane });
    };
  }

  function makeFollowOptions(
    request: HeaderOptions & Pick<HttpOpenOptions, "headers">,
    signal: AbortSignal,
  ): FollowOptions {
    const { withCredentials = true } = request;
    return {
      ...retries,
      send: makeSend("main"),
      headersFor: (url, isDirect) =>
        requestHeaders.headersFor(url, { ...request, withCredentials: withCredentials && isDirect }),
      callerHeaders: request.headers ?? {},
      signal,
    };
  }

  const requestForPage = makePageRequester({
    retries,
    timeoutMs,
    maxExpansion,
    headersFor: requestHeaders.headersFor,
    sendOwn: makeSend("main"),
    sendForeign: makeSender(publicTransport)("main"),
  });

  async function fetchPage(
    url: URL,
    request: HttpOpenOptions,
    deadline: Deadline,
  ): Promise<OpenedSource | UnchangedSource> {
    request.signal.throwIfAborted();
    const followOptions = makeFollowOptions(request, deadline.combined);
    const first = await followRedirects(url, followOptions);
    if (first.status === 304 && request.validators) return toUnchangedSource(first, now());
    const withheldNote = describeWithheld(first, requestHeaders);
    assertHasContent(first, withheldNote);
    const openBody = (response: FinalResponse) =>
      openResponseBody(response, { ...deadline, maxExpansion, incoming: request.incoming });
    const page = { response: first, body: openBody(first) };
    const origin = { requested: url, first, notes: withheldNote === undefined ? [] : [withheldNote] };
    if (request.prefers !== "markdown") return toOpenedSource(page, origin, now());
    const markdownOptions = { ...followOptions, send: makeSend("nested"), callerSignal: request.signal, openBody };
    return toOpenedSource(await preferMarkdown(page, markdownOptions), origin, now());
  }

  return {
    open: (url, request) =>
      withDeadline({ url, timeoutMs, signal: request.signal }, (deadline) => fetchPage(url, request, deadline)),
    requestService: services.request,
    requestForPage,
    async openProxy(url, { maxBytes }) {
      const guard = makeSettingsGuard(options);
      guard.checkHost({ host: url.hostname, port: Number(getPort(url)) });
      const named = makeProxyChooser(env)(url);
      if (named !== undefined)
        return {
          url: named,
          isGuarded: false,
          refusal: () => undefined,
          isOverLimit: () => false,
          [Symbol.asyncDispose]: async () => undefined,
        };
      const { openGuardedProxy } = await import("./transport/guarded-proxy.ts");
      const { dialler = systemDialler } = options;
      return { ...(await openGuardedProxy({ guard, dialler, timeoutMs, maxBytes })), isGuarded: true };
    },
    fingerprint: async (url, prefers) => requestHeaders.fingerprint(url, prefers),
    async [Symbol.asyncDispose]() {
      const closing = [transport, publicTransport, services].map((each) => each[Symbol.asyncDispose]());
      await Promise.all(closing);
    },
  };
}

/** That credentials were not sent because another site led to their host. It names no address: that site chose it. */
function describeWithheld(
  { isDirect, url }: FinalResponse,
  { hasCredentials }: Pick<RequestHeaders, "hasCredentials">,
): string | undefined {
  if (isDirect || !hasCredentials(url)) return undefined;
  return `The network.headers of ${clip(url.host)} were not sent, because a redirect from another site led there.`;
}

/** A transport behind the guard of the settings, which also allows the host and port of a named service. */
function openGuardedTransport(options: HttpClientOptions, service?: URL): Transport {
  const { settings, env, dialler = systemDialler } = options;
  return openTransport({ settings, env, dialler, guard: makeSettingsGuard(options, service) });
}

function makeSettingsGuard(options: Pick<HttpClientOptions, "settings" | "guard">, service?: URL): Guard {
  const { "network.allow": allow, "network.deny": deny } = options.settings;
  return options.guard ?? makeGuard({ allow: service ? [...allow, toPlace(service)] : allow, deny });
}

/** Host and port as network.allow writes them. */
function toPlace(service: URL): string {
  return `${service.hostname}:${getPort(service)}`;
}
