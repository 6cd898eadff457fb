/** Copies what one query needs of an index: with it, many indexes are ranked as one, and only one is open at a time. */

import { findTerm, type IndexView, type TermPostings, type ViewPart } from "../index/index-view.ts";
import { type RankedSegment, termKinds } from "../index/segments/index-segment.ts";
import type { PostingRange } from "../index/segments/packed-postings.ts";
import { VECTOR_DIMENSIONS } from "../learnt/learnt-table.ts";
import type { ParsedQuery } from "./query.ts";
import { matchesPath } from "./signals/path-score.ts";
import { listRankedTerms } from "./weighted-terms.ts";

/** A slice of a view, in which files and chunks have other numbers. Ranking it gives what ranking the view gives. */
type ViewSlice = {
  readonly view: IndexView;
  /** The number in the slice of a chunk of the view; undefined where its file is not part of the slice. */
  chunkOf(chunk: number): number | undefined;
  /** The values of the view's files, for the files of the slice. */
  pick(values: Uint8Array): Uint8Array;
};

/** Slices a view: the live files that the query matches, those of the given chunks, and their postings. */
export function sliceView(view: IndexView, query: ParsedQuery, chunks: Iterable<number> = []): ViewSlice {
  const terms = new Map(listRankedTerms(view, query).map((term) => [term, findTerm(view, term)]));
  const keptFiles = markFiles(view, query, terms, chunks);
  const parts: ViewPart[] = [];
  const numberings = new Map<ViewPart, PartSlice>();
  let [fileCount, chunkCount] = [0, 0];
  for (const part of view.parts) {
    const sliced = slicePart(part, keptFiles, terms);
    numberings.set(part, { ...sliced, firstChunk: chunkCount });
    parts.push({ segment: sliced.segment, firstFile: fileCount, firstChunk: chunkCount, dead: null });
    fileCount += sliced.segment.fileCount;
    chunkCount += sliced.segment.chunkCount;
  }
  return {
    view: { ...view, parts, fileCount, chunkCount, cachedTerms: new Map() },
    chunkOf: (chunk) => numberOf(view, numberings, chunk),
    pick: (values) => values.filter((_, file) => keptFiles[file] === 1),
  };
}

type Terms = ReadonlyMap<string, readonly TermPostings[]>;

/** 1 for each file of the view that is kept. */
function markFiles(view: IndexView, query: ParsedQuery, terms: Terms, chunks: Iterable<number>): Uint8Array {
  const keptFiles = new Uint8Array(view.fileCount);
  const mark = ({ firstFile, dead }: ViewPart, file: number): void => {
    if (dead?.[file] !== 1) keptFiles[firstFile + file] = 1;
  };
  for (const [term, postings] of terms) {
    for (const each of postings) {
      const { part } = each;
      const { chunkFile } = part.segment;
      const { places, count } = part.segment.postings(each);
      for (let posting = 0; posting < count; posting++) {
        const place = places[posting] ?? 0;
        mark(part, isOfFiles(term) ? place : (chunkFile[place] ?? 0));
      }
    }
  }
  for (const chunk of chunks) {
    const part = partOfChunk(view, chunk);
    if (part !== undefined) mark(part, part.segment.chunkFile[chunk - part.firstChunk] ?? 0);
  }
  if (query.path !== null) markNamedFiles(view, query.path, mark);
  return keptFiles;
}

function markNamedFiles({ parts }: IndexView, path: string, mark: (part: ViewPart, file: number) => void): void {
  for (const part of parts) {
    for (const file of part.segment.filesEnding(path.toLowerCase())) {
      if (matchesPath(part.segment.path(file), path)) mark(part, file);
    }
  }
}

/** Whether the places of a term's postings are files. */
const isOfFiles = (term: string): boolean => term.startsWith(termKinds.path);

const partOfChunk = ({ parts }: IndexView, chunk: number): ViewPart | undefined =>
  parts.findLast(({ firstChunk }) => firstChunk <= chunk);

const NONE = 0xffff_ffff;

/** A part, and the new number of each of its chunks; NONE for those that are left out. */
type PartSlice = { readonly segment: RankedSegment; readonly newChunk: Uint32Array; readonly firstChunk: number };

function slicePart(part: ViewPart, keptFiles: Uint8Array, terms: Terms): Omit<PartSlice, "firstChunk"> {
  const { segment, firstFile } = part;
  const files: number[] = [];
  const newFile = new Uint32Array(segment.fileCount).fill(NONE);
  for (let file = 0; file < segment.fileCount; file++) {
    if (keptFiles[firstFile + file] === 1) newFile[file] = files.push(file) - 1;
  }
  const columns = copyColumns(segment, files);
  const postings = copyPostings(part, terms, newFile, columns.newChunk);
  const paths = files.map((file) => segment.path(file));
  const { newChunk, ...rest } = columns;
  const filesEnding = (ending: string) =>
    paths.flatMap((path, file) => (path.toLowerCase().endsWith(ending) ? [file] : []));
  return { segment: { ...rest, ...postings, path: (file) => paths[file] ?? "", filesEnding }, newChunk };
}

function copyColumns(segment: RankedSegment, files: readonly number[]) {
  const copyColumn = (column: Uint32Array) => Uint32Array.from(files, (file) => column[file] ?? 0);
  const newChunk = new Uint32Array(segment.chunkCount).fill(NONE);
  const fileFirstChunk = new Uint32Array(files.length + 1);
  const [chunkFile, chunkTokens]: [number[], number[]] = [[], []];
  const [vectors, fileVectors]: [Int8Array[], Int8Array[]] = [[], []];
  for (const [number, file] of files.entries()) {
    const [first, end] = [segment.fileFirstChunk[file] ?? 0, segment.fileFirstChunk[file + 1] ?? 0];
    vectors.push(segment.chunkVectors.subarray(first * VECTOR_DIMENSIONS, end * VECTOR_DIMENSIONS));
    fileVectors.push(segment.fileVectors.subarray(file * VECTOR_DIMENSIONS, (file + 1) * VECTOR_DIMENSIONS));
    for (let chunk = first; chunk < end; chunk++) {
      newChunk[chunk] = chunkFile.push(number) - 1;
      chunkTokens.push(segment.chunkTokens[chunk] ?? 0);
    }
    fileFirstChunk[number + 1] = chunkFile.length;
  }
  return {
    fileCount: files.length,
    chunkCount: chunkFile.length,
    fileIds: copyColumn(segment.fileIds),
    fileTokens: copyColumn(segment.fileTokens),
    fileTraits: copyColumn(segment.fileTraits),
    fileFirstChunk,
    chunkFile: Uint32Array.from(chunkFile),
    chunkTokens: Uint32Array.from(chunkTokens),
    chunkVectors: joinVectors(vectors),
    fileVectors: joinVectors(fileVectors),
    newChunk,
  };
}

function joinVectors(vectors: readonly Int8Array[]): Int8Array {
  const joined = new Int8Array(vectors.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const each of vectors) {
    joined.set(each, offset);
    offset += each.length;
  }
  return joined;
}

function copyPostings(part: ViewPart, terms: Terms, newFile: Uint32Array, newChunk: Uint32Array) {
  const ranges = new Map<string, PostingRange>();
  const [places, weights]: [number[], number[]] = [[], []];
  for (const [term, postings] of terms) {
    const from = places.length;
    const numbers = isOfFiles(term) ? newFile : newChunk;
    for (const range of postings) if (range.part === part) copyRange(part.segment, range, numbers, places, weights);
    if (places.length > from) ranges.set(term, { from, to: places.length });
  }
  return { postings: openPostings(Uint32Array.from(places), Uint8Array.from(weights)), ...openTerms(ranges) };
}

function copyRange(
  segment: RankedSegment,
  range: PostingRange,
  numbers: Uint32Array,
  places: number[],
  weights: number[],
): void {
  const postings = segment.postings(range);
  for (let posting = 0; posting < postings.count; posting++) {
    const place = numbers[postings.places[posting] ?? 0] ?? NONE;
    if (place === NONE) continue;
    places.push(place);
    weights.push(postings.weights[posting] ?? 0);
  }
}

/** Postings that are not packed: a slice lives as long as its query. */
function openPostings(places: Uint32Array, weights: Uint8Array): RankedSegment["postings"] {
  return ({ from, to }) => ({
    places: places.subarray(from, to),
    weights: weights.subarray(from, to),
    count: to - from,
  });
}

function openTerms(ranges: ReadonlyMap<string, PostingRange>): Pick<RankedSegment, "find" | "findAll"> {
  return {
    find: (term) => ranges.get(term) ?? null,
    findAll: (sortedTerms) => sortedTerms.map(String).filter((term) => ranges.has(term)),
  };
}

function numberOf(view: IndexView, numberings: ReadonlyMap<ViewPart, PartSlice>, chunk: number): number | undefined {
  const part = partOfChunk(view, chunk);
  const sliced = part === undefined ? undefined : numberings.get(part);
  const number = sliced?.newChunk[chunk - (part?.firstChunk ?? 0)] ?? NONE;
  return sliced === undefined || number === NONE ? undefined : sliced.firstChunk + number;
}
