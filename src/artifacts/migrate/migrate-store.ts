/** Copies a store to another set-up: verified by hash, and continued where it was broken off. */

import type { BlobRow } from "../../catalogue/blob-rows.ts";
import { findBlob, importBlob, pageOfBlobs } from "../../catalogue/blob-rows.ts";
import { type CopiedTable, copiedTableNames, copyRows, recountTotals } from "../../catalogue/copy-rows.ts";
import { readCatalogueId } from "../../catalogue/schema.ts";
import { pageOfSegments } from "../../catalogue/segment-rows.ts";
import type { SqlRow } from "../../catalogue/sql.ts";
import { SpillwayError } from "../../errors.ts";
import { hashObject } from "../blobs.ts";
import { isBlobKey, ownersPrefix, segmentHashOf, segmentPrefix } from "../keys.ts";
import { readObject } from "../objects.ts";
import type { Storage } from "../storage.ts";

export type Migration = {
  readonly blobs: number;
  readonly bytes: number;
  /** Blobs that the target had, from an earlier try or of its own. */
  readonly presentBlobs: number;
  /** Contents whose bytes are missing or not those that were kept; their artifacts stay behind. */
  readonly damagedBlobs: number;
  /** Index segments that were copied; damaged ones stay behind, and are built again. */
  readonly segments: number;
  /** Artifacts of files that are read in place, which other machines cannot do. */
  readonly leftInPlace: number;
  /** Rows that were added, by table. */
  readonly rows: Readonly<Record<CopiedTable, number>>;
};

export type MigrationOptions = {
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly progress?: (done: string) => void;
};

/** An object that says that a migration into this store has begun and not ended. */
export const MIGRATION_KEY = "migration";

/** Copies everything that cannot be made again. Bytes come before the rows that refer to them. */
export async function migrateStore(from: Storage, to: Storage, options: MigrationOptions): Promise<Migration> {
  await requireDifferent(from, to);
  await to.objects.put(MIGRATION_KEY, Buffer.from(JSON.stringify({ began_at: options.now() })));
  await copyOwnerObjects(from, to, options);
  const blobs = await copyBlobs(from, to, options);
  const segments = await copySegments(from, to, options);
  const { rows, leftInPlace } = await copyAllRows(from, to, options);
  await recountTotals(to.catalogue);
  await to.objects.delete(MIGRATION_KEY);
  return { ...blobs, segments, leftInPlace, rows };
}

async function requireDifferent(from: Storage, to: Storage): Promise<void> {
  const [source, target] = [await readCatalogueId(from.catalogue), await readCatalogueId(to.catalogue)];
  if (source !== target) return;
  throw new SpillwayError("usage", "The store would be copied onto itself.", {
    hint: "Name another store with --to: a config file whose store.catalogue, store.objects or home differ from yours.",
  });
}

/** The owners' keys, without which the same source would get another ref, and what is noted about conversations. */
async function copyOwnerObjects(from: Storage, to: Storage, { signal, progress }: MigrationOptions): Promise<void> {
  let copied = 0;
  for await (const { key } of from.objects.list(ownersPrefix)) {
    signal.throwIfAborted();
    const bytes = await readObject(from.objects, key);
    if (bytes !== undefined) await to.objects.put(key, bytes, { ifAbsent: true });
    progress?.(`${++copied} objects of owners copied`);
  }
}

const PAGE_BLOBS = 100;

async function copyBlobs(from: Storage, to: Storage, { signal, now, progress }: MigrationOptions) {
  const counts = { blobs: 0, bytes: 0, presentBlobs: 0, damagedBlobs: 0 };
  let page: BlobRow[];
  let after = "";
  do {
    page = await pageOfBlobs(from.catalogue, PAGE_BLOBS, after);
    for (const blob of page) {
      signal.throwIfAborted();
      const outcome = await copyBlob(from, to, blob, now());
      counts[outcome]++;
      if (outcome === "blobs") counts.bytes += blob.size_bytes;
      progress?.(`${counts.blobs} blobs copied, ${counts.presentBlobs} were there`);
      after = blob.sha256;
    }
  } while (page.length === PAGE_BLOBS);
  return counts;
}

async function copyBlob(
  from: Storage,
  to: Storage,
  { sha256, object_key, size_bytes }: BlobRow,
  now: number,
): Promise<"blobs" | "presentBlobs" | "damagedBlobs"> {
  const present = await findBlob(to.catalogue, sha256);
  if (present && (await to.objects.head(present.object_key))?.sizeBytes === size_bytes) return "presentBlobs";
  // Nothing but the object of these bytes is written, whatever the rows of the old store say.
  if (!isBlobKey(object_key, sha256) || !(await copyVerified(from, to, object_key, sha256))) return "damagedBlobs";
  await to.catalogue.transact((queries) => importBlob(queries, sha256, object_key, size_bytes, now), { durable: true });
  return "blobs";
}

/** The key of a segment has its hash, so an object of the same key and size was copied before. */
async function copySegments(from: Storage, to: Storage, { signal, progress }: MigrationOptions): Promise<number> {
  let copied = 0;
  for (let last = ""; ; ) {
    const page = await pageOfSegments(from.catalogue, PAGE_BLOBS, last);
    for (const { object_key, size_bytes } of page) {
      signal.throwIfAborted();
      if (!object_key.startsWith(segmentPrefix)) continue;
      if ((await to.objects.head(object_key))?.sizeBytes === size_bytes) continue;
      if (await copyVerified(from, to, object_key, segmentHashOf(object_key))) copied++;
      progress?.(`${copied} index segments copied`);
    }
    last = page.at(-1)?.object_key ?? "";
    if (page.length < PAGE_BLOBS) return copied;
  }
}

/** False if the old store does not have the bytes any more. */
async function copyVerified(from: Storage, to: Storage, key: string, sha256: string): Promise<boolean> {
  if ((await hashObject(from.objects, key)) !== sha256) return false;
  await using file = await from.objects.local(key);
  if (file === undefined) return false;
  await to.objects.put(key, file);
  if ((await hashObject(to.objects, key)) === sha256) return true;
  throw Object.assign(new Error("What was written to the new store is not what was read from it."), { code: "EIO" });
}

async function copyAllRows(from: Storage, to: Storage, { signal, progress }: MigrationOptions) {
  const rows: Record<string, number> = {};
  let leftInPlace = 0;
  for (const table of copiedTableNames) {
    rows[table] = await copyRows(from.catalogue, to.catalogue, table, async (page) => {
      signal.throwIfAborted();
      progress?.(`copying rows: ${table}`);
      if (table === "uses") return filterAsync(page, (row) => hasArtifact(to, row));
      if (table === "index_segments") return filterAsync(page, (row) => hasSegment(to, row));
      if (table !== "artifacts") return page;
      const inPlace = to.parts === undefined ? [] : page.filter((row) => row.stored_bytes === 0);
      leftInPlace += inPlace.length;
      return filterAsync(page, async (row) => !inPlace.includes(row) && (await hasBytes(to, row)));
    });
  }
  return { rows: rows as Record<CopiedTable, number>, leftInPlace };
}

async function filterAsync(rows: readonly SqlRow[], isWanted: (row: SqlRow) => Promise<boolean>): Promise<SqlRow[]> {
  const wanted = await Promise.all(rows.map(isWanted));
  return rows.filter((_, index) => wanted[index]);
}

const hasBytes = async ({ catalogue }: Storage, { sha256, stored_bytes }: SqlRow): Promise<boolean> =>
  stored_bytes === 0 || (await findBlob(catalogue, String(sha256))) !== undefined;

const hasSegment = async ({ objects }: Storage, { object_key }: SqlRow): Promise<boolean> =>
  (await objects.head(String(object_key))) !== undefined;

const hasArtifact = async ({ catalogue }: Storage, { owner, ref }: SqlRow): Promise<boolean> =>
  (await catalogue.get("SELECT 1 AS one FROM artifacts WHERE owner = ? AND ref = ?", owner ?? null, ref ?? null)) !==
  undefined;
