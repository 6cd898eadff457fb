/** Finds code, which is set in a monospaced font, and writes it with its indentation. */
import { isSpace, measureHeight } from "../line-box.ts";
import type { Line } from "../text-lines.ts";

/** The number of lines from here on that are one code block; 0 if it is none. */
export function countCodeLines(lines: readonly Line[], from: number): number {
  let end = from;
  while (end < lines.length && isCode(lines[end]) && (end === from || continuesCode(lines[end - 1], lines[end])))
    end += 1;
  const count = end - from;
  // A single line may be a name in a paragraph that fills the line.
  return count > 1 || (count === 1 && isApart(lines, from)) ? count : 0;
}

function isCode(line: Line | undefined): boolean {
  return line?.style.isMono === true && line.turns === 0 && line.owner === 0 && hasEqualWidths(line);
}

/** Some fonts are called monospaced and are not. */
const MIN_EQUAL_SHARE = 0.8;

function hasEqualWidths(line: Line): boolean {
  const widths = measureWidths([line]);
  const median = widths[widths.length >> 1] ?? 0;
  const equal = widths.filter((width) => Math.abs(width - median) < 0.1 * median).length;
  return equal >= MIN_EQUAL_SHARE * widths.length;
}

/** Lines of one listing are in the same size and not far apart, in line heights. */
const MAX_DROP = 4;

function continuesCode(before: Line | undefined, line: Line | undefined): boolean {
  if (before === undefined || line === undefined) return false;
  const drop = Math.abs(before.bottom - line.bottom) / measureHeight(line);
  return Math.abs(before.style.size - line.style.size) < 0.05 * line.style.size && drop < MAX_DROP;
}

/** More room than between the lines of a paragraph, in line heights. */
const MIN_ROOM = 0.5;

function isApart(lines: readonly Line[], index: number): boolean {
  const [before, line, after] = [lines[index - 1], lines[index], lines[index + 1]];
  if (line === undefined) return false;
  const room = MIN_ROOM * measureHeight(line);
  const isFree = (above: Line | undefined, below: Line | undefined): boolean =>
    above === undefined || below === undefined || Math.abs(above.bottom - below.top) > room;
  return isFree(before, line) && isFree(line, after);
}

/** The lines of code in a fence, each character in its column. */
export function writeCode(lines: readonly Line[]): string {
  const width = measureCharWidth(lines);
  const left = Math.min(...lines.map(({ start }) => start));
  const texts = joinRows(lines).map((row) => placeChars(row, left, width));
  const fence = "`".repeat(Math.max(3, ...texts.map((text) => (/`+/.exec(text)?.[0].length ?? 0) + 1)));
  return [fence, ...withBlankLines(texts, joinRows(lines)), fence].join("\n");
}

/** Lines in the same row, which PDFium split at a wide gap. */
function joinRows(lines: readonly Line[]): Line[][] {
  const rows: Line[][] = [];
  for (const line of lines) {
    const last = rows.at(-1)?.at(-1);
    const isSameRow = last !== undefined && Math.abs(last.bottom - line.bottom) < 0.3 * measureHeight(line);
    if (isSameRow && line.start >= last.end) rows.at(-1)?.push(line);
    else rows.push([line]);
  }
  return rows;
}

function measureCharWidth(lines: readonly Line[]): number {
  const widths = measureWidths(lines);
  return Math.max(0.5, widths[widths.length >> 1] ?? 0.5);
}

/** The widths of all characters, ascending. */
function measureWidths(lines: readonly Line[]): number[] {
  const widths: number[] = [];
  for (const { chars } of lines)
    for (let index = 0; index < chars.codes.length; index += 1)
      if (!isSpace(chars.codes[index] ?? 0)) widths.push((chars.ends[index] ?? 0) - (chars.starts[index] ?? 0));
  return widths.sort((a, b) => a - b);
}

/** A line may be indented by at most this many characters: positions of damaged files are arbitrary. */
const MAX_COLUMNS = 400;

function placeChars(row: readonly Line[], left: number, width: number): string {
  let text = "";
  for (const { chars } of row) {
    for (const [index, code] of chars.codes.entries()) {
      if (isSpace(code)) continue;
      const startsWord = index === 0 || isSpace(chars.codes[index - 1] ?? 0);
      const column = Math.min(MAX_COLUMNS, Math.round(((chars.starts[index] ?? 0) - left) / width));
      if (startsWord) text = text.padEnd(text === "" ? column : Math.max(column, text.length + 1));
      text += String.fromCodePoint(code);
    }
  }
  return row.at(-1)?.endsWithHyphen ? `${text}-` : text;
}

/** Blank lines of the code are gaps of twice the usual distance. */
function withBlankLines(texts: readonly string[], rows: readonly (readonly Line[])[]): string[] {
  const drops = rows.slice(1).map((row, index) => (rows[index]?.[0]?.bottom ?? 0) - (row[0]?.bottom ?? 0));
  const usual = drops.toSorted((a, b) => a - b)[drops.length >> 1] ?? 0;
  return texts.flatMap((text, index) => (index > 0 && (drops[index - 1] ?? 0) > 1.6 * usual ? ["", text] : [text]));
}
