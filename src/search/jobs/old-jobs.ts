/** Jobs of earlier versions, one file each: moved into the catalogue when the jobs of their project are first needed. */
import { readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CatalogueError } from "../../catalogue/sql.ts";
import type { JobRecord } from "../../contract/indexing-job.ts";
import { systemCode } from "../../errors.ts";

/**
 * Keeps the records of all files at once and deletes the files afterwards: a kill in between repeats it. Where they
 * cannot be kept, each is handed to `substitute`, and the files stay.
 */
export async function moveOldJobs(
  folder: string,
  keep: (records: readonly JobRecord[]) => Promise<void>,
  substitute: (record: JobRecord) => Promise<unknown>,
): Promise<void> {
  const names = namesIn(folder);
  const records = names.flatMap((name) => readOldJob(join(folder, name)));
  try {
    await keep(records);
    removeFiles(folder, names);
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    for (const record of records) await substitute(record);
  }
}

/** Nothing where a file has the name of the folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^[0-9a-f-]{36}\.(json|cancel|\d+\.unfinished)$/.test(name));
  } catch {
    return [];
  }
}

/** Nothing for a file without a sound record. */
function readOldJob(path: string): JobRecord[] {
  if (!path.endsWith(".json")) return [];
  try {
    const record = JSON.parse(readFileSync(path, "utf8")) as Partial<JobRecord> | null;
    const texts = [record?.job_id, record?.repository_id, record?.status, record?.started_at];
    const isSound = texts.every((text) => typeof text === "string") && !Number.isNaN(Date.parse(texts[3] ?? ""));
    return isSound ? [record as JobRecord] : [];
  } catch {
    return [];
  }
}

/** What cannot be deleted is moved again the next time, and changes nothing then. */
function removeFiles(folder: string, names: readonly string[]): void {
  try {
    for (const name of names) rmSync(join(folder, name), { force: true });
    rmdirSync(folder);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}
