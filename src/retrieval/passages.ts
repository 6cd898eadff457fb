/** Finds the passages of a document that answer a question: BM25 over its paragraphs, offline and in one reading. */
import { createQuestion, type Match, type Question } from "./question.ts";
import { createSplitter, type Passage, type Place, type PlacedText } from "./split.ts";

/** A passage that holds words of the question; 1 would be all of them, often, side by side and in the heading. */
export type RankedPassage = Place & { readonly score: number };

/** The answer to a question: where to read. */
export type Ranking = {
  /** Those worth reading, best first; of equals the earlier one. */
  readonly passages: readonly RankedPassage[];
  /** How many passages hold a word of the question. */
  readonly matchedCount: number;
};

/** More passages than any budget can show. */
const mostPassages = 100;
/** A passage this much weaker than the best one shares little more with the question than its small words. */
const weakestShare = 0.15;

/**
 * Ranks the passages of a text that arrives in pieces. Of a passage that holds a word of the question its place and
 * its counts are kept, of any other nothing, so that memory grows with the matches and not with the text.
 */
export async function rankPassages(
  texts: AsyncIterable<PlacedText> | Iterable<PlacedText>,
  query: string,
  signal?: AbortSignal,
): Promise<Ranking> {
  const question = createQuestion(query);
  const tally = createTally(question);
  const splitter = createSplitter();
  for await (const text of texts) {
    signal?.throwIfAborted();
    for (const passage of splitter.push(text)) addTo(tally, question, passage);
  }
  for (const passage of splitter.flush()) addTo(tally, question, passage);
  const ranked = rank(tally, question);
  const leastScore = (ranked[0]?.score ?? 0) * weakestShare;
  const passages = ranked.slice(0, mostPassages).filter(({ score }) => score >= leastScore);
  return { passages, matchedCount: ranked.length };
}

type Candidate = { readonly place: Place; readonly match: Match };

/** What one reading collects. */
type Tally = {
  readonly candidates: Candidate[];
  /** In how many passages each term of the question occurs. */
  readonly occurrences: number[];
  passageCount: number;
  charCount: number;
};

function createTally(question: Question): Tally {
  const occurrences = question.emphasis.map(() => 0);
  return { candidates: [], occurrences, passageCount: 0, charCount: 0 };
}

function addTo(tally: Tally, question: Question, { text, ...place }: Passage): void {
  tally.passageCount += 1;
  tally.charCount += text.length;
  const match = question.match(text);
  if (match === null) return;
  tally.candidates.push({ place, match });
  for (const term of match.terms) tally.occurrences[term] = at(tally.occurrences, term) + 1;
}

/** How soon repeating a word stops to count, and how much a long passage must make up for its length. */
const k1 = 1.2;
const b = 0.75;
/** Small next to a term's own weight: they decide between passages that hold the same words. */
const pairBonus = 0.5;
const headingBonus = 0.3;

function rank(tally: Tally, question: Question): RankedPassage[] {
  const rarity = (count: number) => Math.log(1 + (tally.passageCount - count + 0.5) / (count + 0.5));
  const weights = tally.occurrences.map((count, term) => rarity(count) * at(question.emphasis, term));
  const pairWeights = question.pairs.map(([first, second]) => Math.min(at(weights, first), at(weights, second)));
  const bestScore = (k1 + 1 + headingBonus) * sum(weights) + pairBonus * sum(pairWeights);
  const meanChars = tally.charCount / tally.passageCount;
  const headingWeight = headingWeigher(question, weights);

  const score = ({ place, match }: Candidate) => {
    const slack = k1 * (1 - b + (b * (place.end - place.start)) / meanChars);
    const terms = match.terms.map(
      (term, index) => (at(weights, term) * (k1 + 1)) / (1 + slack / at(match.counts, index)),
    );
    const pairs = match.pairs.map((pair) => at(pairWeights, pair));
    return (sum(terms) + pairBonus * sum(pairs) + headingBonus * headingWeight(place.heading)) / bestScore;
  };
  return tally.candidates
    .map((candidate) => ({ ...candidate.place, score: score(candidate) }))
    .sort((one, other) => other.score - one.score || one.start - other.start);
}

/** The weight of a heading's words that the question has too; many passages share a heading. */
function headingWeigher(question: Question, weights: readonly number[]): (heading: string | null) => number {
  const known = new Map<string | null, number>([[null, 0]]);
  return (heading) => {
    const weight =
      known.get(heading) ?? sum((question.match(heading ?? "")?.terms ?? []).map((term) => at(weights, term)));
    known.set(heading, weight);
    return weight;
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Terms and pairs are numbered by the question, so every number has its place in these lists. */
function at(numbers: readonly number[], index: number): number {
  return numbers[index] ?? 0;
}
