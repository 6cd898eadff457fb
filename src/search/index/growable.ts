/** Typed arrays that grow: they hold millions of numbers without an object for each. */

/** Term, place and weight of each posting, in the order of `push`. */
type Postings = {
  /** Makes room for this many more postings; call it before `push`. */
  reserve(count: number): void;
  push(term: number, place: number, weight: number): void;
  /** The postings so far, without copying. */
  view(): PostingColumns;
};

/** Postings as columns of equal length. */
export type PostingColumns = readonly [terms: Uint32Array, places: Uint32Array, weights: Uint8Array];

/** An empty list of postings. */
export function createPostings(): Postings {
  let terms = new Uint32Array(1 << 12);
  let places = new Uint32Array(1 << 12);
  let weights = new Uint8Array(1 << 12);
  let length = 0;
  return {
    reserve(count) {
      if (length + count <= terms.length) return;
      const size = 2 ** Math.ceil(Math.log2(length + count));
      terms = copyInto(new Uint32Array(size), terms);
      places = copyInto(new Uint32Array(size), places);
      weights = copyInto(new Uint8Array(size), weights);
    },
    push(term, place, weight) {
      terms[length] = term;
      places[length] = place;
      weights[length++] = weight;
    },
    view: () => [terms.subarray(0, length), places.subarray(0, length), weights.subarray(0, length)],
  };
}

/** A count and a rank for each number, filled and cleared chunk by chunk. */
export type CountTable = {
  add(number: number, count: number): void;
  /** Sets a rank; the highest counts. */
  mark(number: number, rank: number): void;
  /** Every number that was added or marked since the last `clear`. */
  numbers(): Uint32Array;
  count(number: number): number;
  rank(number: number): number;
  clear(): void;
};

/** The bits of an entry: the count, and above it the rank. */
const RANK_SHIFT = 24;
const MAX_COUNT = (1 << RANK_SHIFT) - 1;

/** An empty table. */
export function createCountTable(): CountTable {
  let entries = new Uint32Array(1 << 12);
  let numbers = new Uint32Array(1 << 10);
  let length = 0;

  /** The entry of a number, which is now among `numbers`. */
  function touch(number: number): number {
    if (number >= entries.length) entries = copyInto(new Uint32Array(2 ** Math.ceil(Math.log2(number + 1))), entries);
    const entry = entries[number] as number;
    if (entry !== 0) return entry;
    if (length === numbers.length) numbers = copyInto(new Uint32Array(length * 2), numbers);
    numbers[length++] = number;
    return 0;
  }

  return {
    add(number, count) {
      const entry = touch(number); // In a statement of its own: it may replace `entries`.
      entries[number] = entry + count;
    },
    mark(number, rank) {
      const entry = touch(number);
      if (entry >> RANK_SHIFT < rank) entries[number] = (entry & MAX_COUNT) | (rank << RANK_SHIFT);
    },
    numbers: () => numbers.subarray(0, length),
    count: (number) => (entries[number] as number) & MAX_COUNT,
    rank: (number) => (entries[number] as number) >> RANK_SHIFT,
    clear() {
      for (let index = 0; index < length; index++) entries[numbers[index] as number] = 0;
      length = 0;
    },
  };
}

/** Copies numbers into a larger array and returns it. */
export function copyInto<A extends Uint8Array | Uint16Array | Uint32Array>(target: A, source: A): A {
  target.set(source);
  return target;
}
