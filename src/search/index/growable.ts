/** Typed arrays that grow: millions of numbers without an object for each. */

type Store = Uint32Array | Uint8Array;

export type Growable<S extends Store> = {
  push(value: number): void;
  /** Forgets everything and keeps the room. */
  clear(): void;
  /** What was pushed so far, without copying. */
  view(): S;
};

export const growableNumbers = (): Growable<Uint32Array> => growable((length) => new Uint32Array(length));
export const growableBytes = (): Growable<Uint8Array> => growable((length) => new Uint8Array(length));

function growable<S extends Store>(make: (length: number) => S): Growable<S> {
  let store = make(1 << 12);
  let length = 0;
  return {
    push(value) {
      if (length === store.length) {
        const larger = make(length * 2);
        larger.set(store);
        store = larger;
      }
      store[length++] = value;
    },
    clear() {
      length = 0;
    },
    view: () => store.subarray(0, length) as S,
  };
}

/** Counts per number, with a rank beside each, that are handed out and forgotten chunk by chunk. */
export type Tally = {
  add(number: number, count: number): void;
  /** Notes a rank; the highest counts. */
  mark(number: number, rank: number): void;
  /** Hands out every number that was added or marked, and starts anew. */
  drain(take: (number: number, count: number, rank: number) => void): void;
};

export function createTally(): Tally {
  let counts = new Uint32Array(1 << 12);
  let ranks = new Uint8Array(1 << 12);
  const touched = growableNumbers();

  function touch(number: number): void {
    if (number >= counts.length) grow(number);
    if (counts[number] === 0 && ranks[number] === 0) touched.push(number);
  }

  function grow(number: number): void {
    const length = 2 ** Math.ceil(Math.log2(number + 1));
    const [moreCounts, moreRanks] = [new Uint32Array(length), new Uint8Array(length)];
    moreCounts.set(counts);
    moreRanks.set(ranks);
    [counts, ranks] = [moreCounts, moreRanks];
  }

  return {
    add(number, count) {
      touch(number);
      counts[number] = (counts[number] ?? 0) + count;
    },
    mark(number, rank) {
      touch(number);
      if ((ranks[number] ?? 0) < rank) ranks[number] = rank;
    },
    drain(take) {
      for (const number of touched.view()) {
        take(number, counts[number] ?? 0, ranks[number] ?? 0);
        counts[number] = 0;
        ranks[number] = 0;
      }
      touched.clear();
    },
  };
}
