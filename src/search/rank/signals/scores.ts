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
  /** The score of the best chunk of each file: every signal that adds to chunks keeps it up to date. */
  readonly bestChunk: Float64Array;
  /** How many of the query's own terms the file contains. */
  readonly ownTerms: Uint8Array;
  /** The files that have a score of any kind: every signal adds those that it finds. */
  readonly touched: TouchedFiles;
  readonly files: FileColumns;
};

/** With the nearness in meaning of each file, or null. */
export type FinalScores = Scores & { readonly meaning: Float64Array | null };

/** Files, each once. What a query costs depends on these, not on all files of the index. */
type TouchedFiles = {
  add(file: number): void;
  /** In no order. */
  list(): Uint32Array;
  clear(): void;
};

function createTouched(fileCount: number): TouchedFiles {
  const flags = new Uint8Array(fileCount);
  const files = new Uint32Array(fileCount);
  let count = 0;
  return {
    add(file) {
      if (flags[file] === 1) return;
      flags[file] = 1;
      files[count++] = file;
    },
    list: () => files.subarray(0, count),
    clear() {
      for (let index = 0; index < count; index++) flags[files[index] as number] = 0;
      count = 0;
    },
  };
}

/** What is known of the files of a view, one after the other over all its parts. */
export type FileColumns = {
  /** Where each file's chunks begin, and one more entry for the end. */
  readonly firstChunk: Uint32Array;
  /** See STEM_TERMS_SHIFT. */
  readonly traits: Uint32Array;
  /** What the length of each file counts for, from 0 to 1. */
  readonly size: Float64Array;
  /** 1 for each file that was deleted or replaced. */
  readonly dead: Uint8Array;
};

function joinColumns({ parts, fileCount, chunkCount }: IndexView): FileColumns {
  const firstChunk = new Uint32Array(fileCount + 1).fill(chunkCount);
  const [traits, size] = [new Uint32Array(fileCount), new Float64Array(fileCount)];
  const dead = new Uint8Array(fileCount);
  for (const { segment, firstFile, firstChunk: partChunk, dead: partDead } of parts) {
    traits.set(segment.fileTraits, firstFile);
    if (partDead !== null) dead.set(partDead, firstFile);
    for (let file = 0; file < segment.fileCount; file++) {
      firstChunk[firstFile + file] = partChunk + (segment.fileFirstChunk[file] as number);
      size[firstFile + file] = Math.min(1, Math.log(1 + (segment.fileTokens[file] as number)) / 9);
    }
  }
  return { firstChunk, traits, size, dead };
}

const columnsByView = new WeakMap<IndexView, FileColumns>();
/** One query is ranked at a time, so all queries share the arrays: that is megabytes less garbage for each new view. */
let shared: Scores | undefined;

/** Scores of 0 for every chunk and file of the view. Valid until the next call. */
export function emptyScores(view: IndexView): Scores {
  const files = columnsByView.get(view) ?? joinColumns(view);
  columnsByView.set(view, files);
  if (shared !== undefined) clearScores(shared);
  shared = shared !== undefined && hasRoom(shared, view) ? { ...shared, files } : createScores(view, files);
  return shared;
}

const hasRoom = ({ chunk, file }: Scores, { chunkCount, fileCount }: IndexView): boolean =>
  chunk.length >= chunkCount && file.length >= fileCount;

/** A view with a changed file has a few chunks more than the one before. */
const SPARE_ROOM = 1 / 16;
const withRoom = (count: number): number => Math.ceil(count * (1 + SPARE_ROOM));

function createScores(view: IndexView, files: FileColumns): Scores {
  const chunkCount = withRoom(view.chunkCount);
  const fileCount = withRoom(view.fileCount);
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
    touched: createTouched(fileCount),
    files,
  };
}

/** Of more files than this share, all numbers are set to 0: that is faster than one by one. */
const MAX_CLEARED_SHARE = 1 / 8;

function clearScores({ touched, files: { firstChunk }, ...scores }: Scores): void {
  const files = touched.list();
  if (files.length > scores.file.length * MAX_CLEARED_SHARE) {
    for (const column of Object.values(scores)) column.fill(0);
  } else {
    for (const column of [scores.chunk, scores.defined]) {
      for (const file of files) column.fill(0, firstChunk[file], firstChunk[file + 1]);
    }
    // Columns of one type at a time: a loop over both takes several times as long.
    for (const column of [scores.file, scores.stem, scores.folder, scores.name, scores.bestChunk]) {
      for (const file of files) column[file] = 0;
    }
    for (const column of [scores.stemHits, scores.stemWord, scores.folderWord, scores.ownTerms]) {
      for (const file of files) column[file] = 0;
    }
  }
  touched.clear();
}

/** The highest number of the files that have a score, at least 0. */
export function findMax(numbers: Float64Array, { touched }: Scores): number {
  let max = 0;
  const files = touched.list();
  for (let index = 0; index < files.length; index++) {
    const number = numbers[files[index] as number] as number;
    if (number > max) max = number;
  }
  return max;
}

/** Adds to the score of a chunk of a file. */
export function addToChunk({ chunk, bestChunk, touched }: Scores, number: number, file: number, value: number): void {
  const score = (chunk[number] as number) + value;
  chunk[number] = score;
  if (score > (bestChunk[file] as number)) bestChunk[file] = score;
  touched.add(file);
}
