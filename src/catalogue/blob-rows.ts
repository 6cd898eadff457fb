/** Rows of blobs: which object has the bytes of a content, and which objects are garbage. */
import type { Queries } from "./sql.ts";

export type BlobRow = {
  readonly sha256: string;
  readonly object_key: string;
  readonly size_bytes: number;
  /** The stamp of a large object when its bytes were last verified; null for one that never was, and for small ones. */
  readonly stamp: string | null;
};

export async function findBlob(queries: Queries, sha256: string): Promise<BlobRow | undefined> {
  return queries.get("SELECT sha256, object_key, size_bytes, stamp FROM blobs WHERE sha256 = ?", sha256);
}

/** Announces an object that is about to be written, so that it is found if its writer is killed. */
export async function announceObject(queries: Queries, objectKey: string, now: number): Promise<void> {
  await queries.run(
    "INSERT INTO garbage (object_key, since) VALUES (?, ?) ON CONFLICT (object_key) DO NOTHING",
    objectKey,
    now,
  );
}

/** The same, unless the owner has an artifact with these bytes: false then, and nothing is announced. */
export async function announceUnlessOwned(
  queries: Queries,
  object: { readonly objectKey: string; readonly owner: string; readonly sha256: string },
  now: number,
): Promise<boolean> {
  const announced = await queries.run(
    `INSERT INTO garbage (object_key, since) SELECT ?, ?
     WHERE NOT EXISTS (SELECT 1 FROM artifacts WHERE sha256 = ? AND owner = ?)
     ON CONFLICT (object_key) DO UPDATE SET since = excluded.since`,
    object.objectKey,
    now,
    object.sha256,
    object.owner,
  );
  return announced > 0;
}

/** How long an object stays after another one took its place, because readers may have it open. */
const RETIRED_STAY_MS = 60 * 60 * 1000;

/**
 * Makes an announced object the bytes of a content; one that had them becomes garbage. Fails with a RequirementError if a
 * sweeper has taken the object meanwhile.
 */
export async function adoptObject(queries: Queries, blob: BlobRow, now: number): Promise<void> {
  const { sha256, object_key, size_bytes, stamp } = blob;
  await Promise.all([
    queries.run(
      `INSERT INTO garbage (object_key, since) SELECT object_key, ? FROM blobs WHERE sha256 = ?
       ON CONFLICT (object_key) DO NOTHING`,
      now + RETIRED_STAY_MS,
      sha256,
    ),
    queries.run(
      `INSERT INTO blobs (sha256, object_key, size_bytes, stamp, kept_at)
       VALUES (?, (SELECT object_key FROM garbage WHERE object_key = ? AND since > 0), ?, ?, ?)
       ON CONFLICT (sha256) DO UPDATE SET
         object_key = excluded.object_key, size_bytes = excluded.size_bytes, stamp = excluded.stamp`,
      sha256,
      object_key,
      size_bytes,
      stamp,
      now,
    ),
    queries.run("DELETE FROM garbage WHERE object_key = ?", object_key),
  ]);
}

/** Fails with a RequirementError unless a content has its bytes in this object still. */
export async function requireBlob(queries: Queries, { sha256, object_key, size_bytes }: BlobRow): Promise<void> {
  await queries.run(
    `INSERT INTO blobs (sha256, object_key, size_bytes, kept_at)
     VALUES (?, (SELECT object_key FROM blobs WHERE sha256 = ? AND object_key = ?), ?, 0)
     ON CONFLICT (sha256) DO NOTHING`,
    sha256,
    sha256,
    object_key,
    size_bytes,
  );
}

/** Makes an object garbage that the next sweep deletes. */
export async function discardObject(queries: Queries, objectKey: string): Promise<void> {
  await queries.run(
    "INSERT INTO garbage (object_key, since) VALUES (?, 0) ON CONFLICT (object_key) DO UPDATE SET since = 0",
    objectKey,
  );
}

/** Makes an object that exists already the bytes of a content, unless the content has its bytes. */
export async function importBlob(
  queries: Queries,
  sha256: string,
  objectKey: string,
  sizeBytes: number,
  keptAt: number,
): Promise<void> {
  await queries.run(
    `INSERT INTO blobs (sha256, object_key, size_bytes, stamp, kept_at) VALUES (?, ?, ?, NULL, ?)
     ON CONFLICT (sha256) DO NOTHING`,
    sha256,
    objectKey,
    sizeBytes,
    keptAt,
  );
  await queries.run(
    "DELETE FROM garbage WHERE object_key = ? AND EXISTS (SELECT 1 FROM blobs WHERE sha256 = ? AND object_key = ?)",
    objectKey,
    sha256,
    objectKey,
  );
}

/** Makes another object, which has the same bytes, that of a content. */
export async function repointBlob(queries: Queries, sha256: string, objectKey: string): Promise<void> {
  await queries.run("UPDATE blobs SET object_key = ?, stamp = NULL WHERE sha256 = ?", objectKey, sha256);
  await queries.run("DELETE FROM garbage WHERE object_key = ?", objectKey);
}

/** One page of all blobs, in the order of their hashes. */
export async function pageOfBlobs(queries: Queries, limit: number, after: string): Promise<BlobRow[]> {
  return queries.all(
    "SELECT sha256, object_key, size_bytes, stamp FROM blobs WHERE sha256 > ? ORDER BY sha256 LIMIT ?",
    after,
    limit,
  );
}

/** The artifacts of all owners that have these bytes. */
export async function refsOfBlob(queries: Queries, sha256: string): Promise<string[]> {
  const rows = await queries.all<{ ref: string }>("SELECT ref FROM artifacts WHERE sha256 = ? LIMIT 100", sha256);
  return rows.map(({ ref }) => ref);
}

/** Whether an artifact of any owner has these bytes. */
export async function isReferred(queries: Queries, sha256: string): Promise<boolean> {
  return (await queries.get("SELECT 1 AS one FROM artifacts WHERE sha256 = ? LIMIT 1", sha256)) !== undefined;
}

export async function isGarbage(queries: Queries, objectKey: string): Promise<boolean> {
  return (await queries.get("SELECT 1 AS one FROM garbage WHERE object_key = ?", objectKey)) !== undefined;
}

/** Notes that the bytes of an object were verified. */
export async function markVerified(queries: Queries, objectKey: string, sha256: string, stamp: string): Promise<void> {
  await queries.run("UPDATE blobs SET stamp = ? WHERE sha256 = ? AND object_key = ?", stamp, sha256, objectKey);
}

/** Makes the object of a content garbage if no artifact of any owner refers to it, and names it. */
export async function releaseBlob(queries: Queries, sha256: string): Promise<string | null> {
  const row = await queries.get<{ object_key: string }>(
    "DELETE FROM blobs WHERE sha256 = ? AND NOT EXISTS (SELECT 1 FROM artifacts WHERE sha256 = ?) RETURNING object_key",
    sha256,
    sha256,
  );
  if (row === undefined) return null;
  await discardObject(queries, row.object_key);
  return row.object_key;
}

/**
 * Claims garbage that is older than this: from now on no writer can adopt it. Delete the objects, then their rows; if
 * the sweeper is killed in between, the next one claims them again.
 */
export async function claimGarbage(queries: Queries, before: number, limit: number): Promise<string[]> {
  const rows = await queries.all<{ object_key: string }>(
    "SELECT object_key FROM garbage WHERE since < ? ORDER BY since LIMIT ?",
    before,
    limit,
  );
  for (const { object_key } of rows) await discardObject(queries, object_key);
  return rows.map(({ object_key }) => object_key);
}

export async function forgetGarbage(queries: Queries, objectKeys: readonly string[]): Promise<void> {
  for (const key of objectKeys) await queries.run("DELETE FROM garbage WHERE object_key = ?", key);
}
