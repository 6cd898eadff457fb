/** Writes an index segment: the columns of a builder as one array of bytes. */
import { createHash } from "node:crypto";
import type { PostingColumns } from "../growable.ts";
import type { WordContent } from "../word-table.ts";
import { packPostings } from "./packed-postings.ts";
import {
  type ByteColumns,
  byteLengths,
  checksumOf,
  columnLengths,
  HASH_NUMBERS,
  HEADER_NUMBERS,
  makeHeader,
  type NumberColumns,
  type SegmentSizes,
  sizeOf,
} from "./segment-layout.ts";
import { encodeTerms, sortTerms } from "./segment-terms.ts";

/** The columns a builder fills: one row per file, one per chunk. */
export type SegmentColumns = {
  readonly fileIds: number[];
  readonly paths: string[];
  /** The length of each text. */
  readonly fileChars: number[];
  readonly fileTokens: number[];
  /** See STEM_TERMS_SHIFT. */
  readonly fileTraits: number[];
  /** See HASH_NUMBERS. */
  readonly fileHashes: number[];
  /** Where each file's chunks begin, and one more entry for the end. */
  readonly fileFirstChunk: number[];
  readonly chunkTokens: number[];
  /** What each chunk means by the learnt table, one vector after the other. */
  readonly chunkVectors: Int8Array;
  /** What each file's path and the names it defines mean. */
  readonly fileVectors: Int8Array;
};

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

/** The bytes of a segment. */
export function encodeSegment(files: SegmentColumns, terms: WordContent, postings: PostingColumns): Uint8Array {
  const { rank, sorted } = sortTerms(terms, postings[0]);
  const packed = packPostings(postings, rank, sorted.length);
  const paths = encodeTexts(files.paths);
  const words = encodeTerms(terms, sorted);
  const sizes: SegmentSizes = {
    files: files.fileIds.length,
    chunks: files.chunkTokens.length,
    terms: sorted.length,
    postingBytes: packed.bytes.length,
    pathBytes: paths.bytes.length,
    wordBytes: words.bytes.length,
  };
  const numbers: NumberColumns = {
    fileIds: Uint32Array.from(files.fileIds),
    fileChars: Uint32Array.from(files.fileChars),
    fileTokens: Uint32Array.from(files.fileTokens),
    fileTraits: Uint32Array.from(files.fileTraits),
    fileFirstChunk: Uint32Array.from(files.fileFirstChunk),
    fileHashes: Uint32Array.from(files.fileHashes),
    chunkTokens: Uint32Array.from(files.chunkTokens),
    pathOffsets: paths.offsets,
    wordOffsets: words.offsets,
    postingOffsets: packed.offsets,
  };
  const bytes: ByteColumns = {
    postings: packed.bytes,
    paths: paths.bytes,
    words: words.bytes,
    chunkVectors: bytesOf(files.chunkVectors),
    fileVectors: bytesOf(files.fileVectors),
  };
  return joinColumns(sizes, numbers, bytes);
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

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

function joinColumns(sizes: SegmentSizes, numbers: NumberColumns, bytes: ByteColumns): Uint8Array {
  const joined = new Uint8Array(sizeOf(sizes));
  let offset = 0;
  const append = (column: ArrayBufferView) => {
    joined.set(bytesOf(column), offset);
    offset += column.byteLength;
  };
  append(makeHeader(sizes));
  for (const name of namesOf(columnLengths(sizes))) append(numbers[name]);
  for (const name of namesOf(byteLengths(sizes))) append(bytes[name]);
  new Uint32Array(joined.buffer, 0, HEADER_NUMBERS)[HEADER_NUMBERS - 1] = checksumOf(joined);
  return joined;
}

const namesOf = <Columns extends object>(columns: Columns) => Object.keys(columns) as (keyof Columns)[];
