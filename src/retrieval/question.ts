/** A question prepared for matching: its terms and adjacent pairs are numbered, so that a match is a list of counts. */
import { isQuestionWord, splitWords, toTerms } from "./terms.ts";

/** What a passage shares with a question: terms with their counts, and pairs that are adjacent in both. */
export type Match = {
  readonly terms: readonly number[];
  readonly counts: readonly number[];
  readonly pairs: readonly number[];
};

/** A query that texts can be matched with. Its terms and pairs are numbered from 0. */
export type Question = {
  /** How much each term says about the subject of the question, from 0 to 1. */
  readonly emphasis: readonly number[];
  /** Terms that are adjacent in the question. */
  readonly pairs: readonly (readonly [number, number])[];
  /** What the text shares with the question, or null if nothing. */
  match(text: string): Match | null;
  /** False if a long text certainly has no word of the question's subject: much faster than matching it. */
  mayMatch(text: string): boolean;
  /** A check as fast for some terms of the subject and some pairs only. Full-width letters and ligatures are not found. */
  createCheck(terms: readonly number[], pairs: readonly number[]): (text: string) => boolean;
};

const QUESTION_WORD_EMPHASIS = 0.2;

/** A question is a sentence or two; more terms cost memory and add no precision. */
const MAX_TERMS = 64;

/** Prepares a query of any length and in any language. A query without words matches nothing. */
export function createQuestion(query: string): Question {
  const { terms, pairs } = numberTerms(query);
  const findHitsOfWord = createHitFinder(terms);
  const pairNumbers = new Map(pairs.map(([first, second], index) => [pairKey(first, second), index]));
  const emphasis = Array.from(terms.keys(), (term) => (isQuestionWord(term) ? QUESTION_WORD_EMPHASIS : 1));

  function match(text: string): Match | null {
    const counts = new Map<number, number>();
    const pairHits = new Set<number>();
    let previous = NO_TERM;
    for (const word of splitWords(text)) {
      const { parts, others } = findHitsOfWord(word);
      for (const term of parts) {
        increment(counts, term);
        const pair = pairNumbers.get(pairKey(previous, term));
        if (pair !== undefined) pairHits.add(pair);
        previous = term;
      }
      for (const term of others) increment(counts, term);
    }
    return counts.size === 0 ? null : { terms: [...counts.keys()], counts: [...counts.values()], pairs: [...pairHits] };
  }
  const names = [...terms.keys()];
  const subject = findSubject(names);
  const mayHaveSubject = createQuickCheck(subject.map((term) => [term]));

  function createCheck(wantedTerms: readonly number[], wantedPairs: readonly number[]): (text: string) => boolean {
    const nameOf = (term: number) => names[term] ?? "";
    const words = wantedTerms.map(nameOf).filter((term) => subject.includes(term));
    return createQuickCheck([
      ...words.map((term) => [term]),
      ...wantedPairs.map((pair) => (pairs[pair] ?? []).map(nameOf)),
    ]);
  }
  // Text that is not ASCII may have a word in other characters.
  return { emphasis, pairs, match, mayMatch: (text) => mayHaveSubject(text) || /[^\x00-\x7f]/.test(text), createCheck };
}

/** The terms without function words, which nearly every long text has; all terms if there are no others. */
function findSubject(terms: readonly string[]): readonly string[] {
  const subject = terms.filter((term) => !isQuestionWord(term));
  return subject.length === 0 ? terms : subject;
}

/** Enough to tell words apart; a term of a hostile question has any length. */
const MAX_BEGINNING_CHARS = 20;

/** What may be between two adjacent words, or parts of one. Bounded, so that a check takes linear time. */
const between = "[a-z0-9_]{0,20}[^a-z0-9_]{0,20}";

/** Looks for phrases of one or two terms, by the beginnings of their words. Only ASCII is simple enough for that. */
function createQuickCheck(phrases: readonly (readonly string[])[]): (text: string) => boolean {
  if (!phrases.flat().every((term) => /^[a-z0-9_]+$/.test(term))) return () => true;
  if (phrases.length === 0) return () => false;
  const pattern = new RegExp(phrases.map((terms) => terms.map(toPattern).join(between)).join("|"), "i");
  return (text) => pattern.test(text);
}

function toPattern(term: string): string {
  // A number is not the beginning of anything else, and the digits of one are in many others.
  if (/^\d+$/.test(term)) return `(?:\\b|_)${term}(?![a-z0-9])`;
  // A stem is the beginning of its words, except for a final i, which may be a y there.
  return term.replace(/(?<=.)i$/, "").slice(0, MAX_BEGINNING_CHARS);
}

function increment(counts: Map<number, number>, term: number): void {
  if (term !== NO_TERM) counts.set(term, (counts.get(term) ?? 0) + 1);
}

/** The distinct terms of the query with their numbers, and the pairs of adjacent terms. */
function numberTerms(query: string) {
  const terms = new Map<string, number>();
  const pairs = new Map<number, readonly [number, number]>();
  const numberOf = (term: string) => {
    if (!terms.has(term) && terms.size < MAX_TERMS) terms.set(term, terms.size);
    return terms.get(term) ?? NO_TERM;
  };
  let previous = NO_TERM;
  for (const { parts, identifier } of splitWords(query).map(toTerms)) {
    for (const term of parts.map(numberOf)) {
      if (previous !== NO_TERM && term !== NO_TERM) pairs.set(pairKey(previous, term), [previous, term]);
      previous = term;
    }
    if (identifier !== null) numberOf(identifier);
  }
  return { terms, pairs: [...pairs.values()] };
}

/** One number for two adjacent terms, `NO_TERM` included. */
function pairKey(first: number, second: number): number {
  return first * (MAX_TERMS + 1) + second;
}

/** The number of every term that is not in the question. */
const NO_TERM = -1;

/** The terms of the question in a word: those of its parts in order, and others (the whole word, single characters). */
type Hits = { readonly parts: readonly number[]; readonly others: readonly number[] };
const noHits: Hits = { parts: [NO_TERM], others: [] };

/** Words repeat, so their hits are cached. The cache is bounded because a log has ever new words. */
const MAX_CACHED_WORDS = 20_000;
/** V8 stores a longer word as a slice of its text; caching it would keep the whole text in memory. */
const MAX_CACHED_WORD_CHARS = 12;

function createHitFinder(terms: ReadonlyMap<string, number>): (word: string) => Hits {
  const cache = new Map<string, Hits>();
  return (word) => {
    const cached = cache.get(word);
    if (cached !== undefined) return cached;
    const hits = findHits(word, terms);
    if (cache.size >= MAX_CACHED_WORDS) cache.clear();
    if (word.length <= MAX_CACHED_WORD_CHARS) cache.set(word, hits);
    return hits;
  };
}

function findHits(word: string, terms: ReadonlyMap<string, number>): Hits {
  const { parts, identifier, characters } = toTerms(word);
  const numberOf = (term: string) => terms.get(term) ?? NO_TERM;
  const hits = {
    parts: parts.map(numberOf),
    others: [...characters, ...(identifier === null ? [] : [identifier])].map(numberOf),
  };
  const isHit = (term: number) => term !== NO_TERM;
  return hits.parts.some(isHit) || hits.others.some(isHit) ? hits : noHits;
}
