/** An index segment is the inverted index of some files in one array of bytes: written once, read without parsing. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { type PostingRange, type Postings, unpackPostings } from "./packed-postings.ts";
import {
  byteLengths,
  checksumOf,
  columnLengths,
  HEADER_NUMBERS,
  type NumberColumns,
  readHeader,
  type SegmentSizes,
  sizeOf,
} from "./segment-layout.ts";
import { openPaths } from "./segment-paths.ts";
import { openTerms } from "./segment-terms.ts";

/** The first character of special terms; the words of the text have none. */
export const termKinds = {
  /** A name that the chunk defines. */
  definition: "=",
  /** A word of the path; its places are files instead of chunks. */
  path: "/",
} as const;

/** An occurrence count and a definition's rank share one byte: six bits and two. */
export const MAX_OCCURRENCES = 63;

/** The bits of a file's traits: its roles, and above them the number of terms in its name. */
export const STEM_TERMS_SHIFT = 8;

/** What ranking reads of a segment. */
export type RankedSegment = {
  readonly fileCount: number;
  readonly chunkCount: number;
  readonly fileIds: Uint32Array;
  readonly fileTokens: Uint32Array;
  readonly fileTraits: Uint32Array;
  readonly fileFirstChunk: Uint32Array;
  readonly chunkFile: Uint32Array;
  readonly chunkTokens: Uint32Array;
  /** See VECTOR_DIMENSIONS. */
  readonly chunkVectors: Int8Array;
  readonly fileVectors: Int8Array;
  path(file: number): string;
  /** The files whose paths may end so, in any case; all others do not. `ending` is in lower case. */
  filesEnding(ending: string): readonly number[];
  /** The range of a term's postings, or null if no file has it. */
  find(term: string): PostingRange | null;
  /** Those of these terms that any file has. They are in the order of their bytes. */
  findAll(sortedTerms: readonly Buffer[]): string[];
  /** The postings in a range that `find` has returned. Valid until the next call for any segment. */
  postings(range: PostingRange): Postings;
};

/** A segment opened for searching. */
export type IndexSegment = RankedSegment & {
  /** See HASH_NUMBERS. */
  readonly fileHashes: Uint32Array;
  /** The length of each file's text. */
  readonly fileChars: Uint32Array;
  readonly sizeBytes: number;
};

/** Opens the bytes of a segment; null for those of another version and for bytes that are truncated or damaged. */
export function openSegment(bytes: Uint8Array): IndexSegment | null {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  if (aligned.length < HEADER_NUMBERS * 4) return null;
  const header = new Uint32Array(aligned.buffer, aligned.byteOffset, HEADER_NUMBERS);
  const sizes = readHeader(header);
  if (sizes === null || aligned.length !== sizeOf(sizes)) return null;
  return checksumOf(aligned) === header[HEADER_NUMBERS - 1] ? readColumns(aligned, sizes) : null;
}

function readColumns({ buffer, byteOffset, length }: Uint8Array, sizes: SegmentSizes): IndexSegment {
  let offset = byteOffset + HEADER_NUMBERS * 4;
  const numbers = (count: number): Uint32Array => {
    const column = new Uint32Array(buffer, offset, count);
    offset += column.byteLength;
    return column;
  };
  const bytes = (count: number): Buffer<ArrayBufferLike> => {
    const column = Buffer.from(buffer, offset, count);
    offset += count;
    return column;
  };
  const { fileIds, fileChars, fileTokens, fileTraits, fileFirstChunk, ...columns } = mapColumns(
    columnLengths(sizes),
    numbers,
  );
  const { postings, paths, words, chunkVectors, fileVectors } = mapColumns(byteLengths(sizes), bytes);
  return {
    fileCount: sizes.files,
    chunkCount: sizes.chunks,
    fileIds,
    fileChars,
    fileTokens,
    fileTraits,
    fileFirstChunk,
    fileHashes: columns.fileHashes,
    chunkFile: chunkFiles(fileFirstChunk, sizes.chunks),
    chunkTokens: columns.chunkTokens,
    chunkVectors: toSigned(chunkVectors),
    fileVectors: toSigned(fileVectors),
    sizeBytes: length,
    postings: (range) => unpackPostings(postings, range),
    ...openPaths(paths, columns.pathOffsets),
    ...openTerms(words, columns.wordOffsets, columns.postingOffsets, sizes.terms),
  };
}

/** Reads one column after the other, in their order. */
function mapColumns<Name extends string, Column>(
  lengths: Readonly<Record<Name, number>>,
  read: (length: number) => Column,
): Record<Name, Column> {
  const columns = Object.entries<number>(lengths).map(([name, length]) => [name, read(length)] as const);
  return Object.fromEntries(columns) as Record<Name, Column>;
}

const toSigned = ({ buffer, byteOffset, length }: Uint8Array): Int8Array => new Int8Array(buffer, byteOffset, length);

function chunkFiles(firstChunk: Uint32Array, chunks: number): Uint32Array {
  const files = new Uint32Array(chunks);
  for (let file = 0; file + 1 < firstChunk.length; file++) files.fill(file, firstChunk[file], firstChunk[file + 1]);
  return files;
}

/** The files of a segment and the length of each one's text. */
export type SegmentOutline = Pick<NumberColumns, "fileIds" | "fileChars">;

/** Reads the outline of a segment file, a small part of it; null for another version or a truncated file. */
export function readSegmentOutline(path: string): SegmentOutline | null {
  const file = openSync(path, "r");
  try {
    const sizes = readHeader(readNumbers(file, 0, HEADER_NUMBERS));
    if (sizes === null || fstatSync(file).size !== sizeOf(sizes)) return null;
    return {
      fileIds: readNumbers(file, HEADER_NUMBERS, sizes.files),
      fileChars: readNumbers(file, HEADER_NUMBERS + sizes.files, sizes.files),
    };
  } finally {
    closeSync(file);
  }
}

/** Some of the numbers that a segment file begins with. */
function readNumbers(file: number, first: number, count: number): Uint32Array {
  const numbers = new Uint32Array(count);
  readSync(file, numbers, 0, numbers.byteLength, first * 4);
  return numbers;
}
