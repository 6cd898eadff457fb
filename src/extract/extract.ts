/** Runs the handler of a source until enough text is extracted, and stores every segment. */
import { memoryObjects } from "../artifacts/memory-objects.ts";
import type { Objects } from "../artifacts/objects.ts";
import type { Settings } from "../config/settings.ts";
import { isUnwritable } from "../errors.ts";
import type { Trace } from "../telemetry/spans.ts";
import { ExtractWriter } from "./extract-writer.ts";
import { type Description, type Failure, type Handler, isRetryableFailure } from "./handler.ts";
import type { NumberRange } from "./number-range.ts";
import type { OcrSettings } from "./ocr/ocr-options.ts";
import { type HandlerRun, runHandler } from "./run-handler.ts";
import {
  addSegment,
  assembleExtract,
  type ExtractSize,
  makeExtractPrefix,
  openExtract,
  type StoredExtract,
  toTotal,
} from "./stored-extract.ts";

/** What to extract, how far, and with which limits. */
export type ExtractOptions = Omit<HandlerRun, "ocr" | "showsLocation"> & {
  /** Where the extract is stored. */
  readonly objects: Objects;
  /** Whether nothing can be stored of these bytes yet, so that none is looked for. */
  readonly isNewContent?: boolean;
  /** Whose extract it is: a shared one would be found so fast that it tells what other owners have read. */
  readonly owner: string;
  /** Whether enough pages are extracted for this reply. A text without pages is read to its end, to know its length. */
  readonly enough: (size: ExtractSize) => boolean;
  /** Characters that one call adds to the stored extract at most. */
  readonly maxChars: number;
  /** The pages that are wanted: those far behind the stored ones are extracted alone. */
  readonly pages?: readonly NumberRange[] | undefined;
  /** How pictures are read; without it OCR is off and no location is shown. */
  readonly pictureSettings?: PictureSettings | undefined;
  /** Called with what is being done, where a page takes seconds. */
  readonly progress?: ((message: string) => void) | undefined;
  /** Makes a span of it. */
  readonly trace?: Trace | undefined;
};

/** The settings of OCR, and whether the place where a picture was taken is shown. */
type PictureSettings = OcrSettings & Pick<Settings, "image.location">;

/** The text of one artifact as far as it was extracted, with what a reader needs to know about it. */
export type Extract = StoredExtract & {
  readonly handler: string;
  /** Whether there is anything to read in it. */
  readonly hasText: boolean;
  /** Whether it holds less text than the document: more can be extracted, or extraction failed before the end. */
  readonly isPartial: boolean;
  /** Whether a later call may extract more. */
  readonly canContinue: boolean;
  /** Holds the chosen pages only, so offsets and lines in the whole text are unknown; null where it starts at the first. */
  readonly onlyPages: readonly NumberRange[] | null;
  /** Characters of the whole text; null while they are not counted. */
  readonly totalChars: number | null;
  /** What the handler says about the document, in its own fields and sentences. */
  readonly description: Description;
  /** What its pages are called, and how much there is of it, both in the words of the handler or ours. */
  readonly pageName: string;
  readonly extent: string;
};

/** Of a longer text only an index is stored. */
const MAX_STORED_TEXT_BYTES = 32 * 1024 * 1024;

/** How much is extracted where the store cannot be written. */
const MAX_MEMORY_CHARS = 32 * 1024 * 1024;

/** The extract of a source, at least as far as is enough, or to its end. A second call parses nothing again. */
export async function extractText({ trace, ...given }: ExtractOptions): Promise<Extract> {
  if (trace === undefined) return extractGiven(given);
  return trace(
    () => ({
      name: `extract ${given.handler.name}`,
      attributes: { "spillway.content_kind": given.facts.content_kind },
    }),
    async (span) => {
      const extract = await extractGiven(given);
      const reason = extract.ended?.failed?.reason;
      span.set({ "spillway.extracted_chars": extract.size.chars, "error.type": reason });
      return extract;
    },
  );
}

async function extractGiven(given: ExtractOptions): Promise<Extract> {
  const options = { ...given, ocr: await findOcrOptions(given), showsLocation: isLocationShown(given) };
  // Text opened with a password, or the result of a query, is for this reply only and is never stored.
  if (options.password !== undefined || options.formatQuery !== undefined) return extractInMemory(options);
  try {
    return await extendStored(options);
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return extractInMemory(options);
  }
}

/** Loaded only where OCR is on. */
async function findOcrOptions({ pictureSettings, handler }: ExtractOptions): Promise<HandlerRun["ocr"]> {
  if (pictureSettings === undefined || pictureSettings["ocr.languages"].length === 0) return undefined;
  return (await import("./ocr/ocr-options.ts")).findOcr(pictureSettings, handler);
}

/** The extracts of other handlers do not depend on it. */
function isLocationShown({ pictureSettings, handler }: ExtractOptions): boolean {
  return handler.readsLocations === true && pictureSettings?.["image.location"] === "show";
}

type ExtractRun = ExtractOptions & Pick<HandlerRun, "ocr" | "showsLocation">;

function extractInMemory(options: ExtractRun): Promise<Extract> {
  const maxChars = Math.min(options.maxChars, MAX_MEMORY_CHARS);
  return extendStored({ ...options, objects: memoryObjects(), maxChars });
}

async function extendStored(options: ExtractRun): Promise<Extract> {
  const { objects, facts, handler, pages, isNewContent = false } = options;
  const prefix = makeExtractPrefix(handler, facts, options);
  if (facts.size_bytes > MAX_STORED_TEXT_BYTES) {
    const { isIndexedText, openTextIndex } = await import("./text-index.ts");
    if (isIndexedText(options)) return toExtract(await openTextIndex(options, prefix), handler);
  }
  const storedExtract = isNewContent ? assembleExtract(objects, [], undefined) : await openExtract(objects, prefix);
  if (storedExtract.ended || isEnough(storedExtract, options)) return toExtract(storedExtract, handler);
  if (pages !== undefined) {
    const { extractFarPages } = await import("./far-pages.ts");
    const farPages = await extractFarPages(options, prefix, pages, storedExtract);
    if (farPages !== undefined) return toExtract(farPages, handler, pages);
  }
  return toExtract(await extend(options, prefix, storedExtract), handler);
}

function isEnough({ size, info }: StoredExtract, { enough }: ExtractOptions): boolean {
  const isCounted = info.tally !== undefined || info.total !== undefined;
  return isCounted && enough(size);
}

/** A stored extract with what its handler says about it. */
export function toExtract(
  storedExtract: StoredExtract,
  handler: Pick<Handler, "name" | "describe" | "fields">,
  onlyPages: readonly NumberRange[] | null = null,
): Extract {
  const { size, ended, info } = storedExtract;
  const hasText = onlyPages !== null || (size.segments > 0 && info.tally?.withText !== 0);
  const canContinue = ended === null || (ended.failed !== null && isRetryableFailure(ended.failed));
  const isPartial = canContinue || (hasText && ended.failed !== null);
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
    canContinue,
    onlyPages,
    totalChars: isPartial ? (info.total?.chars ?? null) : size.chars,
    description: { ...description, fields: declared },
  };
}

/** Only the fields that the handler declares, with the declared type: anything else could flood or forge a reply. */
function pickDeclared(fields: object, types: NonNullable<Handler["fields"]>): object {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => typeof value === types[name]));
}

/** Extends the stored extract. A failure that may not occur again ends it for this reply only. */
async function extend(options: ExtractRun, prefix: string, storedExtract: StoredExtract): Promise<StoredExtract> {
  const { objects, enough, maxChars } = options;
  const writer = new ExtractWriter(objects, prefix, storedExtract);
  const isFull = () => writer.size.chars - storedExtract.size.chars >= maxChars;
  /** A text without pages is counted to its end even if it is too long to be stored at once. */
  let rest: RestOfText | undefined;
  let failed: Failure | null = null;
  let paused: string | undefined;
  try {
    for await (const piece of runHandler(options, storedExtract.size.segments)) {
      if ("info" in piece) writer.addInfo(piece.info);
      if ("failed" in piece) failed = piece.failed;
      if ("paused" in piece) paused = piece.paused;
      if ("progress" in piece) options.progress?.(piece.progress);
      if (!("segment" in piece)) continue;
      const { segment } = piece;
      if (segment.kind === "whole" && isFull()) {
        rest = { size: addSegment(rest?.size ?? writer.size, segment), lastText: segment.text };
        if (writer.info.total !== undefined) break;
        continue;
      }
      writer.add(segment, piece.note);
      // After the last page the handler is asked once more, so that the extract is marked as complete.
      const isLast = writer.size.pages === writer.info.pageCount;
      if (segment.kind !== "whole" && (enough(writer.size) || isFull()) && !isLast) return await writer.flush();
      if (segment.kind !== "whole" || !isFull()) await writer.flushIfLarge();
    }
    if (paused !== undefined) return { ...(await writer.flush()), paused };
    if (failed && (rest !== undefined || isRetryableFailure(failed)))
      return { ...(await writer.flush()), ended: { failed } };
    if (rest === undefined) return await writer.finish(failed);
    writer.addInfo({ total: writer.info.total ?? toTotal(rest.size, rest.lastText) });
    return await writer.flush();
  } finally {
    // However the loop ended, the segments that arrived are stored.
    await writer.flush();
  }
}

/** What was read of a text but not stored. */
type RestOfText = { readonly size: ExtractSize; readonly lastText: string };
