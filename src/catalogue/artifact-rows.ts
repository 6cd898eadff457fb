/** Rows of artifacts: one per ref, the runs that used it, and what each owner has in all. */
import { releaseBlob } from "./blob-rows.ts";
import type { Queries } from "./sql.ts";

export type ArtifactRow = {
  readonly owner: string;
  readonly ref: string;
  readonly sha256: string;
  readonly size_bytes: number;
  /** What counts in quotas: 0 for bytes that are not in the store. */
  readonly stored_bytes: number;
  readonly created_at: number;
  readonly used_at: number;
  /** The run that kept it first. */
  readonly run: string;
  /** The other facts, as JSON. */
  readonly record: string;
};

/** An artifact, where its bytes are, and when a run last used it. */
export type FoundArtifact = ArtifactRow & {
  readonly object_key: string | null;
  readonly run_used_at: number | null;
};

export async function findArtifactRow(
  queries: Queries,
  owner: string,
  ref: string,
  run: string,
): Promise<FoundArtifact | undefined> {
  return queries.get(
    `SELECT a.*, b.object_key, u.used_at AS run_used_at FROM artifacts a
     LEFT JOIN blobs b ON b.sha256 = a.sha256
     LEFT JOIN uses u ON u.owner = a.owner AND u.run = ? AND u.ref = a.ref
     WHERE a.owner = ? AND a.ref = ?`,
    run,
    owner,
    ref,
  );
}

/** When an artifact was kept first, and by which run. */
export type FirstKeep = Pick<ArtifactRow, "created_at" | "run">;

/**
 * Adds the artifact, or renews its facts and its last use; the time and run of the first keep stay. The statements need
 * no answer of each other, so that a database elsewhere gets them at once; they are executed in order.
 */
export async function keepArtifactRow(queries: Queries, row: ArtifactRow): Promise<FirstKeep> {
  const { owner, ref, sha256, size_bytes, stored_bytes, created_at, used_at, run, record } = row;
  const [, firstKeep] = await Promise.all([
    queries.run(
      `INSERT INTO owners (owner, artifacts, bytes)
       SELECT ?, 1, CASE WHEN EXISTS (SELECT 1 FROM artifacts WHERE sha256 = ? AND owner = ?) THEN 0 ELSE CAST(? AS BIGINT) END
       WHERE NOT EXISTS (SELECT 1 FROM artifacts WHERE owner = ? AND ref = ?)
       ON CONFLICT (owner) DO UPDATE SET artifacts = owners.artifacts + 1, bytes = owners.bytes + excluded.bytes`,
      owner,
      sha256,
      owner,
      stored_bytes,
      owner,
      ref,
    ),
    queries.get<FirstKeep>(
      `INSERT INTO artifacts (owner, ref, sha256, size_bytes, stored_bytes, created_at, used_at, run, record)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (owner, ref) DO UPDATE SET record = excluded.record,
         used_at = CASE WHEN artifacts.used_at > excluded.used_at THEN artifacts.used_at ELSE excluded.used_at END
       RETURNING created_at, run`,
      owner,
      ref,
      sha256,
      size_bytes,
      stored_bytes,
      created_at,
      used_at,
      run,
      record,
    ),
  ]);
  return firstKeep ?? { created_at, run };
}

/** Whether an owner has an artifact with these bytes. */
export async function ownsContent(queries: Queries, owner: string, sha256: string): Promise<boolean> {
  const row = await queries.get("SELECT 1 AS one FROM artifacts WHERE sha256 = ? AND owner = ? LIMIT 1", sha256, owner);
  return row !== undefined;
}

export type ArtifactUse = {
  readonly owner: string;
  readonly run: string;
  readonly ref: string;
  readonly usedAt: number;
};

/** Marks an artifact as used by a run; false if there is no such artifact. */
export async function markArtifactUsed(queries: Queries, use: ArtifactUse): Promise<boolean> {
  const { owner, ref, usedAt } = use;
  const [marked] = await Promise.all([
    queries.run(
      "UPDATE artifacts SET used_at = CASE WHEN used_at > ? THEN used_at ELSE ? END WHERE owner = ? AND ref = ?",
      usedAt,
      usedAt,
      owner,
      ref,
    ),
    keepUse(queries, use),
  ]);
  return marked > 0;
}

/** Notes the use of an artifact for its run alone, where its own row is written anyway. */
export async function keepUse(queries: Queries, { owner, run, ref, usedAt }: ArtifactUse): Promise<void> {
  await Promise.all([
    // First the count, which depends on whether the run has used it before.
    queries.run(
      `INSERT INTO runs (owner, run, artifacts) SELECT owner, ?, 1 FROM artifacts WHERE owner = ? AND ref = ?
         AND NOT EXISTS (SELECT 1 FROM uses WHERE owner = ? AND run = ? AND ref = ?)
       ON CONFLICT (owner, run) DO UPDATE SET artifacts = runs.artifacts + 1`,
      run,
      owner,
      ref,
      owner,
      run,
      ref,
    ),
    queries.run(
      `INSERT INTO uses (owner, run, ref, used_at) SELECT owner, ?, ref, ? FROM artifacts WHERE owner = ? AND ref = ?
       ON CONFLICT (owner, run, ref) DO UPDATE SET
         used_at = CASE WHEN uses.used_at > excluded.used_at THEN uses.used_at ELSE excluded.used_at END`,
      run,
      usedAt,
      owner,
      ref,
    ),
  ]);
}

export type DeletedArtifact = ArtifactRow & {
  /** The object that no artifact refers to any longer; null if one does. */
  readonly releasedObject: string | null;
};

/** Deletes an artifact and its uses; its bytes become garbage if no artifact of any owner refers to them. */
export async function deleteArtifactRow(
  queries: Queries,
  owner: string,
  ref: string,
): Promise<DeletedArtifact | undefined> {
  const row = await queries.get<ArtifactRow>(
    "DELETE FROM artifacts WHERE owner = ? AND ref = ? RETURNING *",
    owner,
    ref,
  );
  if (row === undefined) return undefined;
  const runs = await queries.all<{ run: string }>(
    "DELETE FROM uses WHERE owner = ? AND ref = ? RETURNING run",
    owner,
    ref,
  );
  for (const { run } of runs) await countOneLess(queries, owner, run);
  const freed = (await ownsContent(queries, owner, row.sha256)) ? 0 : row.stored_bytes;
  await queries.run("UPDATE owners SET artifacts = artifacts - 1, bytes = bytes - ? WHERE owner = ?", freed, owner);
  return { ...row, releasedObject: await releaseBlob(queries, row.sha256) };
}

async function countOneLess(queries: Queries, owner: string, run: string): Promise<void> {
  await queries.run("UPDATE runs SET artifacts = artifacts - 1 WHERE owner = ? AND run = ?", owner, run);
  await queries.run("DELETE FROM runs WHERE owner = ? AND run = ? AND artifacts <= 0", owner, run);
}

/** Where a page of a listing begins: after this artifact. */
export type PagePosition = { readonly created_at: number; readonly ref: string };

export type ListedRow = ArtifactRow & {
  /** Absent from a listing that does not ask where the bytes are: finding them takes three times as long as the rest. */
  readonly object_key?: string | null;
};

export type ListingPage = {
  readonly limit: number;
  /** Whether to find where the bytes are. */
  readonly withObjects: boolean;
};

/** One page of an owner's artifacts, the newest first. Rows do not move between pages while others use them. */
export async function pageOfArtifacts(
  queries: Queries,
  owner: string,
  page: ListingPage,
  after?: PagePosition,
): Promise<ListedRow[]> {
  const { created_at, ref } = after ?? { created_at: Number.MAX_SAFE_INTEGER, ref: "" };
  const { columns, join } = selection(page);
  return queries.all(
    `SELECT ${columns} FROM artifacts a ${join}
     WHERE a.owner = ? AND (a.created_at, a.ref) < (?, ?) ORDER BY a.created_at DESC, a.ref DESC LIMIT ?`,
    owner,
    created_at,
    ref,
    page.limit,
  );
}

function selection({ withObjects }: ListingPage) {
  return withObjects
    ? { columns: "a.*, b.object_key", join: "LEFT JOIN blobs b ON b.sha256 = a.sha256" }
    : { columns: "a.*", join: "" };
}

/** One page of the artifacts that a run used, in the order of their refs. */
export async function pageOfRun(
  queries: Queries,
  owner: string,
  run: string,
  page: ListingPage,
  afterRef = "",
): Promise<ListedRow[]> {
  const { columns, join } = selection(page);
  return queries.all(
    `SELECT ${columns} FROM uses u JOIN artifacts a ON a.owner = u.owner AND a.ref = u.ref ${join}
     WHERE u.owner = ? AND u.run = ? AND u.ref > ? ORDER BY u.ref LIMIT ?`,
    owner,
    run,
    afterRef,
    page.limit,
  );
}

/** Where a page of the artifacts used last begins: after this one. */
export type UsePosition = { readonly used_at: number; readonly ref: string };

/** One page of the artifacts used last, the latest first. */
export async function pageOfRecent(
  queries: Queries,
  owner: string,
  limit: number,
  after?: UsePosition,
): Promise<ListedRow[]> {
  const { used_at, ref } = after ?? { used_at: Number.MAX_SAFE_INTEGER, ref: "" };
  return queries.all(
    "SELECT * FROM artifacts WHERE owner = ? AND (used_at, ref) < (?, ?) ORDER BY used_at DESC, ref DESC LIMIT ?",
    owner,
    used_at,
    ref,
    limit,
  );
}

/** What an owner has: artifacts, and bytes counted once per content. */
export type OwnerTotals = { readonly artifacts: number; readonly bytes: number };

export async function readTotals(queries: Queries, owner: string): Promise<OwnerTotals> {
  const row = await queries.get<OwnerTotals>("SELECT artifacts, bytes FROM owners WHERE owner = ?", owner);
  return row ?? { artifacts: 0, bytes: 0 };
}

/** The number of artifacts that a run used. */
export async function countOfRun(queries: Queries, owner: string, run: string): Promise<number> {
  const row = await queries.get<OwnerTotals>("SELECT artifacts FROM runs WHERE owner = ? AND run = ?", owner, run);
  return row?.artifacts ?? 0;
}

/** When any process last swept what the owner has; null if none ever did. */
export async function findLastSweep(queries: Queries, owner: string): Promise<number | null> {
  const row = await queries.get<{ swept_at: number | null }>("SELECT swept_at FROM owners WHERE owner = ?", owner);
  return row?.swept_at ?? null;
}

/** Claims the owner's next sweep: false while the last one, of any process, is newer than this. */
export async function claimSweep(queries: Queries, owner: string, dueBefore: number, now: number) {
  const last = await findLastSweep(queries, owner);
  if (last !== null && last > dueBefore) return { isDue: false, isFirst: false };
  await queries.run(
    `INSERT INTO owners (owner, artifacts, bytes, swept_at) VALUES (?, 0, 0, ?)
     ON CONFLICT (owner) DO UPDATE SET swept_at = excluded.swept_at`,
    owner,
    now,
  );
  return { isDue: true, isFirst: last === null };
}
