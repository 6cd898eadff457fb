/** Collects the rows of a data table and writes them. */
import type { Attributes, Element } from "../tree/tree.ts";

/** What one attribute may add to a table. */
const MAX_COLUMNS = 200;
const MAX_SPANNED_ROWS = 1000;
/** In larger tables short rows stay short, as GFM allows: one wide row must not make all others wide. */
const MAX_PADDED_CELLS = 20_000;

/** The rows of one table; a cell that spans several is followed by empty ones. */
export class TableRows {
  readonly element: Element;
  readonly #isMarkdown: boolean;
  readonly #rows: string[][] = [];
  /** For each column, how many more rows a cell of an earlier row covers. */
  readonly #spans: number[] = [];
  /** A cell spans at most as many columns as the fullest row has cells: more would add only empty ones. */
  readonly #maxColumns: number;
  #row: string[] = [];
  #chars = 0;

  constructor(element: Element, isMarkdown: boolean) {
    this.element = element;
    this.#isMarkdown = isMarkdown;
    this.#maxColumns = Math.min(MAX_COLUMNS, countColumns(element));
  }

  /** How many characters the cells have so far. */
  get chars(): number {
    return this.#chars;
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
    this.#chars += text.length;
    skipSpannedCells(row, this.#spans);
    const rows = parseSpan(rowspan, MAX_SPANNED_ROWS);
    for (let column = 0; column < parseSpan(colspan, this.#maxColumns); column += 1) {
      if (rows > 1 && row.length < this.#maxColumns) this.#spans[row.length] = rows - 1;
      row.push(column > 0 ? "" : this.#isMarkdown ? text.replaceAll("|", "\\|") : text);
    }
    skipSpannedCells(row, this.#spans);
  }

  /** A GFM table; in plain text, columns separated by tabs. */
  write(): string {
    return this.#isMarkdown ? writeTable(this.#rows) : this.#rows.map((row) => row.join("\t")).join("\n");
  }
}

/** The number of cells in the fullest row. */
function countColumns({ children }: Element): number {
  let columns = 1;
  for (const child of children) {
    if (typeof child === "string") continue;
    const count = child.tag === "tr" ? countCells(child) : rowGroupTags.has(child.tag) ? countColumns(child) : 1;
    if (count > columns) columns = count;
  }
  return columns;
}
const rowGroupTags = new Set(["thead", "tbody", "tfoot"]);

function countCells({ children }: Element): number {
  return children.filter((child) => typeof child !== "string" && (child.tag === "td" || child.tag === "th")).length;
}

function parseSpan(value: string | undefined, limit: number): number {
  return Math.max(1, Math.min(limit, Number.parseInt(value ?? "1", 10) || 1));
}

/** Adds empty cells where cells of earlier rows cover the row. */
function skipSpannedCells(row: string[], spans: number[]): void {
  for (let rows = spans[row.length] ?? 0; rows > 0; rows = spans[row.length] ?? 0) {
    spans[row.length] = rows - 1;
    row.push("");
  }
}

/** A GFM table with the first row as its header; short rows are padded. Blanks beside the bars would take tokens. */
function writeTable(rows: readonly (readonly string[])[]): string {
  const someRows = rows.filter((row) => row.some((cell) => cell !== ""));
  if (someRows.length === 0) return "";
  const filledRows = withPlainHeaders(withoutEmptyColumns(someRows));
  const columns = Math.min(
    MAX_COLUMNS,
    filledRows.reduce((widest, row) => Math.max(widest, row.length), 1),
  );
  const width = columns * filledRows.length > MAX_PADDED_CELLS ? 0 : columns;
  const lines = filledRows.map((row) => {
    const cells = row.concat(Array(Math.max(0, width - row.length)).fill(""));
    return `|${cells.map(endCell).join("|")}|`;
  });
  lines.splice(1, 0, `|${"-|".repeat(width === 0 ? (filledRows[0]?.length ?? 1) : columns)}`);
  return lines.join("\n");
}

/** A backslash at the end of a cell would escape the sign after it. */
function endCell(cell: string): string {
  return cell.endsWith("\\") ? `${cell} ` : cell;
}

/** Columns for borders and spaces have no text in any row. */
function withoutEmptyColumns(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const filled = new Set<number>();
  let columns = 0;
  for (const row of rows) {
    columns = Math.max(columns, row.length);
    for (const [column, cell] of row.entries()) if (cell !== "") filled.add(column);
  }
  return filled.size === columns ? rows : rows.map((row) => row.filter((_, column) => filled.has(column)));
}

/**
 * Strong cells in the first row, and in the first column if all are strong, only look like the headers that they are;
 * a few strong ones begin groups of rows.
 */
function withPlainHeaders(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const [head = [], ...others] = rows;
  const isStrongColumn = others.every(([first = ""]) => first === "" || strongCell.test(first));
  const toPlain = (cell: string) => cell.replace(strongCell, "$1");
  const body = isStrongColumn ? others.map(([first = "", ...row]) => [toPlain(first), ...row]) : others;
  return [head.map(toPlain), ...body];
}
const strongCell = /^\*\*((?:[^*\\]|\\.)+)\*\*$/;
