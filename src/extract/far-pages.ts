/** Extracts pages far behind the stored ones alone, so that the last page does not cost all pages before it. */
import { createHash } from "node:crypto";
import type { Objects } from "../artifacts/objects.ts";
import type { ExtractItem, Failure, Info, PageNote, Segment } from "./handler.ts";
import { formatRanges, type NumberRange } from "./number-range.ts";
import { addPage } from "./page-tally.ts";
import { type HandlerRun, runHandler } from "./run-handler.ts";
import {
  addSegment,
  assembleExtract,
  emptySize,
  type FileContent,
  readFileContent,
  type StoredExtract,
} from "./stored-extract.ts";

/** So many pages are extracted although nobody asked for them, because then offsets and lines are known too. */
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
  if (content.failed === null) await objects.put(key, Buffer.from(JSON.stringify(content)), { durable: false });
  return toStoredExtract(objects, content);
}

/** Whether many pages would have to be extracted only because they come before the wanted ones. */
function skipsManyPages(ranges: readonly NumberRange[], { size, info }: StoredExtract): boolean {
  if (size.segments > 0 && info.tally === undefined) return false;
  let [reached, unwanted] = [size.segments, 0];
  for (const { first, last } of inOrder(ranges)) {
    unwanted += Math.max(0, first - 1 - reached);
    reached = Math.max(reached, last ?? Number.POSITIVE_INFINITY);
  }
  return unwanted > MAX_UNWANTED_PAGES;
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
  const found = await takeStored(ranges, storedExtract);
  for (const range of inOrder(ranges)) {
    for await (const piece of readRange(options, range, found)) {
      if ("info" in piece) found.info = { ...found.info, ...piece.info };
      else if ("failed" in piece) found.failed = piece.failed;
      else if (piece.segment.kind === "whole") return undefined;
      else addFound(found, piece.segment, piece.note);
      if (found.chars >= options.maxChars) break;
    }
    if (found.info.pageCount === undefined) return undefined;
    if (found.failed !== null) break;
  }
  const segments = [...found.segments.values()].sort((one, other) => one.index - other.index);
  return { info: found.info, segments, failed: found.failed };
}

/** The pages that were found, by index. */
type FoundPages = {
  readonly segments: Map<number, Segment>;
  info: Info;
  chars: number;
  failed: Failure | null;
};

async function takeStored(ranges: readonly NumberRange[], storedExtract: StoredExtract): Promise<FoundPages> {
  // How all stored pages were read says nothing about these.
  const { tally: _, ...info } = storedExtract.info;
  const found: FoundPages = { segments: new Map(), info, chars: 0, failed: null };
  if (ranges.every(({ first }) => first > storedExtract.size.segments)) return found;
  for await (const { segment } of storedExtract.segments()) {
    const isWanted = ranges.some(({ first, last }) => segment.index >= first - 1 && segment.index < (last ?? Infinity));
    if (isWanted) addFound(found, segment);
  }
  return found;
}

function addFound(found: FoundPages, segment: Segment, note?: PageNote): void {
  if (found.segments.has(segment.index)) return;
  found.segments.set(segment.index, segment);
  found.info = { ...found.info, tally: addPage(found.info.tally, segment, note) };
  found.chars += segment.text.length;
}

/** The handler's items for the pages of a range that are not found yet. */
async function* readRange(
  run: HandlerRun,
  { first, last }: NumberRange,
  { segments }: FoundPages,
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
