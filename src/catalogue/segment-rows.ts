/** Rows of index segments: the objects that published generations of code indexes refer to. */
import { announceObject, discardObject } from "./blob-rows.ts";
import type { RepositoryKey } from "./index-rows.ts";
import type { Queries } from "./sql.ts";

export type SegmentRow = {
  readonly object_key: string;
  /** The data folder whose index has built the segment and decides when it is not needed any more. */
  readonly place: string;
  readonly size_bytes: number;
  /** When an index that refers to the segment was last published. */
  readonly used_at: number;
};

/** The segments of an index in one place. */
export type SegmentList = {
  readonly place: string;
  readonly segments: readonly { readonly objectKey: string; readonly sizeBytes: number }[];
  /** How long other machines may still need those that are not in the list any more. */
  readonly stayMs: number;
};

/**
 * Makes these the segments of an index in one place. Announced objects are adopted; those that this place had before
 * become garbage. Segments that other places have built stay theirs. Call it in the transaction that publishes the
 * generation.
 */
export async function listSegments(
  queries: Queries,
  key: RepositoryKey,
  { place, segments, stayMs }: SegmentList,
  now: number,
): Promise<void> {
  for (const { objectKey, sizeBytes } of segments) await listSegment(queries, key, place, objectKey, sizeBytes, now);
  const listed = new Set(segments.map(({ objectKey }) => objectKey));
  for (const { object_key } of await segmentsOf(queries, key, place)) {
    if (!listed.has(object_key)) await releaseSegment(queries, object_key, stayMs, now);
  }
}

/** A sweeper that has claimed the object deletes it: then the index builds the segment again. */
async function listSegment(
  queries: Queries,
  { owner, project, repository }: RepositoryKey,
  place: string,
  objectKey: string,
  sizeBytes: number,
  now: number,
): Promise<void> {
  await queries.run("DELETE FROM garbage WHERE object_key = ? AND since > 0", objectKey);
  await queries.run(
    `INSERT INTO index_segments (object_key, owner, project, repository, place, size_bytes, used_at)
     SELECT ?, ?, ?, ?, ?, CAST(? AS BIGINT), CAST(? AS BIGINT)
     WHERE NOT EXISTS (SELECT 1 FROM garbage WHERE object_key = ?)
     ON CONFLICT (object_key) DO UPDATE SET used_at = excluded.used_at`,
    objectKey,
    owner,
    project,
    repository,
    place,
    sizeBytes,
    now,
    objectKey,
  );
}

async function releaseSegment(queries: Queries, objectKey: string, stayMs: number, now: number): Promise<void> {
  await queries.run("DELETE FROM index_segments WHERE object_key = ?", objectKey);
  if (stayMs === 0) await discardObject(queries, objectKey);
  else await announceObject(queries, objectKey, now + stayMs);
}

const segmentsOf = (queries: Queries, key: RepositoryKey, place: string): Promise<SegmentRow[]> =>
  selectSegments(queries, key, "place = ?", place);

/** What other places have published of a repository, the largest segment first. */
export const segmentsOfOthers = (queries: Queries, key: RepositoryKey, place: string): Promise<SegmentRow[]> =>
  selectSegments(queries, key, "place <> ? ORDER BY size_bytes DESC, object_key", place);

function selectSegments(queries: Queries, key: RepositoryKey, condition: string, place: string): Promise<SegmentRow[]> {
  const { owner, project, repository } = key;
  return queries.all(
    `SELECT object_key, place, size_bytes, used_at FROM index_segments
     WHERE owner = ? AND project = ? AND repository = ? AND ${condition}`,
    owner,
    project,
    repository,
    place,
  );
}

/** Makes the segments of an index that was deleted garbage. Returns their bytes. */
export async function releaseSegments(queries: Queries, key: RepositoryKey, place: string): Promise<number> {
  const rows = await segmentsOf(queries, key, place);
  for (const { object_key } of rows) await releaseSegment(queries, object_key, 0, 0);
  return rows.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
}

/** Makes the segments of an owner garbage that no index has used since then: their machine is gone. */
export async function expireSegments(queries: Queries, owner: string, usedBefore: number): Promise<number> {
  const rows = await queries.all<{ object_key: string }>(
    "SELECT object_key FROM index_segments WHERE owner = ? AND used_at < ?",
    owner,
    usedBefore,
  );
  for (const { object_key } of rows) await releaseSegment(queries, object_key, 0, 0);
  return rows.length;
}

/** Forgets a segment whose object is missing or damaged: the index that needs it builds it again. */
export async function dropSegment(queries: Queries, objectKey: string): Promise<void> {
  await releaseSegment(queries, objectKey, 0, 0);
}

/** One page of all segments, in the order of their keys. */
export async function pageOfSegments(queries: Queries, limit: number, after: string): Promise<SegmentRow[]> {
  return queries.all(
    `SELECT object_key, place, size_bytes, used_at FROM index_segments
     WHERE object_key > ? ORDER BY object_key LIMIT ?`,
    after,
    limit,
  );
}

export async function isListedSegment(queries: Queries, objectKey: string): Promise<boolean> {
  return (await queries.get("SELECT 1 AS one FROM index_segments WHERE object_key = ?", objectKey)) !== undefined;
}
