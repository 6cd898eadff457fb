/** What a store is built on: objects for bytes and a catalogue for rows, on disk or in memory. */
import { join } from "node:path";
import { type Catalogue, memoryCatalogue, openCatalogue } from "../catalogue/catalogue.ts";
import { sqliteSql } from "../catalogue/sqlite-sql.ts";
import { diskObjects, type FileSystem } from "./disk-objects.ts";
import { memoryObjects } from "./memory-objects.ts";
import type { Objects } from "./objects.ts";

export type Storage = { readonly objects: Objects; readonly catalogue: Catalogue };

export const CATALOGUE_FILE = "catalogue.db";

/** The storage in this folder. The catalogue is opened when it is first needed. */
export function diskStorage(home: string, files?: FileSystem): Storage {
  const sql = sqliteSql(join(home, CATALOGUE_FILE), files && { files });
  return { objects: diskObjects(home, files), catalogue: openCatalogue(sql) };
}

/** A storage that lasts as long as the process: for tests, and for answering when no disk can be written. */
export function memoryStorage(now?: () => number): Storage {
  return { objects: memoryObjects(now), catalogue: memoryCatalogue() };
}
