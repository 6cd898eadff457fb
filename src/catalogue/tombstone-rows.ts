/** Rows of tombstones: what remains of expired artifacts. */
import type { Queries } from "./sql.ts";

export type TombstoneRow = {
  readonly owner: string;
  readonly ref: string;
  readonly expired_at: number;
  readonly reason: string;
  readonly source_url: string;
  readonly media_type: string;
  readonly size_bytes: number;
};

export async function keepTombstone(queries: Queries, tombstone: TombstoneRow): Promise<void> {
  const { owner, ref, expired_at, reason, source_url, media_type, size_bytes } = tombstone;
  await queries.run(
    `INSERT INTO tombstones (owner, ref, expired_at, reason, source_url, media_type, size_bytes)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (owner, ref) DO UPDATE SET expired_at = excluded.expired_at, reason = excluded.reason`,
    owner,
    ref,
    expired_at,
    reason,
    source_url,
    media_type,
    size_bytes,
  );
}

export async function findTombstone(queries: Queries, owner: string, ref: string): Promise<TombstoneRow | undefined> {
  return queries.get("SELECT * FROM tombstones WHERE owner = ? AND ref = ?", owner, ref);
}

export async function deleteTombstone(queries: Queries, owner: string, ref: string): Promise<void> {
  await queries.run("DELETE FROM tombstones WHERE owner = ? AND ref = ?", owner, ref);
}

export async function deleteOldTombstones(queries: Queries, owner: string, before: number): Promise<void> {
  await queries.run("DELETE FROM tombstones WHERE owner = ? AND expired_at < ?", owner, before);
}
