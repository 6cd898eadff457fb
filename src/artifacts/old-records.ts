/**
 * Imports a store of version 0.1.0, where records, uses, tombstones, responses and cache entries were files. Every step
 * may be repeated, by the next process after a kill or by two processes at once: rows are added if they are missing, and
 * a file is deleted only after its row is durable. Bytes stay where they are.
 */
import { claimSweep, keepArtifactRow, markArtifactUsed } from "../catalogue/artifact-rows.ts";
import { announceObject, findBlob, importBlob } from "../catalogue/blob-rows.ts";
import { findCacheRow, keepCacheRow } from "../catalogue/cache-rows.ts";
import { findResponseRow, keepResponseRow } from "../catalogue/response-rows.ts";
import type { Queries, Sql } from "../catalogue/sql.ts";
import { findTombstone, keepTombstone } from "../catalogue/tombstone-rows.ts";
import { isUnwritable } from "../errors.ts";
import { blobOfKey, blobPrefix, ownersPrefix } from "./keys.ts";
import { type Objects, readObject } from "./objects.ts";
import { readOldRecord, readOldTombstone } from "./record.ts";

export type OldRecords = {
  /** Imports everything there is; false if there was no record. */
  importAll(): Promise<boolean>;
  /** Imports one record, which a program of version 0.1.0 may have written a moment ago; false if there is none. */
  importOne(ownerId: string, ref: string): Promise<boolean>;
};

/**
 * A record that version 0.1.0 cannot read. While there is one, its sweeper deletes no bytes: to it, those of the
 * catalogue's artifacts would be unreferenced. No owner can have this name.
 */
const guardKey = `${ownersPrefix}in.catalogue/records/see-catalogue.db.json`;

const guardText = "The records of this store are rows of catalogue.db.\n";

export type ImportOptions = {
  /** For rows that do not last: the files stay, and nothing is written. */
  readonly keepFiles?: boolean;
};

export function openOldRecords(objects: Objects, sql: Sql, { keepFiles = false }: ImportOptions = {}): OldRecords {
  /** In this order: a tombstone counts only without a record, and a use only with one. */
  async function importAll(): Promise<boolean> {
    if (!keepFiles) await keepGuard(objects);
    let hadRecords = false;
    const owners = await ownersOf(objects);
    for (const { folder, importFile } of kinds) {
      for await (const batch of batchesOf(objects, owners, folder)) {
        await importBatch(batch, importFile);
        hadRecords ||= folder === "records";
      }
    }
    if (hadRecords && !keepFiles) await findOrphans(objects, sql);
    return hadRecords;
  }

  async function importBatch(batch: readonly OldFile[], importFile: ImportFile): Promise<void> {
    const ready = await Promise.all(batch.map((file) => loadFile(objects, file, keepFiles)));
    await sql.transact(
      async (queries) => {
        for (const file of ready) if (file) await importFile(queries, file);
      },
      { durable: true },
    );
    if (!keepFiles) for (const { key } of batch) await ignoreUnwritable(objects.delete(key));
  }

  async function importOne(ownerId: string, ref: string): Promise<boolean> {
    const key = `${ownersPrefix}${ownerId}/records/${ref}.json`;
    const head = await objects.head(key);
    if (head === undefined) return false;
    await importBatch([{ key, owner: ownerId, folder: "records", name: ref, touchedAt: head.touchedAt }], importRecord);
    return true;
  }

  return { importAll, importOne };
}

async function keepGuard(objects: Objects): Promise<void> {
  // Where this cannot be written, the sweeper of version 0.1.0 cannot delete either.
  await ignoreUnwritable(objects.put(guardKey, Buffer.from(guardText), { ifAbsent: true, durable: false }));
}

/** On a read-only disk the rows are in memory, and the files stay. */
async function ignoreUnwritable(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!isUnwritable(error)) throw error;
  }
}

type OldFile = {
  readonly key: string;
  readonly owner: string;
  readonly folder: string;
  /** The ref, id or digest; for a use, the run before it. */
  readonly name: string;
  readonly touchedAt: number;
};

type LoadedFile = OldFile & {
  readonly text: string;
  /** For a record: where its bytes are, if they are there. */
  readonly blob: { readonly objectKey: string; readonly sizeBytes: number } | null;
};

type ImportFile = (queries: Queries, file: LoadedFile) => Promise<void>;

const kinds: readonly { readonly folder: string; readonly importFile: ImportFile }[] = [
  { folder: "records", importFile: importRecord },
  // Records that a killed sweeper had set aside. They were still in use for anyone who asked.
  { folder: "aside", importFile: importRecord },
  { folder: "runs", importFile: importUse },
  { folder: "tombstones", importFile: importTombstone },
  { folder: "responses", importFile: importResponse },
  { folder: "cache", importFile: importCacheEntry },
  { folder: "swept", importFile: importSweep },
];

const BATCH_FILES = 500;

async function* batchesOf(objects: Objects, owners: readonly OldOwner[], folder: string): AsyncGenerator<OldFile[]> {
  for (const { owner, folders } of owners) {
    // Every process that opens the store comes here, and nearly always nothing is left. `swept` is a file.
    if (folder !== "swept" && !folders.includes(folder)) continue;
    let batch: OldFile[] = [];
    for await (const { key, touchedAt } of objects.list(`${ownersPrefix}${owner}/${folder}`)) {
      const name = key.slice(`${ownersPrefix}${owner}/${folder}/`.length).replace(/\.json$/, "");
      batch.push({ key, owner, folder, name, touchedAt });
      if (batch.length < BATCH_FILES) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }
}

/** An owner, and the names of the folders that it has. */
type OldOwner = { readonly owner: string; readonly folders: readonly string[] };

async function ownersOf(objects: Objects): Promise<OldOwner[]> {
  const owners: OldOwner[] = [];
  for (const owner of await Array.fromAsync(objects.folders(ownersPrefix))) {
    if (guardKey.startsWith(`${ownersPrefix}${owner}/`)) continue;
    owners.push({ owner, folders: await Array.fromAsync(objects.folders(`${ownersPrefix}${owner}/`)) });
  }
  return owners;
}

/** Undefined if another process has imported the file meanwhile. */
async function loadFile(objects: Objects, file: OldFile, keepFiles: boolean): Promise<LoadedFile | undefined> {
  if (file.folder === "runs" || file.folder === "swept") return { ...file, text: "", blob: null };
  const text = (await readObject(objects, file.key))?.toString("utf8");
  if (text === undefined) return undefined;
  const isRecord = file.folder === "records" || file.folder === "aside";
  return { ...file, text, blob: isRecord ? await findOldBlob(objects, text, keepFiles) : null };
}

/** The bytes of a record. Those that a killed sweeper had set aside are moved back, or, if files stay, used where they are. */
async function findOldBlob(objects: Objects, text: string, keepFiles: boolean): Promise<LoadedFile["blob"]> {
  const sha256 = readOldRecord(text)?.sha256;
  if (sha256 === undefined) return null;
  const asideKey = `trash/${sha256}`;
  const objectKey = `${blobPrefix}${sha256.slice(0, 2)}/${sha256}`;
  if (!(await objects.head(objectKey)) && !keepFiles) await objects.move(asideKey, objectKey);
  for (const key of keepFiles ? [objectKey, asideKey] : [objectKey]) {
    const head = await objects.head(key);
    if (head) return { objectKey: key, sizeBytes: head.sizeBytes };
  }
  return null;
}

/** A record that cannot be read becomes a row that says so, and its ref stays listed. */
async function importRecord(queries: Queries, { owner, name: ref, touchedAt, text, blob }: LoadedFile): Promise<void> {
  const tombstone = await findTombstone(queries, owner, ref);
  if (tombstone && tombstone.expired_at >= touchedAt) return;
  const record = readOldRecord(text);
  const size_bytes = record?.size_bytes ?? 0;
  const used_at = Math.floor(touchedAt);
  const row = { owner, ref, sha256: record?.sha256 ?? "", size_bytes, stored_bytes: size_bytes, used_at };
  const created_at = record?.created_at ?? used_at;
  await keepArtifactRow(queries, { ...row, created_at, run: record?.run ?? "", record: record?.facts ?? text });
  if (record && blob) await importBlob(queries, record.sha256, blob.objectKey, blob.sizeBytes, used_at);
}

async function importUse(queries: Queries, { owner, name, touchedAt }: LoadedFile): Promise<void> {
  const [run = "", ref = ""] = name.split("/");
  await markArtifactUsed(queries, { owner, run, ref, usedAt: Math.floor(touchedAt) });
}

async function importTombstone(queries: Queries, { owner, name: ref, text }: LoadedFile): Promise<void> {
  const isAlive = await queries.get("SELECT 1 AS one FROM artifacts WHERE owner = ? AND ref = ?", owner, ref);
  const tombstone = readOldTombstone(text);
  if (isAlive || tombstone === undefined) return;
  await keepTombstone(queries, { owner, ref, ...tombstone });
}

async function importResponse(queries: Queries, { owner, name: id, touchedAt, text }: LoadedFile): Promise<void> {
  if (await findResponseRow(queries, owner, id)) return;
  await keepResponseRow(queries, owner, id, text, Math.floor(touchedAt));
}

async function importCacheEntry(queries: Queries, { owner, name: digest, touchedAt, text }: LoadedFile): Promise<void> {
  if (await findCacheRow(queries, owner, digest)) return;
  await keepCacheRow(queries, owner, digest, text, Math.floor(touchedAt));
}

async function importSweep(queries: Queries, { owner, touchedAt }: LoadedFile): Promise<void> {
  const sweptAt = Math.floor(touchedAt);
  await claimSweep(queries, owner, sweptAt, sweptAt);
}

/** Bytes that no record refers to are deleted in time, unless they may belong to a record that cannot be read. */
async function findOrphans(objects: Objects, sql: Sql): Promise<void> {
  if (await sql.get("SELECT 1 AS one FROM artifacts WHERE sha256 = '' LIMIT 1")) return;
  for await (const { key, touchedAt } of objects.list(blobPrefix)) {
    // Objects of the catalogue have a nonce in their keys and are announced there.
    if (!/\/[0-9a-f]{64}$/.test(key)) continue;
    await sql.transact(async (queries) => {
      if ((await findBlob(queries, blobOfKey(key)))?.object_key === key) return;
      await announceObject(queries, key, Math.floor(touchedAt));
    });
  }
}
