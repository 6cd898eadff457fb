/** Chosen parts of a document as one text, and the way back from a place in it to the document. */
import type { TextWindow } from "../fit/fit-text.ts";
import type { Extract } from "./extract.ts";
import { type Part, windowAt } from "./select.ts";

/** Stands between parts that may not follow each other. */
export const partBreak = "\n\n";

/** The beginning of the joined parts, as many characters as a reader may see; counted from the first part's start. */
export async function joinParts(extract: Extract, parts: readonly Part[], chars: number): Promise<TextWindow> {
  const texts: string[] = [];
  let room = chars;
  for (const { start, end } of parts) {
    if (room <= 0) break;
    const { text } = await windowAt(extract, start, room, end);
    texts.push(text);
    room -= text.length + partBreak.length;
  }
  const breaks = Math.max(0, parts.length - 1) * partBreak.length;
  const totalChars = parts.reduce((sum, { start, end }) => sum + end - start, breaks);
  return { text: texts.join(partBreak), offset: 0, totalChars };
}

/** The document's offset of a place in the joined parts. */
export function placeInDocument(parts: readonly Part[], joined: number): number {
  let rest = joined;
  for (const { start, end } of parts) {
    if (rest <= end - start) return start + Math.max(0, rest);
    rest -= end - start + partBreak.length;
  }
  return parts.at(-1)?.end ?? 0;
}
