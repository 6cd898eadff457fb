/** When an index was last equal to its folder. It is stored at most once an hour while nothing changes. */
import type { IndexStore } from "./index/store/index-store.ts";

const indexedAtFact = "indexed_at";
/** A search that finds no change writes nothing, unless the stored time is older than this. */
const MAX_STORED_AGE_MS = 3_600_000;

/** What this process knows, which may be newer than what is stored. */
const checkTimes = new WeakMap<IndexStore, string>();

/** When the index was last equal to its folder; undefined if it was never complete. */
export function indexedAt(store: IndexStore): string | undefined {
  const stored = store.fact(indexedAtFact);
  const checked = checkTimes.get(store);
  return stored !== undefined && checked !== undefined && checked > stored ? checked : stored;
}

/** Notes that the index is equal to its folder now. */
export function markIndexed(store: IndexStore, now: number, hasChanged: boolean): void {
  const time = new Date(now).toISOString();
  checkTimes.set(store, time);
  const stored = Date.parse(store.fact(indexedAtFact) ?? "");
  const isRecent = now - stored < MAX_STORED_AGE_MS;
  if (hasChanged || !isRecent) store.write({ facts: { [indexedAtFact]: time } });
}
