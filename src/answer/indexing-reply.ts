/** Words the answer of an indexing job: its summary, notices, and skipped files. */
import type { JobRecord, SkippedPath } from "../contract/indexing-job.ts";
import { PATH_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import { formatCount, formatNumber } from "./phrases.ts";
import { makeStorageNotice } from "./storage-notice.ts";

/** The job in one line, with its handle. */
export function formatJobSummary({ job_id, status, progress, repository_path }: JobRecord): string {
  const statusText =
    status === "running" || status === "pending" ? `${status} (${Math.round(progress * 100)} %)` : status;
  return `[Indexing of ${clip(repository_path, PATH_CHARS)}: ${statusText}. job_id=${job_id}]`;
}

/** What the reader should know, and what to do next. */
export function listJobNotices(record: JobRecord): string[] {
  return [...(record.project_problem === undefined ? [] : [record.project_problem]), ...listProgress(record)];
}

function listProgress(record: JobRecord): string[] {
  const { status, job_id, message, error, files_done, files_total, repository_id, project_id, storage_problem } =
    record;
  if (error !== null) return [error];
  const ids = `repository_id=${repository_id} project_id=${clip(project_id)}`;
  if (status !== "pending" && status !== "running")
    return [message, ...(storage_problem === null ? [] : [makeStorageNotice(storage_problem)]), ids];
  const counts =
    files_total === 0 ? message : `${formatNumber(files_done)} of ${formatCount(files_total, "file")} checked.`;
  return [
    counts,
    ids,
    `search_code answers with what is ready; index_repository action=status job_id=${job_id} reports the progress.`,
  ];
}

/** The files that were skipped, one per line. */
export function formatSkipped(skipped: readonly SkippedPath[], count: number): string {
  if (skipped.length === 0) return "";
  const lines = skipped.map(({ path, reason }) => `  ${clip(path, PATH_CHARS)}: ${reason}`);
  return [`Skipped ${formatCount(count, "file")}, including:`, ...lines].join("\n");
}
