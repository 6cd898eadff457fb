/** Code search: quality on two sets of queries, compared with other methods, then speed at 5,000 and 100,000 chunks. */
import { basename } from "node:path";
import { fileQueries, missingData, ownFileQueries, ownQuestions, type QuerySet, spanQueries } from "./search-data.ts";
import { bm25, fts5, grepAndRead, isInstalled, ours, type Peer, ripgrep } from "./search-peers.ts";
import { run as runScale } from "./search-scale.ts";
import { meanScores, type Scores, scoreQuery } from "./search-score.ts";
import { runSpeed } from "./search-speed.ts";
import { commitQueries, lineQueries, unseenClones } from "./search-unseen.ts";

export const about = "NDCG@10 of files and spans, recall within tokens, and speed";

export async function run(): Promise<void> {
  const missing = missingData();
  if (missing === null) await runQuality();
  else console.log(`Quality is not measured: ${missing}.`);
  await runQuestions();
  await runUnseen();
  await runSpeed();
  await runScale();
}

async function runQuality(): Promise<void> {
  const peers = [ours, bm25, fts5, grepAndRead, ...(isInstalled("rg") ? [ripgrep] : [])];
  console.log(
    "Files (636 queries); all repositories are from one open list, so those reported apart are not an independent check.\n",
  );
  console.log(
    "| | tuned | reported apart | all | recall 500 | 1,000 | 2,000 tokens | tokens to first hit |\n|---|---|---|---|---|---|---|---|",
  );
  for (const peer of peers) console.log(fileRow(peer.name, await scoreSets(peer, fileQueries())));
  console.log("\nSpans (437 queries).\n\n| | tuned | reported apart | all |\n|---|---|---|---|");
  // grep is left out: it reads whole files and chooses no spans.
  for (const peer of [ours, bm25, fts5]) console.log(await spanRow(peer));
  if (!isInstalled("rg")) console.log("\nripgrep is not installed here.");
}

/** Our own queries and questions, on repositories outside the open list. */
async function runQuestions(): Promise<void> {
  console.log("\nQuestions as people ask them, on other repositories (bench/search-questions.json).\n");
  await printHalves(["open", "later", "unread"], ownQuestions);
  console.log("\nQueries for files in the manner of the open list, on twelve more (bench/search-files.json).\n");
  await printHalves(["open", "unread"], (half) => ownFileQueries(half, "queries"));
  console.log("\nEasier questions on the same twelve.\n");
  await printHalves(["open", "unread"], (half) => ownFileQueries(half, "questions"));
}

type Half = Parameters<typeof ownQuestions>[0];

async function printHalves(halves: readonly Half[], queriesOf: (half: Half) => QuerySet[]): Promise<void> {
  console.log("| | half | queries | NDCG@10 | tokens to first hit |\n|---|---|---|---|---|");
  for (const half of halves) {
    const sets = queriesOf(half);
    const count = sets.reduce((sum, { queries }) => sum + queries.length, 0);
    for (const peer of count === 0 ? [] : [ours, bm25, fts5]) {
      const { all } = await scoreSets(peer, sets);
      console.log(`| ${peer.name} | ${half} | ${count} | ${all.ndcg.toFixed(3)} | ${Math.round(all.tokensToHit)} |`);
    }
    if (count === 0) console.log(`| | ${half} | not checked out | | |`);
  }
}

/** Comments and commits of repositories that nothing was tuned on. */
async function runUnseen(): Promise<void> {
  const clones = unseenClones();
  if (clones.length === 0) return console.log("\nNo clones of other repositories (set SPILLWAY_CHECKOUTS_UNSEEN).");
  const names = clones.map((clone) => basename(clone)).join(", ");
  console.log(
    `\nOther repositories (${names}): code by its comment, which is removed, and files by the subject of a commit.\n`,
  );
  console.log(
    "| | comments, by query | by repository | tokens to first hit | commits, by query | by repository |\n|---|---|---|---|---|---|",
  );
  for (const peer of [ours, bm25, fts5]) {
    const [lines, commits]: [Scores[][], Scores[][]] = [[], []];
    for (const clone of clones) {
      using set = lineQueries(clone);
      lines.push(await scoreSet(peer, set));
      commits.push(await scoreSet(peer, commitQueries(clone)));
    }
    const byQuery = (scores: readonly Scores[][]) => meanScores(scores.flat());
    const byRepository = (scores: readonly Scores[][]) => meanScores(scores.map(meanScores));
    const cells = [byQuery(lines), byRepository(lines), byQuery(commits), byRepository(commits)].map(({ ndcg }) =>
      ndcg.toFixed(3),
    );
    cells.splice(2, 0, `${Math.round(byQuery(lines).tokensToHit)}`);
    console.log(`| ${peer.name} | ${cells.join(" | ")} |`);
  }
}

/** Mean scores over the tuned repositories, over those reported apart, and over all. */
export type SetScores = { readonly tuned: Scores; readonly reportedApart: Scores; readonly all: Scores };

/** Scores one method on all queries. */
export async function scoreSets(peer: Peer, sets: readonly QuerySet[]): Promise<SetScores> {
  const scored: { isReportedApart: boolean; scores: Scores }[] = [];
  for (const set of sets) {
    for (const scores of await scoreSet(peer, set)) scored.push({ isReportedApart: set.isReportedApart, scores });
  }
  const mean = (part: typeof scored) => meanScores(part.map(({ scores }) => scores));
  return {
    tuned: mean(scored.filter(({ isReportedApart }) => !isReportedApart)),
    reportedApart: mean(scored.filter(({ isReportedApart }) => isReportedApart)),
    all: mean(scored),
  };
}

async function scoreSet(peer: Peer, { folder, queries }: QuerySet): Promise<Scores[]> {
  if (queries.length === 0) return [];
  await using searcher = await peer.open(folder);
  const scores: Scores[] = [];
  for (const query of queries) scores.push(scoreQuery(query, await searcher.search(query.query)));
  return scores;
}

function fileRow(name: string, { tuned, reportedApart, all }: SetScores): string {
  const numbers = [tuned.ndcg, reportedApart.ndcg, all.ndcg, ...all.recall].map((number) => number.toFixed(3));
  return `| ${name} | ${numbers.join(" | ")} | ${Math.round(all.tokensToHit)} |`;
}

async function spanRow(peer: Peer): Promise<string> {
  const sets = spanQueries();
  try {
    const { tuned, reportedApart, all } = await scoreSets(peer, sets);
    return `| ${peer.name} | ${[tuned, reportedApart, all].map(({ ndcg }) => ndcg.toFixed(3)).join(" | ")} |`;
  } finally {
    for (const set of sets) set[Symbol.dispose]();
  }
}
