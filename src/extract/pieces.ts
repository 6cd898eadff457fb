/** Cuts a text of any length into pieces of bounded size, the segments of what has no pages. */
import { splitsPair } from "../fit/measure.ts";

/** One piece of a text; joined with nothing between them they are the text. */
export type Piece = { readonly index: number; readonly label: string; readonly text: string };

/** Part of a handler's version: other numbers give other segments. */
const segmentChars = 64 * 1024;
const shortestChars = 32 * 1024;

/** Where the pieces are cut depends on the text alone, not on how it arrived. */
export async function* cutPieces(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Piece> {
  let rest = "";
  let index = 0;
  for await (const text of texts) {
    rest += text;
    while (rest.length > segmentChars) {
      const end = cutAt(rest);
      yield { index, label: `part ${index + 1}`, text: rest.slice(0, end) };
      index += 1;
      rest = rest.slice(end);
    }
  }
  // A text in one piece needs no name for it.
  yield { index, label: index === 0 ? "" : `part ${index + 1}`, text: rest };
}

/** After the last line end within reach, else between two code points. */
function cutAt(text: string): number {
  const lineEnd = text.lastIndexOf("\n", segmentChars - 1) + 1;
  if (lineEnd >= shortestChars) return lineEnd;
  return splitsPair(text, segmentChars) ? segmentChars - 1 : segmentChars;
}
