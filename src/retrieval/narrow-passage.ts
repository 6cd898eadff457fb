/** Narrows a passage that is longer than a reply to the lines from just before the one that matched. */
import { createQuestion } from "./question.ts";
import type { Passage } from "./split-passages.ts";

/** Part of the room that may show lines before the one that matched. */
const LEADING_SHARE = 0.25;

/** The passage, begun later where its best line would otherwise not be within `chars`. */
export function narrowPassage<P extends Passage>(passage: P, query: string, chars: number): P {
  if (passage.text.length <= chars) return passage;
  const lines = passage.text.split("\n");
  const best = findBestLine(lines, query);
  let [first, leadingChars] = [best, 0];
  while (first > 0) {
    leadingChars += (lines[first - 1] ?? "").length + 1;
    if (leadingChars > chars * LEADING_SHARE) break;
    first--;
  }
  const dropped = lines.slice(0, first).reduce((sum, line) => sum + line.length + 1, 0);
  return {
    ...passage,
    text: passage.text.slice(dropped),
    start: passage.start + dropped,
    startLine: passage.startLine + first,
  };
}

/** The first of the lines with most words of the question. */
function findBestLine(lines: readonly string[], query: string): number {
  const question = createQuestion(query);
  const scores = lines.map((line) => {
    const match = question.match(line);
    return match === null ? 0 : match.terms.length + match.pairs.length;
  });
  return scores.indexOf(Math.max(...scores));
}
