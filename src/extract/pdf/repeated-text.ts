/** Drops text that is drawn again over itself, to look bold or as the same stamp many times: a viewer sees it once. */
import { type LineBox, measureHeight } from "./line-box.ts";

type DrawnLine = LineBox & { readonly text: string; readonly turns: number };

/** How far copies may be apart, in line heights. */
const MAX_SHIFT = 0.25;
/** Text without a size has no place. */
const MIN_SHIFT_POINTS = 0.1;
/** More lines with the same words are not compared. */
const MAX_COPIES = 200;

/** The lines without copies of earlier ones at the same place. */
export function dropRepeatedLines<T extends DrawnLine>(lines: readonly T[]): T[] {
  const seen = new Map<string, T[]>();
  return lines.filter((line) => {
    const same = seen.get(line.text);
    if (same?.some((earlier) => isSamePlace(earlier, line))) return false;
    if (same === undefined) seen.set(line.text, [line]);
    else if (same.length < MAX_COPIES) same.push(line);
    return true;
  });
}

function isSamePlace(a: DrawnLine, b: DrawnLine): boolean {
  const maxShift = MAX_SHIFT * measureHeight(b);
  if (maxShift < MIN_SHIFT_POINTS) return false;
  return a.turns === b.turns && Math.abs(a.start - b.start) < maxShift && Math.abs(a.bottom - b.bottom) < maxShift;
}
