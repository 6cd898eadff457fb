/** Finds tables without rules: rows whose cells keep to the same columns. */
import { isSpace, measureHeight } from "../line-box.ts";
import { type Line, sliceLine } from "../text-lines.ts";
import { type LineOrTable, makeTable, toReadingOrder } from "./table.ts";

/** A gap that may separate two cells, in line heights; a justified line rarely has one. */
const MIN_CELL_GAP = 0.7;
const MIN_ROWS = 3;
const MIN_FILLED_SHARE = 0.6;
/** A cell with more lines is a column of a page. */
const MAX_CELL_LINES = 8;
/** Rows further apart than this are not of one table, in line heights. */
const MAX_ROW_GAP = 4;

/** A cell with its lines, from the first of them to the last, and the bounds of all. */
type Cell = Interval & { readonly lines: Line[]; top: number };
type Interval = { start: number; end: number };

/** Cells of one row from left to right, and its lines from `first` up to `last`. */
type Row = { readonly cells: Cell[]; readonly first: number; last: number };

/** A page with more lines is not searched. */
const MAX_LINES = 2_000;

/** Replaces the lines of each table by the table. */
export function findAlignedTables(lines: readonly Line[]): readonly LineOrTable[] {
  if (lines.length > MAX_LINES) return lines;
  const rows = collectRows(lines);
  const pieces: LineOrTable[] = [];
  let done = 0;
  for (let index = 0; index < rows.length; ) {
    const run = longestTable(rows, index);
    if (run === null) {
      index += 1;
      continue;
    }
    pieces.push(...lines.slice(done, rows[index]?.first), makeTable(toReadingOrder(run.cells)));
    done = rows[index + run.rows - 1]?.last ?? done;
    index += run.rows;
  }
  return [...pieces, ...lines.slice(done)];
}

/**
 * Groups lines into rows by the moves from one to the next, in reading order: to the right is the next cell, down within
 * the width of the cell is its next line, everything else is a new row.
 */
function collectRows(lines: readonly Line[]): Row[] {
  const rows: Row[] = [];
  const isColumnStart = findColumnStarts(lines);
  for (const [index, line] of lines.entries()) {
    for (const part of splitAtGaps(line, (start) => isColumnStart(start, index))) {
      const row = rows.at(-1);
      const cell = row?.cells.at(-1);
      if (row && cell && movesRight(cell, part)) row.cells.push(openCell(part));
      else if (row && cell && movesDown(cell, part)) addLine(cell, part);
      else rows.push({ cells: [openCell(part)], first: index, last: index });
      const current = rows.at(-1);
      if (current) current.last = index + 1;
    }
  }
  return rows;
}

function openCell(line: Line): Cell {
  const { start, end, top } = line;
  return { lines: [line], start, end, top };
}

function addLine(cell: Cell, line: Line): void {
  cell.lines.push(line);
  cell.start = Math.min(cell.start, line.start);
  cell.end = Math.max(cell.end, line.end);
  cell.top = Math.max(cell.top, line.top);
}

function movesRight(cell: Cell, part: Line): boolean {
  const last = cell.lines.at(-1);
  if (last?.turns !== part.turns || part.start < cell.end) return false;
  const middle = (part.top + part.bottom) / 2;
  return middle > last.bottom && middle < cell.top + MAX_RISE * measureHeight(part);
}

/** A cell in the middle of its row may begin lower than the cells after it, in line heights. */
const MAX_RISE = 3;
/** Room between the lines of one cell, in line heights; rows are further apart. */
const MAX_LINE_GAP = 0.5;

function movesDown({ lines, start, end }: Cell, part: Line): boolean {
  const last = lines.at(-1);
  if (last === undefined || lines.length >= MAX_CELL_LINES || last.turns !== part.turns) return false;
  const gap = (last.bottom - part.top) / measureHeight(part);
  if (gap <= -0.5 || gap >= MAX_LINE_GAP) return false;
  return part.start < end && part.end > start;
}

/** How far the cells of one column may begin apart, in points. */
const MAX_START_SHIFT = 1;
/** Cells further apart than this do not show each other's columns, in lines. */
const MAX_LINES_APART = 8;

/**
 * Where at least two lines have a cell after a wide gap, cells of other lines begin too: a cell that fills its column
 * leaves no wide gap before the next one.
 */
function findColumnStarts(lines: readonly Line[]): (start: number, index: number) => boolean {
  const linesByStart = new Map<number, number[]>();
  for (const [index, line] of lines.entries()) {
    for (const gap of line.turns === 0 ? findGaps(line) : []) {
      const key = toStartKey(line.chars.starts[gap + 1] ?? 0);
      const known = linesByStart.get(key);
      if (known === undefined) linesByStart.set(key, [index]);
      else known.push(index);
    }
  }
  const countNear = (key: number, index: number): number => {
    let count = 0;
    for (const other of linesByStart.get(key) ?? []) if (Math.abs(other - index) <= MAX_LINES_APART) count += 1;
    return count;
  };
  return (start, index) => {
    if (linesByStart.size === 0) return false;
    const key = toStartKey(start);
    return countNear(key - 1, index) + countNear(key, index) + countNear(key + 1, index) >= 2;
  };
}

const toStartKey = (start: number): number => Math.round(start / MAX_START_SHIFT);

/** The indexes of the spaces that are wide enough to separate cells. */
function findGaps(line: Line): number[] {
  const { codes, starts, ends } = line.chars;
  const minGap = MIN_CELL_GAP * measureHeight(line);
  const gaps: number[] = [];
  for (let index = 0; index < codes.length; index += 1)
    if (isSpace(codes[index] ?? 0) && (ends[index] ?? 0) - (starts[index] ?? 0) >= minGap) gaps.push(index);
  return gaps;
}

/** The parts of a line between wide gaps, and before the start of a column. */
function splitAtGaps(line: Line, isColumnStart: (start: number) => boolean): Line[] {
  const { codes, starts, ends } = line.chars;
  const minGap = MIN_CELL_GAP * measureHeight(line);
  const parts: Line[] = [];
  let from = 0;
  for (let index = 0; index < codes.length; index += 1) {
    if (!isSpace(codes[index] ?? 0)) continue;
    if ((ends[index] ?? 0) - (starts[index] ?? 0) < minGap && !isColumnStart(starts[index + 1] ?? 0)) continue;
    const part = sliceLine(line, from, index);
    if (part !== null) parts.push(part);
    from = index + 1;
  }
  const rest = sliceLine(line, from, codes.length);
  if (rest !== null) parts.push(rest);
  return parts;
}

type FoundTable = { readonly rows: number; readonly cells: readonly (readonly (readonly Line[])[])[] };

/** The longest table that starts with this row; null if there is none. */
function longestTable(rows: readonly Row[], from: number): FoundTable | null {
  let found: FoundTable | null = null;
  let rowsWithCells = 0;
  for (let end = from + 1; end <= rows.length; end += 1) {
    const row = rows[end - 1];
    if (row === undefined || !mayBelong(rows[end - 2], row, end - 1 === from)) break;
    if (row.cells.length > 1) rowsWithCells += 1;
    if (rowsWithCells < MIN_ROWS) continue;
    const cells = alignCells(rows.slice(from, end));
    if (cells === null) break;
    found = { rows: end - from, cells };
  }
  return found;
}

/** Whether a row can follow another in a table. A row with one cell may continue a cell of the row before. */
function mayBelong(before: Row | undefined, row: Row, isFirst: boolean): boolean {
  const line = row.cells[0]?.lines[0];
  if (line === undefined || line.turns !== 0 || isListLabel(line.text)) return false;
  // Code may be aligned too, but not below a head in another font.
  if (isFirst && row.cells.every(({ lines }) => lines.every(({ style }) => style.isMono))) return false;
  if (row.cells.some(({ lines }) => /(?:\. ?){4,}/.test(lines[0]?.text ?? ""))) return false;
  if (isFirst) return row.cells.length > 1;
  const previous = before?.cells.flatMap(({ lines }) => lines) ?? [];
  const gap = (Math.min(...previous.map(({ bottom }) => bottom)) - line.top) / measureHeight(line);
  if (gap > MAX_ROW_GAP || gap < -0.5) return false;
  return row.cells.length > 1 || line.start > (before?.cells[0]?.lines[0]?.end ?? Infinity);
}

/** A label and its text are an item of a list. */
function isListLabel(text: string): boolean {
  return /^(?:[•◦▪‣●○■□–—*·-]|\(?(?:\d{1,3}|[a-z]|[ivx]+)[.)])$/.test(text);
}

/** The cells of the rows by column; null if they do not keep to columns. */
function alignCells(rows: readonly Row[]): (readonly Line[])[][] | null {
  const columns = findColumns(rows.flatMap(({ cells }) => cells));
  if (columns.length < 2) return null;
  const table: Line[][][] = [];
  for (const { cells } of rows) {
    const placed = columns.map((): Line[] => []);
    for (const { lines, start } of cells) {
      const column = placed[columns.findIndex(({ end }) => start <= end)];
      if (column === undefined || column.length > 0) return null;
      column.push(...lines);
    }
    const previous = table.at(-1);
    if (cells.length > 1 || previous === undefined) table.push(placed);
    else for (const [index, cell] of placed.entries()) previous[index]?.push(...cell);
  }
  const filled = table.flat().filter((cell) => cell.length > 0).length;
  return filled >= MIN_FILLED_SHARE * table.length * columns.length ? table : null;
}

/** Intervals that overlap are one column. */
function findColumns(intervals: readonly Interval[]): Interval[] {
  const columns: Interval[] = [];
  for (const { start, end } of intervals.toSorted((a, b) => a.start - b.start)) {
    const last = columns.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else columns.push({ start, end });
  }
  return columns;
}
