/** The records of indexing jobs: rows of the catalogue, or in memory where nothing can be kept. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ArtifactStore } from "../../artifacts/artifact-store.ts";
import {
  cancelJobRow,
  deleteOldJobRows,
  findJobRow,
  type JobRow,
  keepJobRow,
  openJobRows,
  type ProjectKey,
} from "../../catalogue/job-rows.ts";
import { CatalogueError, type Queries } from "../../catalogue/sql.ts";
import type { JobRecord } from "../../contract/indexing-job.ts";
import { SpillwayError } from "../../errors.ts";
import { safeFileName } from "../../system/safe-names.ts";
import type { Project } from "../repository/project.ts";
import { describeStorageFailure } from "../repository/storage-problem.ts";
import { isOpen, toInterrupted } from "./job-record.ts";

export type JobLog = {
  /** Adds or renews a record, and says whether the job was asked to stop. */
  write(record: JobRecord): Promise<boolean>;
  read(jobId: string): Promise<JobRecord | undefined>;
  /** The latest job of a repository that has not ended, as far as its record shows. */
  findOpen(repositoryId: string): Promise<JobRecord | undefined>;
  requestCancel(jobId: string): Promise<void>;
};

/** The log of a project. Records that the catalogue refuses are in memory: they are newer than its rows. */
export async function openJobLog(
  project: Project,
  store: Pick<ArtifactStore, "catalogue" | "ownerId">,
): Promise<JobLog> {
  const inMemory = memoryLog(project);
  if (project.folder === null) return inMemory;
  await importOldJobs(join(project.folder, "jobs"), project, store);
  return withSubstitute(rowLog(project, store), inMemory, project.folder);
}

/** A project as rows name it. */
export function projectKey(project: Pick<Project, "id">, { ownerId }: Pick<ArtifactStore, "ownerId">): ProjectKey {
  return { owner: ownerId, project: safeFileName(project.id) };
}

/** Ended jobs that a project keeps on record. */
const MAX_RECORDED_JOBS = 100;

/** Marks the jobs of a repository that have not ended, other than this one, and deletes old ones: their processes died. */
export async function closeDeadJobs(
  queries: Queries,
  project: ProjectKey,
  repository: string,
  jobId: string,
): Promise<void> {
  for (const row of await openJobRows(queries, { ...project, repository })) {
    if (row.job !== jobId) await keepJobRow(queries, project, toRow(toInterrupted(parseRecord(row))));
  }
  await deleteOldJobRows(queries, project, MAX_RECORDED_JOBS);
}

/** A record that cannot be written now is in memory, where this process finds it. */
const patience = { patienceMs: 200 };

function rowLog(project: Project, store: Pick<ArtifactStore, "catalogue" | "ownerId">): JobLog {
  const { catalogue } = store;
  const key = projectKey(project, store);
  return {
    write: (record) => catalogue.transact((queries) => keepJobRow(queries, key, toRow(record)), patience),
    async read(jobId) {
      const row = await findJobRow(catalogue, key, jobId);
      return row && parseRecord(row);
    },
    async findOpen(repository) {
      const [row] = await openJobRows(catalogue, { ...key, repository });
      return row && parseRecord(row);
    },
    requestCancel: (jobId) => cancelJobRow(catalogue, key, jobId),
  };
}

export const toRow = (record: JobRecord): JobRow => ({
  job: record.job_id,
  repository: record.repository_id,
  is_open: isOpen(record) ? 1 : 0,
  started_at: Date.parse(record.started_at),
  record: JSON.stringify(record),
});

const parseRecord = ({ record }: JobRow): JobRecord => JSON.parse(record);

function withSubstitute(rows: JobLog, inMemory: MemoryLog, folder: string): JobLog {
  return {
    async write(record) {
      try {
        const isCancelled = await rows.write(record);
        inMemory.remove(record.job_id);
        return isCancelled;
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw error;
        return inMemory.write(record);
      }
    },
    async read(jobId) {
      return (await inMemory.read(jobId)) ?? (await undefinedIfRefused(rows.read(jobId)));
    },
    async findOpen(repositoryId) {
      return (await inMemory.findOpen(repositoryId)) ?? (await undefinedIfRefused(rows.findOpen(repositoryId)));
    },
    async requestCancel(jobId) {
      try {
        await rows.requestCancel(jobId);
      } catch (error) {
        throw error instanceof CatalogueError ? cancelFailed(error, folder) : error;
      }
    },
  };
}

/** A catalogue that cannot be read has no records. */
async function undefinedIfRefused<T>(query: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await query;
  } catch (error) {
    if (error instanceof CatalogueError) return undefined;
    throw error;
  }
}

const recordsInMemory = new WeakMap<object, Map<string, JobRecord>>();

type MemoryLog = JobLog & { remove(jobId: string): void };

/** Only this process runs such jobs: no other process can cancel them, and none outlives it. */
function memoryLog({ id, scope }: Project): MemoryLog {
  const records = recordsInMemory.get(scope) ?? new Map<string, JobRecord>();
  recordsInMemory.set(scope, records);
  const ofProject = (record: JobRecord | undefined) => (record?.project_id === id ? record : undefined);
  return {
    async write(record) {
      records.set(record.job_id, record);
      for (const jobId of [...records.keys()].slice(0, -MAX_RECORDED_JOBS)) records.delete(jobId);
      return false;
    },
    remove: (jobId) => void records.delete(jobId),
    read: async (jobId) => ofProject(records.get(jobId)),
    findOpen: async (repositoryId) =>
      [...records.values()].findLast(
        (record) => ofProject(record) && record.repository_id === repositoryId && isOpen(record),
      ),
    requestCancel: async () => undefined,
  };
}

/** Earlier versions kept jobs as files. */
async function importOldJobs(folder: string, project: Project, store: Pick<ArtifactStore, "catalogue" | "ownerId">) {
  if (!existsSync(folder)) return;
  const { moveOldJobs } = await import("./old-jobs.ts");
  const substitute = memoryLog(project);
  const keep = (records: readonly JobRecord[]) =>
    store.catalogue.transact(async (queries) => {
      for (const record of records) await keepJobRow(queries, projectKey(project, store), toRow(record));
    });
  await moveOldJobs(folder, keep, substitute.write);
}

/** A job of another process is asked by its row. */
function cancelFailed(error: CatalogueError, folder: string): SpillwayError {
  const reason = describeStorageFailure(error, folder);
  return new SpillwayError("store_unavailable", `The job cannot be asked to stop: ${reason}.`, {
    hint: "Free space and cancel it again, or end the process that indexes.",
    cause: error,
  });
}
