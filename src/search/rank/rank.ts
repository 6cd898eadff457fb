/** Ranks files for a query: the signals are added up, and the best files are picked. */
import { findPart, findTerm, type IndexView } from "../index/index-view.ts";
import { createBest } from "./best-files.ts";
import type { Meaning } from "./meaning.ts";
import type { ParsedQuery } from "./query.ts";
import { type FileNearness, findNearness } from "./signals/learnt-meaning.ts";
import { addMeaning } from "./signals/meaning-score.ts";
import { addNames } from "./signals/name-score.ts";
import { scoreNeighbours } from "./signals/neighbours.ts";
import { addNamedPath, addPath } from "./signals/path-score.ts";
import { weighRoles } from "./signals/role-factors.ts";
import { fillParts, type MutableParts, noParts, type ScoreParts, totalOf } from "./signals/score-parts.ts";
import { emptyScores, type FinalScores, findMax, type Scores } from "./signals/scores.ts";
import { findSubject, scoreTests } from "./signals/tests-of-files.ts";
import { addText } from "./signals/text-score.ts";
import { weighTerms } from "./weighted-terms.ts";
import { MAX_SCORE, rankWeights } from "./weights.ts";

/** A file that answers a query. Files and chunks are numbered as in the view. */
export type RankedFile = {
  readonly file: number;
  /** Between 0 and 1, higher is better. */
  readonly score: number;
  /** What the score is made of, before the factor for the file's roles. */
  readonly parts: ScoreParts;
  /** The share of the query's own terms that it contains. */
  readonly ownShare: number;
  /** Its chunks that match the query, best first. */
  readonly chunks: readonly RankedChunk[];
};

type RankedChunk = { readonly chunk: number; readonly score: number };
type RankOptions = {
  /** The number of files to return. */
  readonly limit: number;
  /** 1 for each file of the view that may be returned; null allows all. */
  readonly accepted?: Uint8Array | null;
  /** Null where there are no vectors. */
  readonly meaning?: Meaning | null;
};

/** The best files, best first. Equal scores are ordered by path, so that the same files give the same answer. */
export function rankFiles(view: IndexView, query: ParsedQuery, options: RankOptions): RankedFile[] {
  const { limit, accepted = null, meaning = null } = options;
  const scores = emptyScores(view);
  const share = 1 / Math.max(1, query.terms.length);
  const terms = weighTerms(view, query);
  for (const term of terms) addText(view, scores, findTerm(view, term.text), term);
  for (const [word, group] of Map.groupBy(terms, (term) => term.word)) addPath(view, scores, word, group, share);
  addNames(view, scores, query);
  if (query.path !== null) addNamedPath(view, scores, query.path);
  const near = meaning === null ? null : addMeaning(view, scores, meaning);
  const nearness = near === null ? findNearness(view, query) : null;
  return pickFiles(view, query, { ...scores, meaning: near }, { limit, accepted, nearness });
}

type PickOptions = {
  readonly limit: number;
  readonly accepted: Uint8Array | null;
  readonly nearness: FileNearness | null;
};

/** The files whose nearness in meaning is looked at: always the same number, so that pages continue each other. */
const MAX_COMPARED = 500;

function pickFiles(
  view: IndexView,
  query: ParsedQuery,
  scores: FinalScores,
  { limit, accepted, nearness }: PickOptions,
): RankedFile[] {
  const { bestChunk, stem, folder, files } = scores;
  const maxScores = { chunk: findMax(bestChunk, scores) || 1, file: findMax(scores.file, scores) || 1 };
  const pathOf = (file: number): string => {
    const { segment, firstFile } = findPart(view, file);
    return segment.path(file - firstFile);
  };
  const best = createBest(nearness === null ? limit : Math.max(limit, MAX_COMPARED), pathOf);
  const scratch = { ...noParts };
  const roleFactors = weighRoles(view, query.roles);
  for (const file of scores.touched.list()) {
    const isMatch = bestChunk[file] !== 0 || stem[file] !== 0 || folder[file] !== 0;
    if (!isMatch || files.dead[file] === 1 || accepted?.[file] === 0) continue;
    best.add(file, totalOf(fillParts(scratch, file, scores, maxScores, roleFactors)));
  }
  const ranked = best.listBest().map(({ file, score }) => {
    const parts: MutableParts = { ...noParts };
    fillParts(parts, file, scores, maxScores, roleFactors);
    if (nearness === null) return { file, score, parts };
    const { segment, firstFile } = findPart(view, file);
    parts.meaning = nearness(segment, file - firstFile);
    return { file, score: totalOf(parts), parts };
  });
  const ordered = nearness === null ? ranked : addOtherFiles(view, ranked, pathOf);
  return ordered.slice(0, limit).map((each) => ({
    ...each,
    ownShare: (scores.ownTerms[each.file] ?? 0) / Math.max(1, query.terms.length),
    chunks: rankChunks(view, scores, each.file),
  }));
}

type ScoredFile = { readonly file: number; score: number; readonly parts: MutableParts };

/** Adds what the files of the same folder and the tests of a file say, and sorts. */
function addOtherFiles(view: IndexView, files: ScoredFile[], pathOf: (file: number) => string): ScoredFile[] {
  const neighbours = scoreNeighbours(
    files.map(({ file, score }) => ({ path: pathOf(file), score: score * MAX_SCORE })),
  );
  const tests = scoreTests(
    files.map(({ file, parts }) => ({ subject: findSubject(view, file), text: parts.chunk + parts.file })),
  );
  for (const [index, each] of files.entries()) {
    each.parts.neighbours = rankWeights.neighbours * (neighbours[index] ?? 0);
    each.parts.tests = rankWeights.tests * (tests[index] ?? 0);
    each.score = totalOf(each.parts);
  }
  return files.sort((one, other) => other.score - one.score);
}

/** Within a file, chunks that define names with the query's words rank higher. */
function rankChunks(view: IndexView, scores: Scores, file: number): RankedChunk[] {
  const { segment, firstChunk, firstFile } = findPart(view, file);
  const segmentFile = file - firstFile;
  const [first, end] = [segment.fileFirstChunk[segmentFile] ?? 0, segment.fileFirstChunk[segmentFile + 1] ?? 0];
  const ranked: RankedChunk[] = [];
  for (let segmentChunk = first; segmentChunk < end; segmentChunk++) {
    const chunk = firstChunk + segmentChunk;
    const score = (scores.chunk[chunk] ?? 0) + rankWeights.definedSpan * (scores.defined[chunk] ?? 0);
    if (score > 0) ranked.push({ chunk, score });
  }
  return ranked.sort((one, other) => other.score - one.score || one.chunk - other.chunk);
}
