/** Typed arrays that grow: millions of numbers without an object for each. */

/** Term, place and weight of each posting, in the order they came. */
export type Postings = {
  /** Makes room for so many more. */
  reserve(count: number): void;
  push(term: number, place: number, weight: number): void;
  /** What was pushed so far, without copying. */
  view(): PostingColumns;
};

/** Postings as columns of equal length. */
export type PostingColumns = readonly [terms: Uint32Array, places: Uint32Array, weights: Uint8Array];

/** No postings yet. */
export function createPostings(): Postings {
  let terms = new Uint32Array(1 << 12);
  let places = new Uint32Array(1 << 12);
  let weights = new Uint8Array(1 << 12);
  let length = 0;
  return {
    reserve(count) {
      if (length + count <= terms.length) return;
      const room = 2 ** Math.ceil(Math.log2(length + count));
      terms = moved(terms, new Uint32Array(room));
      places = moved(places, new Uint32Array(room));
      weights = moved(weights, new Uint8Array(room));
    },
    push(term, place, weight) {
      terms[length] = term;
      places[length] = place;
      weights[length++] = weight;
    },
    view: () => [terms.subarray(0, length), places.subarray(0, length), weights.subarray(0, length)],
  };
}

/** Counts per number, with a rank beside each, that are handed out and forgotten chunk by chunk. */
export type Tally = {
  add(number: number, count: number): void;
  /** Notes a rank; the highest counts. */
  mark(number: number, rank: number): void;
  /** Every number that was added or marked since the last `clear`. */
  touched(): Uint32Array;
  count(number: number): number;
  rank(number: number): number;
  clear(): void;
};

/** Where in a number's entry its rank begins; below it is its count. */
const rankShift = 24;
const mostCounted = (1 << rankShift) - 1;

/** An empty tally. */
export function createTally(): Tally {
  let entries = new Uint32Array(1 << 12);
  let touched = new Uint32Array(1 << 10);
  let length = 0;

  function touch(number: number): number {
    if (number >= entries.length) entries = moved(entries, new Uint32Array(2 ** Math.ceil(Math.log2(number + 1))));
    const entry = entries[number] as number;
    if (entry !== 0) return entry;
    if (length === touched.length) touched = moved(touched, new Uint32Array(length * 2));
    touched[length++] = number;
    return 0;
  }

  return {
    add(number, count) {
      const entry = touch(number); // First: it may move the entries.
      entries[number] = entry + count;
    },
    mark(number, rank) {
      const entry = touch(number);
      if (entry >> rankShift < rank) entries[number] = (entry & mostCounted) | (rank << rankShift);
    },
    touched: () => touched.subarray(0, length),
    count: (number) => (entries[number] as number) & mostCounted,
    rank: (number) => (entries[number] as number) >> rankShift,
    clear() {
      for (let at = 0; at < length; at++) entries[touched[at] as number] = 0;
      length = 0;
    },
  };
}

/** The same numbers in a larger place. */
export function moved<A extends Uint8Array | Uint16Array | Uint32Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
