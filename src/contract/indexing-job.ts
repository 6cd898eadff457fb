/** The fields of an indexing job. */

export type JobStatus = "pending" | "running" | "completed" | "partial" | "failed" | "interrupted";

/** A file that was not indexed, and why. */
export type SkippedPath = { readonly path: string; readonly reason: string };

/** A job as it is reported and stored. */
export type JobRecord = {
  readonly job_id: string;
  readonly project_id: string;
  readonly repository_id: string;
  readonly repository_path: string;
  readonly status: JobStatus;
  readonly files_total: number;
  readonly files_done: number;
  readonly files_indexed: number;
  readonly files_removed: number;
  readonly files_skipped: number;
  readonly skipped: readonly SkippedPath[];
  /** Between 0 and 1. */
  readonly progress: number;
  readonly message: string;
  /** Set in the first reply where the project that a project file names was not used, with the reason. */
  readonly project_problem?: string;
  /** Why the index is in memory only; null where it is stored. */
  readonly storage_problem: string | null;
  readonly error: string | null;
  readonly started_at: string;
  readonly finished_at: string | null;
};
