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

/** With the nearness in meaning of each file, or null, and the share that its length counts for. */
export type FinalScores = Scores & { readonly meaning: Float64Array | null; readonly size: Float64Array };

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

const sizesByView = new WeakMap<IndexView, Float64Array>();

/** What the length of each file counts for, from 0 to 1. */
export function findSizes(view: IndexView): Float64Array {
  const sizes = sizesByView.get(view) ?? measureSizes(view);
  sizesByView.set(view, sizes);
  return sizes;
}

function measureSizes({ parts, fileCount }: IndexView): Float64Array {
  const sizes = new Float64Array(fileCount);
  for (const { segment, firstFile } of parts) {
    for (const [file, tokens] of segment.fileTokens.entries())
      sizes[firstFile + file] = Math.min(1, Math.log(1 + tokens) / 9);
  }
  return sizes;
}

/** The highest number, at least 0. */
export function findMax(numbers: Float64Array): number {
  let max = 0;
  for (let index = 0; index < numbers.length; index++) {
    const number = numbers[index] as number;
    if (number > max) max = number;
  }
  return max;
}

/** The score of the best chunk of each file. */
export function bestChunkPerFile(view: IndexView, { chunk: chunkScores, bestChunk: best }: Scores): Float64Array {
  for (const { segment, firstChunk, firstFile } of view.parts) {
    const { fileCount, fileFirstChunk } = segment;
    for (let file = 0, chunk = firstChunk; file < fileCount; file++) {
      const end = firstChunk + (fileFirstChunk[file + 1] as number);
      let max = 0;
      for (; chunk < end; chunk++) {
        const score = chunkScores[chunk] as number;
        if (score > max) max = score;
      }
      best[firstFile + file] = max;
    }
  }
  return best;
}
