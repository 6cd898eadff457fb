/** Indexing jobs: one at a time per repository, tracked and cancelled by id. A job whose process died is marked. */

import { randomUUID } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { formatCount, formatNumber } from "../answer/phrases.ts";
import type { JobRecord } from "../contract/indexing-job.ts";
import { SpillwayError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { JOB_ERROR_CHARS, PATH_CHARS } from "../system/clip-lengths.ts";
import { isLocked, takeLock } from "../system/lock.ts";
import { clip, escapePath } from "../system/safe-names.ts";
import { isDamaged } from "../system/sqlite.ts";
import type { FillReport } from "./embed/fill-vectors.ts";
import { fillVectors } from "./embed/lazy-embedding.ts";
import { type UpdateReport, updateIndex } from "./index/update-index.ts";
import { indexedAt, markIndexed } from "./index-age.ts";
import { isOpen, markInterrupted, openJobLog } from "./job-log.ts";
import type { Project } from "./repository/project.ts";
import {
  discardIndex,
  holdRepository,
  moveToMemory,
  type Repository,
  type RepositoryHold,
  reopenRepository,
} from "./repository/repository.ts";
import { lockFile } from "./repository/repository-facts.ts";
import { isStorageFailure, toStorageError } from "./repository/storage-problem.ts";

/** A job of this process. */
export type RunningJob = {
  record(): JobRecord;
  /** Waits for the last record, or for the signal, and returns the latest record. Never rejects. */
  waitForEnd(signal?: AbortSignal): Promise<JobRecord>;
  cancel(): void;
  /** Waits until the vectors of the index are filled in, where an embeddings service is named. Never rejects. */
  waitForVectors(): Promise<FillReport>;
};

const running = new Map<Repository, RunningJob>();

/**
 * Why a job runs: on request for changed files (`changes`) or for all (`force`), or because a search looks for changes
 * (`background`). A background job is recorded only if it takes long.
 */
type JobMode = "changes" | "force" | "background";

/** Starts to index a repository; returns the current job if it is being indexed already. */
export async function startIndexing(repository: Repository, session: Session, mode: JobMode): Promise<RunningJob> {
  const current = running.get(repository);
  if (current !== undefined) return current;
  const lock = takeWriterLock(repository);
  if (lock === null) return foreignJob(repository);
  const job = runJob(repository, session, lock, mode);
  running.set(repository, job);
  void job.waitForEnd().finally(() => running.delete(repository));
  return job;
}

/** Null while another process holds the lock. Where no lock can be written, the job will fail and say why. */
function takeWriterLock({ lockPath }: Repository): Disposable | null {
  const noLock = { [Symbol.dispose]: () => undefined };
  try {
    return lockPath === null ? noLock : takeLock(lockPath);
  } catch (error) {
    if (!isStorageFailure(error)) throw error;
    return noLock;
  }
}

/** Between two records that are written for other processes. */
const RECORD_INTERVAL_MS = 500;

function runJob(repository: Repository, session: Session, lock: Disposable, mode: JobMode): RunningJob {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, session.lifetime]);
  const log = openJobLog(logProject(repository));
  let record = newRecord(repository, session.now());
  let writtenAt = session.now();
  let isRecorded = mode !== "background";
  const change = (changes: Partial<JobRecord>) => {
    record = { ...record, ...changes };
  };
  /** A look that finds no change and is over now leaves no record. */
  const isLastLook = (done: number, total: number) => mode === "background" && !isRecorded && done === total;
  const progress = (done: number, total: number) => {
    change({ status: "running", files_done: done, files_total: total, progress: total === 0 ? 1 : done / total });
    if (session.now() - writtenAt < RECORD_INTERVAL_MS || isLastLook(done, total)) return;
    writtenAt = session.now();
    isRecorded = true;
    if (log.isCancelRequested(record.job_id)) stop.abort();
    log.write(record);
  };

  async function update(target: Repository): Promise<UpdateReport> {
    const { settings, now } = session;
    const maxFileBytes = settings["search.file_bytes"];
    const hidden = findOwnFolders(session);
    const report = await updateIndex(target, { maxFileBytes, force: mode === "force", hidden, signal, now, progress });
    markIndexed(target.store, now(), report.indexed + report.removed > 0);
    change({ storage_problem: target.storageProblem });
    return report;
  }

  /**
   * A damaged index is deleted and built again: its folder has everything that was in it. A first index that does not
   * fit on the disk is built in memory. An older one that cannot be written stays, and answers as it is.
   */
  async function updateOrRebuild(): Promise<UpdateReport> {
    try {
      return await update(repository);
    } catch (error) {
      using reopened = await replaceIndex(repository, error);
      return await update(reopened.repository);
    }
  }

  async function work(): Promise<JobRecord> {
    using _lock = lock;
    using _hold = holdRepository(repository);
    try {
      await nextTurn(); // The caller gets the job before the work begins.
      await log.open(repository.id);
      if (isRecorded) log.write(record);
      change(outcomeOf(await updateOrRebuild(), repository));
    } catch (error) {
      change(failureOf(error, signal));
    }
    change({ finished_at: new Date(session.now()).toISOString() });
    if (isRecorded) log.write(record);
    const isEventful = record.status !== "completed" || record.files_indexed + record.files_removed > 0;
    if (isRecorded || isEventful) session.emit({ event: "index.completed", ...sizesOf(record) });
    return record;
  }
  const done = work();
  /** Runs beside searches and later jobs: the index is complete without vectors. */
  async function embed(): Promise<FillReport> {
    const { status } = await done;
    using _hold = holdRepository(repository);
    return status === "failed" || stop.signal.aborted ? emptyFill : await fillVectors(repository, session);
  }
  const vectorFill = embed();
  return { record: () => record, waitForEnd: () => done, cancel: () => stop.abort(), waitForVectors: () => vectorFill };
}

/** The project whose job log is used: the jobs of an index in memory are in memory too. */
function logProject({ lockPath, project }: Repository): Project {
  return lockPath === null ? { ...project, folder: null } : project;
}

/** The folders of our own data, which may be inside the folder that is indexed and are not source. */
export function findOwnFolders({ searchFolder }: Session): ReadonlySet<string> {
  if (searchFolder === null) return new Set();
  const own = resolve(searchFolder, "..", "..");
  return new Set([own, existsSync(own) ? realpathSync(own) : own]);
}

async function replaceIndex(repository: Repository, error: unknown): Promise<RepositoryHold> {
  if (isDamaged(error)) {
    discardIndex(repository);
    return reopenRepository(repository);
  }
  if (!isStorageFailure(error) || repository.segmentFolder === null) throw error;
  if (indexedAt(repository.store) === undefined) return moveToMemory(repository, error);
  throw toStorageError(error, repository.segmentFolder);
}

function sizesOf({ status, files_indexed, files_removed, files_skipped, started_at, finished_at }: JobRecord) {
  const duration_ms = Date.parse(finished_at ?? started_at) - Date.parse(started_at);
  return { status, files_indexed, files_removed, files_skipped, duration_ms };
}

function newRecord({ id, project, root }: Repository, now: number): JobRecord {
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

function outcomeOf(report: UpdateReport, { root }: Repository): Partial<JobRecord> {
  const facts = {
    files_indexed: report.indexed,
    files_removed: report.removed,
    files_skipped: report.skippedCount,
    skipped: report.skipped.map(({ path, reason }) => ({ path: escapePath(path), reason })),
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
  const reasons = [...new Set(skipped.map(({ reason }) => reason))];
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

function failureOf(error: unknown, signal: AbortSignal): Partial<JobRecord> {
  if (signal.aborted) {
    return { status: "partial", message: "Cancelled; what was indexed before stays.", error: null };
  }
  const sentence =
    error instanceof SpillwayError ? error.advice : error instanceof Error ? error.message : String(error);
  return { status: "failed", message: "Indexing failed.", error: clip(sentence, JOB_ERROR_CHARS) };
}

/** The job of another process, which holds the lock, as far as its record shows. */
function foreignJob(repository: Repository): RunningJob {
  const log = openJobLog(logProject(repository));
  const openRecord = log.all().findLast((each) => each.repository_id === repository.id && isOpen(each));
  const record = openRecord ?? { ...newRecord(repository, Date.now()), message: "Another process is indexing." };
  const latest = () => log.read(record.job_id) ?? record;
  const waitForRecord = async (signal?: AbortSignal): Promise<JobRecord> => {
    await waitUntilUnlocked(repository, signal);
    // A background job is not recorded unless it takes long: it has ended once the lock is free.
    return signal?.aborted || openRecord !== undefined ? latest() : { ...record, status: "completed", progress: 1 };
  };
  const cancel = () => log.requestCancel(record.job_id);
  return { record: latest, waitForEnd: waitForRecord, cancel, waitForVectors: async () => emptyFill };
}

const LOCK_CHECK_INTERVAL_MS = 100;
/** An hour. */
const MAX_LOCK_CHECKS = 36_000;

async function waitUntilUnlocked({ lockPath }: Repository, signal?: AbortSignal): Promise<void> {
  for (let check = 0; check < MAX_LOCK_CHECKS && lockPath !== null && isLocked(lockPath); check++) {
    if (signal?.aborted) return;
    await wait(LOCK_CHECK_INTERVAL_MS);
  }
}

const emptyFill: FillReport = { files: 0, problem: null };

/** The record of a job of this project, in whatever process it runs. A job whose process died is marked as interrupted. */
export function readJob(project: Project, jobId: string): JobRecord {
  const own = running.values().find((job) => job.record().job_id === jobId && job.record().project_id === project.id);
  if (own !== undefined) return own.record();
  const log = openJobLog(project);
  const record = JOB_ID.test(jobId) ? log.read(jobId.toLowerCase()) : undefined;
  if (record === undefined) throw makeUnknownJobError(jobId, project);
  return isOpen(record) && !isRepositoryLocked(project, record) ? markInterrupted(record, log) : record;
}

/** Whether a job of this id is on record in the project. */
export function hasJob(project: Project, jobId: string): boolean {
  return JOB_ID.test(jobId) && openJobLog(project).read(jobId.toLowerCase()) !== undefined;
}

const JOB_ID = /^[0-9a-f-]{36}$/i;

/** Asks a job of this project to stop; a job that has ended stays as it is. */
export function cancelJob(project: Project, jobId: string): JobRecord {
  const record = readJob(project, jobId);
  if (!isOpen(record)) return record;
  const own = running.values().find((job) => job.record().job_id === jobId);
  if (own === undefined) openJobLog(project).requestCancel(record.job_id);
  else own.cancel();
  return record;
}

/** The error for a job that the project does not have. */
export function makeUnknownJobError(jobId: string, project: Project, holder?: Project): SpillwayError {
  return new SpillwayError("job_not_found", `No job ${clip(jobId)} in project ${JSON.stringify(project.id)}.`, {
    hint:
      holder === undefined
        ? "Give the job_id of an indexing reply unchanged, and its project_id."
        : `It is a job of another project: send project_id=${holder.id}.`,
  });
}

function isRepositoryLocked({ folder }: Project, { repository_id }: JobRecord): boolean {
  if (folder === null) return false;
  const lock = join(folder, repository_id, lockFile);
  try {
    return existsSync(lock) && isLocked(lock);
  } catch (error) {
    if (!isStorageFailure(error)) throw error;
    return true; // It cannot be tried; what the record says is the best that is known.
  }
}
