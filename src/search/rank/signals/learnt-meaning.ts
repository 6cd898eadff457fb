/** Adds what the learnt table knows to a ranking: words of a question that are not the words of the code. */

import type { IndexView } from "../../index/index-view.ts";
import type { RankedSegment } from "../../index/segments/index-segment.ts";
import { cosineAt, findQuestionVector, VECTOR_DIMENSIONS } from "../../learnt/learnt-table.ts";
import { findCodeWords } from "../everyday-words.ts";
import type { ParsedQuery } from "../query.ts";
import { isAskedInWords, weighMeaning } from "../question-words.ts";
import { rankWeights } from "../weights.ts";

/** How near the file is to the question: the part that this adds to its score. */
export type FileNearness = (segment: RankedSegment, file: number) => number;

/** The nearness of files to a question; null for names and paths, and in a repository of prose. */
export function findNearness(view: IndexView, query: ParsedQuery): FileNearness | null {
  if (!isAskedInWords(view, query)) return null;
  const vector = findQuestionVector(query.terms, findCodeWords(view, query.terms));
  if (vector === null) return null;
  const weight = weighMeaning(query.terms);
  const { learnt, learntNames } = rankWeights;
  return (segment, file) =>
    weight * (learnt * nearestChunks(vector, segment, file) + learntNames * nearnessOfNames(vector, segment, file));
}

/** A smaller cosine is chance. */
const MIN_COSINE = 0.1;

/** The mean of the three nearest chunks: one of many chunks is near by chance. A file with fewer counts its last one again. */
function nearestChunks(vector: Float32Array, { fileFirstChunk, chunkVectors }: RankedSegment, file: number): number {
  const end = fileFirstChunk[file + 1] ?? 0;
  let [first, second, third] = [-1, -1, -1];
  for (let chunk = fileFirstChunk[file] ?? 0; chunk < end; chunk++) {
    const cosine = cosineAt(vector, chunkVectors, chunk * VECTOR_DIMENSIONS);
    if (cosine <= third) continue;
    third = Math.min(second, cosine);
    second = Math.min(first, Math.max(second, cosine));
    first = Math.max(first, cosine);
  }
  if (second === -1) second = first;
  if (third === -1) third = second;
  return Math.max(0, (first + second + third) / 3 - MIN_COSINE);
}

function nearnessOfNames(vector: Float32Array, { fileVectors }: RankedSegment, file: number): number {
  return Math.max(0, cosineAt(vector, fileVectors, file * VECTOR_DIMENSIONS));
}
