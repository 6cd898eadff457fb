/** Writes the rows of a sheet as Markdown tables: blank rows separate tables, and empty columns are left out. */
import { writeCell } from "../markdown-blocks.ts";

/** The filled cells of a row, from left to right; rows without any are left out. */
export type SheetRow = {
  readonly number: number;
  /** Indexes of the columns, from 0. */
  readonly columns: readonly number[];
  readonly texts: readonly string[];
};

/** A table of more cells per filled cell is written cell by cell, with their names. */
const MAX_CELLS_PER_TEXT = 6;
const SMALL_TABLE_CELLS = 48;

/** The tables of these rows. `header` is the first row of a table that began in an earlier part. */
export function writeRows(rows: readonly SheetRow[], header?: SheetRow): string {
  const blocks = splitBlocks(rows);
  const [first = []] = blocks;
  if (header) blocks[0] = [header, ...first];
  return blocks.map(writeBlock).join("\n\n");
}

/** The header to repeat above the next row: that of the last table, unless the next row begins another. */
export function findLastHeader(
  rows: readonly SheetRow[],
  header: SheetRow | undefined,
  nextNumber: number,
): SheetRow | undefined {
  const blocks = splitBlocks(rows);
  const last = blocks.at(-1) ?? [];
  if (nextNumber - (last.at(-1)?.number ?? nextNumber) > 1) return undefined;
  return blocks.length === 1 && header ? header : last[0];
}

/** Rows between blank ones. A row that is alone belongs to its neighbours, unless it is a single cell such as a title. */
function splitBlocks(rows: readonly SheetRow[]): SheetRow[][] {
  const blocks: SheetRow[][] = [];
  let start = 0;
  for (let index = 1; index <= rows.length; index++) {
    if (rows[index]?.number === (rows[index - 1]?.number ?? 0) + 1) continue;
    blocks.push(rows.slice(start, index));
    start = index;
  }
  return joinLoneRows(blocks);
}

function joinLoneRows(blocks: readonly SheetRow[][]): SheetRow[][] {
  const joined: SheetRow[][] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (last && !isTitle(last) && !isTitle(block) && (isLone(last) || isLone(block))) last.push(...block);
    else joined.push(block);
  }
  return joined;
}

const isLone = (block: readonly SheetRow[]): boolean => block.length === 1;
const isTitle = (block: readonly SheetRow[]): boolean => isLone(block) && block[0]?.columns.length === 1;

function writeBlock(rows: readonly SheetRow[]): string {
  if (isTitle(rows)) return rows[0]?.texts[0]?.trim() ?? "";
  const columns = listColumns(rows);
  const texts = rows.reduce((sum, row) => sum + row.texts.length, 0);
  const isSparse = rows.length * columns.length > texts * MAX_CELLS_PER_TEXT + SMALL_TABLE_CELLS;
  return isSparse ? rows.map(writeNamedCells).join("\n") : writeTable(rows, columns);
}

/** The columns that have a text in any row, from left to right. */
function listColumns(rows: readonly SheetRow[]): number[] {
  const isFilled: boolean[] = [];
  for (const row of rows) for (const column of row.columns) isFilled[column] = true;
  return Object.keys(isFilled).map(Number);
}

function writeTable(rows: readonly SheetRow[], columns: readonly number[]): string {
  const isPlain = arePlain(rows);
  const [header = "", ...body] = rows.map((row) =>
    // Joining the texts of a full row is one step, and needs no look at each.
    isPlain && row.texts.length === columns.length ? `| ${row.texts.join(" | ")} |` : writeTableRow(row, columns),
  );
  return [header, `|${" --- |".repeat(columns.length)}`, ...body].join("\n");
}

/** Whether each text can be written as it is: nothing to escape or to trim in any of them. */
function arePlain(rows: readonly SheetRow[]): boolean {
  return !mayNeedWriting.test(rows.map(({ texts }) => texts.join("\0")).join("\0"));
}

const mayNeedWriting = /[|\n]|^\s|\s$|\0\s|\s\0/;

function writeTableRow({ columns: filled, texts }: SheetRow, columns: readonly number[]): string {
  let line = "|";
  let next = 0;
  for (const column of columns) line += filled[next] === column ? ` ${writeCell(texts[next++] ?? "")} |` : "  |";
  return line;
}

function writeNamedCells({ number, columns, texts }: SheetRow): string {
  const cells = columns.map((column, index) => `${nameColumn(column)}${number}: ${writeCell(texts[index] ?? "")}`);
  return `- ${cells.join("; ")}`;
}

/** A, B, …, Z, AA, … */
export function nameColumn(index: number): string {
  let name = "";
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  return name;
}
