/** Runs the handler of a kind up to where text is wanted, storing every segment on the way. */
import type { Content } from "../acquire/spool.ts";
import { memoryObjects } from "../artifacts/memory-objects.ts";
import type { Objects } from "../artifacts/objects.ts";
import type { ArtifactFacts } from "../artifacts/record.ts";
import { isUnwritable } from "../errors.ts";
import {
  type Ask,
  type Description,
  type Failure,
  type Handler,
  type Info,
  type Limits,
  type LocalFile,
  type Mode,
  mayPass,
  type Segment,
} from "./handler.ts";
import {
  advance,
  appendPart,
  type Extent,
  extractIn,
  extractPrefixOf,
  linkBaseOf,
  openExtract,
  type PartContent,
  type StoredExtract,
} from "./stored.ts";
import { addPage, textlessFailure } from "./tally.ts";

export type ExtractRequest = {
  /** Where the extract is stored. */
  readonly objects: Objects;
  readonly facts: Pick<
    ArtifactFacts,
    "sha256" | "size_bytes" | "content_kind" | "media_type" | "charset" | "source_url" | "final_url"
  >;
  readonly content: Content;
  readonly handler: Handler;
  readonly mode: Mode;
  /** Whether enough is stored for what is wanted; extraction then stops. */
  readonly enough: (extent: Extent) => boolean;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly password?: string | undefined;
};

export type Extract = StoredExtract & {
  readonly handler: string;
  /** Whether there is anything to read in it. */
  readonly hasText: boolean;
  /** Whether it holds less text than the document: extraction may go on, or has failed on the way. */
  readonly isPartial: boolean;
  /** What the handler says about the document, in its own fields and sentences. */
  readonly description: Description;
};

/** Text gathered before it is written: one file for a small document, few files for a large one. */
const partChars = 256 * 1024;
const partSegments = 2_000;

/** What is held in memory at most when the store cannot be written. */
const memoryChars = 32 * 1024 * 1024;

/** The extract of a file at least up to the wanted place, or to its end. A second call parses nothing again. */
export async function extractText(request: ExtractRequest): Promise<Extract> {
  // Text opened with a password is for this reply only and never shared.
  if (request.password !== undefined) return extractInMemory(request);
  try {
    return await extendStored(request);
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return extractInMemory(request);
  }
}

function extractInMemory(request: ExtractRequest): Promise<Extract> {
  const enough = (extent: Extent) => request.enough(extent) || extent.chars >= memoryChars;
  return extendStored({ ...request, objects: memoryObjects(), enough });
}

async function extendStored(request: ExtractRequest): Promise<Extract> {
  const { objects, facts, handler, mode, enough } = request;
  const prefix = extractPrefixOf(handler, facts, mode);
  const stored = await openExtract(objects, prefix);
  if (stored.ended || enough(stored.extent)) return extractOf(stored, handler);
  return extractOf(await extend(request, prefix, stored), handler);
}

/** A stored extract with what follows from it for a reader. */
export function extractOf(stored: StoredExtract, handler: Pick<Handler, "name" | "describe">): Extract {
  const { extent, ended, info } = stored;
  const hasText = extent.segments > 0 && info.tally?.withText !== 0;
  const isPartial = ended === null || (hasText && ended.failed !== null);
  const description = handler.describe?.(info, ended?.failed ?? null) ?? {};
  return { ...stored, handler: handler.name, hasText, isPartial, description };
}

/** The stored extract with what was wanted after it. A failure that may pass ends it for this reply only. */
async function extend(request: ExtractRequest, prefix: string, stored: StoredExtract): Promise<StoredExtract> {
  const { objects, handler, mode, enough, limits, signal, password } = request;
  const ask: Ask = { mode, from: stored.extent.segments, limits, ...(password === undefined ? {} : { password }) };
  let info: Info = stored.info;
  let { parts, extent: written } = stored;
  /** What was written last, until more comes: a long text must not be held twice. */
  let content: PartContent | undefined;
  let reached = written;
  let segments: Segment[] = [];
  let failed: Failure | null = null;

  async function flush(last: boolean): Promise<void> {
    content = { info, segments, failed };
    const part = await appendPart(objects, prefix, written, { ...content, last });
    [parts, written, segments] = [[...parts, part], part.end, []];
  }

  async function flushed(): Promise<StoredExtract> {
    if (segments.length > 0) await flush(false);
    return content === undefined ? stored : extractIn(objects, parts, content);
  }

  try {
    for await (const piece of handler.extract(localFile(request), ask, signal)) {
      if ("info" in piece) info = { ...info, ...piece.info };
      if ("failed" in piece) failed = piece.failed;
      if (!("segment" in piece)) continue;
      content = undefined;
      segments.push(piece.segment);
      if (piece.note) info = { ...info, tally: addPage(info.tally, piece.segment, piece.note) };
      reached = advance(reached, piece.segment);
      if (reached.chars - written.chars >= partChars || segments.length === partSegments) await flush(false);
      // After the last page the handler is asked once more, to hear that it was the last.
      if (enough(reached) && reached.segments !== info.pageCount) return await flushed();
    }
    if (failed && mayPass(failed)) return { ...(await flushed()), ended: { failed } };
    if (info.pageCount !== undefined && (info.tally?.withText ?? 0) === 0) failed ??= textlessFailure(info.tally);
    await flush(true);
    return await flushed();
  } finally {
    // Whatever ended the loop, the segments that arrived are kept.
    await flushed();
  }
}

function localFile({ facts, content }: ExtractRequest): LocalFile {
  const { size_bytes: sizeBytes, content_kind: kind, media_type: mediaType, charset } = facts;
  const url = linkBaseOf(facts);
  return { content, sizeBytes, kind, mediaType, charset, ...(url === null ? {} : { url }) };
}
