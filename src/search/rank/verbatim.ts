/** Who pastes an error text wants the file that has it word for word. */
import { weights } from "./weights.ts";

/** Fewer words side by side are chance. */
const fewestWords = 4;
/** A longer text is looked at up to here, and so are longer questions. */
const longestText = 400_000;
const mostWords = 64;
const word = /[\p{L}\p{M}\p{N}]+/gu;

/** What a text gains for a question, by the longest run of the question's words that it has; 0 for a short question. */
export function verbatimGain(query: string): ((text: string) => number) | null {
  const asked = wordsIn(query).slice(0, mostWords);
  if (asked.length < fewestWords) return null;
  const places = Map.groupBy(asked.keys(), (place) => asked[place] ?? "");
  return (text) => {
    const run = longestRun(text, places);
    return run < fewestWords ? 0 : (weights.verbatim * run) / asked.length;
  };
}

const wordsIn = (text: string): string[] => text.toLowerCase().match(word) ?? [];

/** For each word of the text, how long the run is that ends with it at each of its places in the question. */
function longestRun(text: string, places: ReadonlyMap<string, readonly number[]>): number {
  let longest = 0;
  let runs = new Map<number, number>();
  for (const each of wordsIn(text.slice(0, longestText))) {
    const next = new Map<number, number>();
    for (const place of places.get(each) ?? []) {
      const run = (runs.get(place - 1) ?? 0) + 1;
      next.set(place, run);
      if (run > longest) longest = run;
    }
    runs = next;
  }
  return longest;
}
