/** Rows of indexing jobs: what each project's last jobs did or are doing. */
import type { RepositoryKey } from "./index-rows.ts";
import type { Queries } from "./sql.ts";

/** A project of an owner, as rows name it. */
export type ProjectKey = Pick<RepositoryKey, "owner" | "project">;

export type JobRow = {
  readonly job: string;
  readonly repository: string;
  /** 1 until the job has ended. */
  readonly is_open: number;
  readonly started_at: number;
  /** The job as it is reported, as JSON. */
  readonly record: string;
};

/** Adds or renews the row of a job, and says whether the job was asked to stop. */
export async function keepJobRow(queries: Queries, { owner, project }: ProjectKey, row: JobRow): Promise<boolean> {
  const { job, repository, is_open, started_at, record } = row;
  const kept = await queries.get<{ is_cancelled: number }>(
    `INSERT INTO jobs (owner, project, job, repository, is_open, is_cancelled, started_at, record)
     VALUES (?, ?, ?, ?, ?, 0, ?, ?)
     ON CONFLICT (owner, project, job) DO UPDATE SET is_open = excluded.is_open, record = excluded.record
     RETURNING is_cancelled`,
    owner,
    project,
    job,
    repository,
    is_open,
    started_at,
    record,
  );
  return kept?.is_cancelled === 1;
}

export async function findJobRow(
  queries: Queries,
  { owner, project }: ProjectKey,
  job: string,
): Promise<JobRow | undefined> {
  return queries.get(
    "SELECT job, repository, is_open, started_at, record FROM jobs WHERE owner = ? AND project = ? AND job = ?",
    owner,
    project,
    job,
  );
}

/** The jobs of a repository that have not ended, the latest first. */
export async function openJobRows(
  queries: Queries,
  { owner, project, repository }: RepositoryKey,
): Promise<readonly JobRow[]> {
  return queries.all(
    `SELECT job, repository, is_open, started_at, record FROM jobs
     WHERE owner = ? AND project = ? AND repository = ? AND is_open = 1 ORDER BY started_at DESC, job DESC`,
    owner,
    project,
    repository,
  );
}

/** The latest jobs of an owner, in all projects. */
export async function recentJobRows(queries: Queries, owner: string, limit: number): Promise<readonly JobRow[]> {
  return queries.all(
    `SELECT job, repository, is_open, started_at, record FROM jobs WHERE owner = ?
     ORDER BY started_at DESC, job DESC LIMIT ?`,
    owner,
    limit,
  );
}

/** Asks a job to stop, in whatever process it runs. */
export async function cancelJobRow(queries: Queries, { owner, project }: ProjectKey, job: string): Promise<void> {
  await queries.run(
    "UPDATE jobs SET is_cancelled = 1 WHERE owner = ? AND project = ? AND job = ? AND is_open = 1",
    owner,
    project,
    job,
  );
}

/** Deletes all jobs of a project but the latest ones. */
export async function deleteOldJobRows(queries: Queries, { owner, project }: ProjectKey, kept: number): Promise<void> {
  await queries.run(
    `DELETE FROM jobs WHERE owner = ? AND project = ? AND job NOT IN (
       SELECT job FROM jobs WHERE owner = ? AND project = ? ORDER BY started_at DESC, job DESC LIMIT ?)`,
    owner,
    project,
    owner,
    project,
    kept,
  );
}
