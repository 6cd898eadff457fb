/** The record of an indexing job: as it begins, and as it ends. */
import { randomUUID } from "node:crypto";
import { formatCount, formatNumber } from "../../answer/phrases.ts";
import type { JobRecord } from "../../contract/indexing-job.ts";
import { SpillwayError } from "../../errors.ts";
import { JOB_ERROR_CHARS, PATH_CHARS } from "../../system/clip-lengths.ts";
import { clip, escapePath } from "../../system/safe-names.ts";
import { describeReason } from "../index/folder/source-file.ts";
import type { UpdateReport } from "../index/update-index.ts";
import type { Repository } from "../repository/repository.ts";

/** Whether the job has not ended. */
export const isOpen = ({ status }: JobRecord): boolean => status === "pending" || status === "running";

/** The record of a job whose process died. */
export function toInterrupted(record: JobRecord): JobRecord {
  const message = "The process ended before indexing was done; index again to continue from there.";
  return { ...record, status: "interrupted", message };
}

/** The record of a job that has not begun. */
export function newRecord({ id, project, root }: Repository, now: number): JobRecord {
  return {
    job_id: randomUUID(),
    project_id: project.id,
    repository_id: id,
    repository_path: root,
    status: "pending",
    files_total: 0,
    files_done: 0,
    files_indexed: 0,
    files_removed: 0,
    files_skipped: 0,
    skipped: [],
    progress: 0,
    message: "Indexing has started.",
    storage_problem: null,
    error: null,
    started_at: new Date(now).toISOString(),
    finished_at: null,
  };
}

/** The message of a job that found nothing to index. */
export const NOTHING_INDEXED = "Nothing was indexed.";

/** What the record says after an update. */
export function outcomeOf(report: UpdateReport, { root }: Repository): Partial<JobRecord> {
  const facts = {
    files_indexed: report.indexed,
    files_removed: report.removed,
    files_skipped: report.skippedCount,
    skipped: report.skipped.map(({ path, reason }) => ({ path: escapePath(path), reason: describeReason(reason) })),
    progress: 1,
  };
  if (report.files === 0) {
    const error = `No files to index in ${clip(root, PATH_CHARS)}: ${describeEmptiness(report)}.`;
    return { ...facts, status: "failed", message: NOTHING_INDEXED, error };
  }
  return { ...facts, status: report.unreadable > 0 ? "partial" : "completed", message: messageOf(report) };
}

/** How many reasons a sentence names. */
const MAX_REASONS = 3;

function describeEmptiness({ skippedCount, skipped }: UpdateReport): string {
  if (skippedCount === 0) return "it is empty, or everything in it is ignored";
  const reasons = [...new Set(skipped.map(({ reason }) => describeReason(reason)))];
  const named = reasons.slice(0, MAX_REASONS).join("; ") + (reasons.length > MAX_REASONS ? "; ..." : "");
  return `${skippedCount === 1 ? "its only file was" : `all ${formatCount(skippedCount, "file")} were`} skipped (${named})`;
}

function messageOf({ files, indexed, removed, skippedCount, unreadable }: UpdateReport): string {
  if (indexed + removed + unreadable === 0) {
    return `Repository up to date - no file changes detected since last index (${formatCount(files, "file")} already indexed)`;
  }
  const removedNote = removed === 0 ? "" : `, ${formatCount(removed, "file")} removed`;
  const skippedNote = skippedCount === 0 ? "" : `, ${formatNumber(skippedCount)} skipped`;
  return `Indexed ${formatCount(indexed, "file")}${removedNote}${skippedNote} (${formatCount(files, "file")} in the index)`;
}

/** Why a job is stopped whose lease has ended, and the message of its record. */
export const LEASE_LOST = "Another process indexes this folder now; what was indexed before stays.";

/** What the record says after an error. */
export function failureOf(error: unknown, signal: AbortSignal): Partial<JobRecord> {
  if (signal.aborted) {
    const message = signal.reason === LEASE_LOST ? LEASE_LOST : "Cancelled; what was indexed before stays.";
    return { status: "partial", message, error: null };
  }
  const sentence =
    error instanceof SpillwayError ? error.advice : error instanceof Error ? error.message : String(error);
  return { status: "failed", message: "Indexing failed.", error: clip(sentence, JOB_ERROR_CHARS) };
}

/** What events say of a job. */
export function sizesOf({ status, files_indexed, files_removed, files_skipped, started_at, finished_at }: JobRecord) {
  const duration_ms = Date.parse(finished_at ?? started_at) - Date.parse(started_at);
  return { status, files_indexed, files_removed, files_skipped, duration_ms };
}
