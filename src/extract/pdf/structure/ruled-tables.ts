/** Finds tables whose rows and columns are separated by drawn rules. */
import { isSpace } from "../line-box.ts";
import { type Line, sliceLine } from "../text-lines.ts";
import type { Rule } from "./drawn-rules.ts";
import { isTable, type LineOrTable, makeTable, toReadingOrder } from "./table.ts";

/** Rules nearer than this are one, and touch each other; in points. */
const TOUCH = 3;
/** In a plot most cells of the grid are empty; in a table few are. */
const MIN_FILLED_SHARE = 0.4;
/** A page with more rules is a drawing. */
const MAX_RULES = 4_000;

/** The positions of the rules that separate columns (left to right) and rows (top to bottom). */
type Grid = { readonly xs: readonly number[]; readonly ys: readonly number[] };

/** Replaces the lines inside a grid by the table, where the first of them was. */
export function findRuledTables(pieces: readonly LineOrTable[], rules: readonly Rule[]): readonly LineOrTable[] {
  if (rules.length > MAX_RULES) return pieces;
  return findGrids(rules).reduce(fillGrid, pieces);
}

/** Groups of rules that touch each other and form at least two columns and two rows. */
function findGrids(rules: readonly Rule[]): Grid[] {
  const verticals = rules.filter(({ isHorizontal }) => !isHorizontal).length;
  if (verticals < 3 || rules.length - verticals < 3) return [];
  return groupRules(rules).flatMap((group) => {
    const xs = mergePositions(group.filter(({ isHorizontal }) => !isHorizontal));
    const ys = mergePositions(group.filter(({ isHorizontal }) => isHorizontal)).reverse();
    return xs.length >= 3 && ys.length >= 3 ? [{ xs, ys }] : [];
  });
}

/** Groups of rules that touch each other. Only rules in the same squares of the page are compared. */
function groupRules(rules: readonly Rule[]): Rule[][] {
  const squares = new Map<number, Rule[]>();
  for (const rule of rules) {
    for (const key of listSquares(rule)) {
      const known = squares.get(key);
      if (known === undefined) squares.set(key, [rule]);
      else known.push(rule);
    }
  }
  const remaining = new Set(rules);
  const groups: Rule[][] = [];
  for (const first of rules) {
    if (!remaining.delete(first)) continue;
    const group = [first];
    for (const rule of group) {
      for (const key of listSquares(rule)) {
        const others = (squares.get(key) ?? []).filter((other) => remaining.has(other));
        squares.set(key, others);
        for (const other of others) if (touches(rule, other) && remaining.delete(other)) group.push(other);
      }
    }
    groups.push(group);
  }
  return groups;
}

/** The side of a square in points, and the number of squares beside each other. */
const SQUARE = 32;
const SQUARES_ACROSS = 100_000;
/** A longer rule is not on a page. */
const MAX_SQUARES = 1_000;

/** The squares that a rule may touch another rule in. */
function listSquares({ isHorizontal, at, from, to }: Rule): number[] {
  const toSquare = (place: number): number => Math.floor(place / SQUARE);
  const keys: number[] = [];
  for (let across = toSquare(at - TOUCH); across <= toSquare(at + TOUCH); across += 1) {
    const last = Math.min(toSquare(to + TOUCH), toSquare(from - TOUCH) + MAX_SQUARES);
    for (let along = toSquare(from - TOUCH); along <= last; along += 1)
      keys.push(isHorizontal ? across * SQUARES_ACROSS + along : along * SQUARES_ACROSS + across);
  }
  return keys;
}

function touches(a: Rule, b: Rule): boolean {
  if (a.isHorizontal === b.isHorizontal)
    return Math.abs(a.at - b.at) <= TOUCH && a.from <= b.to + TOUCH && b.from <= a.to + TOUCH;
  return a.at >= b.from - TOUCH && a.at <= b.to + TOUCH && b.at >= a.from - TOUCH && b.at <= a.to + TOUCH;
}

function mergePositions(rules: readonly Rule[]): number[] {
  const positions: number[] = [];
  for (const at of rules.map((rule) => rule.at).sort((a, b) => a - b)) {
    if (at - (positions.at(-1) ?? -Infinity) > TOUCH) positions.push(at);
  }
  return positions;
}

function fillGrid(pieces: readonly LineOrTable[], grid: Grid): readonly LineOrTable[] {
  const rows = Array.from({ length: grid.ys.length - 1 }, () =>
    Array.from({ length: grid.xs.length - 1 }, (): Line[] => []),
  );
  const rest: LineOrTable[] = [];
  const inside: Line[] = [];
  let place: number | undefined;
  for (const piece of pieces) {
    const row = isTable(piece) ? -1 : findRow(piece, grid);
    if (isTable(piece) || row === -1) {
      rest.push(piece);
      continue;
    }
    place ??= rest.length;
    inside.push(piece);
    for (const { column, part } of splitByColumns(piece, grid)) rows[row]?.[column]?.push(part);
  }
  const filledRows = rows.filter((row) => row.some((cell) => cell.length > 0));
  if (place === undefined || !isFilled(filledRows) || crossesRules(inside, grid)) return pieces;
  const columns = grid.xs.slice(1).map((_, column) => column);
  const filledColumns = columns.filter((column) => filledRows.some((row) => (row[column]?.length ?? 0) > 0));
  rest.splice(
    place,
    0,
    makeTable(toReadingOrder(filledRows.map((row) => filledColumns.map((column) => row[column] ?? [])))),
  );
  return rest;
}

function isFilled(rows: readonly (readonly (readonly Line[])[])[]): boolean {
  const cells = rows.flat();
  const filled = cells.filter((cell) => cell.length > 0).length;
  const pairs = rows.filter((row) => row.filter((cell) => cell.length > 0).length >= 2).length;
  return pairs >= 2 && filled >= MIN_FILLED_SHARE * cells.length;
}

/** The row that the middle of a line is in; -1 if it is outside the grid. */
function findRow({ turns, start, end, top, bottom }: Line, { xs, ys }: Grid): number {
  const [left = 0, right = 0] = [xs[0], xs.at(-1)];
  const [x, y] = [(start + end) / 2, (top + bottom) / 2];
  if (turns !== 0 || x < left || x > right) return -1;
  return ys.findIndex((above, index) => y <= above && y > (ys[index + 1] ?? Infinity));
}

/** The words of a line in each column: PDFium reports the cells of a row as one line. */
function splitByColumns(line: Line, grid: Grid): { readonly column: number; readonly part: Line }[] {
  const parts: { column: number; part: Line }[] = [];
  let [from, column] = [0, -1];
  const finish = (to: number): void => {
    const part = sliceLine(line, from, to);
    if (part !== null) parts.push({ column, part });
    from = to;
  };
  for (const word of listWords(line)) {
    const next = findColumn((word.start + word.end) / 2, grid);
    if (column !== -1 && next !== column) finish(word.from);
    column = next;
  }
  finish(line.chars.codes.length);
  return parts;
}

function findColumn(x: number, { xs }: Grid): number {
  const right = xs.findIndex((edge) => edge > x);
  return right === -1 ? xs.length - 2 : Math.max(0, right - 1);
}

/** A run of characters without spaces, from its first code point on. */
type Word = { readonly from: number; readonly start: number; readonly end: number };

function listWords({ chars: { codes, starts, ends } }: Line): Word[] {
  const words: Word[] = [];
  for (let index = 0; index < codes.length; ) {
    let end = index + 1;
    if (isSpace(codes[index] ?? 0)) {
      index = end;
      continue;
    }
    while (end < codes.length && !isSpace(codes[end] ?? 0)) end += 1;
    words.push({ from: index, start: starts[index] ?? 0, end: ends[end - 1] ?? 0 });
    index = end;
  }
  return words;
}

/** Of the words in a table few cross a rule, where cells are merged; in a drawing many do. */
const MAX_CROSSING_SHARE = 0.15;

function crossesRules(lines: readonly Line[], { xs }: Grid): boolean {
  const words = lines.flatMap(listWords);
  const inner = xs.slice(1, -1);
  const crossing = words.filter(({ start, end }) => inner.some((x) => start < x - TOUCH && end > x + TOUCH));
  return crossing.length > MAX_CROSSING_SHARE * words.length;
}
