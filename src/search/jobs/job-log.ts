/** The records of indexing jobs: one small file each, or in memory where nothing can be kept on disk. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JobRecord } from "../contract/indexing-job.ts";
import { SpillwayError, systemCode } from "../errors.ts";
import { makeFolders } from "../system/folders.ts";
import type { Project } from "./repository/project.ts";
import { describeStorageFailure, isStorageFailure } from "./repository/storage-problem.ts";

type JobLog = {
  /** Deletes old records and marks those of killed jobs of this repository, as far as it can. Hold its lock. */
  open(repositoryId: string): Promise<void>;
  write(record: JobRecord): void;
  remove(jobId: string): void;
  read(jobId: string): JobRecord | undefined;
  /** All records, the oldest first. */
  all(): JobRecord[];
  requestCancel(jobId: string): void;
  isCancelRequested(jobId: string): boolean;
};

/** Ended jobs that a project keeps on record. */
const MAX_RECORDED_JOBS = 100;

/** The log of a project. */
export function openJobLog({ id, folder, scope }: Project): JobLog {
  const inMemory = memoryLog(id, scope);
  return folder === null ? inMemory : withSubstitute(fileLog(join(folder, "jobs")), inMemory);
}

/** Whether the job has not ended. */
export const isOpen = ({ status }: JobRecord): boolean => status === "pending" || status === "running";

/** The record of a job whose process died, marked as such. */
export function markInterrupted(record: JobRecord, log: Pick<JobLog, "write">): JobRecord {
  const message = "The process ended before indexing was done; index again to continue from there.";
  const interrupted: JobRecord = { ...record, status: "interrupted", message };
  log.write(interrupted);
  return interrupted;
}

/** Records that cannot be written to files are in memory: they are newer than what the files have. */
function withSubstitute(files: JobLog, inMemory: JobLog): JobLog {
  const log: JobLog = {
    ...files,
    async open(repositoryId) {
      await inMemory.open(repositoryId);
      await files.open(repositoryId).catch(ignoreStorageFailure);
    },
    write(record) {
      try {
        files.write(record);
        inMemory.remove(record.job_id);
      } catch (error) {
        ignoreStorageFailure(error);
        inMemory.write(record);
      }
    },
    read: (jobId) => inMemory.read(jobId) ?? files.read(jobId),
    all: () => [...files.all(), ...inMemory.all()].sort(byStart),
  };
  return log;
}

/** Also where the folder of the records is missing, because it could not be made. */
function ignoreStorageFailure(error: unknown): void {
  if (!isStorageFailure(error) && systemCode(error) !== "ENOENT") throw error;
}

const recordsInMemory = new WeakMap<object, Map<string, JobRecord>>();

/** Only this process runs such jobs: no other process can cancel them, and none outlives it. */
function memoryLog(projectId: string, scope: object): JobLog {
  const records = recordsInMemory.get(scope) ?? new Map<string, JobRecord>();
  recordsInMemory.set(scope, records);
  return {
    async open() {
      for (const jobId of [...records.keys()].slice(0, -MAX_RECORDED_JOBS)) records.delete(jobId);
    },
    write: (record) => void records.set(record.job_id, record),
    remove: (jobId) => void records.delete(jobId),
    read(jobId) {
      const record = records.get(jobId);
      return record?.project_id === projectId ? record : undefined;
    },
    all: () => [...records.values()].filter(({ project_id }) => project_id === projectId).sort(byStart),
    requestCancel: () => undefined,
    isCancelRequested: () => false,
  };
}

const byStart = (one: JobRecord, other: JobRecord): number => (one.started_at < other.started_at ? -1 : 1);

function fileLog(folder: string): JobLog {
  const pathOf = (jobId: string, ending: string) => join(folder, `${jobId}.${ending}`);

  function write(record: JobRecord): void {
    const unfinished = pathOf(record.job_id, `${process.pid}.unfinished`);
    try {
      writeFileSync(unfinished, JSON.stringify(record), { mode: 0o600 });
      renameSync(unfinished, pathOf(record.job_id, "json"));
    } catch (error) {
      if (existsSync(unfinished)) rmSync(unfinished, { force: true });
      throw error;
    }
    if (!isOpen(record)) rmSync(pathOf(record.job_id, "cancel"), { force: true });
  }

  function read(jobId: string): JobRecord | undefined {
    try {
      return JSON.parse(readFileSync(pathOf(jobId, "json"), "utf8")) as JobRecord;
    } catch {
      return undefined; // Never written, or deleted as old.
    }
  }

  function all(): JobRecord[] {
    const ids = namesIn(folder).flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -5)] : []));
    return ids.flatMap((id) => read(id) ?? []).sort(byStart);
  }

  const remove = (jobId: string) => rmSync(pathOf(jobId, "json"), { force: true });

  return {
    write,
    remove,
    read,
    all,
    async open(repositoryId) {
      await makeFolders(folder);
      const records = all();
      for (const { job_id } of records.slice(0, -MAX_RECORDED_JOBS)) remove(job_id);
      for (const record of records.slice(-MAX_RECORDED_JOBS)) {
        if (record.repository_id === repositoryId && isOpen(record)) markInterrupted(record, { write });
      }
    },
    requestCancel(jobId) {
      try {
        writeFileSync(pathOf(jobId, "cancel"), "", { mode: 0o600 });
      } catch (error) {
        throw isStorageFailure(error) ? cancelFailed(error, folder) : error;
      }
    },
    isCancelRequested: (jobId) => existsSync(pathOf(jobId, "cancel")),
  };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // No job of this project was recorded.
  }
}

/** A job of another process is asked by a file. */
function cancelFailed(error: unknown, folder: string): SpillwayError {
  const reason = describeStorageFailure(error, folder);
  return new SpillwayError("store_unavailable", `The job cannot be asked to stop: ${reason}.`, {
    hint: "Free space and cancel it again, or end the process that indexes.",
    cause: error,
  });
}
