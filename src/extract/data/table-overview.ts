/** The overview of delimited text: its columns with types and samples, and how many rows there are. */
import { formatCount, formatNumber } from "../../system/quantities.ts";
import { findSeparator, MAX_CELLS, type RowSyntax, readRows, splitCells } from "./table-rows.ts";
import { ValueTally } from "./value-tally.ts";

/** Types and samples come from this many rows. */
const MAX_TYPED_ROWS = 20_000;

const MAX_COLUMNS = 100;

type TableOptions = {
  /** The first characters. */
  readonly start: string;
  readonly separator?: string;
  /** Set where the parts are not the whole text. */
  readonly total: { readonly lines: number } | null;
};

type TextPart = { readonly text: string; readonly offset: number };

/** Lines of the overview. */
export async function describeTable(parts: AsyncIterable<TextPart>, options: TableOptions): Promise<string[]> {
  const syntax = findTableSyntax(options.start, options.separator);
  const table = new TableTally(syntax.separator);
  let rowCount = 0;
  for await (const { text, starts, ends } of readRows(parts, syntax)) {
    const typedCount = Math.max(0, MAX_TYPED_ROWS + 1 - rowCount);
    for (const [index, start] of starts.slice(0, typedCount).entries()) table.add(text.slice(start, ends[index]));
    rowCount += starts.length;
  }
  return table.list(rowCount, options.total);
}

/** The separator, and whether cells may be quoted. */
export function findTableSyntax(start: string, separator = findSeparator(start)): RowSyntax {
  return { separator, quotes: true };
}

/** Whether the first row names the columns: different words, no numbers, nothing empty. */
export function isHeader(cells: readonly string[]): boolean {
  const names = cells.map((cell) => cell.trim());
  return new Set(names).size === names.length && names.every((name) => name !== "" && !/^[+-]?[\d.,]+%?$/.test(name));
}

class TableTally {
  readonly #separator: string;
  #names: readonly string[] | undefined;
  #hasHeader = false;
  #typedRows = 0;
  readonly #columns: ValueTally[] = [];

  constructor(separator: string) {
    this.#separator = separator;
  }

  add(row: string): void {
    const cells = splitCells(row, this.#separator);
    if (this.#names === undefined) {
      this.#hasHeader = isHeader(cells);
      this.#names = this.#hasHeader ? cells : cells.map((_, index) => `column ${index + 1}`);
      if (this.#hasHeader) return;
    }
    this.#typedRows++;
    for (const [index, cell] of cells.slice(0, MAX_COLUMNS).entries()) {
      const column = this.#columns[index] ?? new ValueTally();
      this.#columns[index] = column;
      column.add(cell.trim());
    }
  }

  list(allRows: number, total: TableOptions["total"]): string[] {
    const names = this.#names ?? [];
    const rowCount = Math.max(0, allRows - (this.#hasHeader ? 1 : 0));
    const rows = total === null ? formatCount(rowCount, "row") : `at least ${formatCount(rowCount, "row")}`;
    const lines = total === null ? "" : ` in ${formatCount(total.lines, "line")}`;
    const typed =
      this.#typedRows < rowCount
        ? ` Types and samples are those of the first ${formatNumber(this.#typedRows)} rows.`
        : "";
    const header = this.#hasHeader ? "" : " The first row has no names.";
    return [
      `Table of ${rows}${lines} and ${names.length === MAX_CELLS ? "at least " : ""}${formatCount(names.length, "column")}.${header}${typed}`,
      "",
      "| column | type | samples |",
      "| --- | --- | --- |",
      ...names.slice(0, MAX_COLUMNS).map((name, index) => formatColumn(name, this.#columns[index])),
      ...(names.length > MAX_COLUMNS ? [`| and ${formatNumber(names.length - MAX_COLUMNS)} more | | |`] : []),
    ];
  }
}

const MAX_NAME_CHARS = 60;

function formatColumn(name: string, tally: ValueTally | undefined): string {
  const shownName = name.trim().slice(0, MAX_NAME_CHARS).replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
  return `| ${shownName} | ${tally?.describe() ?? "empty"} | ${tally?.samples().join("; ") ?? ""} |`;
}
