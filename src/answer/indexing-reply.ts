/** What an indexing job answers: its record, and the same as a few lines to read. */
import { clipped } from "../system/safe-names.ts";
import { counted, grouped } from "./phrases.ts";

export type JobStatus = "pending" | "running" | "completed" | "partial" | "failed" | "interrupted";

/** A file that was passed over. */
export type SkippedPath = { readonly path: string; readonly reason: string };

/** A job as it is reported and kept. */
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
  readonly error: string | null;
  readonly started_at: string;
  readonly finished_at: string | null;
};

/** The job in one line, with its handle. */
export function jobSummary({ job_id, status, progress, repository_path }: JobRecord): string {
  const how = status === "running" || status === "pending" ? `${status} (${Math.round(progress * 100)} %)` : status;
  return `[Indexing of ${clipped(repository_path, 200)}: ${how}. job_id=${job_id}]`;
}

/** What a reader should know, and what to do next. */
export function jobNotices(record: JobRecord): string[] {
  const { status, job_id, message, error, files_done, files_total, repository_id, project_id } = record;
  if (error !== null) return [error];
  const ids = `repository_id=${repository_id} project_id=${clipped(project_id)}`;
  if (status !== "pending" && status !== "running") return [message, ids];
  const counts = files_total === 0 ? message : `${grouped(files_done)} of ${counted(files_total, "file")} looked at.`;
  return [counts, ids, `search_code answers with what is ready; get_indexing_status job_id=${job_id} follows.`];
}

/** Files that were passed over, a line each. */
export function skippedText(skipped: readonly SkippedPath[], count: number): string {
  if (skipped.length === 0) return "";
  const lines = skipped.map(({ path, reason }) => `  ${clipped(path, 200)}: ${reason}`);
  return [`Skipped ${counted(count, "file")}, of them:`, ...lines].join("\n");
}
