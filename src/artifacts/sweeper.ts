/** Carries retention out: expired artifacts leave tombstones, bytes nobody refers to and leftovers go for good. */
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
import { soundRecord, type Tombstone } from "./record.ts";
import { notFound, requireRef } from "./ref.ts";
import { chooseExpired, type Expired, type Held, type Retention, sizeOf } from "./retention.ts";

export type Swept = { readonly ref: string; readonly reason: Tombstone["reason"]; readonly sizeBytes: number };

export type SweepReport = {
  readonly swept: readonly Swept[];
  readonly deletedBlobs: number;
  readonly deletedBytes: number;
  readonly deletedLeftovers: number;
  /** Records that cannot be read. While there are any, no bytes are deleted: they may be theirs. */
  readonly damagedRecords: number;
};

/** How long what nobody refers to is left alone, for somebody may be at work on it right now. */
export type Grace = { readonly blobsMs: number; readonly leftoversMs: number };

const hour = 60 * 60 * 1000;
/** Blobs could go at once (see deleteUnreferenced); an unfinished file cannot tell whether its writer still lives. */
const defaultGrace: Grace = { blobsMs: hour, leftoversMs: hour };

/** Sweeps one owner's artifacts and the bytes nobody refers to. What the store's own run used stays. */
export async function sweep(store: ArtifactStore, retention: Retention, grace = defaultGrace): Promise<SweepReport> {
  const { objects, owner } = store;
  const now = store.now();
  const currentRun = ownerKeys(owner).run(store.run);
  const expired = chooseExpired(await readHeld(objects, owner), retention, { now, currentRun });
  const swept: Swept[] = [];
  for (const each of expired) {
    const gone = await expire(store, each);
    if (gone) swept.push(gone);
  }
  await sweepOlder(objects, ownerKeys(owner).tombstones, now - retention["artifacts.keep_tombstones"]);
  // What a list names is kept or swept by itself.
  await sweepOlder(objects, ownerKeys(owner).responses, now - retention["artifacts.keep"]);
  // An entry whose artifact is gone answers nothing; it goes with the artifacts of its age.
  await sweepOlder(objects, ownerKeys(owner).cache, now - retention["artifacts.keep"]);
  const blobs = await sweepBlobs(objects, now - grace.blobsMs);
  const deletedLeftovers = await sweepLeftovers(objects, now - grace.leftoversMs);
  return { swept, ...blobs, deletedLeftovers };
}

/** Sweeps when the last automatic sweep is long enough ago; several processes share that clock. */
export async function sweepWhenDue(
  store: ArtifactStore,
  settings: Retention & Pick<Settings, "artifacts.sweep_every">,
): Promise<SweepReport | undefined> {
  const { swept } = ownerKeys(store.owner);
  const last = await store.objects.head(swept);
  if (last && store.now() - last.touchedAt < settings["artifacts.sweep_every"]) return undefined;
  await store.objects.put(swept, new Uint8Array(), { durable: false });
  // A store used for the first time has nothing to sweep.
  return last && sweep(store, settings);
}

/** Removes one artifact at its owner's word, and its bytes at once when nobody else refers to them. */
export async function removeArtifact(store: ArtifactStore, ref: string): Promise<Swept> {
  requireRef(ref);
  const held = (await readHeld(store.objects, store.owner)).find((each) => each.ref === ref);
  if (held === undefined) throw notFound(ref);
  await expire(store, { held, reason: "removed" });
  if (held.record) await deleteUnreferenced(store.objects, [held.record.sha256]);
  return { ref, reason: "removed", sizeBytes: sizeOf(held) };
}

async function readHeld(objects: Objects, owner: string): Promise<Held[]> {
  const uses = await Array.fromAsync(objects.list(ownerKeys(owner).runs));
  const usesByRef = Map.groupBy(uses, ({ key }) => refOfKey(key));
  const all: Held[] = [];
  for await (const { key, touchedAt } of objects.list(ownerKeys(owner).records)) {
    const ref = refOfKey(key);
    const json = await readObject(objects, key);
    if (json === undefined) continue;
    const runs = (usesByRef.get(ref) ?? []).map((use) => use.key.slice(0, -ref.length));
    all.push({ ref, usedAt: touchedAt, record: soundRecord(ref, json), runs });
  }
  return all;
}

/**
 * Takes one record away, unless it was used since that was decided. The tombstone stands before the record goes, so that
 * at no moment the ref is merely unknown. The record is put aside first: whoever uses it meanwhile either touched it
 * before, which we see, or fetches it back, which we see too.
 */
async function expire({ objects, owner, now }: ArtifactStore, { held, reason }: Expired): Promise<Swept | undefined> {
  const { ref, record, runs, usedAt } = held;
  const keys = ownerKeys(owner);
  const tombstone: Tombstone = {
    artifact_ref: ref,
    expired_at: new Date(now()).toISOString(),
    reason,
    source_url: record?.source_url ?? "the source",
    media_type: record?.media_type ?? "application/octet-stream",
    size_bytes: sizeOf(held),
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
  // Kept anew meanwhile: then nothing has expired.
  if (await objects.head(keys.record(ref))) return undefined;
  for (const run of runs) await objects.delete(run + ref);
  return { ref, reason, sizeBytes: sizeOf(held) };
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
    // A killed sweeper left it there: back at once where it is missed, otherwise gone after the grace.
    if (touchedAt < untouchedSince || referenced.has(blobOfKey(key))) candidates.push(blobOfKey(key));
  }
  for await (const { key, touchedAt } of objects.list(blobPrefix)) {
    if (touchedAt < untouchedSince && !referenced.has(blobOfKey(key))) candidates.push(blobOfKey(key));
  }
  return { ...(await deleteUnreferenced(objects, candidates)), damagedRecords };
}

/**
 * Deletes blobs in two steps, so that a keeper of the same bytes at the same moment loses nothing: the blob is put
 * aside, the records are read once more, and a blob that is referred to by now goes back. A keeper looks for its blob
 * after writing its record, so either it finds the blob missing and writes it again, or we find its record.
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

/** Whose bytes are in use, over all owners. */
async function referencedBlobs(objects: Objects): Promise<{ referenced: Set<string>; damagedRecords: number }> {
  const referenced = new Set<string>();
  let damagedRecords = 0;
  for await (const { key } of objects.list(ownersPrefix)) {
    const json = isRecordKey(key) ? await readObject(objects, key) : undefined;
    if (json === undefined) continue;
    const record = soundRecord(refOfKey(key), json);
    if (record) referenced.add(record.sha256);
    else damagedRecords++;
  }
  return { referenced, damagedRecords };
}

/** Unfinished files, records a killed sweeper put aside, uses of artifacts that are gone, extracts of bytes that are gone. */
async function sweepLeftovers(objects: Objects, untouchedSince: number): Promise<number> {
  let deleted = 0;
  for (const prefix of [temporaryPrefix, extractPrefix, ownersPrefix]) {
    for await (const { key, touchedAt } of objects.list(prefix)) {
      const needed = neededBy(key);
      if (touchedAt >= untouchedSince || needed === "itself") continue;
      if (needed !== "nothing" && (await objects.head(needed.key))) continue;
      await objects.delete(key);
      deleted++;
    }
  }
  return deleted;
}

/** What an object is there for: nothing any more, another object, or itself. */
function neededBy(key: string): "nothing" | "itself" | { readonly key: string } {
  if (key.startsWith(temporaryPrefix) || /^owners\/[^/]+\/aside\//.test(key)) return "nothing";
  const extract = /^extracts\/[^/]+\/([^/.]+)\./.exec(key);
  if (extract) return { key: blobKey(extract[1] ?? "") };
  const use = /^(owners\/[^/]+\/)runs\/[^/]+\/([^/]+)$/.exec(key);
  return use ? { key: `${use[1]}records/${use[2]}.json` } : "itself";
}

async function deleteAll(objects: Objects, prefix: string): Promise<void> {
  for await (const { key } of objects.list(prefix)) await objects.delete(key);
}
