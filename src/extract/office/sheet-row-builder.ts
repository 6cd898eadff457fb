/** Collects the cells of sheets as rows, within bounds on what one row may hold. */
import type { SheetRow } from "./sheet-tables.ts";

/** The last column that the formats allow, and the longest text of a cell. */
const MAX_COLUMNS = 16_384;
const MAX_CELL_CHARS = 32_767;

/** A row of more text is cut. */
const MAX_ROW_CHARS = 1024 * 1024;

export class SheetRowBuilder {
  /** Cells left out or shortened. */
  cutCells = 0;
  #rows: { readonly row: SheetRow; readonly copies: number }[] = [];
  #columns: number[] = [];
  #texts: string[] = [];
  #chars = 0;
  #isSorted = true;

  /** Adds a cell to the current row. */
  add(column: number, text: string): void {
    if (text.trim() === "" || column < 0) return;
    if (column >= MAX_COLUMNS || this.#chars > MAX_ROW_CHARS) {
      this.cutCells++;
      return;
    }
    if (text.length > MAX_CELL_CHARS) this.cutCells++;
    if (column <= (this.#columns.at(-1) ?? -1)) this.#isSorted = false;
    this.#columns.push(column);
    this.#texts.push(text.length > MAX_CELL_CHARS ? text.slice(0, MAX_CELL_CHARS) : text);
    this.#chars += text.length;
  }

  /** Ends the current row, repeated `copies` times. Returns whether it has cells. */
  end(number: number, copies = 1): boolean {
    if (this.#columns.length === 0) return false;
    const [columns, texts] = this.#isSorted ? [this.#columns, this.#texts] : sortCells(this.#columns, this.#texts);
    this.#rows.push({ row: { number, columns, texts }, copies });
    [this.#columns, this.#texts, this.#chars, this.#isSorted] = [[], [], 0, true];
    return true;
  }

  /** The rows ended since the last call. Copies are made one by one, as they are asked for. */
  *take(): Generator<SheetRow> {
    const rows = this.#rows;
    this.#rows = [];
    for (const { row, copies } of rows)
      for (let copy = 0; copy < copies; copy++) yield copy === 0 ? row : { ...row, number: row.number + copy };
  }
}

/** The cells from left to right; of two in one column the later one counts. */
function sortCells(columns: readonly number[], texts: readonly string[]): [number[], string[]] {
  const byColumn = new Map(columns.map((column, index) => [column, texts[index] ?? ""]));
  const sorted = [...byColumn].sort(([one], [other]) => one - other);
  return [sorted.map(([column]) => column), sorted.map(([, text]) => text)];
}
