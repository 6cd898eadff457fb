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
    return gainOf(measureLongestRun(text.slice(0, MAX_TEXT_CHARS).toLowerCase(), words), words.length);
  };
}

/** Returns what each of these files gains at most, by the index: a text has to be read only where that is more than nothing. */
export function createGainBound(
  view: IndexView,
  query: string,
  { terms }: ParsedQuery,
  files: readonly number[],
): (file: number) => number {
  const words = (query.match(wordPattern) ?? []).slice(0, MAX_QUERY_WORDS);
  const longestRun = boundRuns(view, words, terms, files);
  return (file) => gainOf(longestRun(file), words.length);
}

const gainOf = (run: number, wordCount: number): number =>
  run < MIN_RUN_WORDS ? 0 : (rankWeights.verbatim * run) / wordCount;

/** A scored file, and what it gains at most. */
type OpenFile<F> = { readonly file: F; readonly maxScore: number };

/** Texts that are read before it is decided again whether more are needed. */
const BATCH_FILES = 10;

/**
 * Adds to the scores what files gain, and sorts. The gains of those that cannot be among the first `needed` any more are not
 * read: the files after them are in no certain order.
 */
export async function addGains<F extends { readonly file: number; readonly score: number }>(
  files: readonly F[],
  needed: number,
  maxGainOf: (file: F) => number,
  readGains: (files: readonly F[]) => Promise<readonly number[]>,
): Promise<F[]> {
  const scores = new Map<F, number>();
  const open: OpenFile<F>[] = [];
  for (const file of files) {
    const maxGain = maxGainOf(file);
    if (maxGain > 0) open.push({ file, maxScore: addGain(file.score, maxGain) });
    else scores.set(file, file.score);
  }
  open.sort((one, other) => other.maxScore - one.maxScore);
  for (let first = 0; first < open.length; first += BATCH_FILES) {
    const lowest = [...scores.values()].sort((one, other) => other - one)[needed - 1] ?? -Infinity;
    const batch = open.slice(first, first + BATCH_FILES).filter(({ maxScore }) => maxScore >= lowest);
    const gains = await readGains(batch.map(({ file }) => file));
    for (const [index, { file }] of batch.entries()) scores.set(file, addGain(file.score, gains[index] ?? 0));
    if (batch.length < BATCH_FILES) break;
  }
  return files
    .map((file) => ({ ...file, score: scores.get(file) ?? file.score }))
    .sort((one, other) => other.score - one.score);
}

const addGain = (score: number, gain: number): number => Math.min(1, score + gain);

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
