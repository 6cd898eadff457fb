/** Finding the chosen part of an extract. Offsets and lines count over the joined text. */
import { SpillwayError } from "../errors.ts";
import type { TextWindow } from "../fit/fit-text.ts";
import { countLines, cutBetweenCodePoints, splitsPair } from "../fit/measure.ts";
import type { Extract } from "./extract.ts";
import { mayPass } from "./handler.ts";
import type { Span } from "./selector.ts";
import type { Placed } from "./stored.ts";

/** A stretch of the joined text, end excluded; the label is its own name, where it has one. */
export type Part = { readonly label: string; readonly start: number; readonly end: number };

/** At most `chars` characters of a part, from its start. */
export async function windowAt(
  extract: Extract,
  offset: number,
  chars: number,
  end = extract.extent.chars,
): Promise<TextWindow> {
  const wanted = Math.max(0, Math.min(end - offset, chars));
  let text = "";
  for await (const placed of extract.from({ chars: offset })) {
    text += placed.text.slice(Math.max(0, offset - placed.offset));
    if (text.length >= wanted) break;
  }
  return { text: text.slice(0, wanted), offset, totalChars: end };
}

/** From an offset to the end; one inside a code point moves to its start. */
export async function selectOffset(extract: Extract, offset: number): Promise<Part> {
  const { extent } = extract;
  if (offset > extent.chars) throw pastEnd(extract, `Offset ${offset}`, counted(extent.chars, "character"));
  const { text } = await windowAt(extract, Math.max(0, offset - 1), 2);
  const start = offset > 0 && splitsPair(text, 1) ? offset - 1 : offset;
  return { label: "", start, end: extent.chars };
}

/** Whole lines by number. */
export async function selectLines(extract: Extract, { first, last }: Span): Promise<Part> {
  const start = await lineStart(extract, first);
  if (start === undefined) {
    throw pastEnd(extract, `Line ${first}`, counted(await totalLines(extract), "line"));
  }
  const end = last === null ? undefined : await lineStart(extract, last + 1);
  return { label: "", start, end: end ?? extract.extent.chars };
}

/** Every line end closes a line; text after the last one is a line too. */
export async function totalLines(extract: Extract): Promise<number> {
  const { chars, lineEnds } = extract.extent;
  if (chars === 0) return 0;
  const { text } = await windowAt(extract, chars - 1, 1);
  return text === "\n" ? lineEnds : lineEnds + 1;
}

/** The number of the line that holds an offset. */
export async function lineAt(extract: Extract, offset: number): Promise<number> {
  for await (const placed of extract.from({ chars: offset })) {
    return placed.line + countLines(placed.text.slice(0, offset - placed.offset)) - 1;
  }
  return extract.extent.lineEnds + 1;
}

/** A page and the offset where its text begins. */
export type PagePlace = { readonly page: number; readonly start: number };

/** The pages a stretch of the text lies on; none where a document has none. */
export async function pagesOn(extract: Extract, start: number, end: number): Promise<PagePlace[]> {
  const pages: PagePlace[] = [];
  for await (const { segment, start: textStart } of extract.from({ chars: start })) {
    if (segment.kind === "whole" || (textStart >= end && pages.length > 0)) break;
    pages.push({ page: segment.index + 1, start: textStart });
  }
  return pages;
}

/** The pages that are reached before `end`, as `3` or `3-7`; null where there are none. */
export function pageRange(pages: readonly PagePlace[], end: number): string | null {
  const reached = pages.filter(({ start }, index) => index === 0 || start < end);
  const [first, last] = [reached[0]?.page, reached.at(-1)?.page];
  return first === undefined ? null : first === last ? `${first}` : `${first}-${last}`;
}

/** Pages, sheets or slides by number, those that follow each other as one part; a document without them says so. */
export async function selectPages(extract: Extract, spans: readonly Span[]): Promise<Part[]> {
  const all = await Array.fromAsync(extract.all(), pagePart);
  return spans.map(({ first, last }) => {
    const [from, to] = [all[first - 1], all[Math.min(last ?? all.length, all.length) - 1]];
    if (from === undefined || to === undefined) throw pastEnd(extract, `Page ${first}`, counted(all.length, "page"));
    const label = from === to ? from.label : `${from.label} to ${to.label}`;
    return { label, start: from.start, end: to.end };
  });
}

function pagePart({ segment, start }: Placed): Part {
  if (segment.kind === "whole") {
    throw new SpillwayError("place_not_found", "This document has no pages.", { hint: "Use lines, offset or query." });
  }
  return { label: segment.label, start, end: start + segment.text.length };
}

type Heading = { readonly label: string; readonly level: number; readonly start: number };

/** From a heading to the next one of the same or a higher rank. */
export async function selectSection(extract: Extract, wanted: string): Promise<Part> {
  const headings = await readHeadings(extract);
  const index = findHeading(headings, wanted);
  const heading = headings[index];
  if (heading === undefined) throw noSection(wanted, headings);
  const next = headings.slice(index + 1).find(({ level }) => level <= heading.level);
  return { label: heading.label, start: heading.start, end: next?.start ?? extract.extent.chars };
}

async function readHeadings(extract: Extract): Promise<Heading[]> {
  const headings: Heading[] = [];
  for await (const { segment, start } of extract.all()) {
    for (const { label, level, at } of segment.marks) headings.push({ label, level, start: start + at });
  }
  return headings;
}

/** The same words first, then a heading that begins with them, then one that holds them. */
function findHeading(headings: readonly Heading[], wanted: string): number {
  const plain = (text: string) =>
    text
      .replace(/^#+\s*/, "")
      .replace(/\s+/g, " ")
      .trim()
      .toLowerCase();
  const words = plain(wanted);
  const tests = [
    (label: string) => label === words,
    (label: string) => label.startsWith(words),
    (label: string) => label.includes(words),
  ];
  for (const test of tests) {
    const index = headings.findIndex(({ label }) => test(plain(label)));
    if (index >= 0) return index;
  }
  return -1;
}

function noSection(wanted: string, headings: readonly Heading[]): SpillwayError {
  const names = headings.slice(0, 12).map(({ label }) => JSON.stringify(cutBetweenCodePoints(label, 60)));
  const more = headings.length > names.length ? `, and ${headings.length - names.length} more` : "";
  return new SpillwayError("place_not_found", `No section ${JSON.stringify(cutBetweenCodePoints(wanted, 60))}.`, {
    hint:
      names.length === 0
        ? "This document has no headings; use lines, offset or query."
        : `Sections: ${names.join(", ")}${more}.`,
  });
}

/** The offset where a line begins, or undefined when there are fewer lines. */
async function lineStart(extract: Extract, line: number): Promise<number | undefined> {
  if (line === 1) return 0;
  for await (const placed of extract.from({ lineEnds: line - 1 })) {
    let at = -1;
    for (let passed = placed.line; passed < line; passed++) at = placed.text.indexOf("\n", at + 1);
    const start = placed.offset + at + 1;
    return start < extract.extent.chars ? start : undefined;
  }
  return undefined;
}

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`;

function pastEnd({ ended, info, isPartial }: Extract, what: string, has: string): SpillwayError {
  const failed = isPartial ? ended?.failed : null;
  if (!failed) {
    const sofar = ended === null ? " so far" : "";
    return new SpillwayError("place_not_found", `${what} is past the end: the text has ${has}${sofar}.`, {
      hint: "Ask for an earlier place.",
    });
  }
  const total = info.pageCount === undefined ? "" : ` The document has ${info.pageCount} pages.`;
  const why = failed.reason.replace("_", " ");
  return new SpillwayError(
    "place_not_found",
    `${what} was not reached: extraction ended after ${has} (${why}).${total}`,
    {
      hint: mayPass(failed) ? "Ask again: it goes on from there." : "Ask for an earlier place.",
    },
  );
}
