/** Counts over the whole catalogue. */
import type { Queries } from "./sql.ts";

export type Statistics = {
  readonly owners: number;
  readonly artifacts: number;
  readonly stored_bytes: number;
  readonly runs: number;
  readonly tombstones: number;
  readonly responses: number;
  readonly cache_entries: number;
  readonly garbage: number;
  /** Code indexes with a published generation, and their files. */
  readonly indexes: number;
  readonly indexed_files: number;
  readonly index_segments: number;
  readonly segment_bytes: number;
  readonly jobs: number;
};

export async function readStatistics(queries: Queries): Promise<Statistics> {
  const count = async (table: string): Promise<number> =>
    (await queries.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n ?? 0;
  const totals = await queries.get<{ owners: number; artifacts: number; bytes: number }>(
    "SELECT count(*) AS owners, coalesce(sum(artifacts), 0) AS artifacts, coalesce(sum(bytes), 0) AS bytes FROM owners",
  );
  const indexed = await queries.get<{ indexes: number; files: number }>(
    "SELECT count(*) AS indexes, coalesce(sum(files), 0) AS files FROM index_generations",
  );
  const segments = await queries.get<{ segments: number; bytes: number }>(
    "SELECT count(*) AS segments, coalesce(sum(size_bytes), 0) AS bytes FROM index_segments",
  );
  return {
    owners: totals?.owners ?? 0,
    artifacts: totals?.artifacts ?? 0,
    stored_bytes: totals?.bytes ?? 0,
    runs: await count("runs"),
    tombstones: await count("tombstones"),
    responses: await count("responses"),
    cache_entries: await count("cache_entries"),
    garbage: await count("garbage"),
    indexes: indexed?.indexes ?? 0,
    indexed_files: indexed?.files ?? 0,
    index_segments: segments?.segments ?? 0,
    segment_bytes: segments?.bytes ?? 0,
    jobs: await count("jobs"),
  };
}
