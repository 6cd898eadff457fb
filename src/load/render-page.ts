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
  const { facts, artifact_ref: parentRef, delivery } = page;
  try {
    const html = await render(page, session);
    const rendered = await keepSource(renderedOrigin(facts), openHtml(facts, html), session, parentRef);
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

async function render({ facts, content }: LoadedSource, session: Session): Promise<string> {
  const { settings, signal } = session;
  const body = Buffer.concat(await Array.fromAsync(toBody(content, facts.size_bytes).stream()));
  const { renderPage } = await import("../acquire/render/render.ts");
  return renderPage({
    chromium: settings["render.chromium"] ?? "",
    sandbox: settings["render.sandbox"] === "on",
    url: addressOf(facts),
    document: { status: 200, headers: { "content-type": contentType(facts) }, body },
    fetchResource: resources(session),
    settleMs: settings["render.wait"],
    signal,
  });
}

/** A page without a URL gets one that cannot be resolved. */
const addressOf = ({ final_url, source_url }: ArtifactFacts): string =>
  [final_url, source_url].find((url) => url !== undefined && /^https?:/i.test(url)) ?? "http://page.invalid/";

const contentType = ({ media_type, charset }: ArtifactFacts): string =>
  charset === null ? media_type : `${media_type}; charset=${charset}`;

/** All resources of one page together. */
const MAX_RESOURCE_BYTES = 32 * 1024 * 1024;

/** Fetches what the page requests, through the same guard as every fetch. */
function resources({ network }: Session) {
  let room = MAX_RESOURCE_BYTES;
  return async ({ url, headers }: ResourceRequest, signal: AbortSignal): Promise<Resource> => {
    const { Origin: origin } = headers;
    const options = { prefers: "source", signal, ...(origin && { headers: { origin } }) } as const;
    const resource = await network?.open(new URL(url), options);
    if (resource === undefined || "unchanged" in resource) throw new Error("Nothing was sent.");
    const chunks: Uint8Array[] = [];
    for await (const chunk of resource.chunks) {
      room -= chunk.length;
      if (room < 0) throw new Error("The page requests too much data.");
      chunks.push(chunk);
    }
    const status = resource.response?.statusCode ?? 200;
    return { status, headers: keepHeaders(resource.headers), body: Buffer.concat(chunks) };
  };
}

/** The body is decoded and complete by now, and there is no cookie jar. */
const droppedHeaders = new Set(["content-encoding", "content-length", "transfer-encoding", "set-cookie"]);

function keepHeaders(headers: OpenedSource["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !droppedHeaders.has(name.toLowerCase())));
}

const renderedOrigin = ({ source_url }: ArtifactFacts) => ({
  given: source_url,
  identity: `${source_url} after its scripts`,
});

function openHtml(facts: ArtifactFacts, html: string): OpenedSource {
  return {
    chunks: (async function* () {
      yield Buffer.from(html);
    })(),
    name: facts.name,
    headers: { "content-type": "text/html; charset=utf-8" },
    location: addressOf(facts),
  };
}
