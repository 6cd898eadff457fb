/** Indexing jobs: one at a time per repository, tracked and cancelled by id. A job whose process died is marked. */

import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import type { JobRecord } from "../contract/indexing-job.ts";
import { SpillwayError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { isLocked, takeLock } from "../system/lock.ts";
import { clip } from "../system/safe-names.ts";
import { isDamaged } from "../system/sqlite.ts";
import type { FillReport } from "./embed/fill-vectors.ts";
import { fillVectors } from "./embed/lazy-embedding.ts";
import type { IndexLocation } from "./index/segments/segment-store.ts";
import type { IndexStore } from "./index/store/index-store.ts";
import { type UpdateReport, updateIndex } from "./index/update-index.ts";
import { indexedAt, isPublished, isReminderDue, markIndexed, type Published } from "./index-notes.ts";
import type { IndexLease } from "./jobs/index-lease.ts";
import type { JobLog } from "./jobs/job-log.ts";
import { failureOf, isOpen, LEASE_LOST, newRecord, outcomeOf, sizesOf, toInterrupted } from "./jobs/job-record.ts";
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
import { segmentsOf } from "./repository/repository-segments.ts";
import { isStorageFailure, toStorageError } from "./repository/storage-problem.ts";

/** A job of this process. */
export type RunningJob = {
  record(): JobRecord;
  /** Waits for the last record, or for the signal, and returns the latest record. Never rejects. */
  waitForEnd(signal?: AbortSignal): Promise<JobRecord>;
  cancel(): Promise<void>;
  /** Waits until the vectors of the index are filled in, where an embeddings service is named. Never rejects. */
  waitForVectors(): Promise<FillReport>;
};

const running = new Map<Repository, RunningJob>();

/** Whether this process is indexing the repository. */
export const isIndexing = (repository: Repository): boolean => running.has(repository);

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
  if (lock === null) return foreignJob(repository, session);
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
  let record = newRecord(repository, session.now());
  let isRecorded = mode !== "background";
  const change = (changes: Partial<JobRecord>) => {
    record = { ...record, ...changes };
  };
  const books = openBooks(repository, session, { job: () => record, change, stop, signal, isAwaited: isRecorded });
  let writtenAt = session.now();
  /** A look that finds no change and is over now leaves no record. */
  const isLastLook = (done: number, total: number) => mode === "background" && !isRecorded && done === total;
  const progress = (done: number, total: number) => {
    change({ status: "running", files_done: done, files_total: total, progress: total === 0 ? 1 : done / total });
    if (session.now() - writtenAt < RECORD_INTERVAL_MS || isLastLook(done, total)) return;
    writtenAt = session.now();
    isRecorded = true;
    void books.write().catch(() => undefined); // The last record is awaited.
  };

  async function update(target: Repository): Promise<UpdateReport> {
    const { settings, now } = session;
    const maxFileBytes = settings["search.file_bytes"];
    const options = { maxFileBytes, force: mode === "force", hidden: findOwnFolders(session), signal, now, progress };
    const location = { ...target, segments: segmentsOf(target, session) };
    const look = (changedFolders: ReadonlySet<string> | null) =>
      updateIndex(location, { ...options, ...books.lease, changedFolders });
    const report = mode === "background" ? await lookAgain(target, signal, look) : await look(null);
    const isDue = isRecorded || isPublicationDue(target, session);
    const published = isDue ? await books.publish(location) : null;
    markIndexed(target.store, now(), report.indexed + report.removed > 0, published);
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
      using reopened = await replaceIndex(repository, error, session);
      return await update(reopened.repository);
    }
  }

  async function work(): Promise<JobRecord> {
    using _lock = lock;
    using _hold = holdRepository(repository);
    try {
      await nextTurn(); // The caller gets the job before the work begins.
      if (isRecorded) await books.lease.beforeChange();
      if (isRecorded) await books.write();
      change(outcomeOf(await updateOrRebuild(), repository));
    } catch (error) {
      change(failureOf(error, signal));
    }
    change({ finished_at: new Date(session.now()).toISOString() });
    await books.close(isRecorded).catch((error: unknown) => change(failureOf(error, signal)));
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
  return {
    record: () => record,
    waitForEnd: () => done,
    cancel: async () => stop.abort(),
    waitForVectors: () => vectorFill,
  };
}

const lookedAt = new WeakSet<IndexStore>();

/** A folder that is looked at a second time is watched from then on: a process that searches once does not need that. */
async function lookAgain(
  location: Repository,
  signal: AbortSignal,
  look: (changedFolders: ReadonlySet<string> | null) => Promise<UpdateReport>,
): Promise<UpdateReport> {
  if (lookedAt.has(location.store)) return (await import("./watched-folders.ts")).lookWatched(location, signal, look);
  lookedAt.add(location.store);
  return look(null);
}

type BookedJob = {
  readonly job: () => JobRecord;
  readonly change: (changes: Partial<JobRecord>) => void;
  readonly stop: AbortController;
  readonly signal: AbortSignal;
  /** Whether somebody has asked for the job: else a process may end while the job waits for another one. */
  readonly isAwaited: boolean;
};

/** What the catalogue has of a job: its record, its lease, and the generation that it publishes. Loaded when needed. */
function openBooks(repository: Repository, session: Session, { job, change, stop, signal, isAwaited }: BookedJob) {
  let log: Promise<JobLog> | undefined;
  let lease: Promise<IndexLease> | undefined;
  let published: readonly string[] = [];
  let writing: Promise<void> = Promise.resolve();

  /** Once, before the first change: a look that finds no change asks for nothing and writes nothing. */
  async function takeLease(): Promise<void> {
    if (repository.lockPath === null) return; // Only this process uses an index in memory.
    lease ??= import("./jobs/index-lease.ts").then(({ takeIndexLease }) =>
      takeIndexLease(repository, session, {
        jobId: job().job_id,
        signal,
        isAwaited,
        onWait: (message) => change({ message }),
        onLost: () => stop.abort(LEASE_LOST),
      }),
    );
    published = (await lease).published;
  }

  /** Writes the record, and stops the job if another process has asked for that. */
  function write(): Promise<void> {
    log ??= openLog(logProject(repository), session);
    writing = writing
      .catch(() => undefined)
      .then(async () => {
        if (await (await log)?.write(job())) stop.abort();
      });
    return writing;
  }

  /** Publishes the index and releases the lease. Returns what the catalogue knows of it now. */
  async function publish(index: Repository & IndexLocation): Promise<Published | null> {
    if (index.lockPath === null) return null;
    await takeLease();
    const held = await lease;
    lease = undefined;
    return (await held?.publish(index)) ?? null;
  }

  async function close(isRecorded: boolean): Promise<void> {
    if (isRecorded) await write();
    await (await lease?.catch(() => undefined))?.release();
  }

  return { lease: { beforeChange: takeLease, published: () => published }, write, publish, close };
}

async function openLog(project: Project, { store }: Pick<Session, "store">): Promise<JobLog> {
  return (await import("./jobs/job-log.ts")).openJobLog(project, store);
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

/** Whether the catalogue does not know the index, or machines that share it do not know that it still uses its segments. */
function isPublicationDue({ store }: Repository, session: Session): boolean {
  if (!isPublished(store)) return true;
  return session.store.parts !== undefined && isReminderDue(store, session.now());
}

async function replaceIndex(repository: Repository, error: unknown, session: Session): Promise<RepositoryHold> {
  if (isDamaged(error)) {
    discardIndex(repository);
    return reopenRepository(repository);
  }
  if (!isStorageFailure(error) || repository.folder === null) throw error;
  if (indexedAt(repository.store) !== undefined) throw toStorageError(error, repository.folder);
  const hold = moveToMemory(repository, error);
  await segmentsOf(repository, session)?.keepOnly(new Set());
  return hold;
}

/** The job of another process, which holds the lock, as far as its record shows. */
async function foreignJob(repository: Repository, session: Session): Promise<RunningJob> {
  const log = await openLog(logProject(repository), session);
  const openRecord = await log.findOpen(repository.id);
  let record = openRecord ?? { ...newRecord(repository, session.now()), message: "Another process is indexing." };
  const refresh = async (): Promise<void> => {
    record = (await log.read(record.job_id)) ?? record;
  };
  const waitForRecord = async (signal?: AbortSignal): Promise<JobRecord> => {
    await waitUntilUnlocked(repository, refresh, signal);
    await refresh();
    // A background job is not recorded unless it takes long: it has ended once the lock is free.
    return signal?.aborted || openRecord !== undefined ? record : { ...record, status: "completed", progress: 1 };
  };
  return {
    record: () => record,
    waitForEnd: waitForRecord,
    cancel: () => log.requestCancel(record.job_id),
    waitForVectors: async () => emptyFill,
  };
}

const LOCK_CHECK_INTERVAL_MS = 100;
/** An hour. */
const MAX_LOCK_CHECKS = 36_000;
/** As often as records are written. */
const CHECKS_PER_REFRESH = RECORD_INTERVAL_MS / LOCK_CHECK_INTERVAL_MS;

async function waitUntilUnlocked(
  { lockPath }: Repository,
  refresh: () => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  for (let check = 1; check < MAX_LOCK_CHECKS && lockPath !== null && isLocked(lockPath); check++) {
    if (signal?.aborted) return;
    await wait(LOCK_CHECK_INTERVAL_MS);
    if (check % CHECKS_PER_REFRESH === 0) await refresh();
  }
}

const emptyFill: FillReport = { files: 0, problem: null };

/** The record of a job of this project, in whatever process it runs. A job whose process died is marked as interrupted. */
export async function readJob(project: Project, jobId: string, session: Session): Promise<JobRecord> {
  const own = running.values().find((job) => job.record().job_id === jobId && job.record().project_id === project.id);
  if (own !== undefined) return own.record();
  const log = await openLog(project, session);
  const record = JOB_ID.test(jobId) ? await log.read(jobId.toLowerCase()) : undefined;
  if (record === undefined) throw makeUnknownJobError(jobId, project);
  if (!isOpen(record) || (await isAtWork(record, project, session))) return record;
  const interrupted = toInterrupted(record);
  await log.write(interrupted);
  return interrupted;
}

/** Whether a job of this id is on record in the project. */
export async function hasJob(project: Project, jobId: string, session: Session): Promise<boolean> {
  if (!JOB_ID.test(jobId)) return false;
  return (await (await openLog(project, session)).read(jobId.toLowerCase())) !== undefined;
}

const JOB_ID = /^[0-9a-f-]{36}$/i;

/** Asks a job of this project to stop; a job that has ended stays as it is. */
export async function cancelJob(project: Project, jobId: string, session: Session): Promise<JobRecord> {
  const record = await readJob(project, jobId, session);
  if (!isOpen(record)) return record;
  const own = running.values().find((job) => job.record().job_id === jobId);
  if (own === undefined) await (await openLog(project, session)).requestCancel(record.job_id);
  else await own.cancel();
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

/** Whether a job that has not ended on record runs in some process. */
async function isAtWork(record: JobRecord, project: Project, session: Session): Promise<boolean> {
  const { isHolder } = await import("./jobs/index-lease.ts");
  const repository = { id: record.repository_id, project };
  return isHolder(record.job_id, repository, session, () => isRepositoryLocked(project, record));
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
