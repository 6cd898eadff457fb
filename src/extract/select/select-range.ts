/** Finds the chosen range of an extract. Offsets and lines count over the joined text. */
import { SpillwayError } from "../../errors.ts";
import type { TextWindow } from "../../fit/fit-text.ts";
import { countLines, cutBetweenCodePoints, splitsPair } from "../../fit/measure.ts";
import { NAME_CHARS } from "../../system/clip-lengths.ts";
import type { Extract } from "../extract.ts";
import { isRetryableFailure } from "../handler.ts";
import type { NumberRange } from "./selector.ts";

/** A range of the joined text, end excluded; the label is its name, where it has one. */
export type TextRange = { readonly label: string; readonly start: number; readonly end: number };

/** At most `chars` characters of the text from an offset on. */
export async function readWindow(
  extract: Extract,
  offset: number,
  chars: number,
  end = extract.size.chars,
): Promise<TextWindow> {
  const wantedChars = Math.max(0, Math.min(end - offset, chars));
  let text = "";
  for await (const placedSegment of extract.segmentsFrom({ chars: offset })) {
    text += placedSegment.text.slice(Math.max(0, offset - placedSegment.offset));
    if (text.length >= wantedChars) break;
  }
  return { text: text.slice(0, wantedChars), offset, totalChars: end };
}

/** From an offset to the end; an offset inside a code point moves to its start. */
export async function selectOffset(extract: Extract, offset: number): Promise<TextRange> {
  const { chars } = extract.size;
  if (offset > chars) throw pastEndError(extract, `Offset ${offset}`, formatCount(chars, "character"));
  const { text } = await readWindow(extract, Math.max(0, offset - 1), 2);
  const start = offset > 0 && splitsPair(text, 1) ? offset - 1 : offset;
  return { label: "", start, end: chars };
}

/** Whole lines by number. */
export async function selectLines(extract: Extract, { first, last }: NumberRange): Promise<TextRange> {
  const start = await findLineStart(extract, first);
  if (start === undefined) {
    throw pastEndError(extract, `Line ${first}`, formatCount(await countTotalLines(extract), "line"));
  }
  const end = last === null ? undefined : await findLineStart(extract, last + 1);
  return { label: "", start, end: end ?? extract.size.chars };
}

/** Every line end closes a line; text after the last one is a line too. */
export async function countTotalLines(extract: Extract): Promise<number> {
  const { chars, lineEnds } = extract.size;
  if (chars === 0) return 0;
  const { text } = await readWindow(extract, chars - 1, 1);
  return text === "\n" ? lineEnds : lineEnds + 1;
}

/** The number of the line that holds an offset. */
export async function findLine(extract: Extract, offset: number): Promise<number> {
  for await (const placedSegment of extract.segmentsFrom({ chars: offset })) {
    return placedSegment.line + countLines(placedSegment.text.slice(0, offset - placedSegment.offset)) - 1;
  }
  return extract.size.lineEnds + 1;
}

/** A page, or a part of a long one, and the offset where its text begins. */
export type PlacedPage = { readonly page: number; readonly start: number; readonly label: string };

/** The pages that a range of the text covers; none where the document has no pages. */
export async function findPages(extract: Extract, start: number, end: number): Promise<PlacedPage[]> {
  const pages: PlacedPage[] = [];
  for await (const { segment, page, start: textStart } of extract.segmentsFrom({ chars: start })) {
    if (segment.kind === "whole" || (textStart >= end && pages.length > 0)) break;
    pages.push({ page, start: textStart, label: segment.label });
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
  const all = await listPages(extract);
  const { pageName } = extract;
  return ranges.map(({ first, last }) => {
    const [from, to] = [all[first - 1], all[Math.min(last ?? all.length, all.length) - 1]];
    if (from === undefined || to === undefined)
      throw pastEndError(extract, `${capitalize(pageName)} ${first}`, formatCount(all.length, pageName));
    const label = from === to ? from.label : `${from.label} to ${to.label}`;
    return { label, start: from.start, end: to.end };
  });
}

/** The pages in order; the parts of a long one are joined. */
async function listPages(extract: Extract): Promise<TextRange[]> {
  const pages: TextRange[] = [];
  for await (const { segment, start, page } of extract.segments()) {
    if (segment.kind === "whole")
      throw new SpillwayError("place_not_found", "This document has no pages.", {
        hint: "Use lines, offset or query.",
      });
    const { label, start: pageStart } = pages[page - 1] ?? { label: segment.label, start };
    pages[page - 1] = { label, start: pageStart, end: start + segment.text.length };
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
  return { label: heading.label, start: heading.start, end: next?.start ?? extract.size.chars };
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

const formatCount = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`;

function pastEndError({ ended, info, isPartial, pageName }: Extract, place: string, has: string): SpillwayError {
  const failed = isPartial ? ended?.failed : null;
  if (!failed) {
    const soFar = ended === null ? " so far" : "";
    return new SpillwayError("place_not_found", `${place} is past the end: the text has ${has}${soFar}.`, {
      hint: "Choose an earlier part.",
    });
  }
  const total = info.pageCount === undefined ? "" : ` The document has ${formatCount(info.pageCount, pageName)}.`;
  const reason = failed.reason.replace("_", " ");
  return new SpillwayError(
    "place_not_found",
    `${place} was not reached: extraction ended after ${has} (${reason}).${total}`,
    {
      hint: isRetryableFailure(failed) ? "Call again: extraction continues from there." : "Choose an earlier part.",
    },
  );
}
