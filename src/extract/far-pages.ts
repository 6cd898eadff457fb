/** Extracts pages far behind the stored ones alone, so that the last page does not cost all pages before it. */
import { createHash } from "node:crypto";
import type { Objects } from "../artifacts/objects.ts";
import type { ExtractItem, Failure, Info, PageNote, Segment } from "./handler.ts";
import { formatRanges, type NumberRange } from "./number-range.ts";
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
  options: HandlerRun & { readonly objects: Objects; readonly maxChars: number },
  prefix: string,
  ranges: readonly NumberRange[],
  storedExtract: StoredExtract,
): Promise<StoredExtract | undefined> {
  if (!skipsManyPages(ranges, storedExtract)) return undefined;
  const { objects } = options;
  const key = `${prefix}pages-${digestRanges(ranges)}`;
  if ((await objects.head(key)) !== undefined) return toStoredExtract(objects, await readFileContent(objects, { key }));
  const content = await readPages(options, ranges, storedExtract);
  if (content === undefined) return undefined;
  if (isWhole(content, options.maxChars))
    await objects.put(key, Buffer.from(JSON.stringify(content)), { durable: false });
  return toStoredExtract(objects, content);
}

/** Whether all wanted pages were read: neither a failure nor the limit ended it. */
function isWhole({ segments, failed }: FileContent, maxChars: number): boolean {
  return failed === null && segments.reduce((sum, { text }) => sum + text.length, 0) < maxChars;
}

/** Whether many pages would have to be extracted only because they come before the wanted ones. */
function skipsManyPages(ranges: readonly NumberRange[], { size, info }: StoredExtract): boolean {
  if (size.segments > 0 && info.tally === undefined) return false;
  let [reachedPage, unwantedPages] = [size.segments, 0];
  for (const { first, last } of inOrder(ranges)) {
    unwantedPages += Math.max(0, first - 1 - reachedPage);
    reachedPage = Math.max(reachedPage, last ?? Number.POSITIVE_INFINITY);
  }
  return unwantedPages > MAX_UNWANTED_PAGES;
}

const inOrder = (ranges: readonly NumberRange[]): NumberRange[] =>
  ranges.toSorted((one, other) => one.first - other.first);

/** The same for the same pages, wherever in the first one reading begins. */
function digestRanges(ranges: readonly NumberRange[]): string {
  const pages = formatRanges(inOrder(ranges).map(({ first, last }) => ({ first, last })));
  return createHash("sha256").update(pages).digest("hex").slice(0, 16);
}

async function readPages(
  options: HandlerRun & { readonly maxChars: number },
  ranges: readonly NumberRange[],
  storedExtract: StoredExtract,
): Promise<FileContent | undefined> {
  const collected = await collectStored(ranges, storedExtract);
  for (const range of inOrder(ranges)) {
    for await (const piece of readRange(options, range, collected)) {
      if ("info" in piece) collected.info = { ...collected.info, ...piece.info };
      if ("failed" in piece) collected.failed = piece.failed;
      if (!("segment" in piece)) continue;
      // Where pages are several segments, a page cannot be found without those before it.
      if (piece.segment.kind === "whole" || piece.segment.page !== undefined) return undefined;
      collectPage(collected, piece.segment, piece.note);
      if (collected.chars >= options.maxChars) break;
    }
    if (collected.info.pageCount === undefined) return undefined;
    if (collected.failed !== null) break;
  }
  const segments = [...collected.segments.values()].sort((one, other) => one.index - other.index);
  return { info: collected.info, segments, failed: collected.failed };
}

/** The pages that were read, by index. */
type CollectedPages = {
  readonly segments: Map<number, Segment>;
  info: Info;
  chars: number;
  failed: Failure | null;
};

async function collectStored(ranges: readonly NumberRange[], storedExtract: StoredExtract): Promise<CollectedPages> {
  // How all stored pages were read says nothing about these.
  const info = withoutPages(storedExtract.info);
  const collected: CollectedPages = { segments: new Map(), info, chars: 0, failed: null };
  if (ranges.every(({ first }) => first > storedExtract.size.segments)) return collected;
  for await (const { segment } of storedExtract.segments()) {
    const isWanted = ranges.some(({ first, last }) => segment.index >= first - 1 && segment.index < (last ?? Infinity));
    if (isWanted) collectPage(collected, segment);
  }
  return collected;
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

function toStoredExtract(objects: Objects, content: FileContent): StoredExtract {
  const { segments, failed } = content;
  const file = { key: "", start: emptySize, end: segments.reduce(addSegment, emptySize), last: false };
  const extract = assembleExtract(objects, [file], content);
  return failed === null ? extract : { ...extract, ended: { failed } };
}
