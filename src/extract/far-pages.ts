/** Extracts pages far behind the stored ones alone, so that the last page does not cost all pages before it. */
import { createHash } from "node:crypto";
import type { Objects } from "../artifacts/objects.ts";
import type { ExtractItem, Failure, Info, PageNote, Segment } from "./handler.ts";
import { formatRanges, type NumberRange } from "./number-range.ts";
import type { RecognizedPages } from "./ocr/recognized-pages.ts";
import { addPage, withoutPages } from "./page-tally.ts";
import { type HandlerRun, runHandler } from "./run-handler.ts";
import {
  addSegment,
  assembleExtract,
  emptySize,
  type FileContent,
  readFileContent,
  type StoredExtract,
} from "./stored-extract.ts";

/** So many unwanted pages are extracted too, because then offsets and lines are known. */
const MAX_UNWANTED_PAGES = 20;

/**
 * The wanted pages alone, with their place in the whole text unknown. Undefined where few other pages come before them,
 * and for a document without pages.
 */
export async function extractFarPages(
  options: FarPagesOptions,
  prefix: string,
  ranges: readonly NumberRange[],
  storedExtract: StoredExtract,
): Promise<StoredExtract | undefined> {
  if (countUnwantedPages(ranges, storedExtract) <= (mayUseOcr(options) ? 0 : MAX_UNWANTED_PAGES)) return undefined;
  const { objects } = options;
  const key = `${prefix}pages-${digestRanges(ranges)}`;
  if ((await objects.head(key)) !== undefined) return toStoredExtract(objects, await readFileContent(objects, { key }));
  const content = await readPages(options, ranges, storedExtract, await openOcrPages(options, prefix));
  if (content === undefined) return undefined;
  if (isWhole(content, options.maxChars))
    await objects.put(key, Buffer.from(JSON.stringify(content)), { durable: false });
  return toStoredExtract(objects, content);
}

type FarPagesOptions = HandlerRun & {
  readonly objects: Objects;
  readonly maxChars: number;
  readonly progress?: ((message: string) => void) | undefined;
};

/** Then each page may take seconds, so none is read in vain. */
const mayUseOcr = ({ ocr }: FarPagesOptions): boolean => ocr !== undefined && !("missingPackages" in ocr);

async function openOcrPages(options: FarPagesOptions, prefix: string): Promise<RecognizedPages | undefined> {
  if (!mayUseOcr(options)) return undefined;
  const { openRecognizedPages } = await import("./ocr/recognized-pages.ts");
  return openRecognizedPages(options.objects, prefix);
}

/** Whether all wanted pages were read: neither a failure nor a limit ended it. */
function isWhole({ segments, failed, paused }: FarPages, maxChars: number): boolean {
  return failed === null && paused === undefined && segments.reduce((sum, { text }) => sum + text.length, 0) < maxChars;
}

/** How many pages would have to be extracted only because they come before the wanted ones. */
function countUnwantedPages(ranges: readonly NumberRange[], { size, info }: StoredExtract): number {
  if (size.segments > 0 && info.tally === undefined) return 0;
  let [reachedPage, unwantedPages] = [size.segments, 0];
  for (const { first, last } of inOrder(ranges)) {
    unwantedPages += Math.max(0, first - 1 - reachedPage);
    reachedPage = Math.max(reachedPage, last ?? Number.POSITIVE_INFINITY);
  }
  return unwantedPages;
}

const inOrder = (ranges: readonly NumberRange[]): NumberRange[] =>
  ranges.toSorted((one, other) => one.first - other.first);

/** The same for the same pages, wherever in the first one reading begins. */
function digestRanges(ranges: readonly NumberRange[]): string {
  const pages = formatRanges(inOrder(ranges).map(({ first, last }) => ({ first, last })));
  return createHash("sha256").update(pages).digest("hex").slice(0, 16);
}

/** The wanted pages; `paused` where there was no time for all of them. */
type FarPages = FileContent & { readonly paused?: string };

async function readPages(
  options: FarPagesOptions,
  ranges: readonly NumberRange[],
  storedExtract: StoredExtract,
  recognizedPages: RecognizedPages | undefined,
): Promise<FarPages | undefined> {
  const collected = await collectStored(ranges, storedExtract);
  for await (const page of recognizedPages?.list(ranges) ?? []) {
    collected.info = { ...page.info, ...collected.info };
    collectPage(collected, page.segment, page.note);
  }
  for (const range of inOrder(ranges)) {
    for await (const piece of readRange(options, range, collected)) {
      if ("info" in piece) collected.info = { ...collected.info, ...piece.info };
      if ("failed" in piece) collected.failed = piece.failed;
      if ("paused" in piece) collected.paused = piece.paused;
      if ("progress" in piece) options.progress?.(piece.progress);
      if (!("segment" in piece)) continue;
      // Where pages are several segments, a page cannot be found without those before it.
      if (piece.segment.kind === "whole" || piece.segment.page !== undefined) return undefined;
      collectPage(collected, piece.segment, piece.note);
      if (piece.note?.verdict === "recognized")
        await recognizedPages?.put({ segment: piece.segment, note: piece.note, info: withoutPages(collected.info) });
      if (collected.chars >= options.maxChars) break;
    }
    if (collected.info.pageCount === undefined) return undefined;
    if (collected.failed !== null || collected.paused !== undefined) break;
  }
  const segments = [...collected.segments.values()].sort((one, other) => one.index - other.index);
  const { info, failed, paused } = collected;
  return { info, segments, failed, ...(paused === undefined ? {} : { paused }) };
}

/** The pages that were read, by index. */
type CollectedPages = {
  readonly segments: Map<number, Segment>;
  info: Info;
  chars: number;
  failed: Failure | null;
  paused?: string;
};

async function collectStored(ranges: readonly NumberRange[], storedExtract: StoredExtract): Promise<CollectedPages> {
  // How all stored pages were read says nothing about these.
  const info = withoutPages(storedExtract.info);
  const collected: CollectedPages = { segments: new Map(), info, chars: 0, failed: null };
  if (ranges.every(({ first }) => first > storedExtract.size.segments)) return collected;
  for await (const { segment } of storedExtract.segments()) {
    const isWanted = ranges.some(({ first, last }) => segment.index >= first - 1 && segment.index < (last ?? Infinity));
    if (isWanted) collectPage(collected, segment, findNote(storedExtract.info, segment));
  }
  return collected;
}

/** Stored pages have no note, but pages whose text is doubtful are listed. */
function findNote({ garbledPages = [], recognizedPages = [] }: Info, { index }: Segment): PageNote {
  const isIn = (ranges: readonly NumberRange[]): boolean =>
    ranges.some(({ first, last }) => index >= first - 1 && index < (last ?? Infinity));
  return { verdict: isIn(garbledPages) ? "garbled" : isIn(recognizedPages) ? "recognized" : "read" };
}

function collectPage(collected: CollectedPages, segment: Segment, note?: PageNote): void {
  if (collected.segments.has(segment.index)) return;
  collected.segments.set(segment.index, segment);
  collected.info = addPage(collected.info, segment, note);
  collected.chars += segment.text.length;
}

/** The handler's items for the pages of a range that are still missing. */
async function* readRange(
  run: HandlerRun,
  { first, last }: NumberRange,
  { segments }: CollectedPages,
): AsyncGenerator<ExtractItem> {
  let from = first - 1;
  while (segments.has(from)) from++;
  if (last !== null && from >= last) return;
  for await (const piece of runHandler(run, from)) {
    yield piece;
    if ("segment" in piece && last !== null && piece.segment.index + 1 >= last) return;
  }
}

function toStoredExtract(objects: Objects, content: FarPages): StoredExtract {
  const { segments, failed, paused } = content;
  const file = { key: "", start: emptySize, end: segments.reduce(addSegment, emptySize), last: false };
  const extract = { ...assembleExtract(objects, [file], content), ...(paused === undefined ? {} : { paused }) };
  return failed === null ? extract : { ...extract, ended: { failed } };
}
