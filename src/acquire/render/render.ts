/** Runs the scripts of a page in a browser and gives the document they make. The browser itself reaches no network. */
import { setTimeout as pause } from "node:timers/promises";
import { SpillwayError } from "../../errors.ts";
import { type BrowserOptions, type Devtools, openBrowser } from "./devtools.ts";

/** Something a page asks for. */
export type ResourceRequest = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

export type Resource = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

export type RenderOptions = BrowserOptions & {
  /** Where the page stands; its document is given, not fetched again. */
  readonly url: string;
  readonly document: Resource;
  /** Fetches behind the guard what scripts ask for; a rejection is a failed request to them. */
  fetchResource(request: ResourceRequest, signal: AbortSignal): Promise<Resource>;
  /** How long the page may take until it is read as it is. */
  readonly settleMs: number;
  readonly signal: AbortSignal;
};

/** The document as HTML once the page has come to rest or its time is over. */
export async function renderPage(options: RenderOptions): Promise<string> {
  options.signal.throwIfAborted();
  await using browser = await openBrowser(options);
  const late = AbortSignal.any([options.signal, AbortSignal.timeout(options.settleMs + BROWSER_START_MS)]);
  return await Promise.race([readPage(browser, options, late), rejectOnAbort(late, options.signal)]);
}

/** What starting a browser and reading its document may take beside the page's own time. */
const BROWSER_START_MS = 15_000;

function rejectOnAbort(late: AbortSignal, asked: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(asked.aborted ? asked.reason : makeTimeoutError());
    late.addEventListener("abort", leave, { once: true });
  });
}

function makeTimeoutError(): SpillwayError {
  return new SpillwayError("render_failed", "The browser that runs a page's scripts does not answer.", {
    hint: "Fetch the page again, or leave the setting render.chromium empty.",
  });
}

async function readPage(browser: Devtools, options: RenderOptions, signal: AbortSignal): Promise<string> {
  const { targetId } = await browser.call<{ targetId: string }>("Target.createTarget", { url: "about:blank" });
  const attached = { targetId, flatten: true };
  const { sessionId } = await browser.call<{ sessionId: string }>("Target.attachToTarget", attached);
  const call = <T>(method: string, params?: object): Promise<T> => browser.call(method, params, sessionId);
  const quiet = serveRequests(browser, call, options, signal);
  await call("Page.enable");
  await call("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
  await call("Page.navigate", { url: options.url });
  await quiet(options.settleMs);
  const { root } = await call<{ root: { nodeId: number } }>("DOM.getDocument", { depth: 0 });
  const { outerHTML } = await call<{ outerHTML: string }>("DOM.getOuterHTML", { nodeId: root.nodeId });
  return outerHTML;
}

type Call = <T>(method: string, params?: object) => Promise<T>;

type PausedRequest = {
  readonly requestId: string;
  readonly resourceType: string;
  readonly request: { readonly url: string; readonly method: string; readonly headers: Record<string, string> };
};

/** A page that asks for more than this is not worth waiting for. */
const MAX_PAGE_REQUESTS = 300;

/** A page is at rest when it has loaded and nothing was on its way for this long. */
const IDLE_MS = 400;

/** Answers what the page asks for, and gives a wait until it is at rest. */
function serveRequests(browser: Devtools, call: Call, options: RenderOptions, signal: AbortSignal) {
  let [asked, open, loaded, lastAt] = [0, 0, false, Date.now()];

  browser.onEvent(({ method, params }) => {
    lastAt = Date.now();
    if (method === "Page.loadEventFired") loaded = true;
    if (method === "Page.javascriptDialogOpening")
      void ignoreFailure(call("Page.handleJavaScriptDialog", { accept: false }));
    if (method === "Fetch.requestPaused") void answer(params as unknown as PausedRequest);
  });

  async function answer({ requestId, ...wanted }: PausedRequest): Promise<void> {
    open++;
    const resource = await find(wanted).catch(() => undefined);
    const said = resource
      ? call("Fetch.fulfillRequest", { requestId, ...toFulfilment(resource) })
      : call("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
    // A request may be gone by now, with the page that made it.
    await ignoreFailure(said);
    [open, lastAt] = [open - 1, Date.now()];
  }

  async function find({ request, resourceType }: Omit<PausedRequest, "requestId">): Promise<Resource | undefined> {
    if (asked++ === 0) return options.document;
    const isWanted = request.method === "GET" && neededTypes.includes(resourceType) && asked <= MAX_PAGE_REQUESTS;
    return isWanted ? await options.fetchResource(request, signal) : undefined;
  }

  return async (settleMs: number): Promise<void> => {
    const endsAt = Date.now() + settleMs;
    const atRest = () => loaded && open === 0 && Date.now() - lastAt >= IDLE_MS;
    while (!atRest() && Date.now() < endsAt) await pause(50, undefined, { signal });
  };
}

/** Text comes from these; pictures, films, fonts and styles are not read. */
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
