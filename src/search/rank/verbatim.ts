/** Finds files that contain a query word for word, as for an error text that a user pasted. */
import { MAX_QUERY_WORDS } from "./query.ts";
import { rankWeights } from "./weights.ts";

/** A shorter run of the same words is chance. */
const MIN_RUN_WORDS = 4;
/** Longer texts are compared up to here. */
const MAX_TEXT_CHARS = 400_000;
const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;

/** Returns what a text gains by the longest run of the query's words in it; null for a query that is too short. */
export function createVerbatimGain(query: string): ((text: string) => number) | null {
  const words = wordsIn(query).slice(0, MAX_QUERY_WORDS);
  if (words.length < MIN_RUN_WORDS) return null;
  const positions = Map.groupBy(words.keys(), (position) => words[position] ?? "");
  return (text) => {
    const run = measureLongestRun(text, positions);
    return run < MIN_RUN_WORDS ? 0 : (rankWeights.verbatim * run) / words.length;
  };
}

const wordsIn = (text: string): string[] => text.toLowerCase().match(wordPattern) ?? [];

/** For each word of the text, the length of the run that ends with it, at each of its positions in the query. */
function measureLongestRun(text: string, positions: ReadonlyMap<string, readonly number[]>): number {
  let maxRun = 0;
  let runs = new Map<number, number>();
  for (const word of wordsIn(text.slice(0, MAX_TEXT_CHARS))) {
    const next = new Map<number, number>();
    for (const position of positions.get(word) ?? []) {
      const run = (runs.get(position - 1) ?? 0) + 1;
      next.set(position, run);
      if (run > maxRun) maxRun = run;
    }
    runs = next;
  }
  return maxRun;
}
