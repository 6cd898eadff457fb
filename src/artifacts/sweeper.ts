/** Applies retention: expired artifacts leave tombstones; unreferenced bytes and leftovers are deleted. */
import { claimGarbage, forgetGarbage, isReferred } from "../catalogue/blob-rows.ts";
import { deleteOldCacheRows } from "../catalogue/cache-rows.ts";
import { deleteOldResponses } from "../catalogue/response-rows.ts";
import { expireSegments } from "../catalogue/segment-rows.ts";
import type { Queries } from "../catalogue/sql.ts";
import { deleteOldTombstones } from "../catalogue/tombstone-rows.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import { blobOfKey, blobPrefix, extractPrefix, extractsKey, ownerKeys } from "./keys.ts";
import { type Objects, temporaryPrefix } from "./objects.ts";
import { notFoundError, requireRef } from "./ref.ts";
import { withReserve } from "./reserve.ts";
import { expireArtifact, expireArtifacts, MIN_UNUSED_MS, type Retention, type SweptArtifact } from "./retention.ts";

export type SweepReport = {
  readonly swept: readonly SweptArtifact[];
  readonly deletedBlobs: number;
  readonly deletedBytes: number;
  readonly deletedLeftovers: number;
};

/** How long unfinished objects and files are kept, because another process may be writing them. */
type Grace = { readonly blobsMs: number; readonly leftoversMs: number };

const defaultGrace: Grace = { blobsMs: MIN_UNUSED_MS, leftoversMs: MIN_UNUSED_MS };

/** Sweeps one owner's artifacts and all unreferenced bytes. */
export async function sweep(
  store: ArtifactStore,
  retention: Retention,
  grace = defaultGrace,
  onDeleted?: (deletedBlobs: number) => void,
): Promise<SweepReport> {
  // Before anything else, because it needs no space on the disk.
  const deletedLeftovers = await deleteLeftovers(store.localFiles ?? store.objects, store.now() - grace.leftoversMs);
  return withReserve(store, async () => ({
    ...(await sweepRows(store, retention, grace, onDeleted)),
    deletedLeftovers,
  }));
}

async function sweepRows(
  store: ArtifactStore,
  retention: Retention,
  grace: Grace,
  onDeleted: ((deletedBlobs: number) => void) | undefined,
): Promise<Omit<SweepReport, "deletedLeftovers">> {
  const { catalogue, ownerId } = store;
  const now = store.now();
  await store.oldRecords?.importAll();
  const swept = await expireArtifacts(catalogue, ownerId, retention, now);
  await noteRemoved(store, swept);
  await catalogue.transact(async (queries) => {
    await deleteOldTombstones(queries, ownerId, now - retention["artifacts.keep_tombstones"]);
    // The artifacts that a list names are swept separately.
    await deleteOldResponses(queries, ownerId, now - retention["artifacts.keep"]);
    // A cache entry without its artifact is useless, so it expires like artifacts do.
    await deleteOldCacheRows(queries, ownerId, now - retention["artifacts.keep"]);
    // Where only this machine has indexes, a segment expires with its index.
    if (store.parts !== undefined) await expireSegments(queries, ownerId, now - retention["artifacts.keep"]);
  });
  // A stub that is put in again names an artifact.
  await deleteOlder(store.objects, ownerKeys(store.owner).recoveries, now - retention["artifacts.keep"]);
  return { swept, ...(await deleteGarbage(store, now - grace.blobsMs, onDeleted)) };
}

async function deleteOlder(objects: Objects, prefix: string, before: number): Promise<void> {
  for await (const { key, touchedAt } of objects.list(prefix)) if (touchedAt < before) await objects.delete(key);
}

/** Removes one artifact at its owner's request, and its bytes if no other record refers to them. */
export async function deleteArtifact(store: ArtifactStore, ref: string): Promise<SweptArtifact> {
  requireRef(ref);
  return withReserve(store, () => removeRow(store, ref));
}

async function removeRow(store: ArtifactStore, ref: string): Promise<SweptArtifact> {
  const { catalogue, ownerId, now } = store;
  const row = await catalogue.transact((queries) => expireArtifact(queries, ownerId, ref, "removed", now()), {
    durable: true,
  });
  if (row === undefined) throw notFoundError(ref);
  const swept: SweptArtifact = { ref, reason: "removed", sizeBytes: row.size_bytes };
  await noteRemoved(store, [swept]);
  if (row.releasedObject !== null) await deleteObjects(store, [row.releasedObject]);
  return swept;
}

async function noteRemoved({ journal, ownerId, now }: ArtifactStore, swept: readonly SweptArtifact[]): Promise<void> {
  if (swept.length === 0) return;
  await journal?.add({ removed: { owner: ownerId, refs: swept.map(({ ref }) => ref) } }, now());
}

const BATCH_OBJECTS = 500;

/** Deletes objects that no row refers to. */
async function deleteGarbage(
  store: ArtifactStore,
  before: number,
  onDeleted?: (deletedBlobs: number) => void,
): Promise<DeletedObjects> {
  let [deletedBlobs, deletedBytes] = [0, 0];
  for (;;) {
    // Durable: were the rows of expired artifacts to come back after a crash, their objects would be gone.
    const claim = (queries: Queries) => claimGarbage(queries, before, BATCH_OBJECTS);
    const keys = await store.catalogue.transact(claim, { durable: true });
    const deleted = await deleteObjects(store, keys);
    [deletedBlobs, deletedBytes] = [deletedBlobs + deleted.deletedBlobs, deletedBytes + deleted.deletedBytes];
    onDeleted?.(deletedBlobs);
    if (keys.length < BATCH_OBJECTS) return { deletedBlobs, deletedBytes };
  }
}

type DeletedObjects = { readonly deletedBlobs: number; readonly deletedBytes: number };

/** Deletes claimed garbage, the extracts of bytes that are gone with it, and then its rows. */
async function deleteObjects({ objects, catalogue }: ArtifactStore, keys: readonly string[]): Promise<DeletedObjects> {
  let [deletedBlobs, deletedBytes] = [0, 0];
  for (const key of keys) {
    const head = await objects.head(key);
    await objects.delete(key);
    const isBlob = key.startsWith(blobPrefix);
    if (head) [deletedBlobs, deletedBytes] = [deletedBlobs + (isBlob ? 1 : 0), deletedBytes + head.sizeBytes];
    const sha256 = blobOfKey(key);
    if (isBlob && !(await isReferred(catalogue, sha256))) await deleteAll(objects, extractsKey(sha256));
  }
  await catalogue.transact((queries) => forgetGarbage(queries, keys));
  return { deletedBlobs, deletedBytes };
}

/** The temporary files that we make. Whatever else is in their folder is not ours to delete. */
const temporaryNames = /^tmp\/(put|spool|doctor|object)-[^/]+$/;

/** Deletes unfinished files of killed processes. */
async function deleteLeftovers(objects: Objects, untouchedSince: number): Promise<number> {
  let deleted = 0;
  for await (const { key, touchedAt } of objects.list(temporaryPrefix)) {
    if (touchedAt >= untouchedSince || !temporaryNames.test(key)) continue;
    await objects.delete(key);
    deleted++;
  }
  // Version 0.1.0 named the folders of extracts differently; extracts can be made again.
  for await (const folder of objects.folders(extractPrefix)) {
    if (folder.length === 2) await deleteAll(objects, `${extractPrefix}${folder}/`);
  }
  return deleted;
}

async function deleteAll(objects: Objects, prefix: string): Promise<void> {
  for await (const { key } of objects.list(prefix)) await objects.delete(key);
}
