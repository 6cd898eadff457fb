/** Scores answers to search queries: NDCG@10, recall within so many tokens, and tokens read until the first hit. */
import type { Query, Target } from "./search-data.ts";

/** One result: lines of a file, or several runs of lines. */
export type Answer = {
  readonly path: string;
  readonly spans: readonly { readonly start: number; readonly end: number }[];
  /** Characters a reader has to take in. */
  readonly chars: number;
};

export type Scores = {
  readonly ndcg: number;
  readonly recall: readonly number[];
  readonly tokensToHit: number;
};

export const tokenBudgets = [500, 1_000, 2_000] as const;
/** What a reader spends who never gets there. */
const missTokens = 32_000;
const charsPerToken = 4;

/** The scores of one query's answers. */
export function scoreQuery({ targets }: Query, answers: readonly Answer[]): Scores {
  const places = targets.map((target) => answers.findIndex((answer) => covers(answer, target)));
  const tokens = runningTokens(answers);
  const found = places.filter((place) => place !== -1).map((place) => tokens[place] ?? missTokens);
  return {
    ndcg: ndcgAt10(places),
    recall: tokenBudgets.map((budget) => found.filter((spent) => spent <= budget).length / targets.length),
    tokensToHit: Math.min(missTokens, ...found),
  };
}

/** The means over many queries. */
export function meanScores(all: readonly Scores[]): Scores {
  const mean = (pick: (scores: Scores) => number) => all.reduce((sum, each) => sum + pick(each), 0) / all.length;
  return {
    ndcg: mean(({ ndcg }) => ndcg),
    recall: tokenBudgets.map((_, index) => mean(({ recall }) => recall[index] ?? 0)),
    tokensToHit: mean(({ tokensToHit }) => tokensToHit),
  };
}

/** Paths of targets count from the top of the repository, those of answers from the folder that was indexed. */
function covers({ path, spans }: Answer, { path: wanted, start, end }: Target): boolean {
  if (path !== wanted && !wanted.endsWith(`/${path}`) && !path.endsWith(`/${wanted}`)) return false;
  return start === undefined || end === undefined || spans.some((span) => span.start <= end && span.end >= start);
}

function ndcgAt10(places: readonly number[]): number {
  const gain = (place: number) => 1 / Math.log2(place + 2);
  const sum = places.filter((place) => place >= 0 && place < 10).reduce((total, place) => total + gain(place), 0);
  const best = places.slice(0, 10).reduce((total, _, place) => total + gain(place), 0);
  return sum / best;
}

function runningTokens(answers: readonly Answer[]): number[] {
  let chars = 0;
  return answers.map((answer) => {
    chars += answer.chars;
    return chars / charsPerToken;
  });
}
