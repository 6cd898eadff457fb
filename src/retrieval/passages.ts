/** Finds the passages of a document that answer a question: BM25 over its paragraphs, offline and in one pass. */
import { createQuestion, type Match, type Question } from "./question.ts";
import { createSplitter, type Passage, type Place, type PlacedText } from "./split-passages.ts";

/** A passage with words of the question. A score of 1 would be all words, often, adjacent and in the heading. */
export type RankedPassage = Place & { readonly score: number };

/** The passages that answer a question. */
type Ranking = {
  /** Those worth reading, best first; of two equal ones the earlier one first. */
  readonly passages: readonly RankedPassage[];
  /** How many passages have a word of the question. */
  readonly matchedCount: number;
};

/** More passages than any budget can show. */
const MAX_PASSAGES = 100;
/** A passage with a lower share of the best score has little more in common with the question than function words. */
const MIN_SCORE_SHARE = 0.15;

/**
 * Ranks the passages of a text that arrives in order, for example segment by segment. Only the places and counts of
 * matching passages are kept, so memory grows with the matches and not with the text.
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
    for (const passage of splitter.push(text)) addPassage(tally, question, passage);
  }
  for (const passage of splitter.flush()) addPassage(tally, question, passage);
  const ranked = rankCandidates(tally, question);
  const minScore = (ranked[0]?.score ?? 0) * MIN_SCORE_SHARE;
  const passages = ranked.slice(0, MAX_PASSAGES).filter(({ score }) => score >= minScore);
  return { passages, matchedCount: ranked.length };
}

type Candidate = { readonly place: Place; readonly match: Match };

/** What one pass over the text collects. */
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

function addPassage(tally: Tally, question: Question, { text, ...place }: Passage): void {
  tally.passageCount += 1;
  tally.charCount += text.length;
  const match = question.match(text);
  if (match === null) return;
  tally.candidates.push({ place, match });
  for (const term of match.terms) tally.occurrences[term] = valueAt(tally.occurrences, term) + 1;
}

/** BM25: how soon repetitions of a word stop counting, and how much the length of a passage counts against it. */
const K1 = 1.2;
const B = 0.75;
/** Small compared with a term's weight: they decide between passages with the same words. */
const PAIR_BONUS = 0.5;
const HEADING_BONUS = 0.3;

function rankCandidates(tally: Tally, question: Question): RankedPassage[] {
  const rarity = (count: number) => Math.log(1 + (tally.passageCount - count + 0.5) / (count + 0.5));
  const weights = tally.occurrences.map((count, term) => rarity(count) * valueAt(question.emphasis, term));
  const pairWeights = question.pairs.map(([first, second]) =>
    Math.min(valueAt(weights, first), valueAt(weights, second)),
  );
  const bestScore = (K1 + 1 + HEADING_BONUS) * sum(weights) + PAIR_BONUS * sum(pairWeights);
  const meanChars = tally.charCount / tally.passageCount;
  const weighHeading = createHeadingWeigher(question, weights);

  const score = ({ place, match }: Candidate) => {
    const slack = K1 * (1 - B + (B * (place.end - place.start)) / meanChars);
    const terms = match.terms.map(
      (term, index) => (valueAt(weights, term) * (K1 + 1)) / (1 + slack / valueAt(match.counts, index)),
    );
    const pairs = match.pairs.map((pair) => valueAt(pairWeights, pair));
    return (sum(terms) + PAIR_BONUS * sum(pairs) + HEADING_BONUS * weighHeading(place.heading)) / bestScore;
  };
  return tally.candidates
    .map((candidate) => ({ ...candidate.place, score: score(candidate) }))
    .sort((one, other) => other.score - one.score || one.start - other.start);
}

/** Weighs the words that a heading shares with the question. Cached, because many passages share a heading. */
function createHeadingWeigher(question: Question, weights: readonly number[]): (heading: string | null) => number {
  const weightByHeading = new Map<string | null, number>([[null, 0]]);
  return (heading) => {
    const weight =
      weightByHeading.get(heading) ??
      sum((question.match(heading ?? "")?.terms ?? []).map((term) => valueAt(weights, term)));
    weightByHeading.set(heading, weight);
    return weight;
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Terms and pairs are numbered by the question, so every index exists. */
function valueAt(numbers: readonly number[], index: number): number {
  return numbers[index] ?? 0;
}
