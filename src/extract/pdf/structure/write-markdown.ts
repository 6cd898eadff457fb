/** Writes the lines of a page as Markdown: headings, tables, code and lists; everything else as plain text. */
import { escapePageMarks } from "../page-marks.ts";
import { joinLines, normalizeLetters } from "../page-text.ts";
import { placeFields } from "../place-fields.ts";
import type { Line } from "../text-lines.ts";
import { findBodyStyle } from "./body-style.ts";
import { countCodeLines, writeCode } from "./code-blocks.ts";
import type { Rule } from "./drawn-rules.ts";
import { findTables } from "./find-tables.ts";
import { takeFootnotes } from "./footnotes.ts";
import {
  continuesHeading,
  findBookmarked,
  findHeadingLevel,
  type HeadingContext,
  type PageBookmark,
  SMALLEST_SIZED_LEVEL,
} from "./headings.ts";
import { writeLists } from "./lists.ts";
import { dropRunningLines, type PageLines } from "./running-lines.ts";
import { isTable, type LineOrTable, type TableBlock } from "./table.ts";
import type { TagBlock } from "./tags.ts";

/** What is known of the page beside its lines. */
type PageStructure = {
  readonly tags: readonly TagBlock[];
  readonly bookmarks: readonly PageBookmark[];
  readonly rules: readonly Rule[];
};

/** A page with more lines is a drawing or an attack, and is written plainly. */
const MAX_LINES = 5_000;

/** The Markdown of a page, without a final newline. `before` are the pages before it, nearest first. */
export function writeMarkdown(page: PageLines, before: readonly PageLines[], structure: PageStructure): string {
  const kept = placeFields(dropRunningLines(page, before));
  if (kept.length > MAX_LINES) return normalizeLetters(joinLines(kept));
  const body = findBodyStyle([page, ...before].map(({ lines }) => lines));
  const { lines, notes } = takeFootnotes(kept, { body, page: page.box, tags: structure.tags });
  const context: HeadingContext = {
    body,
    tags: structure.tags,
    bookmarked: findBookmarked(lines, structure.bookmarks),
    page: page.box,
  };
  const pieces = findTables(lines, structure.tags, structure.rules);
  const blocks: string[] = [];
  for (let index = 0; index < pieces.length; ) {
    const { text, count } = writeBlock(pieces, index, context);
    blocks.push(text);
    index += count;
  }
  return normalizeLetters([...blocks, ...notes].join("\n\n"));
}

type WrittenBlock = { readonly text: string; readonly count: number };

/** The block that begins here, and how many lines or tables it takes. */
function writeBlock(pieces: readonly LineOrTable[], from: number, context: HeadingContext): WrittenBlock {
  const piece = pieces[from];
  if (piece !== undefined && isTable(piece)) return { text: writeTable(piece), count: 1 };
  const lines = untilTable(pieces, from);
  const special = writeSpecial(lines, 0, lineBefore(pieces, from), context);
  if (special !== null) return special;
  let count = 1;
  while (count < lines.length && writeSpecial(lines, count, lines[count - 1], context) === null) count += 1;
  return { text: writeLists(escapeText(joinLines(lines.slice(0, count)))), count };
}

function untilTable(pieces: readonly LineOrTable[], from: number): Line[] {
  const lines: Line[] = [];
  for (let index = from; index < pieces.length; index += 1) {
    const piece = pieces[index];
    if (piece === undefined || isTable(piece)) break;
    lines.push(piece);
  }
  return lines;
}

function lineBefore(pieces: readonly LineOrTable[], index: number): Line | undefined {
  const piece = pieces[index - 1];
  return piece === undefined || isTable(piece) ? undefined : piece;
}

/** Code or a heading; null if the line is text. */
function writeSpecial(
  lines: readonly Line[],
  from: number,
  before: Line | undefined,
  context: HeadingContext,
): WrittenBlock | null {
  const line = lines[from];
  if (line === undefined) return null;
  const codeLines = context.body.isMono ? 0 : countCodeLines(lines, from);
  if (codeLines > 0) return { text: writeCode(lines.slice(from, from + codeLines)), count: codeLines };
  const level = findHeadingLevel(line, before, lines[from + 1], context);
  if (level === null) return null;
  // A paragraph in slightly larger type, such as a summary.
  if (level === SMALLEST_SIZED_LEVEL && countSimilarLines(lines, from) > MAX_HEADING_LINES) return null;
  // Only the first line of a heading needs room above it.
  return writeHeading(lines, from, level, (next) => findHeadingLevel(next, undefined, undefined, context));
}

/** More lines are not one heading. */
const MAX_HEADING_LINES = 4;

/** The lines around this one that follow each other in the same type. */
function countSimilarLines(lines: readonly Line[], index: number): number {
  const continues = (at: number): boolean => {
    const [line, next] = [lines[at], lines[at + 1]];
    return line !== undefined && next !== undefined && continuesHeading(line, next);
  };
  let [first, last] = [index, index];
  while (first > 0 && index - first <= MAX_HEADING_LINES && continues(first - 1)) first -= 1;
  while (last - index <= MAX_HEADING_LINES && continues(last)) last += 1;
  return last - first + 1;
}

function writeHeading(
  lines: readonly Line[],
  from: number,
  level: number,
  findLevel: (line: Line) => number | null,
): WrittenBlock {
  let count = 1;
  for (let [line, next] = [lines[from], lines[from + 1]]; line && next && count < MAX_HEADING_LINES; count += 1) {
    const isSameRow = Math.abs(line.bottom - next.bottom) < 1 && next.start >= line.end && next.block === line.block;
    if (!isSameRow && !(continuesHeading(line, next) && findLevel(next) === level)) break;
    [line, next] = [next, lines[from + count + 1]];
  }
  const text = joinLines(lines.slice(from, from + count))
    .replace(/\s+/g, " ")
    .trim();
  return { text: `${"#".repeat(Math.min(6, level))} ${text}`, count };
}

function writeTable({ rows }: TableBlock): string {
  const [head = [], ...body] = rows;
  const writeRow = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(" | ")} |`;
  return [writeRow(head), `|${" --- |".repeat(head.length)}`, ...body.map(writeRow)].join("\n");
}

const escapeCell = (cell: string): string => cell.replaceAll("|", "\\|");

/** Text that looks like a heading, a fence, a note or a page mark is none of them. */
function escapeText(text: string): string {
  return escapePageMarks(text).replace(/^(?=#{1,6}\s|```|~~~|\[\^[^\]\s]+\]:)/gm, "\\");
}
