/** Finds files that contain a query word for word, as for an error text that a user pasted. */
import type { IndexView } from "../index/index-view.ts";
import { boundRuns } from "./possible-runs.ts";
import { MAX_QUERY_WORDS, type ParsedQuery } from "./query.ts";
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
  return (text) => {
    const run = measureLongestRun(text.slice(0, MAX_TEXT_CHARS).toLowerCase(), words);
    return run < MIN_RUN_WORDS ? 0 : (rankWeights.verbatim * run) / words.length;
  };
}

/** Whether a file may have a run that is long enough, by the index: only then its text has to be read. */
export function createRunFilter(view: IndexView, query: string, { terms }: ParsedQuery): (file: number) => boolean {
  const longestRun = boundRuns(view, (query.match(wordPattern) ?? []).slice(0, MAX_QUERY_WORDS), terms);
  return (file) => longestRun(file) >= MIN_RUN_WORDS;
}

const wordsIn = (text: string): string[] => text.toLowerCase().match(wordPattern) ?? [];

/** The longest run of neighbouring words that the text has in their order. Each run that is long enough has an anchor. */
function measureLongestRun(text: string, words: readonly string[]): number {
  let maxRun = 0;
  for (let anchor = MIN_RUN_WORDS - 1; anchor < words.length; anchor += MIN_RUN_WORDS) {
    const word = words[anchor] ?? "";
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
      if (isWordAt(text, at - 1) || isWordAt(text, at + word.length)) continue;
      const run = 1 + countBefore(text, at, words, anchor) + countAfter(text, at + word.length, words, anchor);
      if (run > maxRun) maxRun = run;
    }
  }
  return maxRun;
}

/** How many words before this one precede it in the text too. */
function countBefore(text: string, start: number, words: readonly string[], anchor: number): number {
  let [count, end] = [0, start];
  for (let index = anchor - 1; index >= 0; index--) {
    while (end > 0 && !isWordAt(text, end - 1)) end--;
    const word = words[index] ?? "";
    const from = end - word.length;
    if (from < 0 || !text.startsWith(word, from) || isWordAt(text, from - 1)) break;
    end = from;
    count++;
  }
  return count;
}

function countAfter(text: string, end: number, words: readonly string[], anchor: number): number {
  let [count, start] = [0, end];
  for (let index = anchor + 1; index < words.length; index++) {
    while (start < text.length && !isWordAt(text, start)) start++;
    const word = words[index] ?? "";
    if (!text.startsWith(word, start) || isWordAt(text, start + word.length)) break;
    start += word.length;
    count++;
  }
  return count;
}

/** Whether the unit there belongs to a word; surrogates do, as letters outside the first plane are more common in words. */
function isWordAt(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (unit < 128) return asciiWords[unit] === 1;
  return index >= 0 && index < text.length && /[\p{L}\p{M}\p{N}\ud800-\udfff]/u.test(text.charAt(index));
}

const asciiWords = Uint8Array.from({ length: 128 }, (_, unit) => (/[a-z0-9]/.test(String.fromCharCode(unit)) ? 1 : 0));
