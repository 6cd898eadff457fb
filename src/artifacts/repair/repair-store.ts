/** Rebuilds a damaged or lost catalogue from its newest snapshot, the journal and the objects. */
import { copyFile, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { type ArtifactRow, keepArtifactRow, markArtifactUsed } from "../../catalogue/artifact-rows.ts";
import { announceObject, importBlob, repointBlob } from "../../catalogue/blob-rows.ts";
import { dropSegment } from "../../catalogue/segment-rows.ts";
import type { Queries } from "../../catalogue/sql.ts";
import { findTombstone } from "../../catalogue/tombstone-rows.ts";
import { systemCode } from "../../errors.ts";
import { makeFolders } from "../../system/folders.ts";
import { safeFileName } from "../../system/safe-names.ts";
import { deleteJournalFile, listJournal, readJournal } from "../backup/journal.ts";
import { formatTime, isSoundSnapshot, listSnapshots, takeSnapshot } from "../backup/snapshots.ts";
import { hashObject } from "../blobs.ts";
import { blobKeysOf } from "../keys.ts";
import { CATALOGUE_FILE, type Storage } from "../storage.ts";
import { type BlobProblem, findOrphans } from "./check-store.ts";

export type Restoration = {
  /** The name of the snapshot that was restored; null if there was no sound one. */
  readonly snapshot: string | null;
  /** Artifacts that the journal brought back. */
  readonly recovered: number;
  /** Artifacts in the journal whose bytes are gone. */
  readonly lost: number;
  /** Where the old catalogue is now. */
  readonly asidePath: string;
};

/** Puts the newest sound snapshot in the place of the catalogue and adds what the journal says was kept since. */
export async function restoreCatalogue(
  storage: Storage & { readonly folder: string },
  now: number,
): Promise<Restoration> {
  const { catalogue, folder: home } = storage;
  await catalogue.close();
  const asidePath = await setAside(home, now);
  const snapshot = await copyNewestSnapshot(home);
  const { recovered, lost } = await replayJournal(storage);
  await takeSnapshot(catalogue, home, now);
  for (const file of await listJournal(home)) await deleteJournalFile(home, file);
  return { snapshot, recovered, lost, asidePath };
}

async function setAside(home: string, now: number): Promise<string> {
  const asidePath = join(home, "damaged", `catalogue-${formatTime(now)}`);
  await makeFolders(asidePath);
  for (const suffix of ["", "-wal", "-shm"]) {
    const name = `${CATALOGUE_FILE}${suffix}`;
    await rename(join(home, name), join(asidePath, name)).catch((error: unknown) => {
      if (systemCode(error) !== "ENOENT") throw error;
    });
  }
  return asidePath;
}

async function copyNewestSnapshot(home: string): Promise<string | null> {
  for (const path of await listSnapshots(home)) {
    if (!(await isSoundSnapshot(path))) continue;
    await copyFile(path, join(home, CATALOGUE_FILE));
    return basename(path);
  }
  return null;
}

async function replayJournal({ catalogue, objects, folder }: Storage & { readonly folder: string }) {
  let [recovered, lost] = [0, 0];
  for (const row of await readJournal(folder)) {
    const objectKey = await findObject({ objects }, row);
    // A file that is read in place has no object.
    if (objectKey === null && row.stored_bytes > 0) lost++;
    else if (await catalogue.transact((queries) => recover(queries, row, objectKey))) recovered++;
  }
  return { recovered, lost };
}

/** An object that has the bytes of an artifact, whatever its key. */
async function findObject(
  { objects }: Pick<Storage, "objects">,
  { sha256, size_bytes }: Pick<ArtifactRow, "sha256" | "size_bytes">,
): Promise<string | null> {
  for await (const { key, sizeBytes } of objects.list(blobKeysOf(sha256))) {
    if (sizeBytes === size_bytes && (await hashObject(objects, key)) === sha256) return key;
  }
  return null;
}

/** False if the catalogue knows the artifact, or that it has expired. */
async function recover(queries: Queries, row: ArtifactRow, objectKey: string | null): Promise<boolean> {
  const { owner, ref, sha256, size_bytes, run, used_at } = row;
  const known = await queries.get("SELECT 1 AS one FROM artifacts WHERE owner = ? AND ref = ?", owner, ref);
  const tombstone = await findTombstone(queries, owner, ref);
  if (known || (tombstone && tombstone.expired_at >= row.created_at)) return false;
  await keepArtifactRow(queries, row);
  await markArtifactUsed(queries, { owner, run: safeFileName(run), ref, usedAt: used_at });
  if (objectKey !== null) await importBlob(queries, sha256, objectKey, size_bytes, used_at);
  return true;
}

/** Finds other objects with the bytes of damaged blobs. Returns how many blobs have their bytes again. */
export async function repairBlobs(storage: Storage, problems: readonly BlobProblem[]): Promise<number> {
  let repaired = 0;
  for (const { sha256, sizeBytes } of problems) {
    const objectKey = await findObject(storage, { sha256, size_bytes: sizeBytes });
    if (objectKey === null) continue;
    await storage.catalogue.transact((queries) => repointBlob(queries, sha256, objectKey));
    repaired++;
  }
  return repaired;
}

/** Forgets damaged index segments: the next search builds them again. Returns how many. */
export async function dropSegments({ catalogue }: Storage, objectKeys: readonly string[]): Promise<number> {
  await catalogue.transact(async (queries) => {
    for (const key of objectKeys) await dropSegment(queries, key);
  });
  return objectKeys.length;
}

const BATCH_KEYS = 500;

/** Lets a sweep delete objects without a row after this time, unless they are kept again. Returns how many. */
export async function releaseOrphans(storage: Storage, after: number, signal: AbortSignal): Promise<number> {
  const orphans = await Array.fromAsync(findOrphans(storage, signal));
  for (let start = 0; start < orphans.length; start += BATCH_KEYS) {
    await storage.catalogue.transact(async (queries) => {
      for (const key of orphans.slice(start, start + BATCH_KEYS)) await announceObject(queries, key, after);
    });
  }
  return orphans.length;
}
