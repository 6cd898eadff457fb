/** Indexing as a job: started at once, one per repository, followed and cancelled by its id, never left as a ghost. */
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { counted, grouped } from "../answer/phrases.ts";
import type { JobRecord } from "../contract/indexing-job.ts";
import { SpillwayError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { JOB_ERROR_CHARS, PATH_CHARS } from "../system/clip-lengths.ts";
import { makeFolders } from "../system/folders.ts";
import { isLocked, takeLock } from "../system/lock.ts";
import { clip, visiblePath } from "../system/safe-names.ts";
import { isDamaged } from "../system/sqlite.ts";
import { type Filled, fillVectors } from "./embed/fill.ts";
import { type UpdateReport, updateIndex } from "./index/update.ts";
import type { Project } from "./project.ts";
import { discardIndex, holdRepository, lockFile, type Repository, reopenRepository } from "./repository.ts";

/** A job of this process. */
export type RunningJob = {
  record(): JobRecord;
  /** Waits for the last record, or for the signal and then gives the latest; never rejects. */
  ended(signal?: AbortSignal): Promise<JobRecord>;
  cancel(): void;
  /** Where an embeddings service is named: waits until the vectors are made that this run could make. */
  embedded(): Promise<Filled>;
};

const running = new Map<Repository, RunningJob>();

/** The job of a repository that this process runs, if any. */
export function runningJob(repository: Repository): RunningJob | undefined {
  return running.get(repository);
}

/**
 * Whether somebody asked for the job, for changed files or for all of them, or a search only looks for changes: then it
 * is kept on record if it takes long.
 */
export type Asked = "asked" | "anew" | "by the way";

/** Starts indexing a repository; where it is being indexed already, that job is given instead. */
export async function startIndexing(repository: Repository, session: Session, asked: Asked): Promise<RunningJob> {
  const known = runningJob(repository);
  if (known !== undefined) return known;
  const lock = repository.lockPath === null ? { [Symbol.dispose]: () => undefined } : takeLock(repository.lockPath);
  if (lock === null) return foreignJob(repository);
  const job = runJob(repository, session, lock, asked);
  running.set(repository, job);
  void job.ended().finally(() => running.delete(repository));
  return job;
}

/** Times between two records written for other processes to see. */
const recordEveryMs = 500;

function runJob(repository: Repository, session: Session, lock: Disposable, asked: Asked): RunningJob {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, session.lifetime]);
  const log = tolerant(jobLog(logPlace(repository)));
  let record = newRecord(repository, session.now());
  let writtenAt = session.now();
  let recorded = asked !== "by the way";
  const note = (changes: Partial<JobRecord>) => {
    record = { ...record, ...changes };
  };
  const progress = (done: number, total: number) => {
    note({ status: "running", files_done: done, files_total: total, progress: total === 0 ? 1 : done / total });
    if (session.now() - writtenAt < recordEveryMs) return;
    writtenAt = session.now();
    recorded = true;
    if (log.cancelAsked(record.job_id)) stop.abort();
    log.write(record);
  };

  async function update(place: Repository): Promise<UpdateReport> {
    const { settings, now } = session;
    const maxFileBytes = settings["search.file_bytes"];
    const hidden = ownFolders(session);
    const report = await updateIndex(place, { maxFileBytes, anew: asked === "anew", hidden, signal, now, progress });
    place.store.write({ facts: { indexed_at: new Date(now()).toISOString() } });
    return report;
  }

  /** An index that turns out to be damaged is made anew: its folder has everything that was in it. */
  async function updateSound(): Promise<UpdateReport> {
    try {
      return await update(repository);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      discardIndex(repository);
      using anew = await reopenRepository(repository);
      return await update(anew.repository);
    }
  }

  async function work(): Promise<JobRecord> {
    using _lock = lock;
    using _hold = holdRepository(repository);
    try {
      await log.open(repository.id);
      if (recorded) log.write(record);
      note(outcomeOf(await updateSound(), repository));
    } catch (error) {
      note(failureOf(error, signal));
    }
    note({ finished_at: new Date(session.now()).toISOString() });
    if (recorded) log.write(record);
    const changed = record.status !== "completed" || record.files_indexed + record.files_removed > 0;
    if (recorded || changed) session.emit({ event: "index.completed", ...sizesOf(record) });
    return record;
  }
  const done = work();
  /** It goes on beside searches and later jobs: the index is complete without it. */
  async function embed(): Promise<Filled> {
    const { status } = await done;
    using _hold = holdRepository(repository);
    return status === "failed" || stop.signal.aborted ? nothingFilled : await fillVectors(repository, session);
  }
  const embedded = embed();
  return { record: () => record, ended: () => done, cancel: () => stop.abort(), embedded: () => embedded };
}

/** Where an index is in memory, so are its jobs. */
function logPlace({ lockPath, project }: Repository): Project {
  return lockPath === null ? { ...project, folder: null } : project;
}

/** Our own data may lie inside the folder that is indexed: it is nobody's source. */
export function ownFolders({ searchFolder }: Session): ReadonlySet<string> {
  if (searchFolder === null) return new Set();
  const own = resolve(searchFolder, "..", "..");
  return new Set([own, existsSync(own) ? realpathSync(own) : own]);
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
    error: null,
    started_at: new Date(now).toISOString(),
    finished_at: null,
  };
}

function outcomeOf(report: UpdateReport, { root }: Repository): Partial<JobRecord> {
  const facts = {
    files_indexed: report.indexed,
    files_removed: report.removed,
    files_skipped: report.skippedCount,
    skipped: report.skipped.map(({ path, reason }) => ({ path: visiblePath(path), reason })),
    progress: 1,
  };
  if (report.files === 0) {
    const why =
      report.unreadable > 0 ? "what is in it cannot be read" : "it is empty, or everything in it is ignored or no text";
    const error = `No files to index in ${clip(root, PATH_CHARS)}: ${why}.`;
    return { ...facts, status: "failed", message: "Nothing was indexed.", error };
  }
  return { ...facts, status: report.unreadable > 0 ? "partial" : "completed", message: messageOf(report) };
}

function messageOf({ files, indexed, removed, skippedCount, unreadable }: UpdateReport): string {
  if (indexed + removed + unreadable === 0) {
    return `Repository up to date - no file changes detected since last index (${files} files already indexed)`;
  }
  const gone = removed === 0 ? "" : `, ${counted(removed, "file")} removed`;
  const skipped = skippedCount === 0 ? "" : `, ${grouped(skippedCount)} skipped`;
  return `Indexed ${counted(indexed, "file")}${gone}${skipped} (${counted(files, "file")} in the index)`;
}

function failureOf(error: unknown, signal: AbortSignal): Partial<JobRecord> {
  if (signal.aborted) {
    return { status: "partial", message: "Cancelled; what was indexed before stays.", error: null };
  }
  const sentence = error instanceof Error ? error.message : String(error);
  return { status: "failed", message: "Indexing failed.", error: clip(sentence, JOB_ERROR_CHARS) };
}

/** Somebody else holds the lock: their job, as far as it is known. */
function foreignJob(repository: Repository): RunningJob {
  const log = jobLog(logPlace(repository));
  const theirs = log.all().findLast((each) => each.repository_id === repository.id && isOpen(each));
  const record = theirs ?? { ...newRecord(repository, Date.now()), message: "Another process is indexing." };
  const latest = () => log.read(record.job_id) ?? record;
  const ended = async (signal?: AbortSignal): Promise<JobRecord> => {
    await untilFree(repository, signal);
    // Who looks for changes by the way keeps no record unless it takes long, and is done when the lock is free.
    return signal?.aborted || theirs !== undefined ? latest() : { ...record, status: "completed", progress: 1 };
  };
  const cancel = () => log.askCancel(record.job_id);
  return { record: latest, ended, cancel, embedded: async () => nothingFilled };
}

const lookEveryMs = 100;
/** An hour: nobody waits longer for somebody else. */
const mostLooks = 36_000;

async function untilFree({ lockPath }: Repository, signal?: AbortSignal): Promise<void> {
  for (let look = 0; look < mostLooks && lockPath !== null && isLocked(lockPath); look++) {
    if (signal?.aborted) return;
    await wait(lookEveryMs);
  }
}

const nothingFilled: Filled = { files: 0, problem: null };

const isOpen = ({ status }: JobRecord): boolean => status === "pending" || status === "running";

/** The state of a job of this project, wherever it runs. One whose process is gone is marked as interrupted. */
export function indexingStatus(project: Project, jobId: string): JobRecord {
  const own = running.values().find((job) => job.record().job_id === jobId && job.record().project_id === project.id);
  if (own !== undefined) return own.record();
  const log = jobLog(project);
  const record = /^[0-9a-f-]{36}$/i.test(jobId) ? log.read(jobId.toLowerCase()) : undefined;
  if (record === undefined) throw noJob(jobId, project);
  return isOpen(record) && !isHeld(project, record) ? log.interrupt(record) : record;
}

/** Asks a job of this project to stop; one that has ended stays as it is. */
export function cancelIndexing(project: Project, jobId: string): JobRecord {
  const record = indexingStatus(project, jobId);
  if (!isOpen(record)) return record;
  const own = running.values().find((job) => job.record().job_id === jobId);
  if (own === undefined) jobLog(project).askCancel(record.job_id);
  else own.cancel();
  return record;
}

function noJob(jobId: string, project: Project): SpillwayError {
  return new SpillwayError("job_not_found", `No job ${clip(jobId)} in project ${JSON.stringify(project.id)}.`, {
    hint: "Give the job_id of an indexing reply as it was, and its project_id.",
  });
}

function isHeld({ folder }: Project, { repository_id }: JobRecord): boolean {
  if (folder === null) return false;
  const lock = join(folder, repository_id, lockFile);
  return existsSync(lock) && isLocked(lock);
}

/** How many ended jobs a project remembers. */
const mostJobs = 100;

type JobLog = {
  /** Makes room, and marks what a killed process left of this repository; who calls holds its lock. */
  open(repositoryId: string): Promise<void>;
  write(record: JobRecord): void;
  read(jobId: string): JobRecord | undefined;
  all(): JobRecord[];
  interrupt(record: JobRecord): JobRecord;
  askCancel(jobId: string): void;
  cancelAsked(jobId: string): boolean;
};

/** The records of a project's jobs: one small file each, or in memory where nothing is kept on disk. */
function jobLog({ id, folder, scope }: Project): JobLog {
  return folder === null ? memoryLog(id, scope) : fileLog(join(folder, "jobs"));
}

/** For who indexes: where no record can be written, the index is worth more than the record. */
function tolerant(log: JobLog): Pick<JobLog, "open" | "write" | "cancelAsked"> {
  return {
    cancelAsked: log.cancelAsked,
    open: (repositoryId) => log.open(repositoryId).catch(() => undefined),
    write(record) {
      try {
        log.write(record);
      } catch {
        // A full disk, or no folder: whoever asks for this job by its id is told that there is none.
      }
    },
  };
}

const inMemory = new WeakMap<object, Map<string, JobRecord>>();

/** Only this process runs such jobs, so nobody else can ask it to cancel one, and none outlives it. */
function memoryLog(projectId: string, scope: object): JobLog {
  const records = inMemory.get(scope) ?? new Map<string, JobRecord>();
  inMemory.set(scope, records);
  return {
    async open() {
      for (const jobId of [...records.keys()].slice(0, -mostJobs)) records.delete(jobId);
    },
    write: (record) => void records.set(record.job_id, record),
    read(jobId) {
      const record = records.get(jobId);
      return record?.project_id === projectId ? record : undefined;
    },
    all: () => [...records.values()].filter(({ project_id }) => project_id === projectId),
    interrupt: (record) => record,
    askCancel: () => undefined,
    cancelAsked: () => false,
  };
}

function fileLog(place: string): JobLog {
  const pathOf = (jobId: string, ending: string) => join(place, `${jobId}.${ending}`);

  function write(record: JobRecord): void {
    const unfinished = pathOf(record.job_id, `${process.pid}.unfinished`);
    writeFileSync(unfinished, JSON.stringify(record), { mode: 0o600 });
    renameSync(unfinished, pathOf(record.job_id, "json"));
    if (!isOpen(record)) rmSync(pathOf(record.job_id, "cancel"), { force: true });
  }

  function read(jobId: string): JobRecord | undefined {
    try {
      return JSON.parse(readFileSync(pathOf(jobId, "json"), "utf8")) as JobRecord;
    } catch {
      return undefined; // Never written, or tidied away.
    }
  }

  function all(): JobRecord[] {
    if (!existsSync(place)) return [];
    const ids = readdirSync(place).flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -5)] : []));
    return ids.flatMap((id) => read(id) ?? []).sort((one, other) => (one.started_at < other.started_at ? -1 : 1));
  }

  function interrupt(record: JobRecord): JobRecord {
    const message = "The process that indexed ended before it was done; index again to go on from there.";
    const interrupted: JobRecord = { ...record, status: "interrupted", message };
    write(interrupted);
    return interrupted;
  }

  return {
    write,
    read,
    all,
    async open(repositoryId) {
      await makeFolders(place);
      const records = all();
      for (const { job_id } of records.slice(0, -mostJobs)) rmSync(pathOf(job_id, "json"), { force: true });
      for (const record of records.slice(-mostJobs)) {
        if (record.repository_id === repositoryId && isOpen(record)) interrupt(record);
      }
    },
    interrupt,
    askCancel: (jobId) => writeFileSync(pathOf(jobId, "cancel"), "", { mode: 0o600 }),
    cancelAsked: (jobId) => existsSync(pathOf(jobId, "cancel")),
  };
}
