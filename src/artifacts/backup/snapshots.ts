/** Daily copies of the catalogue. The last three are kept, and the journal of the days since the oldest of them. */
import { rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import { readCatalogueId } from "../../catalogue/schema.ts";
import type { Sql } from "../../catalogue/sql.ts";
import { sqliteSql } from "../../catalogue/sqlite-sql.ts";
import { isBehindLink, makeFolders } from "../../system/folders.ts";
import { dayOf, deleteJournalFile, journalFolder, listJournal, listNames } from "./journal.ts";

const MAX_SNAPSHOTS = 3;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A catalogue, and the folder of the data that it belongs to. */
type Copied = { readonly catalogue: Catalogue; readonly folder?: string };

/** Copies the catalogue if the newest copy is a day old. Returns the name of the new copy. */
export async function takeDailySnapshot(storage: Copied, now: number): Promise<string | null> {
  const { folder: home } = storage;
  if (home === undefined) return null;
  const [newest] = await listSnapshots(home);
  if (newest && now - (await stat(newest)).mtimeMs < DAY_MS) return null;
  // The copies of a lost catalogue are worth more than those of the one that took its place.
  if (await wasReplaced(storage)) return null;
  return takeSnapshot(storage.catalogue, home, now);
}

export async function takeSnapshot({ copyTo }: Pick<Sql, "copyTo">, home: string, now: number) {
  const folder = snapshotFolder(home);
  await makeFolders(folder);
  const name = `catalogue-${formatTime(now)}.db`;
  const unfinished = join(folder, `${process.pid}.unfinished`);
  await rm(unfinished, { force: true });
  if (!(await copyTo(unfinished))) return null;
  await rename(unfinished, join(folder, name));
  await deleteOld(home);
  return name;
}

async function deleteOld(home: string): Promise<void> {
  if (isBehindLink(snapshotFolder(home), journalFolder(home))) return;
  const snapshots = await listSnapshots(home);
  for (const old of snapshots.slice(MAX_SNAPSHOTS)) await rm(old, { force: true });
  const oldest = snapshots.slice(0, MAX_SNAPSHOTS).at(-1);
  if (oldest === undefined) return;
  const oldestDay = dayOf((await stat(oldest)).mtimeMs - DAY_MS);
  for (const file of await listJournal(home)) if (file.day < oldestDay) await deleteJournalFile(home, file);
}

const snapshotFolder = (home: string): string => join(home, "snapshots");

/** The paths of all copies, the newest first. */
export async function listSnapshots(home: string): Promise<string[]> {
  const names = (await listNames(snapshotFolder(home))).filter((name) => /^catalogue-\d+t\d+\.db$/.test(name));
  return names
    .sort()
    .reverse()
    .map((name) => join(snapshotFolder(home), name));
}

export const formatTime = (now: number): string =>
  new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, "").toLowerCase();

/** Whether snapshots and journal are those of another catalogue: then it was deleted, and this one began empty. */
export async function wasReplaced({ catalogue, folder }: Copied): Promise<boolean> {
  if (folder === undefined) return false;
  const id = await readCatalogueId(catalogue);
  const journal = await listJournal(folder);
  if (journal.some(({ catalogueId }) => catalogueId !== id)) return true;
  const [newest] = await listSnapshots(folder);
  const snapshotId = newest === undefined ? undefined : await readSnapshot(newest, readCatalogueId);
  return snapshotId !== undefined && snapshotId !== id;
}

/** Whether a snapshot can be restored. */
export async function isSoundSnapshot(path: string): Promise<boolean> {
  return (await readSnapshot(path, async (catalogue) => (await catalogue.findDamage()).length === 0)) ?? false;
}

/** Undefined if it cannot be read. */
async function readSnapshot<T>(path: string, read: (catalogue: Sql) => Promise<T>): Promise<T | undefined> {
  const sql = sqliteSql(path);
  try {
    return await read(sql);
  } catch {
    return undefined; // Whatever is wrong with it, it is of no use.
  } finally {
    await sql.close();
  }
}
