/** Postings as bytes: the places of a term in ascending order and the weight of each, in a third of the space of numbers. */
import type { PostingColumns } from "../growable.ts";

/** The postings of a term: where its bytes are; `to` is exclusive. */
export type PostingRange = { readonly from: number; readonly to: number };

/** The first `count` numbers of each array are the places and weights of postings. */
export type Postings = { readonly places: Uint32Array; readonly weights: Uint8Array; readonly count: number };

/** By far the most common weight: one occurrence, outside a definition. It takes no byte. */
const USUAL_WEIGHT = 1;
/** A distance and a flag take at most five bytes, a weight one. */
const MAX_POSTING_BYTES = 6;

/**
 * The bytes of all postings, sorted by term, and where those of each term begin. Places of a term are in ascending order.
 * One more byte follows: unpacking reads a byte ahead.
 */
export function packPostings(
  postings: PostingColumns,
  rank: Uint32Array,
  termCount: number,
): { offsets: Uint32Array; bytes: Uint8Array } {
  const { starts, places, weights } = sortPostings(postings, rank, termCount);
  const bytes = Buffer.allocUnsafe(places.length * MAX_POSTING_BYTES + 1);
  const offsets = new Uint32Array(termCount + 1);
  let end = 0;
  for (let term = 0; term < termCount; term++) {
    const last = starts[term + 1] as number;
    let before = 0;
    for (let posting = starts[term] as number; posting < last; posting++) {
      const place = places[posting] as number;
      end = writePosting(bytes, end, place - before, weights[posting] as number);
      before = place;
    }
    offsets[term + 1] = end;
  }
  bytes[end] = 0;
  return { offsets, bytes: bytes.subarray(0, end + 1) };
}

/** The distance from the place before, seven bits a byte, after a bit that says whether a weight follows. */
function writePosting(bytes: Uint8Array, offset: number, distance: number, weight: number): number {
  let end = offset;
  let rest = ((distance << 1) | (weight === USUAL_WEIGHT ? 0 : 1)) >>> 0;
  while (rest > 127) {
    bytes[end++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[end++] = rest;
  if (weight !== USUAL_WEIGHT) bytes[end++] = weight;
  return end;
}

/** Sorts by term with a counting sort, which keeps the order of the postings of a term. */
function sortPostings([terms, places, weights]: PostingColumns, rank: Uint32Array, termCount: number) {
  const starts = new Uint32Array(termCount + 1);
  for (let posting = 0; posting < terms.length; posting++) {
    const place = (rank[terms[posting] as number] as number) + 1;
    starts[place] = (starts[place] as number) + 1;
  }
  for (let term = 0; term < termCount; term++) {
    starts[term + 1] = (starts[term + 1] as number) + (starts[term] as number);
  }
  const next = starts.slice();
  const sortedPlaces = new Uint32Array(places.length);
  const sortedWeights = new Uint8Array(weights.length);
  for (let posting = 0; posting < terms.length; posting++) {
    const place = rank[terms[posting] as number] as number;
    const index = next[place] as number;
    next[place] = index + 1;
    sortedPlaces[index] = places[posting] as number;
    sortedWeights[index] = weights[posting] as number;
  }
  return { starts, places: sortedPlaces, weights: sortedWeights };
}

/** Every call unpacks into these: a query reads hundreds of thousands of postings, and leaves no garbage. */
let places = new Uint32Array(1 << 12);
let weights = new Uint8Array(1 << 12);

/** Unpacks the postings of a term. Valid until the next call. */
export function unpackPostings(bytes: Uint8Array, { from, to }: PostingRange): Postings {
  reserve(to - from);
  const [unpackedPlaces, unpackedWeights] = [places, weights];
  let [count, place] = [0, 0];
  for (let at = from; at < to; ) {
    let value = bytes[at++] as number;
    if (value > 127) {
      value &= 127;
      for (let shift = 7, byte = 128; byte > 127; shift += 7) {
        byte = bytes[at++] as number;
        value |= (byte & 127) << shift;
      }
    }
    place += value >>> 1;
    // Without a branch, which the processor could not foresee: a quarter of the time.
    const hasWeight = value & 1;
    unpackedPlaces[count] = place;
    unpackedWeights[count++] = USUAL_WEIGHT + (((bytes[at] as number) - USUAL_WEIGHT) & -hasWeight);
    at += hasWeight;
  }
  return { places: unpackedPlaces, weights: unpackedWeights, count };
}

/** Each posting takes at least one byte. */
function reserve(maxCount: number): void {
  if (maxCount <= places.length) return;
  const length = 2 ** Math.ceil(Math.log2(maxCount));
  places = new Uint32Array(length);
  weights = new Uint8Array(length);
}
