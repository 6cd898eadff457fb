/** The sums that the signals add to: one number for each chunk and for each file of a view. */
import type { IndexView } from "../../index/index-view.ts";

/** Sums for each chunk and for each file of the view. */
export type Scores = {
  readonly chunk: Float64Array;
  /** Rarity of the query's words in names that the chunk defines. */
  readonly defined: Float64Array;
  readonly file: Float64Array;
  readonly stem: Float64Array;
  readonly stemHits: Uint8Array;
  readonly folder: Float64Array;
  /** The last words of the query that counted for the file's name and for its folders, numbered from 1. */
  readonly stemWord: Uint8Array;
  readonly folderWord: Uint8Array;
  readonly name: Float64Array;
  readonly bestChunk: Float64Array;
  /** How many of the query's own terms the file contains. */
  readonly ownTerms: Uint8Array;
};

/** With the nearness in meaning of each file, or null. */
export type FinalScores = Scores & { readonly meaning: Float64Array | null };

/** One query is ranked at a time, so all queries on a view share the arrays: that is megabytes less garbage. */
const scoresByView = new WeakMap<IndexView, Scores>();

/** Scores of 0 for every chunk and file of the view. */
export function emptyScores(view: IndexView): Scores {
  const previous = scoresByView.get(view);
  if (previous !== undefined) for (const numbers of Object.values(previous)) numbers.fill(0);
  const scores = previous ?? createScores(view);
  scoresByView.set(view, scores);
  return scores;
}

function createScores({ chunkCount, fileCount }: IndexView): Scores {
  return {
    chunk: new Float64Array(chunkCount),
    defined: new Float64Array(chunkCount),
    file: new Float64Array(fileCount),
    stem: new Float64Array(fileCount),
    stemHits: new Uint8Array(fileCount),
    folder: new Float64Array(fileCount),
    stemWord: new Uint8Array(fileCount),
    folderWord: new Uint8Array(fileCount),
    name: new Float64Array(fileCount),
    bestChunk: new Float64Array(fileCount),
    ownTerms: new Uint8Array(fileCount),
  };
}

/** The highest number, at least 0. */
export function findMax(numbers: Float64Array): number {
  let max = 0;
  for (let index = 0; index < numbers.length; index++) if ((numbers[index] ?? 0) > max) max = numbers[index] ?? 0;
  return max;
}

/** The score of the best chunk of each file. */
export function bestChunkPerFile(view: IndexView, { chunk: chunkScores, bestChunk: best }: Scores): Float64Array {
  for (const { segment, firstChunk, firstFile } of view.parts) {
    for (let chunk = 0; chunk < segment.chunkCount; chunk++) {
      const score = chunkScores[firstChunk + chunk] ?? 0;
      const file = firstFile + (segment.chunkFile[chunk] ?? 0);
      if (score > (best[file] ?? 0)) best[file] = score;
    }
  }
  return best;
}
