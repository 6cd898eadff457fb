/** Scores the results of queries: NDCG@10, recall within token budgets, and tokens read until the first hit. */
import type { Query, QueryTarget } from "./search-data.ts";

/** One result: spans of a file. */
export type PeerResult = {
  readonly path: string;
  readonly spans: readonly { readonly start: number; readonly end: number }[];
  /** Characters that a reader has to read. */
  readonly chars: number;
};

export type Scores = {
  readonly ndcg: number;
  readonly recall: readonly number[];
  readonly tokensToHit: number;
};

export const tokenBudgets = [500, 1_000, 2_000] as const;
/** The tokens that count for a query without a hit. */
const MISS_TOKENS = 32_000;
const CHARS_PER_TOKEN = 4;

/** The scores of one query's results. */
export function scoreQuery({ targets }: Query, results: readonly PeerResult[]): Scores {
  const ranks = targets.map((target) => results.findIndex((result) => covers(result, target)));
  const tokens = runningTokens(results);
  const hitTokens = ranks.filter((rank) => rank !== -1).map((rank) => tokens[rank] ?? MISS_TOKENS);
  return {
    ndcg: ndcgAt10(ranks),
    recall: tokenBudgets.map(
      (budget) => hitTokens.filter((spentTokens) => spentTokens <= budget).length / targets.length,
    ),
    tokensToHit: Math.min(MISS_TOKENS, ...hitTokens),
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

/** Paths of targets count from the top of the repository, those of results from the folder that was indexed. */
function covers({ path, spans }: PeerResult, { path: target, start, end }: QueryTarget): boolean {
  if (path !== target && !target.endsWith(`/${path}`) && !path.endsWith(`/${target}`)) return false;
  return start === undefined || end === undefined || spans.some((span) => span.start <= end && span.end >= start);
}

function ndcgAt10(ranks: readonly number[]): number {
  const gain = (rank: number) => 1 / Math.log2(rank + 2);
  const sum = ranks.filter((rank) => rank >= 0 && rank < 10).reduce((total, rank) => total + gain(rank), 0);
  const best = ranks.slice(0, 10).reduce((total, _, rank) => total + gain(rank), 0);
  return sum / best;
}

function runningTokens(results: readonly PeerResult[]): number[] {
  let chars = 0;
  return results.map((result) => {
    chars += result.chars;
    return chars / CHARS_PER_TOKEN;
  });
}
