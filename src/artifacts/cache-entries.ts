/** HTTP cache entries: which artifact answers a request, one small object per request, private to its owner. */
import { isUnwritable, systemCode } from "../errors.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import { ownerKeys } from "./keys.ts";
import { readObject } from "./objects.ts";
import type { ArtifactRecord } from "./record.ts";

/** A cache entry. The request itself is only in the key, as a keyed hash. */
export type CacheEntry = {
  readonly artifact_ref: string;
  readonly status_code: number;
  /** Whether no other site led to the response by a redirect; entries of older versions do not say. */
  readonly is_direct?: boolean;
  /** When the server was last asked, and until when the entry is fresh, in milliseconds since 1970. */
  readonly fresh_until: number;
  readonly checked_at: number;
  /** The server's own max-age; null if it sent none. */
  readonly max_age_ms: number | null;
  readonly validators: CachedValidators | null;
  /** Notes about the response that the reply showed. */
  readonly notes: readonly string[];
};

/** The validators of the response (ETag, Last-Modified) and the seal of its URL, which may hold a secret. */
type CachedValidators = {
  readonly url: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
};

/** An entry whose artifact is available. */
export type CacheHit = { readonly entry: CacheEntry; readonly record: ArtifactRecord };

/** The entry for a request if its artifact can still be read. Any fault in either counts as a miss. */
export async function findCacheEntry(store: ArtifactStore, request: string): Promise<CacheHit | undefined> {
  try {
    const key = ownerKeys(store.owner).cached(await store.seal(request));
    const json = await readObject(store.objects, key);
    const entry = json && parseEntry(json);
    if (!entry) return undefined;
    const record = await store.find(entry.artifact_ref);
    await store.objects.touch(key);
    return { entry, record };
  } catch {
    // A miss costs one request. An unreadable cache must not cost the answer.
    return undefined;
  }
}

/** Saves which artifact answers a request. If the store cannot be written, nothing is cached. */
export async function saveCacheEntry(store: ArtifactStore, request: string, entry: CacheEntry): Promise<void> {
  try {
    const key = ownerKeys(store.owner).cached(await store.seal(request));
    await store.objects.put(key, Buffer.from(JSON.stringify(entry)), { durable: false });
  } catch (error) {
    if (!isUnwritable(error) && systemCode(error) === undefined) throw error;
  }
}

/** Removes the entry of a request. */
export async function removeCacheEntry(store: ArtifactStore, request: string): Promise<void> {
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
