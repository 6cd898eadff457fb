/** Joins the signals of a file into its score. */
import { type RankedSegment, STEM_TERMS_SHIFT } from "../../index/index-segment.ts";
import { MAX_SCORE, rankWeights } from "../weights.ts";
import { roleFactor } from "./role-factors.ts";
import type { FinalScores } from "./scores.ts";

/** Each is between 0 and its weight; `role` is the factor for tests, examples and so on. */
export type ScoreParts = {
  readonly chunk: number;
  readonly file: number;
  readonly stem: number;
  readonly folder: number;
  readonly stemShare: number;
  readonly name: number;
  readonly size: number;
  /** Null where no vectors were used. */
  readonly meaning: number | null;
  /** What the best files of its folder add. */
  readonly neighbours: number;
  /** What its best test adds. */
  readonly tests: number;
  readonly role: number;
};

/** The parts of a file while its signals are added. */
export type MutableParts = { -readonly [Part in keyof ScoreParts]: ScoreParts[Part] };
/** The parts of a file that nothing matches. */
export const noParts: ScoreParts = {
  chunk: 0,
  file: 0,
  stem: 0,
  folder: 0,
  stemShare: 0,
  name: 0,
  size: 0,
  meaning: null,
  neighbours: 0,
  tests: 0,
  role: 1,
};

/** Thousands of files are scored for a few that are shown: to get the sum alone, the same object is filled again. */
export function fillParts(
  parts: MutableParts,
  segment: RankedSegment,
  segmentFile: number,
  file: number,
  chunk: number,
  scores: FinalScores,
  maxScores: { readonly chunk: number; readonly file: number },
  roleWeights: readonly (readonly [number, number])[],
): ScoreParts {
  const traits = segment.fileTraits[segmentFile] ?? 0;
  const stemTerms = Math.max(1, traits >> STEM_TERMS_SHIFT);
  parts.chunk = (rankWeights.chunk * chunk) / maxScores.chunk;
  parts.file = (rankWeights.file * (scores.file[file] ?? 0)) / maxScores.file;
  parts.stem = rankWeights.stem * (scores.stem[file] ?? 0);
  parts.folder = rankWeights.folder * (scores.folder[file] ?? 0);
  parts.stemShare = rankWeights.stemShare * Math.min(1, (scores.stemHits[file] ?? 0) / stemTerms);
  parts.name = rankWeights.name * (scores.name[file] ?? 0);
  parts.size = rankWeights.size * Math.min(1, Math.log(1 + (segment.fileTokens[segmentFile] ?? 0)) / 9);
  parts.meaning = scores.meaning === null ? null : rankWeights.meaning * (scores.meaning[file] ?? 0);
  parts.role = roleFactor(traits, roleWeights);
  return parts;
}

/** The score of a file, from 0 to 1. */
export function totalOf(parts: ScoreParts): number {
  const { chunk, file, stem, folder, stemShare, name, size, meaning, neighbours, tests, role } = parts;
  const maxScore = meaning === null ? MAX_SCORE : MAX_SCORE + rankWeights.meaning;
  const sum = chunk + file + stem + folder + stemShare + name + size + (meaning ?? 0) + neighbours + tests;
  return Math.min(1, (sum * role) / maxScore);
}
