/** Which artifact answers a request that was made before, as one small object per request, private to its owner. */
import { isUnwritable, systemCode } from "../errors.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import { ownerKeys } from "./keys.ts";
import { readObject } from "./objects.ts";
import type { ArtifactRecord } from "./record.ts";

/** What is remembered of a request. The request itself is only in the key, as a keyed hash. */
export type CacheEntry = {
  readonly artifact_ref: string;
  readonly status_code: number;
  /** Until when it answers without asking the server, and since when, in milliseconds since 1970. */
  readonly fresh_until: number;
  readonly checked_at: number;
  /** How long the server lets it answer; null where it says nothing. */
  readonly max_age_ms: number | null;
  readonly validators: CachedValidators | null;
  /** What the reader was told about the way it came. */
  readonly notes: readonly string[];
};

/** What the server recognises its answer by, and the URL it came from. */
export type CachedValidators = {
  readonly url: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
};

/** An entry whose artifact is there to be handed out. */
export type CacheHit = { readonly entry: CacheEntry; readonly record: ArtifactRecord };

/** The entry for a request, if its artifact can still be read; whatever is wrong with either is a miss. */
export async function findCached(store: ArtifactStore, request: string): Promise<CacheHit | undefined> {
  try {
    const key = ownerKeys(store.owner).cached(await store.seal(request));
    const json = await readObject(store.objects, key);
    const entry = json && parseEntry(json);
    if (!entry) return undefined;
    const record = await store.find(entry.artifact_ref);
    await store.objects.touch(key);
    return { entry, record };
  } catch {
    // A miss costs a request; a cache that cannot be read must not cost the answer.
    return undefined;
  }
}

/** Remembers which artifact answers a request. A store that takes no more remembers nothing. */
export async function putCached(store: ArtifactStore, request: string, entry: CacheEntry): Promise<void> {
  try {
    const key = ownerKeys(store.owner).cached(await store.seal(request));
    await store.objects.put(key, Buffer.from(JSON.stringify(entry)), { durable: false });
  } catch (error) {
    if (!isUnwritable(error) && systemCode(error) === undefined) throw error;
  }
}

/** Forgets a request. */
export async function dropCached(store: ArtifactStore, request: string): Promise<void> {
  try {
    await store.objects.delete(ownerKeys(store.owner).cached(await store.seal(request)));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

function parseEntry(json: Uint8Array): CacheEntry | undefined {
  const entry = JSON.parse(Buffer.from(json).toString("utf8")) as Partial<CacheEntry>;
  const sound =
    typeof entry.artifact_ref === "string" &&
    [entry.status_code, entry.fresh_until, entry.checked_at].every((field) => typeof field === "number") &&
    (entry.max_age_ms === null || typeof entry.max_age_ms === "number") &&
    (entry.validators === null || typeof entry.validators?.url === "string") &&
    Array.isArray(entry.notes);
  return sound ? (entry as CacheEntry) : undefined;
}
