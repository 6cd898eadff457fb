/** Runs the handler of a source until enough text is extracted, and stores every segment. */
import type { Content } from "../acquire/spool.ts";
import { memoryObjects } from "../artifacts/memory-objects.ts";
import type { Objects } from "../artifacts/objects.ts";
import type { ArtifactFacts } from "../artifacts/record.ts";
import { isUnwritable, SpillwayError } from "../errors.ts";
import {
  type Description,
  type ExtractItem,
  type Failure,
  type Handler,
  type HandlerOptions,
  type Info,
  isRetryableFailure,
  type Limits,
  type LocalFile,
  type Mode,
  type Segment,
} from "./handler.ts";
import { addPage, makeTextlessFailure } from "./page-tally.ts";
import {
  addSegment,
  appendFile,
  assembleExtract,
  type ExtractSize,
  type FileContent,
  findLinkBase,
  makeExtractPrefix,
  openExtract,
  type StoredExtract,
} from "./stored-extract.ts";

/** What to extract, how far, and with which limits. */
export type ExtractOptions = {
  /** Where the extract is stored. */
  readonly objects: Objects;
  /** Whose extract it is: a shared one would be found so fast that it tells what other owners have read. */
  readonly owner: string;
  readonly facts: Pick<
    ArtifactFacts,
    "sha256" | "size_bytes" | "content_kind" | "media_type" | "charset" | "source_url" | "final_url" | "name"
  >;
  readonly content: Content;
  readonly handler: Handler;
  readonly mode: Mode;
  /** Whether enough is extracted for this reply; extraction then stops. */
  readonly enough: (size: ExtractSize) => boolean;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly password?: string | undefined;
};

/** The text of one artifact as far as it was extracted, with what a reader needs to know about it. */
export type Extract = StoredExtract & {
  readonly handler: string;
  /** Whether there is anything to read in it. */
  readonly hasText: boolean;
  /** Whether it holds less text than the document: more can be extracted, or extraction failed before the end. */
  readonly isPartial: boolean;
  /** What the handler says about the document, in its own fields and sentences. */
  readonly description: Description;
  /** What its pages are called, and how much there is of it, both in the words of the handler or ours. */
  readonly pageName: string;
  readonly extent: string;
};

/** Text gathered before it is written: one file for a small document, few for a large one. */
const FILE_CHARS = 256 * 1024;
const FILE_SEGMENTS = 2_000;

/** How much is extracted where the store cannot be written. */
const MAX_MEMORY_CHARS = 32 * 1024 * 1024;

/** The extract of a source, at least as far as is enough, or to its end. A second call parses nothing again. */
export async function extractText(options: ExtractOptions): Promise<Extract> {
  // Text opened with a password is for this reply only and is never stored.
  if (options.password !== undefined) return extractInMemory(options);
  try {
    return await extendStored(options);
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return extractInMemory(options);
  }
}

function extractInMemory(options: ExtractOptions): Promise<Extract> {
  const enough = (size: ExtractSize) => options.enough(size) || size.chars >= MAX_MEMORY_CHARS;
  return extendStored({ ...options, objects: memoryObjects(), enough });
}

async function extendStored(options: ExtractOptions): Promise<Extract> {
  const { objects, owner, facts, handler, mode, enough } = options;
  const prefix = makeExtractPrefix(handler, facts, mode, owner);
  const storedExtract = await openExtract(objects, prefix);
  if (storedExtract.ended || enough(storedExtract.size)) return toExtract(storedExtract, handler);
  return toExtract(await extend(options, prefix, storedExtract), handler);
}

/** A stored extract with what its handler says about it. */
export function toExtract(
  storedExtract: StoredExtract,
  handler: Pick<Handler, "name" | "describe" | "fields">,
): Extract {
  const { size, ended, info } = storedExtract;
  const hasText = size.segments > 0 && info.tally?.withText !== 0;
  const isPartial = ended === null || (hasText && ended.failed !== null);
  const description = handler.describe?.(info, ended?.failed ?? null) ?? {};
  const { fields = {}, pageName = "page" } = description;
  const extent = description.extent ?? (info.pageCount === undefined ? "" : `${pageName}s ${info.pageCount}`);
  const declared = pickDeclared(fields, handler.fields ?? {});
  return {
    ...storedExtract,
    handler: handler.name,
    hasText,
    isPartial,
    pageName,
    extent,
    description: { ...description, fields: declared },
  };
}

/** Only the fields that the handler declares, with the declared type: anything else could flood or forge a reply. */
function pickDeclared(fields: object, types: NonNullable<Handler["fields"]>): object {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => typeof value === types[name]));
}

/** Extends the stored extract. A failure that may not occur again ends it for this reply only. */
async function extend(options: ExtractOptions, prefix: string, storedExtract: StoredExtract): Promise<StoredExtract> {
  const { objects, handler, mode, enough, limits, signal, password } = options;
  const handlerOptions: HandlerOptions = {
    mode,
    from: storedExtract.size.segments,
    limits,
    ...(password === undefined ? {} : { password }),
  };
  let info: Info = storedExtract.info;
  let { files, size: writtenSize } = storedExtract;
  /** What was written last, until the next segment arrives: a long text must not be held twice. */
  let content: FileContent | undefined;
  let extractedSize = writtenSize;
  let segments: Segment[] = [];
  let failed: Failure | null = null;

  async function flush(last: boolean): Promise<void> {
    content = { info, segments, failed };
    const file = await appendFile(objects, prefix, writtenSize, { ...content, last });
    [files, writtenSize, segments] = [[...files, file], file.end, []];
  }

  async function flushAll(): Promise<StoredExtract> {
    if (segments.length > 0) await flush(false);
    return content === undefined ? storedExtract : assembleExtract(objects, files, content);
  }

  try {
    for await (const piece of runHandler(handler, toLocalFile(options), handlerOptions, signal)) {
      if ("info" in piece) info = { ...info, ...piece.info };
      if ("failed" in piece) failed = piece.failed;
      if (!("segment" in piece)) continue;
      content = undefined;
      segments.push(piece.segment);
      if (piece.segment.kind !== "whole") info = { ...info, tally: addPage(info.tally, piece.segment, piece.note) };
      extractedSize = addSegment(extractedSize, piece.segment);
      if (extractedSize.chars - writtenSize.chars >= FILE_CHARS || segments.length === FILE_SEGMENTS)
        await flush(false);
      // After the last page the handler is asked once more, so that the extract is marked as complete.
      if (enough(extractedSize) && extractedSize.pages !== info.pageCount) return await flushAll();
    }
    if (failed && isRetryableFailure(failed)) return { ...(await flushAll()), ended: { failed } };
    if (info.pageCount !== undefined && (info.tally?.withText ?? 0) === 0) failed ??= makeTextlessFailure(info.tally);
    await flush(true);
    return await flushAll();
  } finally {
    // However the loop ended, the segments that arrived are stored.
    await flushAll();
  }
}

/** The handler's items. What it throws, apart from our own errors and an abort, is a failure: the artifact stays usable. */
async function* runHandler(
  handler: Handler,
  file: LocalFile,
  options: HandlerOptions,
  signal: AbortSignal,
): AsyncGenerator<ExtractItem> {
  try {
    yield* handler.extract(file, options, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SpillwayError || isUnwritable(error)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    yield { failed: { reason: "unavailable", detail: `the ${handler.name} handler failed: ${message}` } };
  }
}

/** The bytes of an artifact as handlers take them. */
export function toLocalFile({ facts, content }: Pick<ExtractOptions, "facts" | "content">): LocalFile {
  const { size_bytes: sizeBytes, content_kind: kind, media_type: mediaType, charset, name } = facts;
  const url = findLinkBase(facts);
  return { content, sizeBytes, kind, mediaType, charset, name, ...(url === null ? {} : { url }) };
}
