/** Bounds the runs of a query's words in a file by the index alone, so that few texts are read to look for them. */
import { stem, toTerms } from "../../retrieval/terms.ts";
import { findPart, findTerm, type IndexView, type TermPostings, type ViewPart } from "../index/index-view.ts";
import { MAX_WORD_CHARS } from "../index/lexicon.ts";

/**
 * The longest run of these words that a file may have. Files are numbered as in the view. Words in two kinds of names are not
 * seen, so that a file may have a longer run with them:
 * - a word inside a longer name whose capitals split it into other parts than in the query: `getpods` in `my_getPods`;
 * - any word inside an ASCII name of more than MAX_WORD_CHARS, which the index ignores.
 * To allow for these, every word would have to be taken for possible in every chunk, and the bound would be of no use.
 */
export type RunBound = (file: number) => number;

/**
 * `words` are those of the query as they are written. Words of other scripts, words that are too long for the index and
 * words that are in no term of the query may be anywhere.
 */
export function boundRuns(view: IndexView, words: readonly string[], terms: readonly string[]): RunBound {
  const known = new Set(terms);
  const finders = words.map((word) => createWordFinder(view, word, known));
  return (file) => {
    const part = findPart(view, file);
    const { fileFirstChunk, chunkTokens } = part.segment;
    const first = fileFirstChunk[file - part.firstFile] ?? 0;
    const end = fileFirstChunk[file - part.firstFile + 1] ?? 0;
    const hasWords = (chunk: number): boolean => (chunkTokens[first + chunk] ?? 0) > 0;
    return longestChain(
      finders.map((find) => find(part, first, end)),
      end - first,
      hasWords,
    );
  };
}

/** 1 for each chunk from `first` to `end` that may have a word; null if all may. */
type WordFinder = (part: ViewPart, first: number, end: number) => Uint8Array | null;

/**
 * A word is in a text as a name of its own, in any case, or inside a longer one, which has the parts of the word among its
 * terms. See RunBound for the names in which it is not seen.
 */
function createWordFinder(view: IndexView, word: string, known: ReadonlySet<string>): WordFinder {
  const { parts } = toTerms(word);
  const isIndexed = /^[A-Za-z0-9]+$/.test(word) && word.length <= MAX_WORD_CHARS;
  const isKnown = isIndexed && parts.every((term) => known.has(term));
  if (!isKnown) return () => null;
  const lower = word.toLowerCase();
  const forms = [parts, [lower], [stem(lower)]].map((form) => form.map((term) => findTerm(view, term)));
  return (part, first, end) => {
    const chunks = new Uint8Array(end - first);
    for (const form of forms) markChunks(chunks, form, part, first, end);
    return chunks;
  };
}

/** Marks the chunks that have all terms of a form. */
function markChunks(
  chunks: Uint8Array,
  form: readonly (readonly TermPostings[])[],
  part: ViewPart,
  first: number,
  end: number,
): void {
  const counts = new Uint8Array(chunks.length);
  for (const postings of form) {
    const range = postings.find((each) => each.part === part);
    if (range === undefined) return;
    const { places } = part.segment;
    for (let posting = lowerBound(places, range.from, range.to, first); posting < range.to; posting++) {
      const chunk = (places[posting] ?? end) - first;
      if (chunk >= counts.length) break;
      counts[chunk] = (counts[chunk] ?? 0) + 1;
    }
  }
  for (let chunk = 0; chunk < chunks.length; chunk++) if (counts[chunk] === form.length) chunks[chunk] = 1;
}

/** The first of these sorted numbers that is not less than the target. */
function lowerBound(numbers: Uint32Array, from: number, to: number, target: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < target) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The longest run of words, each in the chunk of the word before it or in the next one that has any words. */
function longestChain(
  chunksByWord: readonly (Uint8Array | null)[],
  chunkCount: number,
  hasWords: (chunk: number) => boolean,
): number {
  let longest = 0;
  let next = new Uint8Array(chunkCount + 1);
  for (const chunks of chunksByWord.toReversed()) {
    const current = new Uint8Array(chunkCount + 1);
    for (let chunk = chunkCount - 1, following = 0; chunk >= 0; chunk--) {
      const own = next[chunk] ?? 0;
      if (chunks === null || chunks[chunk] === 1) current[chunk] = 1 + Math.max(own, following);
      longest = Math.max(longest, current[chunk] ?? 0);
      if (hasWords(chunk)) following = own;
    }
    next = current;
  }
  return longest;
}
