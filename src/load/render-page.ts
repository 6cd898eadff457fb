/** Runs the scripts of a page that shows no text without them, where the settings name a browser. */
import type { Resource, ResourceRequest } from "../acquire/render/render.ts";
import type { OpenedSource } from "../acquire/source.ts";
import { toBody } from "../acquire/spooled-body.ts";
import type { ArtifactFacts } from "../artifacts/record.ts";
import { SpillwayError } from "../errors.ts";
import type { Extract } from "../extract/extract.ts";
import type { Session } from "../session/session.ts";
import { keepSource } from "./load-source.ts";
import type { LoadedSource } from "./loaded-source.ts";

/** Whether a page should be rendered: it has no text of its own, and there is a browser. */
export function needsRendering({ description }: Extract, { settings }: Session): boolean {
  return description.needsScripts === true && settings["render.chromium"] !== null;
}

/**
 * The page after its scripts ran, kept as an artifact whose parent is the page as it was sent. Where it cannot be
 * rendered, the page itself, with the reason in its delivery.
 */
export async function loadRendered(page: LoadedSource, session: Session): Promise<LoadedSource> {
  const { artifact_ref: parentRef, delivery } = page;
  try {
    const html = await render(page, session);
    const rendered = await keepSource(renderedOrigin(page), openHtml(page, html), session, parentRef);
    return { ...rendered, delivery: { ...delivery, rendering: { parentRef } } };
  } catch (error) {
    session.signal.throwIfAborted();
    if (!(error instanceof SpillwayError)) throw error;
    // The caller still owns the page's bytes and disposes them.
    return {
      ...page,
      delivery: { ...delivery, rendering: { problem: error.advice } },
      [Symbol.asyncDispose]: async () => undefined,
    };
  }
}

async function render(page: LoadedSource, session: Session): Promise<string> {
  const { facts, content } = page;
  const { settings, signal } = session;
  const body = Buffer.concat(await Array.fromAsync(toBody(content, facts.size_bytes).stream()));
  const { renderPage } = await import("../acquire/render/render.ts");
  return renderPage({
    chromium: settings["render.chromium"] ?? "",
    sandbox: settings["render.sandbox"] === "on",
    memoryBytes: settings["render.memory_bytes"],
    folders: session.spoolFolders,
    url: addressOf(page),
    document: { status: 200, headers: { "content-type": contentType(facts) }, body },
    fetchResource: makeResourceFetch(page, session),
    settleMs: settings["render.wait"],
    signal,
  });
}

/** A page without a URL gets one that cannot be resolved. */
const addressOf = ({ address }: LoadedSource): string => address.url ?? "http://page.invalid/";

const contentType = ({ media_type, charset }: ArtifactFacts): string =>
  charset === null ? media_type : `${media_type}; charset=${charset}`;

/** All resources of one page together. */
const MAX_RESOURCE_BYTES = 32 * 1024 * 1024;

/** Fetches what the page requests, behind the guard. A page that another site chose gets no credentials. */
function makeResourceFetch({ delivery }: LoadedSource, { network }: Session) {
  let room = MAX_RESOURCE_BYTES;
  return async (request: ResourceRequest, signal: AbortSignal): Promise<Resource> => {
    if (network === undefined) throw new Error("There is no network here.");
    const { Origin: origin } = request.headers;
    const { status, headers, chunks } = await network.requestForPage(new URL(request.url), {
      headers: origin === undefined ? {} : { origin },
      isOwnOrigin: request.isOwnOrigin,
      withCredentials: delivery.isDirect,
      signal,
    });
    const received: Uint8Array[] = [];
    for await (const chunk of chunks) {
      room -= chunk.length;
      if (room < 0) throw new Error("The page requests too much data.");
      received.push(chunk);
    }
    return { status, headers: keepHeaders(headers), body: Buffer.concat(received) };
  };
}

/** The body is decoded and complete by now, and there is no cookie jar. */
const droppedHeaders = new Set(["content-encoding", "content-length", "transfer-encoding", "set-cookie"]);

function keepHeaders(headers: OpenedSource["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !droppedHeaders.has(name.toLowerCase())));
}

const renderedOrigin = ({ facts, address }: LoadedSource) => ({
  given: facts.source_url,
  identity: `${address.identity} after its scripts`,
});

function openHtml(page: LoadedSource, html: string): OpenedSource {
  return {
    chunks: (async function* () {
      yield Buffer.from(html);
    })(),
    name: page.facts.name,
    headers: { "content-type": "text/html; charset=utf-8" },
    location: addressOf(page),
  };
}
