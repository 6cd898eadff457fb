/** Joins the signals of a file into its score. */
import { STEM_TERMS_SHIFT } from "../../index/segments/index-segment.ts";
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
  file: number,
  scores: FinalScores,
  maxScores: { readonly chunk: number; readonly file: number },
  roleFactors: Float64Array,
): ScoreParts {
  const traits = scores.files.traits[file] as number;
  const stemTerms = Math.max(1, traits >> STEM_TERMS_SHIFT);
  parts.chunk = (rankWeights.chunk * (scores.bestChunk[file] as number)) / maxScores.chunk;
  parts.file = (rankWeights.file * (scores.file[file] as number)) / maxScores.file;
  parts.stem = rankWeights.stem * (scores.stem[file] as number);
  parts.folder = rankWeights.folder * (scores.folder[file] as number);
  parts.stemShare = rankWeights.stemShare * Math.min(1, (scores.stemHits[file] as number) / stemTerms);
  parts.name = rankWeights.name * (scores.name[file] as number);
  parts.size = rankWeights.size * (scores.files.size[file] as number);
  parts.meaning = scores.meaning === null ? null : rankWeights.meaning * (scores.meaning[file] ?? 0);
  parts.role = roleFactor(traits, roleFactors);
  return parts;
}

/** The score of a file, from 0 to 1. */
export function totalOf(parts: ScoreParts): number {
  const { chunk, file, stem, folder, stemShare, name, size, meaning, neighbours, tests, role } = parts;
  const maxScore = meaning === null ? MAX_SCORE : MAX_SCORE + rankWeights.meaning;
  const sum = chunk + file + stem + folder + stemShare + name + size + (meaning ?? 0) + neighbours + tests;
  return Math.min(1, (sum * role) / maxScore);
}
