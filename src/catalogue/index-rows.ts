/** Rows of code indexes: which job may change one, until when, and what was published last. */
import type { Queries } from "./sql.ts";

/** A repository in a project of an owner, as rows name it. */
export type RepositoryKey = { readonly owner: string; readonly project: string; readonly repository: string };

/** The right to index a repository. At most one job has it. */
export type LeaseRow = {
  readonly job: string;
  /** The data folder whose writer's lock the job holds. */
  readonly place: string;
  /** The process that runs the job, for people. */
  readonly holder: string;
  readonly expires_at: number;
};

/**
 * Takes the lease, in one statement: of two jobs that ask at once, one gets it. An expired lease is free. So is one of
 * the same place: who asks holds the writer's lock of that place, so the job that has the lease is dead.
 */
export async function takeLease(queries: Queries, key: RepositoryKey, lease: LeaseRow, now: number): Promise<boolean> {
  const taken = await queries.get(
    `INSERT INTO index_leases (owner, project, repository, job, place, holder, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (owner, project, repository) DO UPDATE SET
       job = excluded.job, place = excluded.place, holder = excluded.holder, expires_at = excluded.expires_at
     WHERE index_leases.expires_at <= ? OR index_leases.place = excluded.place
     RETURNING job`,
    key.owner,
    key.project,
    key.repository,
    lease.job,
    lease.place,
    lease.holder,
    lease.expires_at,
    now,
  );
  return taken !== undefined;
}

/** Extends the lease of a job; false if the job has lost it. */
export async function renewLease(
  queries: Queries,
  { owner, project, repository }: RepositoryKey,
  job: string,
  expiresAt: number,
): Promise<boolean> {
  const renewed = await queries.run(
    "UPDATE index_leases SET expires_at = ? WHERE owner = ? AND project = ? AND repository = ? AND job = ?",
    expiresAt,
    owner,
    project,
    repository,
    job,
  );
  return renewed > 0;
}

export async function findLease(
  queries: Queries,
  { owner, project, repository }: RepositoryKey,
): Promise<LeaseRow | undefined> {
  return queries.get(
    "SELECT job, place, holder, expires_at FROM index_leases WHERE owner = ? AND project = ? AND repository = ?",
    owner,
    project,
    repository,
  );
}

/** Ends the lease of a job; false if the job does not have it. */
export async function releaseLease(
  queries: Queries,
  { owner, project, repository }: RepositoryKey,
  job: string,
): Promise<boolean> {
  const released = await queries.run(
    "DELETE FROM index_leases WHERE owner = ? AND project = ? AND repository = ? AND job = ?",
    owner,
    project,
    repository,
    job,
  );
  return released > 0;
}

/** Ends whatever lease an index has and names its job. Only for who holds the lock that all its jobs need. */
export async function endLease(
  queries: Queries,
  { owner, project, repository }: RepositoryKey,
): Promise<string | undefined> {
  const ended = await queries.get<{ job: string }>(
    "DELETE FROM index_leases WHERE owner = ? AND project = ? AND repository = ? RETURNING job",
    owner,
    project,
    repository,
  );
  return ended?.job;
}

/** The published state of an index. */
export type GenerationRow = {
  readonly root: string;
  /** Incremented by every publication, whoever publishes. */
  readonly generation: number;
  readonly files: number;
  /** The names of its index segments, as JSON. */
  readonly segments: string;
  readonly published_at: number;
};

/**
 * Publishes the next generation of an index and returns its number. Renew or release the lease in the same transaction:
 * a job that has lost it must not publish.
 */
export async function publishGeneration(
  queries: Queries,
  { owner, project, repository }: RepositoryKey,
  { root, files, segments, published_at }: Omit<GenerationRow, "generation">,
): Promise<number> {
  const row = await queries.get<{ generation: number }>(
    `INSERT INTO index_generations (owner, project, repository, root, generation, files, segments, published_at)
     VALUES (?, ?, ?, ?, 1, ?, ?, ?)
     ON CONFLICT (owner, project, repository) DO UPDATE SET
       root = excluded.root, generation = index_generations.generation + 1, files = excluded.files,
       segments = excluded.segments, published_at = excluded.published_at
     RETURNING generation`,
    owner,
    project,
    repository,
    root,
    files,
    segments,
    published_at,
  );
  return row?.generation ?? 0;
}

export async function findGeneration(
  queries: Queries,
  { owner, project, repository }: RepositoryKey,
): Promise<GenerationRow | undefined> {
  return queries.get(
    `SELECT root, generation, files, segments, published_at FROM index_generations
     WHERE owner = ? AND project = ? AND repository = ?`,
    owner,
    project,
    repository,
  );
}

/** Deletes the generation of an index that was deleted. */
export async function deleteGeneration(queries: Queries, { owner, project, repository }: RepositoryKey): Promise<void> {
  await queries.run(
    "DELETE FROM index_generations WHERE owner = ? AND project = ? AND repository = ?",
    owner,
    project,
    repository,
  );
}
