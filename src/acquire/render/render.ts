/** Runs the scripts of a page in a browser and returns the document they make. The browser has no network access. */
import { SpillwayError } from "../../errors.ts";
import { type BrowserOptions, type Devtools, makeMemoryError, openBrowser } from "./devtools.ts";
import { makeOwnRequestCheck, type PausedRequest } from "./own-requests.ts";
import { type WatchedPage, waitUntilQuiet } from "./quiet-page.ts";

/** A request that a page makes. */
export type ResourceRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the page's own origin requests something from itself; everything else gets no trust of the user's. */
  readonly isOwnOrigin: boolean;
};

/** The response to a page's request; a redirect is followed by the browser, which applies its rules for origins. */
export type Resource = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

export type RenderOptions = BrowserOptions & {
  /** The page's URL; its document is passed in, not fetched again. */
  readonly url: string;
  readonly document: Resource;
  /** Fetches what scripts request, behind the guard; a rejection is a failed request to them. */
  fetchResource(request: ResourceRequest, signal: AbortSignal): Promise<Resource>;
  /** How long to wait for the page to become idle before it is read anyway. */
  readonly settleMs: number;
  readonly signal: AbortSignal;
};

/** The document as HTML once the page is idle or its time is over. */
export async function renderPage(options: RenderOptions): Promise<string> {
  options.signal.throwIfAborted();
  await using browser = await openBrowser(options);
  const ending = new AbortController();
  const timeout = AbortSignal.timeout(options.settleMs + BROWSER_START_MS);
  const signal = AbortSignal.any([options.signal, ending.signal, timeout]);
  try {
    return await Promise.race([
      readPage(browser, options, signal),
      rejectOnAbort(signal, options.signal),
      rejectOnFailure(browser, options.memoryBytes),
    ]);
  } finally {
    // What is still being waited for or fetched has no reader any more.
    ending.abort();
  }
}

/** The time for starting a browser and reading its document, in addition to the page's own time. */
const BROWSER_START_MS = 15_000;

function rejectOnAbort(signal: AbortSignal, callerSignal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(callerSignal.aborted ? callerSignal.reason : makeTimeoutError());
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** Rejects when the browser exits, or when scripts fill the heap: that crashes the page's process only. */
function rejectOnFailure(browser: Devtools, memoryBytes: number): Promise<never> {
  return new Promise((_, reject) => {
    void browser.exited.then(reject);
    browser.onEvent(({ method }) => {
      if (method === "Inspector.targetCrashed") reject(makeMemoryError(memoryBytes));
    });
  });
}

function makeTimeoutError(): SpillwayError {
  return new SpillwayError("render_failed", "The browser that runs a page's scripts does not respond.", {
    hint: "Fetch the page again, or leave the setting render.chromium empty.",
  });
}

async function readPage(browser: Devtools, options: RenderOptions, signal: AbortSignal): Promise<string> {
  const { targetId } = await browser.call<{ targetId: string }>("Target.createTarget", { url: "about:blank" });
  const attachOptions = { targetId, flatten: true };
  const { sessionId } = await browser.call<{ sessionId: string }>("Target.attachToTarget", attachOptions);
  const call = <T>(method: string, params?: object): Promise<T> => browser.call(method, params, sessionId);
  // The main frame of a page has the id of its target.
  const mainFrameId = targetId;
  const { readActivity } = serveRequests(browser, call, { ...options, mainFrameId }, signal);
  await call("Inspector.enable");
  await call("Page.enable");
  await call("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
  await call("Page.navigate", { url: options.url });
  await waitUntilQuiet({ mainFrameId, call, readActivity }, { settleMs: options.settleMs, signal });
  const { root } = await call<{ root: { nodeId: number } }>("DOM.getDocument", { depth: 0 });
  const { outerHTML } = await call<{ outerHTML: string }>("DOM.getOuterHTML", { nodeId: root.nodeId });
  return outerHTML;
}

type Call = <T>(method: string, params?: object) => Promise<T>;

type ServeOptions = RenderOptions & { readonly mainFrameId: string };

/** Further requests of a page are refused. */
const MAX_PAGE_REQUESTS = 300;

/** Answers the page's requests, and returns what the page does meanwhile. */
function serveRequests(
  browser: Devtools,
  call: Call,
  options: ServeOptions,
  signal: AbortSignal,
): Pick<WatchedPage, "readActivity"> {
  let [requestCount, openRequests, isLoaded, activityCount] = [0, 0, false, 0];
  const isOwnRequest = makeOwnRequestCheck(options.url, options.mainFrameId);

  browser.onEvent(({ method, params }) => {
    activityCount++;
    if (method === "Page.loadEventFired") isLoaded = true;
    if (method === "Page.javascriptDialogOpening")
      void ignoreFailure(call("Page.handleJavaScriptDialog", { accept: false }));
    if (method === "Fetch.requestPaused") void answerRequest(params as unknown as PausedRequest);
  });

  async function answerRequest(paused: PausedRequest): Promise<void> {
    openRequests++;
    const { requestId } = paused;
    const resource = await loadResource(paused).catch(() => undefined);
    const response = resource
      ? call("Fetch.fulfillRequest", { requestId, ...toFulfilment(resource) })
      : call("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
    // The request may be gone by now, with the page that made it.
    await ignoreFailure(response);
    openRequests--;
    activityCount++;
  }

  async function loadResource(paused: PausedRequest): Promise<Resource | undefined> {
    const { request, resourceType } = paused;
    const isOwnOrigin = isOwnRequest(paused);
    if (requestCount++ === 0) return options.document;
    const isAllowed =
      request.method === "GET" && neededTypes.includes(resourceType) && requestCount <= MAX_PAGE_REQUESTS;
    return isAllowed ? await options.fetchResource({ ...request, isOwnOrigin }, signal) : undefined;
  }

  return { readActivity: () => (isLoaded && openRequests === 0 ? activityCount : undefined) };
}

/** Text comes from these; images, videos, fonts and style sheets are not loaded. */
const neededTypes: readonly string[] = ["Document", "Script", "XHR", "Fetch"];

function toFulfilment({ status, headers, body }: Resource) {
  return {
    responseCode: status,
    responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
    body: Buffer.from(body).toString("base64"),
  };
}

async function ignoreFailure(work: Promise<unknown>): Promise<void> {
  await work.catch(() => undefined);
}
