/** The ids of all files of a store, kept up to date with its own writes: reading them again takes long in a large index. */

/** The ids of files that a write has added, in ascending order and higher than any before, and removed. */
export type IdChanges = { readonly added: readonly number[]; readonly removed: readonly number[] };

/** Ids by generation. `readAll` reads those of the current one. */
export function createLiveIds(readAll: () => number[]) {
  let ids: readonly number[] = [];
  /** The generation that `ids` and the changes since give; null if it has to be read. */
  let knownGeneration: number | null = null;
  let added: number[] = [];
  let removed = new Set<number>();

  const restart = (current: readonly number[], generation: number) => {
    [ids, knownGeneration, added, removed] = [current, generation, [], new Set()];
  };

  function joinIds(): number[] {
    const joined: number[] = [];
    for (const id of ids) if (!removed.has(id)) joined.push(id);
    for (const id of added) if (!removed.has(id)) joined.push(id);
    return joined;
  }

  return {
    /** Notes a write by this store. A generation that another process has written in between makes it forget all. */
    note(before: number, after: number, changes: IdChanges): void {
      if (knownGeneration !== before) {
        knownGeneration = null;
        return;
      }
      knownGeneration = after;
      for (const id of changes.added) added.push(id);
      for (const id of changes.removed) removed.add(id);
    },
    /** The ids in ascending order. Lists that were given before stay as they are. */
    at(generation: number): readonly number[] {
      if (knownGeneration !== generation) restart(readAll(), generation);
      else if (added.length + removed.size > 0) restart(joinIds(), generation);
      return ids;
    },
    /** How many there are; null if they would have to be read. */
    countAt: (generation: number): number | null =>
      knownGeneration === generation ? ids.length + added.length - removed.size : null,
  };
}
