/** Adds what the learnt table knows to a ranking: words of a question that are not the words of the code. */
import type { RankedSegment } from "../../index/index-segment.ts";
import type { IndexView } from "../../index/index-view.ts";
import { cosineAt, findQuestionVector, VECTOR_DIMENSIONS } from "../../learnt/learnt-table.ts";
import type { ParsedQuery } from "../query.ts";

/** How near the file is to the question, from 0 to 1, by its nearest chunk. */
export type FileNearness = (segment: RankedSegment, file: number) => number;

/** The nearness of files to a question; null for names and paths, and in a repository of prose. */
export function findNearness(view: IndexView, query: ParsedQuery): FileNearness | null {
  if (!isQuestionInWords(query) || measureCode(view) < 1) return null; // The table was learnt from code.
  const vector = findQuestionVector(query.terms);
  return vector && ((segment, file) => nearestChunk(vector, segment, file));
}

function isQuestionInWords({ kind, path, names }: ParsedQuery): boolean {
  return kind === "words" && path === null && !names.some(({ certainty }) => certainty === "spelled");
}

/** Where fewer files than the first share are code, the repository is about something else: pages, or tests of a kind. */
const CODE_SHARES = [0.05, 0.1] as const;
/** With so many files of code, tests are there to test it, however many there are. */
const MIN_TESTED_FILES = 50;

/** Whether a repository is about code, from 0 to 1, by the share of files that are not around it. */
export function measureCode({ plainFiles, testFiles, liveFiles }: IndexView): number {
  const [none, full] = CODE_SHARES;
  const share = plainFiles / Math.max(1, plainFiles < MIN_TESTED_FILES ? liveFiles : liveFiles - testFiles);
  return Math.min(1, Math.max(0, (share - none) / (full - none)));
}

/** A smaller cosine is chance. */
const MIN_COSINE = 0.1;

function nearestChunk(vector: Float32Array, { fileFirstChunk, chunkVectors }: RankedSegment, file: number): number {
  const end = fileFirstChunk[file + 1] ?? 0;
  let best = MIN_COSINE;
  for (let chunk = fileFirstChunk[file] ?? 0; chunk < end; chunk++) {
    best = Math.max(best, cosineAt(vector, chunkVectors, chunk * VECTOR_DIMENSIONS));
  }
  return best - MIN_COSINE;
}
