/** A set of file ids, one bit for each: large trees have hundreds of thousands, and their ids follow each other. */
export type IdSet = {
  readonly size: number;
  has(id: number): boolean;
  /** Whether the id was in the set. */
  delete(id: number): boolean;
  /** In ascending order. */
  values(): number[];
};

/** The set of these ids. */
export function createIdSet(ids: readonly number[]): IdSet {
  let maxId = 0;
  for (const id of ids) if (id > maxId) maxId = id;
  const bits = new Uint8Array((maxId >>> 3) + 1);
  let size = 0;
  // An id beyond the end reads as undefined, which has no bits.
  const has = (id: number): boolean => ((bits[id >>> 3] as number) & (1 << (id & 7))) !== 0;
  for (const id of ids) {
    if (has(id)) continue;
    bits[id >>> 3] = (bits[id >>> 3] as number) | (1 << (id & 7));
    size++;
  }
  return {
    get size() {
      return size;
    },
    has,
    delete(id) {
      if (!has(id)) return false;
      bits[id >>> 3] = (bits[id >>> 3] as number) & ~(1 << (id & 7));
      size--;
      return true;
    },
    values() {
      const values: number[] = [];
      if (size === 0) return values;
      for (const [index, byte] of bits.entries()) {
        for (let bit = 0; byte >> bit > 0; bit++) if (((byte >> bit) & 1) === 1) values.push(index * 8 + bit);
      }
      return values;
    },
  };
}
