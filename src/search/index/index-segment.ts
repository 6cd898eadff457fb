/** An index segment is the inverted index of some files in one array of bytes: written once, read without parsing. */
import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import { VECTOR_DIMENSIONS } from "../learnt/learnt-table.ts";
import type { PostingColumns } from "./growable.ts";
import { encodeTerms, openTerms, type PostingRange, sortTerms } from "./segment-terms.ts";
import type { WordContent } from "./word-table.ts";

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

/** The columns a builder fills: one row per file, one per chunk. */
export type SegmentColumns = {
  readonly fileIds: number[];
  readonly paths: string[];
  readonly fileTokens: number[];
  /** See STEM_TERMS_SHIFT. */
  readonly fileTraits: number[];
  /** See HASH_NUMBERS. */
  readonly fileHashes: number[];
  /** Where each file's chunks begin, and one more entry for the end. */
  readonly fileFirstChunk: number[];
  readonly chunkStart: number[];
  readonly chunkEnd: number[];
  readonly chunkStartLine: number[];
  readonly chunkEndLine: number[];
  readonly chunkTokens: number[];
  /** What each chunk means by the learnt table, one vector after the other. */
  readonly chunkVectors: Int8Array;
  /** What each file's path and the names it defines mean. */
  readonly fileVectors: Int8Array;
};

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
  /** Places and weights of all postings; `find` returns the range of a term. */
  readonly places: Uint32Array;
  readonly weights: Uint8Array;
  path(file: number): string;
  /** The files whose paths may end so, in any case; all others do not. `ending` is in lower case. */
  filesEnding(ending: string): readonly number[];
  /** The range of a term's postings, or null if no file has it. */
  find(term: string): PostingRange | null;
  /** Those of these terms that any file has. They are in the order of their bytes. */
  findAll(sortedTerms: readonly Buffer[]): string[];
};

/** A segment opened for searching. */
export type IndexSegment = RankedSegment & {
  readonly chunkStart: Uint32Array;
  readonly chunkEnd: Uint32Array;
  readonly chunkStartLine: Uint32Array;
  readonly chunkEndLine: Uint32Array;
  /** See HASH_NUMBERS. */
  readonly fileHashes: Uint32Array;
  readonly sizeBytes: number;
};

const MAGIC = 0x53505347;
/** Incremented with every change of the layout, of the terms or of the learnt table; a segment of another version is built again. */
export const SEGMENT_VERSION = 9;
const HEADER_NUMBERS = 9;

/** What a segment has of a file's hash: 128 bits. Another index recognises by it that it has the same text. */
export const HASH_NUMBERS = 4;

/** The hash of a file, and why only its outline is indexed: the same bytes may be indexed differently elsewhere. */
export function hashNumbers(hash = "", outline: string | null = null): Uint32Array {
  const full =
    outline === null
      ? Buffer.from(hash, "base64url")
      : createHash("sha256")
          .update(hash + outline)
          .digest();
  const bytes = new Uint8Array(HASH_NUMBERS * 4);
  bytes.set(full.subarray(0, bytes.length));
  return new Uint32Array(bytes.buffer);
}

/** The bytes of a segment. Postings are sorted by term with a counting sort. */
export function encodeSegment(files: SegmentColumns, terms: WordContent, postings: PostingColumns): Uint8Array {
  const { rank, sorted } = sortTerms(terms, postings[0]);
  const { offsets, places, weights } = sortPostings(postings, rank, sorted.length);
  const paths = encodeTexts(files.paths);
  const words = encodeTerms(terms, sorted);
  const columns = [
    Uint32Array.from(files.fileIds),
    Uint32Array.from(files.fileTokens),
    Uint32Array.from(files.fileTraits),
    Uint32Array.from(files.fileFirstChunk),
    Uint32Array.from(files.chunkStart),
    Uint32Array.from(files.chunkEnd),
    Uint32Array.from(files.chunkStartLine),
    Uint32Array.from(files.chunkEndLine),
    Uint32Array.from(files.chunkTokens),
    paths.offsets,
    words.offsets,
    offsets,
    places,
    Uint32Array.from(files.fileHashes),
    weights,
    paths.bytes,
    words.bytes,
    new Uint8Array(files.chunkVectors.buffer, files.chunkVectors.byteOffset, files.chunkVectors.length),
    new Uint8Array(files.fileVectors.buffer, files.fileVectors.byteOffset, files.fileVectors.length),
  ];
  const header = Uint32Array.of(
    MAGIC,
    SEGMENT_VERSION,
    files.fileIds.length,
    files.chunkStart.length,
    sorted.length,
    places.length,
    paths.bytes.length,
    words.bytes.length,
    0,
  );
  return addChecksum(concatenate([header, ...columns]));
}

/** The last number of the header is the checksum of everything else. */
function addChecksum(bytes: Uint8Array): Uint8Array {
  new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER_NUMBERS)[HEADER_NUMBERS - 1] = checksumOf(bytes);
  return bytes;
}

function checksumOf(bytes: Uint8Array): number {
  const header = bytes.subarray(0, (HEADER_NUMBERS - 1) * 4);
  return crc32(bytes.subarray(HEADER_NUMBERS * 4), crc32(header));
}

/** Opens the bytes of a segment; null for those of another version and for bytes that are truncated or damaged. */
export function openSegment(bytes: Uint8Array): IndexSegment | null {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  if (aligned.length < HEADER_NUMBERS * 4) return null;
  const header = new Uint32Array(aligned.buffer, aligned.byteOffset, HEADER_NUMBERS);
  const [magic, version, , , terms = 0, postings = 0, pathBytes = 0, wordBytes = 0, sum] = header;
  if (magic !== MAGIC || version !== SEGMENT_VERSION) return null;
  if (aligned.length !== sizeOf(header) || checksumOf(aligned) !== sum) return null;
  return readColumns(aligned, columnLengths(header), { postings, pathBytes, wordBytes, terms });
}

/** The number of entries in each column of numbers. */
function columnLengths([, , files = 0, chunks = 0, terms = 0, postings = 0]: Uint32Array): number[] {
  const perFile = [files, files, files, files + 1];
  return [
    ...perFile,
    ...Array<number>(5).fill(chunks),
    files + 1,
    terms + 1,
    terms + 1,
    postings,
    files * HASH_NUMBERS,
  ];
}

/** The bytes of a segment with this header. */
function sizeOf(header: Uint32Array): number {
  const [, , files = 0, chunks = 0, , postings = 0, pathBytes = 0, wordBytes = 0] = header;
  const numberBytes = columnLengths(header).reduce((sum, length) => sum + length * 4, HEADER_NUMBERS * 4);
  return numberBytes + postings + pathBytes + wordBytes + (chunks + files) * VECTOR_DIMENSIONS;
}

/** The files of a segment and the length of each one's text. */
export type SegmentOutline = { readonly fileIds: Uint32Array; readonly fileChars: Uint32Array };

/** Reads the outline of a segment file, a small part of it; null for another version or a truncated file. */
export function readSegmentOutline(path: string): SegmentOutline | null {
  const file = openSync(path, "r");
  try {
    const header = readNumbers(file, 0, HEADER_NUMBERS);
    const [magic, version, files = 0, chunks = 0] = header;
    if (magic !== MAGIC || version !== SEGMENT_VERSION || fstatSync(file).size !== sizeOf(header)) return null;
    return outlineOf({
      fileIds: readNumbers(file, HEADER_NUMBERS, files),
      fileFirstChunk: readNumbers(file, HEADER_NUMBERS + files * 3, files + 1),
      chunkEnd: readNumbers(file, HEADER_NUMBERS + files * 4 + 1 + chunks, chunks),
    });
  } finally {
    closeSync(file);
  }
}

/** The outline of a segment, from these columns of it. */
export function outlineOf({
  fileIds,
  fileFirstChunk,
  chunkEnd,
}: Pick<IndexSegment, "fileIds" | "fileFirstChunk" | "chunkEnd">): SegmentOutline {
  const endOf = (file: number) =>
    (fileFirstChunk[file + 1] ?? 0) > (fileFirstChunk[file] ?? 0) ? (fileFirstChunk[file + 1] ?? 0) : 0;
  return { fileIds, fileChars: Uint32Array.from(fileIds, (_, file) => chunkEnd[endOf(file) - 1] ?? 0) };
}

/** Some of the numbers that a segment file begins with. */
function readNumbers(file: number, first: number, count: number): Uint32Array {
  const numbers = new Uint32Array(count);
  readSync(file, numbers, 0, numbers.byteLength, first * 4);
  return numbers;
}

type Sizes = {
  readonly postings: number;
  readonly pathBytes: number;
  readonly wordBytes: number;
  readonly terms: number;
};

function readColumns(
  bytes: Uint8Array,
  lengths: readonly number[],
  { postings, pathBytes, wordBytes, terms }: Sizes,
): IndexSegment {
  const column = createColumnReader(bytes);
  const next = lengths.map(column.take).values();
  const take = (): Uint32Array => next.next().value ?? new Uint32Array();
  const rest = column.rest();
  const [fileIds, fileTokens, fileTraits, fileFirstChunk] = [take(), take(), take(), take()];
  const [chunkStart, chunkEnd, chunkStartLine, chunkEndLine, chunkTokens] = [take(), take(), take(), take(), take()];
  const [pathOffsets, wordOffsets, postingOffsets, places, fileHashes] = [take(), take(), take(), take(), take()];
  const paths = rest.subarray(postings, postings + pathBytes);
  const words = rest.subarray(postings + pathBytes, postings + pathBytes + wordBytes);
  const vectorStart = postings + pathBytes + wordBytes;
  const fileVectorStart = vectorStart + chunkStart.length * VECTOR_DIMENSIONS;
  const vectorsBetween = (start: number, end?: number): Int8Array => {
    const part = rest.subarray(start, end);
    return new Int8Array(part.buffer, part.byteOffset, part.length);
  };
  return {
    fileCount: fileIds.length,
    chunkCount: chunkStart.length,
    fileIds,
    fileTokens,
    fileTraits,
    fileFirstChunk,
    chunkFile: chunkFiles(fileFirstChunk, chunkStart.length),
    chunkStart,
    chunkEnd,
    chunkStartLine,
    chunkEndLine,
    chunkTokens,
    fileHashes,
    chunkVectors: vectorsBetween(vectorStart, fileVectorStart),
    fileVectors: vectorsBetween(fileVectorStart),
    sizeBytes: bytes.length,
    places,
    weights: rest.subarray(0, postings),
    path: (file) => paths.toString("utf8", pathOffsets[file], pathOffsets[file + 1]),
    filesEnding: (ending) => filesEnding(paths, pathOffsets, Buffer.from(ending)),
    ...openTerms(words, wordOffsets, postingOffsets, terms),
  };
}

/**
 * Compares bytes from the end, without a string for each path. Case is known of ASCII only: from another byte on, all may
 * be equal.
 */
function filesEnding(paths: Buffer, offsets: Uint32Array, ending: Buffer): number[] {
  const files: number[] = [];
  for (let file = 0; file + 1 < offsets.length; file++) {
    const start = offsets[file] as number;
    let at = (offsets[file + 1] as number) - 1;
    let index = ending.length - 1;
    while (index >= 0 && at >= start && isSameLetter(paths[at] as number, ending[index] as number)) {
      at--;
      index--;
    }
    if (index < 0 || (at >= start && ((paths[at] as number) > 127 || (ending[index] as number) > 127)))
      files.push(file);
  }
  return files;
}

const isSameLetter = (byte: number, lower: number): boolean =>
  byte < 128 && (byte === lower || (byte >= 65 && byte <= 90 && byte + 32 === lower));

/** Returns one column after the other as a view of the bytes, then the rest. */
function createColumnReader(bytes: Uint8Array) {
  let offset = bytes.byteOffset + HEADER_NUMBERS * 4;
  return {
    take(length: number): Uint32Array {
      const column = new Uint32Array(bytes.buffer, offset, length);
      offset += length * 4;
      return column;
    },
    rest: () => Buffer.from(bytes.buffer, offset, bytes.byteOffset + bytes.length - offset),
  };
}

function chunkFiles(firstChunk: Uint32Array, chunks: number): Uint32Array {
  const files = new Uint32Array(chunks);
  for (let file = 0; file + 1 < firstChunk.length; file++) files.fill(file, firstChunk[file], firstChunk[file + 1]);
  return files;
}

function sortPostings([terms, places, weights]: PostingColumns, rank: Uint32Array, termCount: number) {
  const offsets = new Uint32Array(termCount + 1);
  for (let posting = 0; posting < terms.length; posting++) {
    const place = (rank[terms[posting] as number] as number) + 1;
    offsets[place] = (offsets[place] as number) + 1;
  }
  for (let term = 0; term < termCount; term++) {
    offsets[term + 1] = (offsets[term + 1] as number) + (offsets[term] as number);
  }
  const next = offsets.slice();
  const sortedPlaces = new Uint32Array(places.length);
  const sortedWeights = new Uint8Array(weights.length);
  for (let posting = 0; posting < terms.length; posting++) {
    const place = rank[terms[posting] as number] as number;
    const index = next[place] as number;
    next[place] = index + 1;
    sortedPlaces[index] = places[posting] as number;
    sortedWeights[index] = weights[posting] as number;
  }
  return { offsets, places: sortedPlaces, weights: sortedWeights };
}

function encodeTexts(texts: readonly string[]): { offsets: Uint32Array; bytes: Uint8Array } {
  const bytes = Buffer.from(texts.join(""));
  const offsets = new Uint32Array(texts.length + 1);
  let end = 0;
  for (const [index, text] of texts.entries()) {
    end += Buffer.byteLength(text);
    offsets[index + 1] = end;
  }
  return { offsets, bytes };
}

function concatenate(columns: readonly (Uint32Array | Uint8Array)[]): Uint8Array {
  const bytes = new Uint8Array(columns.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let offset = 0;
  for (const { buffer, byteOffset, byteLength } of columns) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), offset);
    offset += byteLength;
  }
  return bytes;
}
