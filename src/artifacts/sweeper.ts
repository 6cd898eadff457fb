/** Applies retention: expired artifacts leave tombstones; unreferenced bytes and leftovers are deleted. */
import type { Settings } from "../config/settings.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import {
  blobKey,
  blobOfKey,
  blobPrefix,
  extractPrefix,
  extractsKey,
  isRecordKey,
  ownerKeys,
  ownersPrefix,
  refOfKey,
  trashKey,
  trashPrefix,
} from "./keys.ts";
import { type Objects, readObject, temporaryPrefix } from "./objects.ts";
import { parseRecordOrUndefined, type Tombstone } from "./record.ts";
import { notFoundError, requireRef } from "./ref.ts";
import { chooseExpired, type Expiry, type Retention, type StoredArtifact, sizeOf } from "./retention.ts";

export type SweptArtifact = { readonly ref: string; readonly reason: Tombstone["reason"]; readonly sizeBytes: number };

export type SweepReport = {
  readonly swept: readonly SweptArtifact[];
  readonly deletedBlobs: number;
  readonly deletedBytes: number;
  readonly deletedLeftovers: number;
  /** Unreadable records. While there are any, no bytes are deleted: they may belong to them. */
  readonly damagedRecords: number;
};

/** How long unreferenced objects are kept, because another process may be writing them. */
type Grace = { readonly blobsMs: number; readonly leftoversMs: number };

const HOUR_MS = 60 * 60 * 1000;
/** Blobs could be deleted at once (see deleteUnreferenced). For an unfinished file it is unknown whether its writer is alive. */
const defaultGrace: Grace = { blobsMs: HOUR_MS, leftoversMs: HOUR_MS };

/** Sweeps one owner's artifacts and all unreferenced bytes. Artifacts that the store's own run used stay. */
export async function sweep(store: ArtifactStore, retention: Retention, grace = defaultGrace): Promise<SweepReport> {
  const { objects, owner } = store;
  const now = store.now();
  const currentRun = ownerKeys(owner).run(store.run);
  const expired = chooseExpired(await readArtifacts(objects, owner), retention, { now, currentRun });
  const swept: SweptArtifact[] = [];
  for (const each of expired) {
    const sweptArtifact = await expire(store, each);
    if (sweptArtifact) swept.push(sweptArtifact);
  }
  await sweepOlder(objects, ownerKeys(owner).tombstones, now - retention["artifacts.keep_tombstones"]);
  // The artifacts that a list names are swept separately.
  await sweepOlder(objects, ownerKeys(owner).responses, now - retention["artifacts.keep"]);
  // A cache entry without its artifact is useless, so it expires like artifacts do.
  await sweepOlder(objects, ownerKeys(owner).cache, now - retention["artifacts.keep"]);
  // A stub that is put in again names an artifact.
  await sweepOlder(objects, ownerKeys(owner).recoveries, now - retention["artifacts.keep"]);
  const blobs = await sweepBlobs(objects, now - grace.blobsMs);
  const deletedLeftovers = await sweepLeftovers(objects, now - grace.leftoversMs);
  return { swept, ...blobs, deletedLeftovers };
}

/** Sweeps if the last automatic sweep, of any process, is long enough ago. */
export async function sweepWhenDue(
  store: ArtifactStore,
  settings: Retention & Pick<Settings, "artifacts.sweep_every">,
): Promise<SweepReport | undefined> {
  const { swept } = ownerKeys(store.owner);
  const last = await store.objects.head(swept);
  if (last && store.now() - last.touchedAt < settings["artifacts.sweep_every"]) return undefined;
  await store.objects.put(swept, new Uint8Array(), { durable: false });
  // A new store has nothing to sweep.
  return last && sweep(store, settings);
}

/** Removes one artifact at its owner's request, and its bytes if no other record refers to them. */
export async function deleteArtifact(store: ArtifactStore, ref: string): Promise<SweptArtifact> {
  requireRef(ref);
  const artifact = (await readArtifacts(store.objects, store.owner)).find((each) => each.ref === ref);
  if (artifact === undefined) throw notFoundError(ref);
  await expire(store, { artifact, reason: "removed" });
  if (artifact.record) await deleteUnreferenced(store.objects, [artifact.record.sha256]);
  return { ref, reason: "removed", sizeBytes: sizeOf(artifact) };
}

async function readArtifacts(objects: Objects, owner: string): Promise<StoredArtifact[]> {
  const uses = await Array.fromAsync(objects.list(ownerKeys(owner).runs));
  const usesByRef = Map.groupBy(uses, ({ key }) => refOfKey(key));
  const all: StoredArtifact[] = [];
  for await (const { key, touchedAt } of objects.list(ownerKeys(owner).records)) {
    const ref = refOfKey(key);
    const json = await readObject(objects, key);
    if (json === undefined) continue;
    const runs = (usesByRef.get(ref) ?? []).map((use) => use.key.slice(0, -ref.length));
    all.push({ ref, usedAt: touchedAt, record: parseRecordOrUndefined(ref, json), runs });
  }
  return all;
}

/**
 * Removes one record unless it was used since the decision. The tombstone is written before the record is removed, so
 * the ref is never unknown. The record is first moved aside: a concurrent user either touched it before the move, which
 * we see by its time, or moves it back, which we see too.
 */
async function expire(
  { objects, owner, now }: ArtifactStore,
  { artifact, reason }: Expiry,
): Promise<SweptArtifact | undefined> {
  const { ref, record, runs, usedAt } = artifact;
  const keys = ownerKeys(owner);
  const tombstone: Tombstone = {
    artifact_ref: ref,
    expired_at: new Date(now()).toISOString(),
    reason,
    source_url: record?.source_url ?? "the source",
    media_type: record?.media_type ?? "application/octet-stream",
    size_bytes: sizeOf(artifact),
  };
  await objects.put(keys.tombstone(ref), Buffer.from(JSON.stringify(tombstone)));
  await objects.move(keys.record(ref), keys.aside(ref));
  const aside = await objects.head(keys.aside(ref));
  if (aside === undefined || (aside.touchedAt > usedAt && reason !== "removed")) {
    await objects.move(keys.aside(ref), keys.record(ref));
    await objects.delete(keys.aside(ref));
    await objects.delete(keys.tombstone(ref));
    return undefined;
  }
  await objects.delete(keys.aside(ref));
  // Kept again in the meantime: nothing has expired.
  if (await objects.head(keys.record(ref))) return undefined;
  for (const run of runs) await objects.delete(run + ref);
  return { ref, reason, sizeBytes: sizeOf(artifact) };
}

async function sweepOlder(objects: Objects, prefix: string, before: number): Promise<void> {
  for await (const { key, touchedAt } of objects.list(prefix)) {
    if (touchedAt < before) await objects.delete(key);
  }
}

async function sweepBlobs(objects: Objects, untouchedSince: number) {
  const { referenced, damagedRecords } = await referencedBlobs(objects);
  const candidates: string[] = [];
  for await (const { key, touchedAt } of objects.list(trashPrefix)) {
    // Left by a killed sweeper: moved back at once if referenced, otherwise deleted after the grace period.
    if (touchedAt < untouchedSince || referenced.has(blobOfKey(key))) candidates.push(blobOfKey(key));
  }
  for await (const { key, touchedAt } of objects.list(blobPrefix)) {
    if (touchedAt < untouchedSince && !referenced.has(blobOfKey(key))) candidates.push(blobOfKey(key));
  }
  return { ...(await deleteUnreferenced(objects, candidates)), damagedRecords };
}

/**
 * Deletes blobs in two steps, so that a concurrent keep of the same bytes loses nothing: the blob is moved
 * aside, the records are read again, and a blob that is now referenced is moved back. A keeper checks for its blob
 * after writing its record, so either it finds the blob missing and writes it again, or we find the record.
 */
async function deleteUnreferenced(objects: Objects, candidates: readonly string[]) {
  for (const sha256 of candidates) await objects.move(blobKey(sha256), trashKey(sha256));
  const { referenced, damagedRecords } = await referencedBlobs(objects);
  let [deletedBlobs, deletedBytes] = [0, 0];
  for (const sha256 of candidates) {
    if (referenced.has(sha256) || damagedRecords > 0) await objects.move(trashKey(sha256), blobKey(sha256));
    else {
      deletedBytes += (await objects.head(trashKey(sha256)))?.sizeBytes ?? 0;
      deletedBlobs++;
      await deleteAll(objects, extractsKey(sha256));
    }
    await objects.delete(trashKey(sha256));
  }
  return { deletedBlobs, deletedBytes };
}

/** The blobs that records of any owner refer to. */
async function referencedBlobs(objects: Objects): Promise<{ referenced: Set<string>; damagedRecords: number }> {
  const referenced = new Set<string>();
  let damagedRecords = 0;
  for await (const { key } of objects.list(ownersPrefix)) {
    const json = isRecordKey(key) ? await readObject(objects, key) : undefined;
    if (json === undefined) continue;
    const record = parseRecordOrUndefined(refOfKey(key), json);
    if (record) referenced.add(record.sha256);
    else damagedRecords++;
  }
  return { referenced, damagedRecords };
}

/** Deletes unfinished files, records that a killed sweeper set aside, and uses and extracts of deleted artifacts. */
async function sweepLeftovers(objects: Objects, untouchedSince: number): Promise<number> {
  let deleted = 0;
  for (const prefix of [temporaryPrefix, extractPrefix, ownersPrefix]) {
    for await (const { key, touchedAt } of objects.list(prefix)) {
      const required = requiredObject(key);
      if (touchedAt >= untouchedSince || required === "itself") continue;
      if (required !== "nothing" && (await objects.head(required.key))) continue;
      await objects.delete(key);
      deleted++;
    }
  }
  return deleted;
}

/** What an object depends on: nothing (it is a leftover), another object, or only itself. */
function requiredObject(key: string): "nothing" | "itself" | { readonly key: string } {
  if (key.startsWith(temporaryPrefix) || /^owners\/[^/]+\/aside\//.test(key)) return "nothing";
  const extract = /^extracts\/[^/]+\/([^/.]+)\./.exec(key);
  if (extract) return { key: blobKey(extract[1] ?? "") };
  const use = /^(owners\/[^/]+\/)runs\/[^/]+\/([^/]+)$/.exec(key);
  return use ? { key: `${use[1]}records/${use[2]}.json` } : "itself";
}

async function deleteAll(objects: Objects, prefix: string): Promise<void> {
  for await (const { key } of objects.list(prefix)) await objects.delete(key);
}
