/** Finds the rows of delimited text and the cells of a row; a quoted cell may hold line breaks and separators. */

/** Some rows, and the text that holds them. */
export type RowBatch = {
  readonly text: string;
  /** Where `text` begins in the whole text. */
  readonly offset: number;
  /** Where each row starts and ends in `text`, the line end excluded; blank lines are not rows. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
};

type TextPart = { readonly text: string; readonly offset: number };

/** How rows are written. Without `quotes` each line is a row. */
export type RowSyntax = { readonly separator: string; readonly quotes: boolean };

/** A quoted cell that has not ended after this many characters was opened by a stray quote. */
const MAX_ROW_CHARS = 1024 * 1024;

/** A row without end: its first characters, and where it begins. */
type LongRow = { readonly text: string; readonly offset: number };

/** All rows in order, in batches as the text arrives. Of a very long row `text` has only the beginning. */
export async function* readRows(parts: AsyncIterable<TextPart>, syntax: RowSyntax): AsyncGenerator<RowBatch> {
  let [rest, restOffset, end] = ["", 0, 0];
  let longRow: LongRow | undefined;
  for await (const part of parts) {
    end = part.offset + part.text.length;
    const lineEnd = longRow === undefined ? -1 : part.text.indexOf("\n");
    if (longRow !== undefined && lineEnd === -1) continue;
    if (longRow !== undefined) yield endLongRow(longRow, part.offset + lineEnd);
    longRow = undefined;
    const text = rest + part.text.slice(lineEnd + 1);
    const offset = part.offset + lineEnd + 1 - rest.length;
    const { next, ...rows } = findRows(text, syntax);
    yield { text, offset, ...rows };
    [rest, restOffset] = [text.slice(next), offset + next];
    if (rest.length <= MAX_ROW_CHARS) continue;
    longRow = { text: rest, offset: restOffset };
    rest = "";
  }
  if (longRow !== undefined) yield endLongRow(longRow, end);
  else yield endRows(rest, restOffset, syntax);
}

const endLongRow = ({ text, offset }: LongRow, end: number): RowBatch => ({
  ...{ text, offset },
  starts: [0],
  ends: [end - offset],
});

/** The last row needs no line end. A quoted cell that never ends is part of it. */
function endRows(text: string, offset: number, syntax: RowSyntax): RowBatch {
  const { next, starts, ends } = findRows(`${text}\n`, syntax);
  if (next >= text.length) return { text, offset, starts, ends };
  return { text, offset, starts: [...starts, next], ends: [...ends, text.length] };
}

/** The complete rows of a text, and where the next one begins. */
function findRows(text: string, { separator, quotes }: RowSyntax) {
  const [starts, ends]: [number[], number[]] = [[], []];
  const hasQuotes = quotes && text.includes('"');
  let start = 0;
  for (;;) {
    const lineEnd = hasQuotes ? findRowEnd(text, start, separator) : text.indexOf("\n", start);
    if (lineEnd === -1) return { starts, ends, next: start };
    const end = text.charCodeAt(lineEnd - 1) === RETURN ? lineEnd - 1 : lineEnd;
    if (end > start) {
      starts.push(start);
      ends.push(end);
    }
    start = lineEnd + 1;
  }
}

const [QUOTE, LINE_END, RETURN] = [0x22, 0x0a, 0x0d];

/** The line end that ends a row, or -1 while it is incomplete. A quote inside an unquoted cell is text. */
function findRowEnd(text: string, start: number, separator: string): number {
  const separatorCode = separator.charCodeAt(0);
  let isCellStart = true;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === LINE_END) return at;
    if (code === QUOTE && isCellStart) {
      const close = findCloseQuote(text, at + 1);
      if (close === -1) return text.length - at > MAX_ROW_CHARS ? text.indexOf("\n", at) : -1;
      at = close;
      isCellStart = false;
    } else isCellStart = code === separatorCode;
  }
  return -1;
}

/** The quote that ends a cell; two quotes are one of its text. */
function findCloseQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text.charCodeAt(at + 1) !== QUOTE) return at;
  }
  return -1;
}

/** A table with more columns is not described further. */
export const MAX_CELLS = 2_000;

/** The first cells of a row, without their quotes. */
export function splitCells(row: string, separator: string): string[] {
  const cells: string[] = [];
  let at = 0;
  while (at <= row.length && cells.length < MAX_CELLS) {
    const isQuoted = row.charCodeAt(at) === QUOTE;
    const close = isQuoted ? findCloseQuote(row, at + 1) : -1;
    const next = row.indexOf(separator, close === -1 ? at : close);
    const end = next === -1 ? row.length : next;
    cells.push(close === -1 ? row.slice(at, end) : row.slice(at + 1, close).replaceAll('""', '"'));
    at = end + 1;
  }
  return cells;
}

const SEPARATORS = [",", ";", "\t", "|"];

/** The separator that splits the first lines into the most cells, all lines alike if possible. */
export function findSeparator(start: string): string {
  const lines = start.split("\n", 20).filter((line) => line.trim() !== "");
  const scores = SEPARATORS.map((separator) => {
    const counts = lines.map((line) => splitCells(line, separator).length);
    const [first = 1] = counts;
    const sameShare = counts.filter((count) => count === first).length / Math.max(1, counts.length);
    return { separator, score: first > 1 ? first * sameShare : 0 };
  });
  return scores.reduce((best, next) => (next.score > best.score ? next : best), { separator: ",", score: 0 }).separator;
}
