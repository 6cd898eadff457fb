/** Queries for what retention may take, least recently used first. Each costs as much as it finds. */
import type { Queries } from "./sql.ts";

type RefRow = { readonly ref: string };

const refs = (rows: readonly RefRow[]): string[] => rows.map(({ ref }) => ref);

/** The refs that were last used before this and have at least so many bytes in the store. */
export async function unusedSince(
  queries: Queries,
  owner: string,
  before: number,
  limit: number,
  minBytes = 0,
): Promise<string[]> {
  return refs(
    await queries.all<RefRow>(
      "SELECT ref FROM artifacts WHERE owner = ? AND used_at < ? AND stored_bytes >= ? ORDER BY used_at, ref LIMIT ?",
      owner,
      before,
      minBytes,
      limit,
    ),
  );
}

export type CrowdedRun = { readonly run: string; readonly artifacts: number };

/** The runs that used more artifacts than this. */
export async function crowdedRuns(queries: Queries, owner: string, most: number): Promise<CrowdedRun[]> {
  return queries.all("SELECT run, artifacts FROM runs WHERE owner = ? AND artifacts > ? ORDER BY run", owner, most);
}

/** The refs of a crowded run, last used before this, that no run with fewer artifacts used. */
export async function crowdedRefs(
  queries: Queries,
  { owner, run, most }: { readonly owner: string; readonly run: string; readonly most: number },
  before: number,
  limit: number,
): Promise<string[]> {
  return refs(
    await queries.all<RefRow>(
      `SELECT u.ref FROM uses u JOIN artifacts a ON a.owner = u.owner AND a.ref = u.ref
       WHERE u.owner = ? AND u.run = ? AND u.used_at < ? AND a.used_at < ? AND NOT EXISTS (
         SELECT 1 FROM uses v JOIN runs r ON r.owner = v.owner AND r.run = v.run
         WHERE v.owner = u.owner AND v.ref = u.ref AND r.artifacts <= ?)
       ORDER BY u.used_at, u.ref LIMIT ?`,
      owner,
      run,
      before,
      before,
      most,
      limit,
    ),
  );
}
