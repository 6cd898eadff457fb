/** Cuts a source text into chunks of whole lines, between blocks where possible, by blank lines and indentation alone. */

import { isWordUnit } from "./text-units.ts";

/** Whole lines of a text. `end` is exclusive, as in `slice`; lines are counted from 1 and `endLine` is inclusive. */
export type Chunk = {
  readonly start: number;
  readonly end: number;
  readonly startLine: number;
  readonly endLine: number;
};

/** No chunk is longer, except a part of a long line, which has up to MAX_LINE_CHARS. */
export const MAX_CHUNK_CHARS = 1_200;
/** A chunk ends at a border between blocks only from this length on. */
const MIN_CHUNK_CHARS = 400;
/** A longer word may be cut. */
const MAX_WORD_CHARS = 100;
/** A longer line is cut: minified code and data have few line breaks. */
const MAX_LINE_CHARS = 2_000;

/** The chunks of a text, in order; together they have every line. An empty text has none. */
export function chunkText(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  const lines = measureLines(text);
  let first = 0;
  while (first < lines.count) {
    const next = findBorder(lines, first);
    pushChunk(chunks, text, lines, first, next);
    first = next;
  }
  return chunks;
}

/** Start and indentation of each line (-1 for a blank line), and one more entry for the end of the text. */
export type Lines = {
  readonly count: number;
  readonly starts: Int32Array;
  readonly indents: Int16Array;
};

const [newline, space, tab, carriageReturn] = [10, 32, 9, 13];
const TAB_WIDTH = 4;
const MAX_INDENT = 200;

/** Finds the lines of a text. */
export function measureLines(text: string): Lines {
  const count = countLines(text);
  const starts = new Int32Array(count + 1);
  const indents = new Int16Array(count + 1);
  let start = 0;
  for (let line = 0; line < count; line++) {
    const lineEnd = text.indexOf("\n", start);
    const end = lineEnd === -1 ? text.length : lineEnd + 1;
    starts[line] = start;
    indents[line] = indentOf(text, start, end);
    start = end;
  }
  starts[count] = text.length;
  return { count, starts, indents };
}

function countLines(text: string): number {
  let count = 0;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) count++;
  return text.length > 0 && text.charCodeAt(text.length - 1) !== newline ? count + 1 : count;
}

function indentOf(text: string, start: number, end: number): number {
  let indent = 0;
  for (let index = start; index < end; index++) {
    const unit = text.charCodeAt(index);
    if (unit === space) indent += 1;
    else if (unit === tab) indent += TAB_WIDTH;
    else return unit === newline || unit === carriageReturn ? -1 : Math.min(indent, MAX_INDENT);
  }
  return -1;
}

/** The first line of the next chunk: after the best border, or where the chunk gets too long, or the end of the text. */
function findBorder(lines: Lines, first: number): number {
  const { starts, count } = lines;
  const start = numberAt(starts, first);
  let best = first + 1;
  let bestCost = Infinity;
  for (let line = first + 1; line <= count; line++) {
    const chars = numberAt(starts, line) - start;
    if (chars > MAX_CHUNK_CHARS) return Math.min(best, line);
    if (line === count) return count;
    const cost = chars < MIN_CHUNK_CHARS ? Infinity : borderCost(lines, line);
    if (cost <= bestCost) [best, bestCost] = [line, cost];
  }
  return count;
}

/** Low where a block begins: at little indentation, best after a blank line. Highest before a blank line. */
function borderCost({ indents }: Lines, line: number): number {
  const indent = numberAt(indents, line);
  if (indent === -1) return 2 * MAX_INDENT;
  const isAfterBlank = numberAt(indents, line - 1) === -1;
  return isAfterBlank ? indent : indent + 6;
}

function pushChunk(chunks: Chunk[], text: string, { starts }: Lines, first: number, next: number): void {
  const start = numberAt(starts, first);
  const end = numberAt(starts, next);
  const lines = { startLine: first + 1, endLine: next };
  if (next - first > 1 || end - start <= MAX_LINE_CHARS) {
    chunks.push({ start, end, ...lines });
    return;
  }
  for (let offset = start; offset < end; ) {
    const cut = end - offset <= MAX_LINE_CHARS ? end : betweenWords(text, offset + MAX_LINE_CHARS);
    chunks.push({ start: offset, end: cut, ...lines });
    offset = cut;
  }
}

/** Where no word of ordinary length is cut, at or a little before this offset. */
function betweenWords(text: string, offset: number): number {
  for (let cut = offset; cut > offset - MAX_WORD_CHARS; cut--) {
    if (!isWordUnit(text.charCodeAt(cut - 1)) || !isWordUnit(text.charCodeAt(cut))) return cut;
  }
  return offset;
}

function numberAt(numbers: Int32Array | Int16Array, index: number): number {
  return numbers[index] ?? 0;
}
