/** Moves form fields, which are last in the content of a page, to their labels. */
import { isSpace, measureHeight } from "./line-box.ts";
import { type Line, sharesRow, sliceLine } from "./text-lines.ts";

/** A better order is not worth more comparisons. */
const MAX_COMPARISONS = 4_000_000;

/** The lines of a page with each field behind its label, or before it if it is a box to tick. */
export function placeFields(lines: readonly Line[]): readonly Line[] {
  const pageLines = lines.filter(({ owner }) => owner === 0);
  const fields = Map.groupBy(
    lines.filter(({ owner }) => owner !== 0),
    ({ owner }) => owner,
  );
  if (fields.size === 0 || fields.size * pageLines.length > MAX_COMPARISONS) return lines;
  const byAnchor = Map.groupBy(fields.values(), ([first]) =>
    first === undefined ? null : findAnchor(first, pageLines),
  );
  const fieldsOf = (anchor: Line | null): Field[] => (byAnchor.get(anchor) ?? []).sort(byPlace);
  return [...pageLines.flatMap((line) => insertFields(line, fieldsOf(line))), ...fieldsOf(null).flat()];
}

/** The lines of one field. */
type Field = readonly Line[];

/** Fields whose bottoms differ by less are in one row. */
const ROW_POINTS = 8;

function byPlace([a]: Field, [b]: Field): number {
  if (a === undefined || b === undefined) return 0;
  return Math.round(b.bottom / ROW_POINTS) - Math.round(a.bottom / ROW_POINTS) || a.start - b.start;
}

/** The line in the row of a field, else the nearest one above it; null if there is neither. */
function findAnchor(field: Line, pageLines: readonly Line[]): Line | null {
  let best: Line | null = null;
  let bestDistance = Infinity;
  for (const line of pageLines) {
    const distance = distanceTo(field, line);
    if (distance > bestDistance || distance === Infinity) continue;
    best = line;
    bestDistance = distance;
  }
  return best;
}

/** Lines left of a field take precedence over those right of it, and both over lines above, at any distance. */
const RIGHT_DISTANCE = 1e5;
const OTHER_ROW_DISTANCE = 1e6;
/** The text of a box to tick is near, in line heights. */
const MAX_TICK_GAP = 2;

function distanceTo(field: Line, line: Line): number {
  if (line.turns !== field.turns) return Infinity;
  if (sharesRow(line, field)) return distanceInRow(field, line);
  if (line.bottom < field.bottom) return Infinity;
  return OTHER_ROW_DISTANCE + (line.bottom - field.top) + Math.max(0, line.start - field.end, field.start - line.end);
}

function distanceInRow(field: Line, line: Line): number {
  if (line.start <= field.start) return Math.max(0, field.start - line.end);
  const gap = line.start - field.end;
  return gap <= MAX_TICK_GAP * measureHeight(line) ? RIGHT_DISTANCE + Math.max(0, gap) : Infinity;
}

/** Fields of another row follow the line; those of its row are put at the gap where they are seen. */
function insertFields(line: Line, fields: readonly Field[]): Line[] {
  const [inRow, below] = [true, false].map((isInRow) =>
    fields.filter(([first]) => first !== undefined && sharesRow(line, first) === isInRow),
  );
  const pieces: Line[] = [];
  let rest: Line | null = line;
  for (const field of inRow ?? []) {
    const [before, after]: Halves = rest === null ? [null, null] : cutLine(rest, field[0]?.start ?? 0);
    if (before !== null) pieces.push(before);
    pieces.push(...field);
    rest = after;
  }
  return [...pieces, ...(rest === null ? [] : [rest]), ...(below ?? []).flat()];
}

type Halves = readonly [Line | null, Line | null];

/** The parts of a line before and behind the gap at a place. */
function cutLine(line: Line, place: number): Halves {
  const { codes, starts } = line.chars;
  const next = starts.findIndex((start, index) => start >= place && !isSpace(codes[index] ?? 0));
  if (next === -1) return [line, null];
  if (next > 0 && !isSpace(codes[next - 1] ?? 0)) return [line, null];
  return [sliceLine(line, 0, next), sliceLine(line, next, codes.length)];
}
