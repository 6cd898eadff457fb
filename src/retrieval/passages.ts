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
  /** Whether that is an estimate, because parts with nothing but common words were not matched. */
  readonly isEstimated: boolean;
};

/** More passages than any budget can show. */
const MAX_PASSAGES = 100;
/** A passage with a lower share of the best score has little more in common with the question than function words. */
const MIN_SCORE_SHARE = 0.15;

/**
 * Ranks the passages of a text that arrives in order, for example segment by segment. Only the places and counts of the
 * best matching passages are kept. Of a long text only the parts are matched that may have something else than the words
 * that nearly every passage has: those say nothing about which passage is meant.
 */
export async function rankPassages(
  texts: AsyncIterable<PlacedText> | Iterable<PlacedText>,
  query: string,
  signal?: AbortSignal,
): Promise<Ranking> {
  const question = createQuestion(query);
  const tally = createTally(question);
  const splitter = createSplitter();
  const mayBeSpecial = createSpecialCheck(tally, question);
  for await (const text of texts) {
    signal?.throwIfAborted();
    const isLong = text.text.length >= MIN_SKIPPED_CHARS;
    if (isLong && !question.mayMatch(text.text)) skipText(tally, text);
    else if (isLong && !mayBeSpecial(text.text)) countCommon(tally, text);
    else for (const passage of splitter.push(text)) addPassage(tally, question, passage);
  }
  for (const passage of splitter.flush()) addPassage(tally, question, passage);
  const ranked = rankCandidates(tally, question);
  const minScore = (ranked[0]?.score ?? 0) * MIN_SCORE_SHARE;
  const passages = ranked
    .slice(0, MAX_PASSAGES)
    .filter(({ score }) => score >= minScore)
    .map(toRankedPassage);
  return { passages, matchedCount: tally.matchedCount, isEstimated: tally.isEstimated };
}

type Candidate = { readonly place: Place; readonly match: Match };

/** What one pass over the text collects. */
type Tally = {
  candidates: Candidate[];
  /** In how many passages each term of the question occurs, and each pair of terms. */
  readonly occurrences: number[];
  readonly pairOccurrences: number[];
  passageCount: number;
  matchedCount: number;
  charCount: number;
  isEstimated: boolean;
};

function createTally({ emphasis, pairs }: Question): Tally {
  const [occurrences, pairOccurrences] = [emphasis.map(() => 0), pairs.map(() => 0)];
  const counts = { passageCount: 0, matchedCount: 0, charCount: 0, isEstimated: false };
  return { candidates: [], occurrences, pairOccurrences, ...counts };
}

/** Shorter texts are matched whole: they take little time, and their passages are counted exactly. */
const MIN_SKIPPED_CHARS = 128 * 1024;
const MEAN_PASSAGE_CHARS = 1_000;

function skipText(tally: Tally, { text }: PlacedText): void {
  tally.passageCount += Math.ceil(text.length / MEAN_PASSAGE_CHARS);
  tally.charCount += text.length;
}

/** Passages to see before any word counts as common: about 5 MB. */
const MIN_SEEN_PASSAGES = 5_000;
/** So common that two such words are in one passage nearly always. */
const COMMON_SHARE = 0.9;

/** Whether a part may have a term or a pair that is not common. It is decided once, because what is skipped is not counted. */
function createSpecialCheck(tally: Tally, question: Question): (text: string) => boolean {
  let check: ((text: string) => boolean) | undefined;
  return (text) => {
    if (tally.passageCount < MIN_SEEN_PASSAGES) return true;
    check ??= question.createCheck(findUncommon(tally.occurrences), findUncommon(tally.pairOccurrences));
    return check(text);
  };

  function findUncommon(occurrences: readonly number[]): number[] {
    const minCount = COMMON_SHARE * tally.passageCount;
    return occurrences.flatMap((count, index) => (count < minCount ? [index] : []));
  }
}

/** Counts a part as if its passages were like those before it. */
function countCommon(tally: Tally, { text }: PlacedText): void {
  const growth = 1 + text.length / tally.charCount;
  tally.passageCount = Math.round(tally.passageCount * growth);
  tally.matchedCount = Math.round(tally.matchedCount * growth);
  for (const [term, count] of tally.occurrences.entries()) {
    if (count >= (COMMON_SHARE * tally.passageCount) / growth) tally.occurrences[term] = count * growth;
  }
  tally.charCount += text.length;
  tally.isEstimated = true;
}

function addPassage(tally: Tally, question: Question, { text, ...place }: Passage): void {
  tally.passageCount += 1;
  tally.charCount += text.length;
  const match = question.match(text);
  if (match === null) return;
  tally.matchedCount += 1;
  for (const term of match.terms) tally.occurrences[term] = valueAt(tally.occurrences, term) + 1;
  for (const pair of match.pairs) tally.pairOccurrences[pair] = valueAt(tally.pairOccurrences, pair) + 1;
  tally.candidates.push({ place, match });
  if (tally.candidates.length >= MAX_CANDIDATES) dropPoorest(tally, question);
}

/** Matches that are remembered until all are known: a gigabyte of log has a million passages with a common word. */
const MAX_CANDIDATES = 5_000;

/** Drops the half that scores lowest by what is known so far. A word that turns out to be rare was rare already. */
function dropPoorest(tally: Tally, question: Question): void {
  tally.candidates = rankCandidates(tally, question)
    .slice(0, MAX_CANDIDATES / 2)
    .map(({ candidate }) => candidate);
}

/** BM25: how soon repetitions of a word stop counting, and how much the length of a passage counts against it. */
const K1 = 1.2;
const B = 0.75;
/** Small compared with a term's weight: they decide between passages with the same words. */
const PAIR_BONUS = 0.5;
const HEADING_BONUS = 0.3;

type ScoredCandidate = { readonly candidate: Candidate; readonly score: number };

function toRankedPassage({ candidate, score }: ScoredCandidate): RankedPassage {
  return { ...candidate.place, score };
}

/** All candidates, best first; of two equal ones the earlier one first. */
function rankCandidates(tally: Tally, question: Question): ScoredCandidate[] {
  // Estimates may exceed the number of passages a little.
  const rarity = (count: number) => Math.log(1 + (Math.max(0, tally.passageCount - count) + 0.5) / (count + 0.5));
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
    .map((candidate) => ({ candidate, score: score(candidate) }))
    .sort((one, other) => other.score - one.score || one.candidate.place.start - other.candidate.place.start);
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
