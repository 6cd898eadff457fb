/** A set of file ids as flags: an index has tens of thousands, and a set of numbers takes thirty times the memory. */

/** Ids that can be removed. */
export type IdSet = {
  has(id: number): boolean;
  /** Removes an id; whether it was there. */
  delete(id: number): boolean;
  /** What is left, in ascending order. */
  list(): number[];
};

/** The set of these ids, which are positive whole numbers. */
export function createIdSet(ids: readonly number[]): IdSet {
  const last = ids.reduce((max, id) => Math.max(max, id), 0);
  const flags = new Uint8Array(last + 1);
  for (const id of ids) flags[id] = 1;
  return {
    has: (id) => flags[id] === 1,
    delete(id) {
      if (flags[id] !== 1) return false;
      flags[id] = 0;
      return true;
    },
    list() {
      const left: number[] = [];
      for (let id = 0; id <= last; id++) if (flags[id] === 1) left.push(id);
      return left;
    },
  };
}
