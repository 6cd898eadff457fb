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
  const breaks = Math.max(0, ranges.length - 1) * RANGE_BREAK.length;
  const totalChars = ranges.reduce((sum, { start, end }) => sum + end - start, breaks);
  return { text: texts.join(RANGE_BREAK), offset: 0, totalChars };
}

/** The document's offset of an offset in the joined ranges. */
export function toDocumentOffset(ranges: readonly TextRange[], joinedOffset: number): number {
  let rest = joinedOffset;
  for (const { start, end } of ranges) {
    if (rest <= end - start) return start + Math.max(0, rest);
    rest -= end - start + RANGE_BREAK.length;
  }
  return ranges.at(-1)?.end ?? 0;
}
