/** HTTP cache entries: which artifact answers a request, one row per request, private to its owner. */
import { deleteCacheRow, findCacheRow, keepCacheRow, markCacheUsed } from "../catalogue/cache-rows.ts";
import { systemCode } from "../errors.ts";
import type { ArtifactStore, KeptAlongside } from "./artifact-store.ts";
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

/** A use is noted at most this often. */
const MARK_INTERVAL_MS = 60_000;

/** The entry for a request if its artifact can still be read. Any fault in either counts as a miss. */
export async function findCacheEntry(store: ArtifactStore, request: string): Promise<CacheHit | undefined> {
  try {
    const { catalogue, ownerId, now } = store;
    const digest = await store.seal(request);
    const row = await findCacheRow(catalogue, ownerId, digest);
    const entry = row && parseEntry(row.entry);
    if (!entry) return undefined;
    const record = await store.find(entry.artifact_ref);
    if (now() - row.used_at > MARK_INTERVAL_MS) await markCacheUsed(catalogue, ownerId, digest, now());
    return { entry, record };
  } catch {
    // A miss costs one request. An unreadable cache must not cost the answer.
    return undefined;
  }
}

/** What saves an entry for a request while its artifact is kept; undefined where nothing can be kept. */
export async function prepareCacheEntry(
  store: ArtifactStore,
  request: string,
  entry: Omit<CacheEntry, "artifact_ref">,
): Promise<KeptAlongside | undefined> {
  try {
    const digest = await store.seal(request);
    return (queries, artifact_ref) =>
      keepCacheRow(queries, store.ownerId, digest, JSON.stringify({ artifact_ref, ...entry }), store.now());
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Saves which artifact answers a request. If the store cannot be written, nothing is cached. */
export async function saveCacheEntry(store: ArtifactStore, request: string, entry: CacheEntry): Promise<void> {
  try {
    const digest = await store.seal(request);
    await keepCacheRow(store.catalogue, store.ownerId, digest, JSON.stringify(entry), store.now());
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

/** Removes the entry of a request. */
export async function removeCacheEntry(store: ArtifactStore, request: string): Promise<void> {
  try {
    await deleteCacheRow(store.catalogue, store.ownerId, await store.seal(request));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

function parseEntry(json: string): CacheEntry | undefined {
  const entry = JSON.parse(json) as Partial<CacheEntry>;
  const sound =
    typeof entry.artifact_ref === "string" &&
    [entry.status_code, entry.fresh_until, entry.checked_at].every((field) => typeof field === "number") &&
    (entry.max_age_ms === null || typeof entry.max_age_ms === "number") &&
    (entry.validators === null || typeof entry.validators?.url === "string") &&
    Array.isArray(entry.notes);
  return sound ? (entry as CacheEntry) : undefined;
}
