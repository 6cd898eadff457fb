/** Finds the rows of delimited text and the cells of a row; a quoted cell may hold line breaks and separators. */

/** Some rows, and the text that holds them. */
export type RowBatch = {
  readonly text: string;
  /** Where `text` begins in the whole text. */
  readonly offset: number;
  /** Start and end of each row in `text`, the line end excluded; blank lines are not rows. */
  readonly rows: readonly RowSpan[];
};

export type RowSpan = readonly [start: number, end: number];

type TextPart = { readonly text: string; readonly offset: number };

/** How rows are written. Without `quotes` each line is a row. */
export type RowSyntax = { readonly separator: string; readonly quotes: boolean };

/** A quoted cell that has not ended after this many characters was opened by a stray quote. */
const MAX_ROW_CHARS = 1024 * 1024;

/** All rows in order, in batches as the text arrives. */
export async function* readRows(parts: AsyncIterable<TextPart>, syntax: RowSyntax): AsyncGenerator<RowBatch> {
  let rest = "";
  let restOffset = 0;
  for await (const part of parts) {
    const text = rest + part.text;
    const offset = part.offset - rest.length;
    const { rows, end } = findRows(text, syntax);
    yield { text, offset, rows };
    rest = text.slice(end);
    restOffset = offset + end;
  }
  const { rows, end } = findRows(`${rest}\n`, syntax);
  const open: RowSpan[] = end < rest.length ? [[end, rest.length]] : [];
  yield { text: rest, offset: restOffset, rows: [...rows, ...open] };
}

/** The complete rows of a text, and where the first incomplete one begins. */
function findRows(text: string, { separator, quotes }: RowSyntax): { rows: RowSpan[]; end: number } {
  const rows: RowSpan[] = [];
  const hasQuotes = quotes && text.includes('"');
  let start = 0;
  for (;;) {
    const lineEnd = hasQuotes ? findRowEnd(text, start, separator) : text.indexOf("\n", start);
    if (lineEnd === -1) return { rows, end: start };
    const end = text.charCodeAt(lineEnd - 1) === RETURN ? lineEnd - 1 : lineEnd;
    if (end > start) rows.push([start, end]);
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

/** The cells of one row, without their quotes. */
export function splitCells(row: string, separator: string): string[] {
  const cells: string[] = [];
  let at = 0;
  while (at <= row.length) {
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
