/** Splits a text of any length into segments of bounded size, for documents without pages. */
import { splitsPair } from "../fit/measure.ts";

/** The text of one segment; joined without separator they are the whole text. */
type SegmentText = { readonly index: number; readonly label: string; readonly text: string };

/** Other numbers give other segments, so changing them requires a new version of every handler that splits. */
const MAX_SEGMENT_CHARS = 64 * 1024;
const MIN_SEGMENT_CHARS = 32 * 1024;

/** Where segments end depends on the text alone, not on how it arrived. */
export async function* splitSegments(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<SegmentText> {
  let rest = "";
  let index = 0;
  for await (const text of texts) {
    rest += text;
    while (rest.length > MAX_SEGMENT_CHARS) {
      const end = findCut(rest);
      yield { index, label: `part ${index + 1}`, text: rest.slice(0, end) };
      index += 1;
      rest = rest.slice(end);
    }
  }
  // A single segment needs no label.
  yield { index, label: index === 0 ? "" : `part ${index + 1}`, text: rest };
}

/** After the last line end that leaves a segment long enough, else between two code points. */
function findCut(text: string): number {
  const lineEnd = text.lastIndexOf("\n", MAX_SEGMENT_CHARS - 1) + 1;
  if (lineEnd >= MIN_SEGMENT_CHARS) return lineEnd;
  return splitsPair(text, MAX_SEGMENT_CHARS) ? MAX_SEGMENT_CHARS - 1 : MAX_SEGMENT_CHARS;
}
