/** A segment is the inverted index of some files as one run of bytes: written once, read without parsing. */
import { crc32 } from "node:zlib";
import type { PostingColumns } from "./growable.ts";
import type { WordContent } from "./word-table.ts";

/** What a term's first character says of it; the words of the text itself have none. */
export const termKinds = {
  /** A name that is defined here. */
  definition: "=",
  /** A word of the path; its places are files instead of chunks. */
  path: "/",
} as const;

/** An occurrence count and a definition's rank share one byte: six bits and two. */
export const mostOccurrences = 63;

/** Where in a file's traits the number of terms of its own name begins; below it are its roles. */
export const stemTermsShift = 8;

/** The columns a builder fills: one row per file, one per chunk. */
export type SegmentParts = {
  readonly fileIds: number[];
  readonly paths: string[];
  readonly fileTokens: number[];
  /** What the file is for, as bits, and above them the number of terms in its own name. */
  readonly fileTraits: number[];
  /** One more than files: where each file's chunks begin. */
  readonly fileFirstChunk: number[];
  readonly chunkStart: number[];
  readonly chunkEnd: number[];
  readonly chunkStartLine: number[];
  readonly chunkEndLine: number[];
  readonly chunkTokens: number[];
};

/** A segment opened for searching. */
export type Segment = {
  readonly fileCount: number;
  readonly chunkCount: number;
  readonly fileIds: Uint32Array;
  readonly fileTokens: Uint32Array;
  readonly fileTraits: Uint32Array;
  readonly fileFirstChunk: Uint32Array;
  readonly chunkFile: Uint32Array;
  readonly chunkStart: Uint32Array;
  readonly chunkEnd: Uint32Array;
  readonly chunkStartLine: Uint32Array;
  readonly chunkEndLine: Uint32Array;
  readonly chunkTokens: Uint32Array;
  /** Places and weights of all postings; a term's own lie between the two numbers `find` gives. */
  readonly places: Uint32Array;
  readonly weights: Uint8Array;
  path(file: number): string;
  /** Where a term's postings lie, or null where no file has it. */
  find(term: string): Range | null;
  /** The terms that begin so and have at most so many bytes more, at most `most` of them. */
  findPrefix(prefix: string, moreBytes: number, most: number): readonly string[];
};

export type Range = { readonly from: number; readonly to: number };

const magic = 0x53505347;
/** Raised with every change of the layout or of what terms mean; a segment of another version is built anew. */
export const segmentVersion = 4;
const headerNumbers = 9;

/** The bytes of a segment. Postings are sorted by term without comparing: a count per term, then each into its place. */
export function encodeSegment(parts: SegmentParts, terms: WordContent, postings: PostingColumns): Uint8Array {
  const { rank, sorted } = sortTerms(terms, postings[0]);
  const { offsets, places, weights } = sortPostings(postings, rank, sorted.length);
  const paths = encodeTexts(parts.paths);
  const words = encodeTerms(terms, sorted);
  const columns = [
    Uint32Array.from(parts.fileIds),
    Uint32Array.from(parts.fileTokens),
    Uint32Array.from(parts.fileTraits),
    Uint32Array.from(parts.fileFirstChunk),
    Uint32Array.from(parts.chunkStart),
    Uint32Array.from(parts.chunkEnd),
    Uint32Array.from(parts.chunkStartLine),
    Uint32Array.from(parts.chunkEndLine),
    Uint32Array.from(parts.chunkTokens),
    paths.offsets,
    words.offsets,
    offsets,
    places,
    weights,
    paths.bytes,
    words.bytes,
  ];
  const header = Uint32Array.of(
    magic,
    segmentVersion,
    parts.fileIds.length,
    parts.chunkStart.length,
    sorted.length,
    places.length,
    paths.bytes.length,
    words.bytes.length,
    0,
  );
  return sealed(join([header, ...columns]));
}

/** The last number of the header is the checksum of everything but itself. */
function sealed(bytes: Uint8Array): Uint8Array {
  new Uint32Array(bytes.buffer, bytes.byteOffset, headerNumbers)[headerNumbers - 1] = checksumOf(bytes);
  return bytes;
}

function checksumOf(bytes: Uint8Array): number {
  const header = bytes.subarray(0, (headerNumbers - 1) * 4);
  return crc32(bytes.subarray(headerNumbers * 4), crc32(header));
}

/** Opens the bytes of a segment; null for bytes that are none, of another version, cut short or damaged. */
export function openSegment(bytes: Uint8Array): Segment | null {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  if (aligned.length < headerNumbers * 4) return null;
  const [found, version, files = 0, chunks = 0, terms = 0, postings = 0, pathBytes = 0, wordBytes = 0, sum] =
    new Uint32Array(aligned.buffer, aligned.byteOffset, headerNumbers);
  if (found !== magic || version !== segmentVersion) return null;
  const perFile = [files, files, files, files + 1];
  const lengths = [...perFile, ...Array<number>(5).fill(chunks), files + 1, terms + 1, terms + 1, postings];
  const size = lengths.reduce((sum, length) => sum + length * 4, headerNumbers * 4) + postings + pathBytes + wordBytes;
  if (aligned.length !== size || checksumOf(aligned) !== sum) return null;
  return readColumns(aligned, lengths, { postings, pathBytes, terms });
}

type Sizes = { readonly postings: number; readonly pathBytes: number; readonly terms: number };

function readColumns(bytes: Uint8Array, lengths: readonly number[], { postings, pathBytes, terms }: Sizes): Segment {
  const column = columnReader(bytes);
  const next = lengths.map(column.take).values();
  const take = (): Uint32Array => next.next().value ?? new Uint32Array();
  const rest = column.rest();
  const [fileIds, fileTokens, fileTraits, fileFirstChunk] = [take(), take(), take(), take()];
  const [chunkStart, chunkEnd, chunkStartLine, chunkEndLine, chunkTokens] = [take(), take(), take(), take(), take()];
  const [pathOffsets, wordOffsets, postingOffsets, places] = [take(), take(), take(), take()];
  const paths = rest.subarray(postings, postings + pathBytes);
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
    places,
    weights: rest.subarray(0, postings),
    path: (file) => paths.toString("utf8", pathOffsets[file], pathOffsets[file + 1]),
    ...openDictionary(rest.subarray(postings + pathBytes), wordOffsets, postingOffsets, terms),
  };
}

/** Hands out one column after the other as a view on the bytes, then what remains. */
function columnReader(bytes: Uint8Array) {
  let at = bytes.byteOffset + headerNumbers * 4;
  return {
    take(length: number): Uint32Array {
      const column = new Uint32Array(bytes.buffer, at, length);
      at += length * 4;
      return column;
    },
    rest: () => Buffer.from(bytes.buffer, at, bytes.byteOffset + bytes.length - at),
  };
}

function chunkFiles(firstChunk: Uint32Array, chunks: number): Uint32Array {
  const files = new Uint32Array(chunks);
  for (let file = 0; file + 1 < firstChunk.length; file++) files.fill(file, firstChunk[file], firstChunk[file + 1]);
  return files;
}

function openDictionary(words: Buffer, wordOffsets: Uint32Array, postingOffsets: Uint32Array, count: number) {
  const range = (term: number): Range => ({ from: postingOffsets[term] ?? 0, to: postingOffsets[term + 1] ?? 0 });

  /** The first term that is not before the wanted one. */
  function lowerBound(wanted: Buffer): number {
    let [low, high] = [0, count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = words.compare(wanted, 0, wanted.length, wordOffsets[middle], wordOffsets[middle + 1]);
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  const text = (term: number): string => words.toString("utf8", wordOffsets[term], wordOffsets[term + 1]);

  return {
    find(term: string): Range | null {
      const found = lowerBound(Buffer.from(term));
      return found < count && text(found) === term ? range(found) : null;
    },
    findPrefix(prefix: string, moreBytes: number, most: number): readonly string[] {
      const bytes = Buffer.from(prefix);
      const found: string[] = [];
      // No byte of UTF-8 is as high as this, so it stands behind everything that begins with the prefix.
      const end = lowerBound(Buffer.concat([bytes, Buffer.of(0xff)]));
      for (let term = lowerBound(bytes); term < end && found.length < most; term++) {
        const length = (wordOffsets[term + 1] ?? 0) - (wordOffsets[term] ?? 0);
        if (length <= bytes.length + moreBytes) found.push(text(term));
      }
      return found;
    },
  };
}

/** The numbers of the terms that are used, in the order of their UTF-8 bytes, as the dictionary is searched. */
function sortTerms(terms: WordContent, used: Uint32Array): { rank: Uint32Array; sorted: Uint32Array } {
  const rank = new Uint32Array(terms.starts.length);
  for (const term of used) rank[term] = 1;
  const numbers = new Uint32Array(rank.length);
  let count = 0;
  for (let term = 0; term < rank.length; term++) if (rank[term] === 1) numbers[count++] = term;
  const sorted = inOrder(terms, numbers.subarray(0, count));
  for (let place = 0; place < sorted.length; place++) rank[sorted[place] as number] = place;
  return { rank, sorted };
}

/** Most terms differ early: they are sorted by their first letters as numbers, and only equals are compared further. */
function inOrder(terms: WordContent, numbers: Uint32Array): Uint32Array {
  const keys = new BigUint64Array(numbers.length);
  const halves = new Uint32Array(keys.buffer);
  for (let at = 0; at < numbers.length; at++) {
    halves[at * 2] = at;
    halves[at * 2 + 1] = keyOf(terms, numbers[at] as number);
  }
  keys.sort();
  const sorted = numbers.map((_, place) => numbers[halves[place * 2] as number] as number);
  for (let from = 0, to = 1; to <= sorted.length; to++) {
    if (to < sorted.length && halves[to * 2 + 1] === halves[from * 2 + 1]) continue;
    if (to - from > 1) sorted.subarray(from, to).sort((one, other) => compareTerms(terms, one, other));
    from = to;
  }
  return sorted;
}

/** The first four letters. One that is not ASCII is the last that counts: what it is, and what follows, is compared. */
function keyOf({ units, starts }: WordContent, term: number): number {
  const end = starts[term + 1] as number;
  let at = starts[term] as number;
  let key = 0;
  for (let shift = 24; shift >= 0 && at < end; shift -= 8) {
    const unit = units[at++] as number;
    if (unit > 127) return key | (128 << shift);
    key |= unit << shift;
  }
  return key;
}

function compareTerms({ units, starts }: WordContent, one: number, other: number): number {
  const [first, second] = [starts[one] as number, starts[other] as number];
  const length = Math.min((starts[one + 1] as number) - first, (starts[other + 1] as number) - second);
  for (let at = 0; at < length; at++) {
    const [left, right] = [units[first + at] as number, units[second + at] as number];
    if (left !== right) return inBytes(left) - inBytes(right);
  }
  return (starts[one + 1] as number) - first - ((starts[other + 1] as number) - second);
}

/** UTF-16 puts the halves of pairs before U+E000, UTF-8 puts what they stand for behind it. */
function inBytes(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
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
    const at = next[place] as number;
    next[place] = at + 1;
    sortedPlaces[at] = places[posting] as number;
    sortedWeights[at] = weights[posting] as number;
  }
  return { offsets, places: sortedPlaces, weights: sortedWeights };
}

function encodeTexts(texts: readonly string[]): { offsets: Uint32Array; bytes: Uint8Array } {
  const bytes = Buffer.from(texts.join(""));
  const offsets = new Uint32Array(texts.length + 1);
  let at = 0;
  for (const [index, text] of texts.entries()) {
    at += Buffer.byteLength(text);
    offsets[index + 1] = at;
  }
  return { offsets, bytes };
}

function encodeTerms({ units, starts }: WordContent, sorted: Uint32Array): { offsets: Uint32Array; bytes: Uint8Array } {
  const offsets = new Uint32Array(sorted.length + 1);
  const length = sorted.reduce((sum, term) => sum + (starts[term + 1] as number) - (starts[term] as number), 0);
  const bytes = Buffer.allocUnsafe(length * mostUnitBytes);
  let end = 0;
  for (let place = 0; place < sorted.length; place++) {
    const term = sorted[place] as number;
    end = writeTerm(bytes, end, units, starts[term] as number, starts[term + 1] as number);
    offsets[place + 1] = end;
  }
  return { offsets, bytes: bytes.subarray(0, end) };
}

/** A UTF-16 unit takes no more bytes in UTF-8. */
const mostUnitBytes = 3;

function writeTerm(bytes: Buffer, place: number, units: Uint16Array, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const unit = units[at] as number;
    if (unit > 127) return place + bytes.write(String.fromCharCode(...units.subarray(start, end)), place);
    bytes[place + at - start] = unit;
  }
  return place + end - start;
}

function join(columns: readonly (Uint32Array | Uint8Array)[]): Uint8Array {
  const bytes = new Uint8Array(columns.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of columns) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return bytes;
}
