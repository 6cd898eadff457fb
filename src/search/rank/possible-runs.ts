/** Bounds the runs of a query's words in a file by the index alone, so that few texts are read to look for them. */
import { stem, toTerms } from "../../retrieval/terms.ts";
import { findPart, findTerm, type IndexView, type TermPostings, type ViewPart } from "../index/index-view.ts";
import { MAX_WORD_CHARS } from "../index/lexicon.ts";

/**
 * The longest run of the words that a file may have. Files are numbered as in the view. Words in two kinds of names are not
 * seen, so that a file may have a longer run with them:
 * - a word inside a longer name whose capitals split it into other parts than in the query: `getpods` in `my_getPods`;
 * - any word inside an ASCII name of more than MAX_WORD_CHARS, which the index ignores.
 * To allow for these, every word would have to be taken for possible in every chunk, and the bound would be of no use.
 */
export type RunBound = (file: number) => number;

/**
 * The bounds of these files. `words` are those of the query as they are written. Words of other scripts, words that are too
 * long for the index and words that are in no term of the query may be anywhere.
 */
export function boundRuns(
  view: IndexView,
  words: readonly string[],
  terms: readonly string[],
  files: readonly number[],
): RunBound {
  const candidates = numberChunks(view, files);
  const known = new Set(terms);
  const chunksByWord = words.map((word) => findChunks(view, word, known, candidates));
  const bounds = new Map<number, number>();
  for (const { file, part, first, end, start } of candidates.list) {
    const ownChunks = chunksByWord.map((chunks) => chunks?.subarray(start, start + end - first) ?? null);
    const hasWords = (chunk: number): boolean => (part.segment.chunkTokens[first + chunk] ?? 0) > 0;
    bounds.set(file, longestChain(ownChunks, end - first, hasWords));
  }
  return (file) => bounds.get(file) ?? 0;
}

/** A file with its chunks from `first` to `end`, of which the first one has the number `start` among those of all candidates. */
type Candidate = {
  readonly file: number;
  readonly part: ViewPart;
  readonly first: number;
  readonly end: number;
  readonly start: number;
};

type Candidates = {
  readonly list: readonly Candidate[];
  readonly byPart: ReadonlyMap<ViewPart, readonly Candidate[]>;
  readonly chunkCount: number;
};

function numberChunks(view: IndexView, files: readonly number[]): Candidates {
  const list: Candidate[] = [];
  let chunkCount = 0;
  for (const file of files) {
    const part = findPart(view, file);
    const { fileFirstChunk } = part.segment;
    const first = fileFirstChunk[file - part.firstFile] ?? 0;
    const end = fileFirstChunk[file - part.firstFile + 1] ?? 0;
    list.push({ file, part, first, end, start: chunkCount });
    chunkCount += end - first;
  }
  return { list, byPart: Map.groupBy(list, ({ part }) => part), chunkCount };
}

/**
 * 1 for each chunk of the candidates that may have a word; null if all may. A word is in a text as a name of its own, in any
 * case, or inside a longer one, which has the parts of the word among its terms. See RunBound for the names in which it is
 * not seen.
 */
function findChunks(
  view: IndexView,
  word: string,
  known: ReadonlySet<string>,
  candidates: Candidates,
): Uint8Array | null {
  const { parts } = toTerms(word);
  const isIndexed = /^[A-Za-z0-9]+$/.test(word) && word.length <= MAX_WORD_CHARS;
  const isKnown = isIndexed && parts.every((term) => known.has(term));
  if (!isKnown) return null;
  const lower = word.toLowerCase();
  const forms = new Map([parts, [lower], [stem(lower)]].map((form) => [form.join(" "), form]));
  const chunks = new Uint8Array(candidates.chunkCount);
  for (const form of forms.values()) markChunks(chunks, view, form, candidates);
  return chunks;
}

/** Marks the chunks that have all terms of a form. */
function markChunks(chunks: Uint8Array, view: IndexView, form: readonly string[], candidates: Candidates): void {
  const counts = new Uint8Array(chunks.length);
  for (const term of form) {
    for (const postings of findTerm(view, term)) countIn(counts, postings, candidates.byPart.get(postings.part) ?? []);
  }
  for (let chunk = 0; chunk < chunks.length; chunk++) if (counts[chunk] === form.length) chunks[chunk] = 1;
}

/** Adds one for each chunk of the candidates that has a posting. */
function countIn(counts: Uint8Array, postings: TermPostings, candidates: readonly Candidate[]): void {
  if (candidates.length === 0) return;
  const { places, count } = postings.part.segment.postings(postings);
  for (const { first, end, start } of candidates) {
    for (let posting = lowerBound(places, count, first); posting < count; posting++) {
      const place = places[posting] as number;
      if (place >= end) break;
      const chunk = start + place - first;
      counts[chunk] = (counts[chunk] as number) + 1;
    }
  }
}

/** The first of so many sorted numbers that is not less than the target. */
function lowerBound(numbers: Uint32Array, count: number, target: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < target) low = middle + 1;
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
