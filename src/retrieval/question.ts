/** A question made ready to be looked for: its terms and neighbours numbered, so that a passage is told by counts. */
import { isQuestionWord, termsOf, wordsOf } from "./terms.ts";

/** What a passage has of a question: its terms with how often each occurs, and the neighbours found side by side. */
export type Match = {
  readonly terms: readonly number[];
  readonly counts: readonly number[];
  readonly pairs: readonly number[];
};

/** A query as something that texts can be matched with. Its terms and pairs are numbered from 0. */
export type Question = {
  /** How much each term says about what is asked, from 0 to 1. */
  readonly emphasis: readonly number[];
  /** Terms that stand next to each other in the question. */
  readonly pairs: readonly (readonly [number, number])[];
  /** What the text has of the question, or null where it has nothing. */
  match(text: string): Match | null;
};

const questionWordEmphasis = 0.2;

/** A question is a sentence or two; what follows in a longer one costs memory and adds no precision. */
const mostTerms = 64;

/** Reads a query of any length and in any language; one without words matches nothing. */
export function createQuestion(query: string): Question {
  const { terms, pairs } = numberTerms(query);
  const hitsOf = hitFinder(terms);
  const pairNumbers = new Map(pairs.map(([first, second], index) => [pairKey(first, second), index]));
  const emphasis = Array.from(terms.keys(), (term) => (isQuestionWord(term) ? questionWordEmphasis : 1));

  function match(text: string): Match | null {
    const counts = new Map<number, number>();
    const found = new Set<number>();
    let previous = noTerm;
    for (const word of wordsOf(text)) {
      const { parts, others } = hitsOf(word);
      for (const term of parts) {
        count(counts, term);
        const pair = pairNumbers.get(pairKey(previous, term));
        if (pair !== undefined) found.add(pair);
        previous = term;
      }
      for (const term of others) count(counts, term);
    }
    return counts.size === 0 ? null : { terms: [...counts.keys()], counts: [...counts.values()], pairs: [...found] };
  }
  return { emphasis, pairs, match };
}

function count(counts: Map<number, number>, term: number): void {
  if (term !== noTerm) counts.set(term, (counts.get(term) ?? 0) + 1);
}

/** Every different term of the query by its number, and the pairs of terms that follow each other in it. */
function numberTerms(query: string) {
  const terms = new Map<string, number>();
  const pairs = new Map<number, readonly [number, number]>();
  const numberOf = (term: string) => {
    if (!terms.has(term) && terms.size < mostTerms) terms.set(term, terms.size);
    return terms.get(term) ?? noTerm;
  };
  let previous = noTerm;
  for (const { parts, whole } of wordsOf(query).map(termsOf)) {
    for (const term of parts.map(numberOf)) {
      if (previous !== noTerm && term !== noTerm) pairs.set(pairKey(previous, term), [previous, term]);
      previous = term;
    }
    if (whole !== null) numberOf(whole);
  }
  return { terms, pairs: [...pairs.values()] };
}

/** One number for two neighbours, `noTerm` among them. */
function pairKey(first: number, second: number): number {
  return first * (mostTerms + 1) + second;
}

/** Stands for a term that is not in the question. */
const noTerm = -1;

/** The terms of the question that a word holds: in its parts, in order, and elsewhere. */
type Hits = { readonly parts: readonly number[]; readonly others: readonly number[] };
const noHits: Hits = { parts: [noTerm], others: [] };

/** Words repeat, so each is taken apart once; the memory of them is bounded because a log invents new ones for ever. */
const rememberedWords = 20_000;
/** A longer word is a slice of its text in V8, and remembering it would keep that whole text in memory. */
const rememberedChars = 12;

function hitFinder(terms: ReadonlyMap<string, number>): (word: string) => Hits {
  const remembered = new Map<string, Hits>();
  return (word) => {
    const known = remembered.get(word);
    if (known !== undefined) return known;
    const hits = findHits(word, terms);
    if (remembered.size >= rememberedWords) remembered.clear();
    if (word.length <= rememberedChars) remembered.set(word, hits);
    return hits;
  };
}

function findHits(word: string, terms: ReadonlyMap<string, number>): Hits {
  const { parts, whole, characters } = termsOf(word);
  const numberOf = (term: string) => terms.get(term) ?? noTerm;
  const hits = {
    parts: parts.map(numberOf),
    others: [...characters, ...(whole === null ? [] : [whole])].map(numberOf),
  };
  const isHit = (term: number) => term !== noTerm;
  return hits.parts.some(isHit) || hits.others.some(isHit) ? hits : noHits;
}
