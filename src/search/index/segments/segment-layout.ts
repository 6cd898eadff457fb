/** The layout of a segment: a header, columns of numbers, then bytes. */
import { crc32 } from "node:zlib";
import { VECTOR_DIMENSIONS } from "../../learnt/learnt-table.ts";

const MAGIC = 0x53505347;
/** Incremented with every change of what a segment has: layout, terms, definitions, roles of files, learnt table. */
export const SEGMENT_VERSION = 11;
/** Numbers of the header; the last one is the checksum of everything else. */
export const HEADER_NUMBERS = 9;
/** What a segment has of a file's hash: 128 bits. Another index recognises by it that it has the same text. */
export const HASH_NUMBERS = 4;

/** How much of everything a segment has. */
export type SegmentSizes = {
  readonly files: number;
  readonly chunks: number;
  readonly terms: number;
  readonly postingBytes: number;
  readonly pathBytes: number;
  readonly wordBytes: number;
};

/** The header of a segment of these sizes, without its checksum. */
export function makeHeader({ files, chunks, terms, postingBytes, pathBytes, wordBytes }: SegmentSizes): Uint32Array {
  return Uint32Array.of(MAGIC, SEGMENT_VERSION, files, chunks, terms, postingBytes, pathBytes, wordBytes, 0);
}

/** The sizes that a header has; null for that of another version or of something else. */
export function readHeader(header: Uint32Array): SegmentSizes | null {
  const [magic, version, files = 0, chunks = 0, terms = 0, postingBytes = 0, pathBytes = 0, wordBytes = 0] = header;
  if (magic !== MAGIC || version !== SEGMENT_VERSION) return null;
  return { files, chunks, terms, postingBytes, pathBytes, wordBytes };
}

/** The entries of each column of numbers, in the order of the columns. Those of an outline come first. */
export function columnLengths({ files, chunks, terms }: SegmentSizes) {
  return {
    fileIds: files,
    fileChars: files,
    fileTokens: files,
    fileTraits: files,
    fileFirstChunk: files + 1,
    fileHashes: files * HASH_NUMBERS,
    chunkTokens: chunks,
    pathOffsets: files + 1,
    wordOffsets: terms + 1,
    postingOffsets: terms + 1,
  };
}

/** The columns of numbers by name. */
export type NumberColumns = Readonly<Record<keyof ReturnType<typeof columnLengths>, Uint32Array>>;

/** The bytes of each column of bytes, in the order of the columns. */
export function byteLengths({ files, chunks, postingBytes, pathBytes, wordBytes }: SegmentSizes) {
  return {
    postings: postingBytes,
    paths: pathBytes,
    words: wordBytes,
    chunkVectors: chunks * VECTOR_DIMENSIONS,
    fileVectors: files * VECTOR_DIMENSIONS,
  };
}

/** The columns of bytes by name. */
export type ByteColumns = Readonly<Record<keyof ReturnType<typeof byteLengths>, Uint8Array>>;

/** The bytes of a segment of these sizes. */
export function sizeOf(sizes: SegmentSizes): number {
  const numbers = sum(Object.values(columnLengths(sizes)));
  return (HEADER_NUMBERS + numbers) * 4 + sum(Object.values(byteLengths(sizes)));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The checksum of the bytes of a segment without that number. */
export function checksumOf(bytes: Uint8Array): number {
  const header = bytes.subarray(0, (HEADER_NUMBERS - 1) * 4);
  return crc32(bytes.subarray(HEADER_NUMBERS * 4), crc32(header));
}
