/** Joins chosen ranges of a document into one text, and maps offsets in it back to the document. */
import type { TextWindow } from "../../fit/fit-text.ts";
import type { Extract } from "../extract.ts";
import { readWindow, type TextRange } from "./select-range.ts";

/** Separates ranges, which need not follow each other. */
export const RANGE_BREAK = "\n\n";

/** The first `chars` characters of the joined ranges; offsets count from the first range's start. */
export async function joinRanges(extract: Extract, ranges: readonly TextRange[], chars: number): Promise<TextWindow> {
  const texts: string[] = [];
  let room = chars;
  for (const { start, end } of ranges) {
    if (room <= 0) break;
    const { text } = await readWindow(extract, start, room, end);
    texts.push(text);
    room -= text.length + RANGE_BREAK.length;
  }
  return {
    text: texts.join(RANGE_BREAK),
    offset: 0,
    totalChars: countChars(ranges, ({ end, wholeEnd = end }) => wholeEnd),
  };
}

/** How much the ranges hold in all, and how much of it is extracted. */
export function measureRanges(ranges: readonly TextRange[], { size, onlyPages }: Extract) {
  const chars = countChars(ranges, ({ end, wholeEnd = end }) => wholeEnd);
  return {
    chars: Number.isFinite(chars) ? chars : null,
    soFar: countChars(ranges, ({ end }) => end),
    isWholeText: onlyPages === null && ranges.some(({ end }) => end === size.chars),
  };
}

function countChars(ranges: readonly TextRange[], endOf: (range: TextRange) => number): number {
  const breaks = Math.max(0, ranges.length - 1) * RANGE_BREAK.length;
  return ranges.reduce((sum, range) => sum + endOf(range) - range.start, breaks);
}

/** The range that an offset in the joined ranges lies in, and the document's offset there. */
export function findPlace(ranges: readonly TextRange[], joinedOffset: number): { index: number; offset: number } {
  let rest = joinedOffset;
  for (const [index, { start, end }] of ranges.entries()) {
    if (rest <= end - start) return { index, offset: start + Math.max(0, rest) };
    rest -= end - start + RANGE_BREAK.length;
  }
  return { index: ranges.length - 1, offset: ranges.at(-1)?.end ?? 0 };
}
