/** Drops running headers and footers that the pages before have already shown. */
import type { Box } from "../glyphs.ts";
import { measureHeight } from "../line-box.ts";
import type { Line } from "../text-lines.ts";

/** The lines of a page, and the page's visible part. */
export type PageLines = { readonly lines: readonly Line[]; readonly box: Box };

/** Parts of the page's height in which running lines are. */
const TOP_SHARE = 0.13;
const BOTTOM_SHARE = 0.12;
/** At most so many rows at each edge. */
const MAX_ROWS = 3;
/** Running lines are further from the text than its lines are from each other, by this factor. */
const MIN_ROOM = 1.25;
/** How far running lines may move between pages, in points. */
const MAX_SHIFT = 4;

/**
 * The lines of a page without those that one of the pages before it has at the same place. `before` is the previous page,
 * then the one before that: left and right pages often differ.
 */
export function dropRunningLines({ lines, box }: PageLines, before: readonly PageLines[]): readonly Line[] {
  const isRepeated = (line: Line): boolean =>
    isUpright(line) &&
    before.some((page, distance) => page.lines.some((other) => isSame(other, line, distance + 1) && isUpright(other)));
  const height = box.top - box.bottom;
  const top = lines.filter((line) => line.bottom > box.top - TOP_SHARE * height);
  const bottom = lines.filter((line) => line.top < box.bottom + BOTTOM_SHARE * height);
  const dropped = new Set([...peel(top, lines, isRepeated, 1), ...peel(bottom, lines, isRepeated, -1)]);
  return dropped.size === 0 || dropped.size === lines.length ? lines : lines.filter((line) => !dropped.has(line));
}

const isUpright = ({ turns, owner }: Line): boolean => turns === 0 && owner === 0;

/** Whether a line is the same as on an earlier page, except for the page number. */
function isSame(earlier: Line, line: Line, distance: number): boolean {
  if (Math.abs(earlier.bottom - line.bottom) > MAX_SHIFT) return false;
  if (earlier.text === line.text) return true;
  const [words, numbers] = splitNumbers(line.text);
  const [earlierWords, earlierNumbers] = splitNumbers(earlier.text);
  return words === earlierWords && numbers.every((number, index) => isCounted(earlierNumbers[index], number, distance));
}

function splitNumbers(text: string): [string, readonly string[]] {
  const number = /\d+|^[ivxlc]+$/gi;
  return [text.replace(number, "0"), text.match(number) ?? []];
}

/** Page numbers count on; other numbers of a running line stay. */
function isCounted(earlier: string | undefined, number: string, distance: number): boolean {
  if (earlier === number || !/\d/.test(number)) return true;
  return Number(number) - Number(earlier) === distance;
}

/** The repeated rows from the edge inwards, as far as there is room between them and the rest. */
function peel(
  edge: readonly Line[],
  lines: readonly Line[],
  isRepeated: (line: Line) => boolean,
  side: 1 | -1,
): Line[] {
  const rest = new Set(edge);
  const peeled: Line[] = [];
  let best: Line[] = [];
  for (let row = 0; row < MAX_ROWS && rest.size > 0; row += 1) {
    const outermost = [...rest].reduce((a, b) => (side * (b.bottom - a.bottom) > 0 ? b : a));
    const inRow = [...rest].filter((line) => Math.abs(line.bottom - outermost.bottom) < measureHeight(outermost));
    if (!inRow.every(isRepeated)) break;
    for (const line of inRow) rest.delete(line);
    peeled.push(...inRow);
    const others = lines.filter((line) => !peeled.includes(line) && isUpright(line));
    if (hasRoom(peeled, others, side)) best = [...peeled];
  }
  return best;
}

/** The head of a table that continues is repeated too, but near to its rows. */
function hasRoom(peeled: readonly Line[], others: readonly Line[], side: 1 | -1): boolean {
  if (peeled.length === 0 || others.length === 0) return true;
  const inner = Math.min(...peeled.map(({ bottom }) => side * bottom));
  const nearest = Math.max(...others.map(({ bottom }) => side * bottom));
  return inner - nearest > MIN_ROOM * Math.max(usualDrop(others), measureHeight(peeled[0] ?? noBox));
}

const noBox = { start: 0, end: 0, top: 0, bottom: 0 };

/** Lines of text are not further apart, in line heights. */
const MAX_DROP = 3;

/** The median distance between lines; the smaller one of two, because the other is a gap between paragraphs. */
function usualDrop(lines: readonly Line[]): number {
  const drops = lines.slice(1).flatMap((line, index) => {
    const drop = (lines[index]?.bottom ?? 0) - line.bottom;
    return drop > 1 && drop < MAX_DROP * measureHeight(line) ? [drop] : [];
  });
  const downward = drops.sort((a, b) => a - b);
  return downward[(downward.length - 1) >> 1] ?? 0;
}
