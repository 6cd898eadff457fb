/** Cuts a source text into chunks of whole lines, between blocks where it can: by blank lines and indentation alone. */

/** A run of whole lines. Offsets are characters of the text, lines count from 1, both ends as `slice` and people read. */
export type Chunk = {
  readonly start: number;
  readonly end: number;
  readonly startLine: number;
  readonly endLine: number;
};

/** No chunk is longer, except one that is a single piece of a long line, which is cut to `longestLine`. */
export const chunkChars = 1_200;
/** A chunk grows to this before a good border may end it. */
const smallestChars = 400;
/** A longer line is cut into pieces: minified code and data have no lines to speak of. */
const longestLine = 2_000;

/** The chunks of a text, in order; together they hold every line of it. An empty text has none. */
export function chunkText(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  const lines = measureLines(text);
  let first = 0;
  while (first < lines.count) {
    const next = nextBorder(lines, first);
    pushChunk(chunks, lines, first, next);
    first = next;
  }
  return chunks;
}

/** Per line where it starts, how it is indented (-1 for a blank line), and one entry more for the end of the text. */
export type Lines = {
  readonly count: number;
  readonly starts: Int32Array;
  readonly indents: Int16Array;
};

const [newline, space, tab, carriageReturn] = [10, 32, 9, 13];
const tabWidth = 4;
const deepest = 200;

/** One pass over the text. */
export function measureLines(text: string): Lines {
  const count = countLines(text);
  const starts = new Int32Array(count + 1);
  const indents = new Int16Array(count + 1);
  let start = 0;
  for (let line = 0; line < count; line++) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found + 1;
    starts[line] = start;
    indents[line] = indentOf(text, start, end);
    start = end;
  }
  starts[count] = text.length;
  return { count, starts, indents };
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return text.length > 0 && text.charCodeAt(text.length - 1) !== newline ? count + 1 : count;
}

function indentOf(text: string, start: number, end: number): number {
  let indent = 0;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === space) indent += 1;
    else if (unit === tab) indent += tabWidth;
    else return unit === newline || unit === carriageReturn ? -1 : Math.min(indent, deepest);
  }
  return -1;
}

/** The line the next chunk begins with: the end of the text, the best border within reach, or where it gets too long. */
function nextBorder(lines: Lines, first: number): number {
  const { starts, count } = lines;
  const from = at(starts, first);
  let best = first + 1;
  let bestCost = Infinity;
  for (let line = first + 1; line <= count; line++) {
    const chars = at(starts, line) - from;
    if (chars > chunkChars) return Math.min(best, line);
    if (line === count) return count;
    const cost = chars < smallestChars ? Infinity : borderCost(lines, line);
    if (cost <= bestCost) [best, bestCost] = [line, cost];
  }
  return count;
}

/** Low where a new block begins: little indentation, best after a blank line; inside a block, and before an end, high. */
function borderCost({ indents }: Lines, line: number): number {
  const indent = at(indents, line);
  if (indent === -1) return 2 * deepest;
  const afterBlank = at(indents, line - 1) === -1;
  return afterBlank ? indent : indent + 6;
}

function pushChunk(chunks: Chunk[], { starts }: Lines, first: number, next: number): void {
  const start = at(starts, first);
  const end = at(starts, next);
  const place = { startLine: first + 1, endLine: next };
  if (next - first > 1 || end - start <= longestLine) {
    chunks.push({ start, end, ...place });
    return;
  }
  for (let from = start; from < end; from += longestLine) {
    chunks.push({ start: from, end: Math.min(end, from + longestLine), ...place });
  }
}

function at(numbers: Int32Array | Int16Array, index: number): number {
  return numbers[index] ?? 0;
}
