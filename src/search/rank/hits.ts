/** Finds the terms of a query in the words of a text. */
import { findTerms } from "../index/lexicon.ts";

/** A term of the query in a word of the text, and its weight. */
export type Hit = { readonly term: string; readonly weight: number };

/** A word of a text and where it begins. */
type FoundWord = { readonly index: number; readonly word: string };

export type HitFinder = {
  /** The hits in a word. */
  inWord(word: string): readonly Hit[];
  /** The words of a text that may have hits, in order; all others have none. */
  wordsIn(text: string): readonly FoundWord[];
};

/** A finder of terms with these weights. It caches its results: the same words occur again and again. */
export function createHitFinder(termWeights: ReadonlyMap<string, number>): HitFinder {
  const cache = new Map<string, readonly Hit[]>();
  const starts = createStartPattern([...termWeights.keys()]);
  return {
    inWord(word) {
      const hits = cache.get(word) ?? hitsOf(word, termWeights);
      cache.set(word, hits);
      return hits;
    },
    wordsIn: (text) => (/[^\x00-\x7f]/.test(text) ? allWords(text) : wordsWith(text, starts)),
  };
}

function hitsOf(word: string, termWeights: ReadonlyMap<string, number>): readonly Hit[] {
  const hits: Hit[] = [];
  for (const term of termsOf(word)) {
    const weight = termWeights.get(term);
    if (weight !== undefined) hits.push({ term, weight });
  }
  return hits.length === 0 ? noHits : hits;
}

const noHits: readonly Hit[] = [];

/** The terms of words that were in the texts of results lately: searches of one process show the same words again. */
const recentTerms = new Map<string, readonly string[]>();
const MAX_RECENT_WORDS = 5_000;

function termsOf(word: string): readonly string[] {
  const terms = recentTerms.get(word) ?? findTerms(word);
  if (recentTerms.size >= MAX_RECENT_WORDS) recentTerms.clear();
  recentTerms.set(word, terms);
  return terms;
}

/** The letters of a word that stemming never changes, at its beginning. */
const KEPT_CHARS = 3;

/** Finds where a term may begin in ASCII text, by its first letters; null where none may. */
function createStartPattern(terms: readonly string[]): RegExp | null {
  const starts = terms.filter((term) => /^[a-z0-9]+$/.test(term)).map((term) => term.slice(0, KEPT_CHARS));
  const patterns = [...new Set(starts)].map((start) => [...start].join("[_$]*"));
  return patterns.length === 0 ? null : new RegExp(patterns.join("|"), "gi");
}

const wordPattern = /[\p{L}\p{M}\p{N}_$]+/gu;

function allWords(text: string): FoundWord[] {
  return [...text.matchAll(wordPattern)].map(({ index, 0: word }) => ({ index, word }));
}

/** Most words of a text have none of the starts, and are not even split off. */
function wordsWith(text: string, starts: RegExp | null): FoundWord[] {
  const words: FoundWord[] = [];
  if (starts === null) return words;
  starts.lastIndex = 0;
  for (let match = starts.exec(text); match !== null; match = starts.exec(text)) {
    let [index, end] = [match.index, match.index + match[0].length];
    while (index > 0 && wordUnits[text.charCodeAt(index - 1)] === 1) index--;
    while (end < text.length && wordUnits[text.charCodeAt(end)] === 1) end++;
    words.push({ index, word: text.slice(index, end) });
    starts.lastIndex = end;
  }
  return words;
}

/** 1 for each ASCII character that may be part of a word. */
const wordUnits = Uint8Array.from({ length: 128 }, (_, unit) => (/[\w$]/.test(String.fromCharCode(unit)) ? 1 : 0));
