/** Decides which artifacts expire, and lets them: by age, by count per run, by the owner's bytes, last used first. */
import { type DeletedArtifact, deleteArtifactRow, readTotals } from "../catalogue/artifact-rows.ts";
import { discardObject } from "../catalogue/blob-rows.ts";
import { crowdedRefs, crowdedRuns, unusedSince } from "../catalogue/expiry-rows.ts";
import type { Queries, Sql } from "../catalogue/sql.ts";
import { keepTombstone } from "../catalogue/tombstone-rows.ts";
import type { Settings } from "../config/settings.ts";
import { newBlobKey } from "./keys.ts";
import { readSource } from "./record.ts";

export type Retention = Pick<
  Settings,
  "artifacts.keep" | "artifacts.keep_per_run" | "artifacts.keep_bytes" | "artifacts.keep_tombstones"
>;

export type SweptArtifact = { readonly ref: string; readonly reason: ExpiryReason; readonly sizeBytes: number };

export type ExpiryReason = "age" | "count" | "bytes" | "removed";

/** What any run used within this time is never swept. It is also how long an unfinished write may take. */
export const MIN_UNUSED_MS = 60 * 60 * 1000;

/** Artifacts that expire in one transaction: enough to be fast, few enough not to keep other processes waiting. */
const BATCH_ROWS = 500;

/** Lets expired artifacts go. Each transaction decides and acts, so nobody can use an artifact in between. */
export async function expireArtifacts(
  catalogue: Sql,
  owner: string,
  retention: Retention,
  now: number,
): Promise<SweptArtifact[]> {
  const unused = now - MIN_UNUSED_MS;
  const most = retention["artifacts.keep_per_run"];
  const old = Math.min(unused, now - retention["artifacts.keep"]);
  const swept = await repeat(catalogue, async (queries) => {
    return expireAll(queries, owner, await unusedSince(queries, owner, old, BATCH_ROWS), "age", now);
  });
  for (const { run } of await crowdedRuns(catalogue, owner, most)) {
    swept.push(...(await repeat(catalogue, (queries) => expireCrowded(queries, { owner, run, most }, unused, now))));
  }
  const maxBytes = retention["artifacts.keep_bytes"];
  swept.push(...(await repeat(catalogue, (queries) => expireBytes(queries, owner, maxBytes, unused, now))));
  return swept;
}

async function repeat(catalogue: Sql, batch: (queries: Queries) => Promise<SweptArtifact[]>): Promise<SweptArtifact[]> {
  const all: SweptArtifact[] = [];
  for (;;) {
    const swept = await catalogue.transact(batch);
    all.push(...swept);
    if (swept.length < BATCH_ROWS) return all;
  }
}

type Crowd = { readonly owner: string; readonly run: string; readonly most: number };

async function expireCrowded(queries: Queries, crowd: Crowd, unused: number, now: number): Promise<SweptArtifact[]> {
  const crowded = await crowdedRuns(queries, crowd.owner, crowd.most);
  const excess = (crowded.find(({ run }) => run === crowd.run)?.artifacts ?? 0) - crowd.most;
  if (excess <= 0) return [];
  const refs = await crowdedRefs(queries, crowd, unused, Math.min(excess, BATCH_ROWS));
  return expireAll(queries, crowd.owner, refs, "count", now);
}

/** Refs that share their bytes free them only with the last one, so the total is read after each. */
async function expireBytes(
  queries: Queries,
  owner: string,
  maxBytes: number,
  unused: number,
  now: number,
): Promise<SweptArtifact[]> {
  const swept: SweptArtifact[] = [];
  if ((await readTotals(queries, owner)).bytes <= maxBytes) return swept;
  for (const ref of await unusedSince(queries, owner, unused, BATCH_ROWS, 1)) {
    if ((await readTotals(queries, owner)).bytes <= maxBytes) break;
    swept.push(...(await expireAll(queries, owner, [ref], "bytes", now)));
  }
  return swept;
}

async function expireAll(
  queries: Queries,
  owner: string,
  refs: readonly string[],
  reason: ExpiryReason,
  now: number,
): Promise<SweptArtifact[]> {
  const swept: SweptArtifact[] = [];
  for (const ref of refs) {
    const row = await expireArtifact(queries, owner, ref, reason, now);
    if (row) swept.push({ ref, reason, sizeBytes: row.size_bytes });
  }
  return swept;
}

/** Removes one artifact and leaves its tombstone; undefined for an unknown ref. */
export async function expireArtifact(
  queries: Queries,
  owner: string,
  ref: string,
  reason: ExpiryReason,
  now: number,
): Promise<DeletedArtifact | undefined> {
  const row = await deleteArtifactRow(queries, owner, ref);
  if (row === undefined) return undefined;
  const { size_bytes } = row;
  // A file that was read in place has no object, but an extract that is deleted with one.
  if (row.stored_bytes === 0) await discardObject(queries, newBlobKey(row.sha256, "reference"));
  await keepTombstone(queries, { owner, ref, expired_at: now, reason, size_bytes, ...readSource(row.record) });
  return row;
}
