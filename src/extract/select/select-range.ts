/** Finds the chosen range of an extract. Offsets and lines count over the joined text. */
import { SpillwayError } from "../../errors.ts";
import type { TextWindow } from "../../fit/fit-text.ts";
import { countLines, cutBetweenCodePoints, splitsPair } from "../../fit/measure.ts";
import { NAME_CHARS } from "../../system/clip-lengths.ts";
import { formatCount, formatNumber } from "../../system/quantities.ts";
import type { Extract } from "../extract.ts";
import { findPage } from "../handler.ts";
import type { NumberRange } from "../number-range.ts";
import { toTotal } from "../stored-extract.ts";

/** A range of the joined text, end excluded; the label is its name, where it has one. */
export type TextRange = {
  readonly label: string;
  readonly start: number;
  readonly end: number;
  /** Where it ends in the whole text, if that is after what is extracted; infinite where it is unknown. */
  readonly wholeEnd?: number;
};

/** At most `chars` characters of the text from an offset on. */
export async function readWindow(
  extract: Extract,
  offset: number,
  chars: number,
  end = findWholeEnd(extract),
): Promise<TextWindow> {
  const wantedChars = Math.max(0, Math.min(extract.size.chars - offset, end - offset, chars));
  let text = "";
  for await (const placedSegment of extract.segmentsFrom({ chars: offset })) {
    text += placedSegment.text.slice(Math.max(0, offset - placedSegment.offset));
    if (text.length >= wantedChars) break;
  }
  return { text: text.slice(0, wantedChars), offset, totalChars: end };
}

/** Where the whole text ends; infinite while it is neither extracted to its end nor counted. */
function findWholeEnd({ size, totalChars, ended }: Extract): number {
  return totalChars ?? (ended === null ? Number.POSITIVE_INFINITY : size.chars);
}

/** A range to the end of the text. */
function rangeToEnd(extract: Extract, label: string, start: number): TextRange {
  const range = { label, start, end: extract.size.chars };
  const wholeEnd = findWholeEnd(extract);
  return wholeEnd > range.end ? { ...range, wholeEnd } : range;
}

/** From an offset to the end; an offset inside a code point moves to its start. */
export async function selectOffset(extract: Extract, offset: number): Promise<TextRange> {
  const { chars } = extract.size;
  if (offset > chars)
    throw notReachedError(extract, { place: "Offset", wanted: offset, soFar: chars, total: extract.totalChars });
  return rangeToEnd(extract, "", await alignToCharacter(extract, offset));
}

/** An offset inside a code point moves to its start. */
async function alignToCharacter(extract: Extract, offset: number): Promise<number> {
  if (offset === 0) return 0;
  const { text } = await readWindow(extract, offset - 1, 2);
  return splitsPair(text, 1) ? offset - 1 : offset;
}

/** Lines by number, the first from one of its characters on. */
export async function selectLines(extract: Extract, { first, last, at = 0 }: NumberRange): Promise<TextRange> {
  const lineStart = await findLineStart(extract, first);
  if (lineStart === undefined) {
    const [soFar, total] = [await countLinesSoFar(extract), await countTotalLines(extract)];
    throw notReachedError(extract, { place: "Line", wanted: first, soFar, total });
  }
  const end = last === null ? undefined : await findLineStart(extract, last + 1);
  const start = await alignToCharacter(extract, Math.min(lineStart + at, end ?? extract.size.chars));
  return end === undefined ? rangeToEnd(extract, "", start) : { label: "", start, end };
}

/** The lines of the whole text; null while they are not counted. */
export async function countTotalLines(extract: Extract): Promise<number | null> {
  return extract.isPartial ? (extract.info.total?.lines ?? null) : countLinesSoFar(extract);
}

/** The lines that are extracted. */
export async function countLinesSoFar(extract: Extract): Promise<number> {
  const { text } = await readWindow(extract, extract.size.chars - 1, 1);
  return toTotal(extract.size, text).lines;
}

/** The number of the line that holds an offset. */
export async function findLine(extract: Extract, offset: number): Promise<number> {
  for await (const placedSegment of extract.segmentsFrom({ chars: offset })) {
    return placedSegment.line + countLines(placedSegment.text.slice(0, offset - placedSegment.offset)) - 1;
  }
  return extract.size.lineEnds + 1;
}

/** The lines of a range. */
export async function findLines(extract: Extract, { start, end }: TextRange): Promise<NumberRange> {
  return { first: await findLine(extract, start), last: await findLine(extract, Math.max(start, end - 1)) };
}

/** A page, or a part of a long one, and the offset where its text begins. */
export type PlacedPage = { readonly page: number; readonly start: number; readonly label: string };

/** The pages that a range of the text covers; none where the document has no pages. */
export async function findPages(extract: Extract, start: number, end: number): Promise<PlacedPage[]> {
  const pages: PlacedPage[] = [];
  for await (const { segment, start: textStart } of extract.segmentsFrom({ chars: start })) {
    if (segment.kind === "whole" || (textStart >= end && pages.length > 0)) break;
    pages.push({ page: findPage(segment), start: textStart, label: segment.label });
  }
  return pages;
}

/** The pages that are reached before `end`, as `3` or `3-7`; null where there are none. */
export function formatPageRange(pages: readonly PlacedPage[], end: number): string | null {
  const coveredPages = filterCovered(pages, end);
  const [first, last] = [coveredPages[0]?.page, coveredPages.at(-1)?.page];
  return first === undefined ? null : first === last ? `${first}` : `${first}-${last}`;
}

/** The pages that are reached before `end`. */
export function filterCovered(pages: readonly PlacedPage[], end: number): PlacedPage[] {
  return pages.filter(({ start }, index) => index === 0 || start < end);
}

/** Pages, sheets or slides by number, one range for each range of numbers; throws where the document has none. */
export async function selectPages(extract: Extract, ranges: readonly NumberRange[]): Promise<TextRange[]> {
  const pages = await listPages(extract);
  return ranges.map((range) => joinPages(extract, pages, range));
}

function joinPages(
  extract: Extract,
  pages: ReadonlyMap<number, TextRange>,
  { first, last, at = 0 }: NumberRange,
): TextRange {
  const pageCount = extract.info.pageCount ?? pages.size;
  const from = pages.get(first);
  if (from === undefined)
    throw notReachedError(extract, { place: "Page", wanted: first, soFar: pages.size, total: pageCount });
  let end = first;
  while (end < (last ?? Number.POSITIVE_INFINITY) && pages.has(end + 1)) end++;
  const to = pages.get(end) ?? from;
  const range = {
    label: from === to ? from.label : `${from.label} to ${to.label}`,
    start: Math.min(from.start + at, from.end),
    end: to.end,
  };
  const isCut = extract.ended === null && end < Math.min(last ?? pageCount, pageCount);
  return isCut ? { ...range, wholeEnd: Number.POSITIVE_INFINITY } : range;
}

/** The pages by number; the parts of a long one are joined. */
async function listPages(extract: Extract): Promise<ReadonlyMap<number, TextRange>> {
  const pages = new Map<number, TextRange>();
  for await (const { segment, start } of extract.segments()) {
    if (segment.kind === "whole")
      throw new SpillwayError("place_not_found", "This document has no pages.", {
        hint: "Use lines, offset or query.",
      });
    const page = findPage(segment);
    const first = pages.get(page) ?? { label: segment.label, start };
    pages.set(page, { ...first, end: start + segment.text.length });
  }
  return pages;
}

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

type Heading = { readonly label: string; readonly level: number; readonly start: number };

/** From a heading to the next one of the same or a higher rank. */
export async function selectSection(extract: Extract, title: string): Promise<TextRange> {
  const headings = await readHeadings(extract);
  const index = findHeading(headings, title);
  const heading = headings[index];
  if (heading === undefined) throw makeSectionError(title, headings);
  const next = headings.slice(index + 1).find(({ level }) => level <= heading.level);
  return next === undefined
    ? rangeToEnd(extract, heading.label, heading.start)
    : { label: heading.label, start: heading.start, end: next.start };
}

async function readHeadings(extract: Extract): Promise<Heading[]> {
  const headings: Heading[] = [];
  for await (const { segment, start } of extract.segments()) {
    for (const { label, level, at } of segment.marks) headings.push({ label, level, start: start + at });
  }
  return headings;
}

/** An equal heading first, then one that begins with the words, then one that contains them. */
function findHeading(headings: readonly Heading[], title: string): number {
  const normalize = (text: string) =>
    text
      .replace(/^#+\s*/, "")
      .replace(/\s+/g, " ")
      .trim()
      .toLowerCase();
  const words = normalize(title);
  const tests = [
    (label: string) => label === words,
    (label: string) => label.startsWith(words),
    (label: string) => label.includes(words),
  ];
  for (const test of tests) {
    const index = headings.findIndex(({ label }) => test(normalize(label)));
    if (index >= 0) return index;
  }
  return -1;
}

function makeSectionError(title: string, headings: readonly Heading[]): SpillwayError {
  const names = headings.slice(0, 12).map(({ label }) => JSON.stringify(cutBetweenCodePoints(label, NAME_CHARS)));
  const restNote = headings.length > names.length ? `, and ${headings.length - names.length} more` : "";
  return new SpillwayError(
    "place_not_found",
    `There is no section ${JSON.stringify(cutBetweenCodePoints(title, NAME_CHARS))}.`,
    {
      hint:
        names.length === 0
          ? "This document has no headings; use lines, offset or query."
          : `Sections: ${names.join(", ")}${restNote}.`,
    },
  );
}

/** The offset where a line begins, or undefined when there are fewer lines. */
async function findLineStart(extract: Extract, line: number): Promise<number | undefined> {
  if (line === 1) return 0;
  for await (const placedSegment of extract.segmentsFrom({ lineEnds: line - 1 })) {
    let lineEnd = -1;
    for (let number = placedSegment.line; number < line; number++)
      lineEnd = placedSegment.text.indexOf("\n", lineEnd + 1);
    const start = placedSegment.offset + lineEnd + 1;
    return start < extract.size.chars ? start : undefined;
  }
  return undefined;
}

/** A place that is not in the extract. */
type MissingPlace = {
  readonly place: "Offset" | "Line" | "Page";
  readonly wanted: number;
  /** How many characters, lines or pages are extracted, and how many there are, if that is known. */
  readonly soFar: number;
  readonly total: number | null;
};

function notReachedError(extract: Extract, missing: MissingPlace): SpillwayError {
  const { ended, canContinue, isPartial, pageName } = extract;
  const { place, wanted, soFar, total } = missing;
  const name = `${place === "Page" ? capitalize(pageName) : place} ${wanted}`;
  const things = { Offset: "character", Line: "line", Page: pageName };
  if (!isPartial || (total !== null && wanted > total)) {
    const sentence = `${name} is past the end: the text has ${formatCount(total ?? soFar, things[place])}.`;
    return new SpillwayError("place_not_found", sentence, { hint: "Choose an earlier part." });
  }
  const extracted =
    total === null
      ? formatCount(soFar, things[place])
      : `${formatNumber(soFar)} of ${formatCount(total, things[place])}`;
  const reason = ended?.failed ? ` (${ended.failed.reason.replace("_", " ")})` : "";
  const sentence = `${name} was not reached: extraction ended after ${extracted}${reason}.`;
  const hint = canContinue ? "Call again: extraction continues from there." : "Choose an earlier part.";
  return new SpillwayError("place_not_found", sentence, { hint });
}
