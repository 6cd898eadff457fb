/** A segment is the inverted index of some files as one run of bytes: written once, read without parsing. */
import { crc32 } from "node:zlib";

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

/** Term, place and weight of each posting, in the order of places. */
export type Postings = readonly [terms: Uint32Array, places: Uint32Array, weights: Uint8Array];

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
  /** The ranges of all terms that begin so, at most `most` of them. */
  findPrefix(prefix: string, most: number): readonly (Range & { readonly term: string })[];
};

export type Range = { readonly from: number; readonly to: number };

const magic = 0x53505347;
/** Raised with every change of the layout or of what terms mean; a segment of another version is built anew. */
export const segmentVersion = 3;
const headerNumbers = 9;

/** The bytes of a segment. Postings are sorted by term without comparing: a count per term, then each into its place. */
export function encodeSegment(parts: SegmentParts, terms: readonly string[], postings: Postings): Uint8Array {
  const { rank, sorted } = sortTerms(terms, postings[0]);
  const { offsets, places, weights } = sortPostings(postings, rank, sorted.length);
  const paths = encodeTexts(parts.paths);
  const words = encodeTexts(sorted);
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
    findPrefix(prefix: string, most: number) {
      const found: (Range & { term: string })[] = [];
      const first = lowerBound(Buffer.from(prefix));
      for (let term = first; term < count && found.length < most; term++) {
        const word = text(term);
        if (!word.startsWith(prefix)) break;
        found.push({ term: word, ...range(term) });
      }
      return found;
    },
  };
}

/** The terms that are used, in the order of their UTF-8 bytes, as the dictionary is searched. */
function sortTerms(terms: readonly string[], used: Uint32Array): { rank: Uint32Array; sorted: string[] } {
  const isUsed = new Uint8Array(terms.length);
  for (const term of used) isUsed[term] = 1;
  const order = Array.from(terms.keys()).filter((term) => isUsed[term] === 1);
  const text = (term: number) => terms[term] ?? "";
  // UTF-16 order differs from that of UTF-8 only beyond U+D7FF, so few terms need their bytes to be sorted by.
  const isHigh = Uint8Array.from(terms, (term) => (/[\ud800-\uffff]/.test(term) ? 1 : 0));
  order.sort((one, other) => {
    const compare = isHigh[one] === 1 || isHigh[other] === 1 ? compareBytes : compareUnits;
    return compare(text(one), text(other));
  });
  const rank = new Uint32Array(terms.length);
  for (const [place, term] of order.entries()) rank[term] = place;
  return { rank, sorted: order.map(text) };
}

function compareUnits(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function sortPostings([terms, places, weights]: Postings, rank: Uint32Array, termCount: number) {
  const offsets = new Uint32Array(termCount + 1);
  for (const term of terms) offsets[(rank[term] ?? 0) + 1] = (offsets[(rank[term] ?? 0) + 1] ?? 0) + 1;
  for (let term = 0; term < termCount; term++) offsets[term + 1] = (offsets[term + 1] ?? 0) + (offsets[term] ?? 0);
  const next = offsets.slice();
  const sortedPlaces = new Uint32Array(places.length);
  const sortedWeights = new Uint8Array(weights.length);
  for (let posting = 0; posting < terms.length; posting++) {
    const place = rank[terms[posting] ?? 0] ?? 0;
    const at = next[place] ?? 0;
    next[place] = at + 1;
    sortedPlaces[at] = places[posting] ?? 0;
    sortedWeights[at] = weights[posting] ?? 0;
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

function join(columns: readonly (Uint32Array | Uint8Array)[]): Uint8Array {
  const bytes = new Uint8Array(columns.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of columns) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return bytes;
}
