/** The rows of a table of data while it is read, and how they are written. */
import type { Attributes, Element } from "../tree/tree.ts";

/** Collects cells, those that span rows and columns in their places. */
export class TableRows {
  readonly element: Element;
  readonly #isMarkdown: boolean;
  readonly #rows: string[][] = [];
  /** How many more rows a cell of an earlier one reaches down into, by column. */
  readonly #spans: number[] = [];
  #row: string[] = [];

  constructor(element: Element, isMarkdown: boolean) {
    this.element = element;
    this.#isMarkdown = isMarkdown;
  }

  beginRow(): void {
    this.#row = [];
  }

  endRow(): void {
    if (this.#row.length > 0) this.#rows.push(this.#row);
  }

  addCell(lines: string, { colspan, rowspan }: Attributes): void {
    const row = this.#row;
    const text = lines.replace(/\s*\n\s*/g, this.#isMarkdown ? "<br>" : " ");
    skipSpannedCells(row, this.#spans);
    const rows = parseSpan(rowspan, MAX_SPANNED_ROWS);
    for (let column = 0; column < parseSpan(colspan, MAX_COLUMNS); column += 1) {
      if (rows > 1 && row.length < MAX_COLUMNS) this.#spans[row.length] = rows - 1;
      row.push(column > 0 ? "" : this.#isMarkdown ? text.replaceAll("|", "\\|") : text);
    }
    skipSpannedCells(row, this.#spans);
  }

  /** A GFM table, or in text columns parted by tabs. */
  write(): string {
    return this.#isMarkdown ? writeTable(this.#rows) : this.#rows.map((row) => row.join("\t")).join("\n");
  }
}

function parseSpan(value: string | undefined, most: number): number {
  return Math.max(1, Math.min(most, Number.parseInt(value ?? "1", 10) || 1));
}
const MAX_SPANNED_ROWS = 1000;

/** Leaves the places empty that cells of earlier rows reach down into. */
function skipSpannedCells(row: string[], spans: number[]): void {
  for (let left = spans[row.length] ?? 0; left > 0; left = spans[row.length] ?? 0) {
    spans[row.length] = left - 1;
    row.push("");
  }
}

/** Short rows of larger tables stay short, as GFM allows: one wide row must not make all others so. */
const MAX_PADDED_CELLS = 20_000;

/** A GFM table; short rows are filled up, the first row is the head. */
function writeTable(rows: readonly (readonly string[])[]): string {
  const filled = rows.filter((row) => row.some((cell) => cell !== ""));
  if (filled.length === 0) return "";
  const columns = Math.min(
    MAX_COLUMNS,
    filled.reduce((most, row) => Math.max(most, row.length), 1),
  );
  const width = columns * filled.length > MAX_PADDED_CELLS ? 0 : columns;
  const lines = filled.map((row) => `| ${row.concat(Array(Math.max(0, width - row.length)).fill("")).join(" | ")} |`);
  lines.splice(1, 0, `|${" --- |".repeat(width === 0 ? (filled[0]?.length ?? 1) : columns)}`);
  return lines.join("\n");
}

const MAX_COLUMNS = 200;
