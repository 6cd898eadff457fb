/** What an index notes about itself: when it was last equal to its folder, and which generation the catalogue knows. */
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

/** Notes, for this process alone, that the index is still equal to its folder. */
export function noteChecked(store: IndexStore, now: number): void {
  checkTimes.set(store, new Date(now).toISOString());
}

/** What the catalogue knows of an index: a generation of its store, and the names of its segments. */
export type Published = { readonly generation: number; readonly segments: readonly string[] };

/** Notes that the index is equal to its folder now and, if so, that this generation was published. */
export function markIndexed(store: IndexStore, now: number, hasChanged: boolean, published: Published | null): void {
  const time = new Date(now).toISOString();
  checkTimes.set(store, time);
  const stored = Date.parse(store.fact(indexedAtFact) ?? "");
  const isRecent = now - stored < MAX_STORED_AGE_MS;
  const facts = {
    ...((hasChanged || !isRecent) && { [indexedAtFact]: time }),
    ...(published !== null && publishedFacts(published, now)),
  };
  if (Object.keys(facts).length > 0) store.write({ facts });
}

/** Names the generation of this store that was published last. */
const publishedFact = "published_generation";
/** Names the segments that were published last, and when. */
const segmentsFact = "published_segments";
const publishedAtFact = "published_at";

const publishedFacts = ({ generation, segments }: Published, now: number) => ({
  [publishedFact]: String(generation),
  [segmentsFact]: segments.join(),
  [publishedAtFact]: String(now),
});

/** Whether the catalogue knows the state of the index. */
export function isPublished(store: IndexStore): boolean {
  return store.fact(publishedFact) === String(store.generation());
}

/** Whether these are the segments that the catalogue lists for the index. */
export function isListed(store: IndexStore, segments: readonly string[]): boolean {
  return (store.fact(segmentsFact) ?? "") === segments.join();
}

/** A day: far less than segments that no index uses are kept. */
const MAX_PUBLISHED_AGE_MS = 86_400_000;

/** Whether the catalogue has to be reminded that the index uses its segments. */
export function isReminderDue(store: IndexStore, now: number): boolean {
  const publishedAt = Number(store.fact(publishedAtFact) ?? now);
  return now - publishedAt > MAX_PUBLISHED_AGE_MS && store.snapshot().segments.length > 0;
}
