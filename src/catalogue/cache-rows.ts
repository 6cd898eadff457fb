/** Rows of the HTTP cache: an entry per request, as JSON. The digest is keyed and reveals nothing of the request. */
import type { Queries } from "./sql.ts";

export async function keepCacheRow(
  queries: Queries,
  owner: string,
  digest: string,
  entry: string,
  usedAt: number,
): Promise<void> {
  await queries.run(
    `INSERT INTO cache_entries (owner, digest, entry, used_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (owner, digest) DO UPDATE SET entry = excluded.entry, used_at = excluded.used_at`,
    owner,
    digest,
    entry,
    usedAt,
  );
}

export type CacheRow = { readonly entry: string; readonly used_at: number };

export async function findCacheRow(queries: Queries, owner: string, digest: string): Promise<CacheRow | undefined> {
  return queries.get("SELECT entry, used_at FROM cache_entries WHERE owner = ? AND digest = ?", owner, digest);
}

export async function markCacheUsed(queries: Queries, owner: string, digest: string, usedAt: number): Promise<void> {
  await queries.run("UPDATE cache_entries SET used_at = ? WHERE owner = ? AND digest = ?", usedAt, owner, digest);
}

export async function deleteCacheRow(queries: Queries, owner: string, digest: string): Promise<void> {
  await queries.run("DELETE FROM cache_entries WHERE owner = ? AND digest = ?", owner, digest);
}

export async function deleteOldCacheRows(queries: Queries, owner: string, before: number): Promise<void> {
  await queries.run("DELETE FROM cache_entries WHERE owner = ? AND used_at < ?", owner, before);
}
