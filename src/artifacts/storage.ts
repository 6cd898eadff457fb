/** What a store is built on: objects for bytes and a catalogue for rows, on disk or in memory. */
import { join } from "node:path";
import { type Catalogue, memoryCatalogue, openCatalogue } from "../catalogue/catalogue.ts";
import { CatalogueError, type Sql } from "../catalogue/sql.ts";
import { type SqliteFiles, sqliteSql } from "../catalogue/sqlite-sql.ts";
import { systemCode } from "../errors.ts";
import { type Journal, openJournal } from "./backup/journal.ts";
import { diskObjects, type FileSystem } from "./disk-objects.ts";
import { memoryObjects } from "./memory-objects.ts";
import type { Objects } from "./objects.ts";
import { type OldRecords, openOldRecords } from "./old-records.ts";

export type Storage = {
  readonly objects: Objects;
  readonly catalogue: Catalogue;
  /** What version 0.1.0 has left, or another process of it is writing. */
  readonly oldRecords?: OldRecords;
  /** What was kept since the last snapshot, for a storage on disk. */
  readonly journal?: Journal;
  /** The folder of a catalogue on disk. */
  readonly folder?: string;
  /** The data folder of this machine, where the objects are elsewhere: unfinished files are there. */
  readonly localFiles?: Objects;
  /** What a team store consists of, for people. */
  readonly parts?: { readonly catalogue: string; readonly objects: string };
  /** Ends connections of objects that are elsewhere. */
  close?(): Promise<void>;
};

export const CATALOGUE_FILE = "catalogue.db";

/** The storage in this folder. The catalogue is opened, and an old store imported, when it is first needed. */
export function diskStorage(home: string, files?: FileSystem & SqliteFiles): Storage {
  const objects = diskObjects(home, files);
  const sql = sqliteSql(join(home, CATALOGUE_FILE), files && { files });
  const oldRecords = openOldRecords(objects, sql);
  const catalogue = openCatalogue(sql, {
    async prepare() {
      if (await oldRecords.importAll()) await copyImported(sql, home);
    },
    openSubstitute: () => readOldStore(objects),
  });
  return { objects, catalogue, oldRecords, journal: openJournal(home, catalogue), folder: home };
}

/** The rows of a store of version 0.1.0 on a disk that takes no changes, in memory. */
async function readOldStore(objects: Objects): Promise<Sql> {
  const catalogue = memoryCatalogue();
  await openOldRecords(objects, catalogue, { keepFiles: true }).importAll();
  return catalogue;
}

/** The files of imported records are gone and not in the journal, so a snapshot has to have them. */
async function copyImported(sql: Sql, home: string): Promise<void> {
  const { takeSnapshot } = await import("./backup/snapshots.ts");
  try {
    await takeSnapshot(sql, home, Date.now());
  } catch (error) {
    // The next daily snapshot will have them.
    if (systemCode(error) === undefined) throw error;
  }
}

/** A storage that lasts as long as the process: for tests, and for answering when no disk can be written. */
export function memoryStorage(now?: () => number): Storage {
  return { objects: memoryObjects(now), catalogue: memoryCatalogue() };
}

/** A storage that is not used, because others can change its folder. */
export function refusedStorage(reason: string): Storage {
  const refuse = async (): Promise<never> => {
    throw new CatalogueError("exposed", reason);
  };
  const refuseAll = <T extends object>(names: readonly (keyof T)[]): T =>
    Object.fromEntries(names.map((name) => [name, refuse])) as T;
  const objects = refuseAll<Objects>(["put", "get", "head", "move", "delete", "local"]);
  const catalogue = refuseAll<Catalogue>(["all", "get", "run", "transact", "copyTo", "findDamage"]);
  const none = async function* (): AsyncGenerator<never> {};
  return {
    objects: { ...objects, list: none, folders: none },
    catalogue: { ...catalogue, close: async () => undefined },
  };
}
