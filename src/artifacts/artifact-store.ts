/** The artifact store of one owner: bytes once per content, one record per ref. */
import { createHmac, randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Spool } from "../acquire/spool.ts";
import type { Detection } from "../detect/kind.ts";
import { isUnwritable, SpillwayError, systemCode } from "../errors.ts";
import { isRedacted } from "../system/redact-url.ts";
import { blobKey, ownerKeys, refOfKey, trashKey } from "./keys.ts";
import { type Objects, readObject } from "./objects.ts";
import {
  type ArtifactRecord,
  artifactFacts,
  damagedError,
  type Origin,
  parseRecord,
  parseRecordOrUndefined,
  parseTombstone,
  type StoredRecord,
  type Tombstone,
} from "./record.ts";
import { makeRef, notFoundError, requireRef } from "./ref.ts";

export type StoreOptions = {
  readonly owner: string;
  readonly run: string;
  readonly now?: () => number;
};

/** One entry of a listing: a usable record, or a ref whose record cannot be read and why. */
export type ListedArtifact =
  | { readonly record: ArtifactRecord }
  | { readonly ref: string; readonly damaged: SpillwayError };

export type ArtifactStore = ReturnType<typeof openStore>;

/** The store as one owner sees it during one run. */
export function openStore(objects: Objects, { owner, run, now = Date.now }: StoreOptions) {
  const keys = ownerKeys(owner);
  let secret: Promise<Uint8Array> | undefined;

  /** Keeps the bytes and the record. Both are on disk when this returns. */
  async function keep(spool: Spool, detection: Detection, origin: Origin): Promise<ArtifactRecord> {
    try {
      secret ??= ownerSecret(objects, keys.secret);
      const ref = makeRef(await secret, spool.sha256, origin.identity);
      const record = newRecord(ref, spool, detection, origin);
      const isKnown = (await objects.head(keys.record(ref))) !== undefined;
      await objects.put(keys.use(run, ref), new Uint8Array(), { durable: false });
      // Until the record exists, a concurrent sweep may delete the blob; afterwards it cannot.
      for (let attempt = 0; attempt < 3; attempt++) {
        await keepBlob(objects, spool, isKnown);
        await keepRecord(record);
        if ((await hasRecord(ref)) && (await hasBlob(record))) return toRecord(record, now());
      }
      throw Object.assign(new Error("The bytes vanished again after being written."), { code: "EIO" });
    } catch (cause) {
      secret = undefined;
      throw systemCode(cause) === undefined ? cause : unavailable(cause);
    }
  }

  /** A function that makes HMACs with the owner's key: they reveal nothing about their input. */
  async function makeSeal(): Promise<(text: string) => string> {
    secret ??= ownerSecret(objects, keys.secret);
    // If the secret could not be read, the next call tries again.
    secret.catch(() => {
      secret = undefined;
    });
    const key = await secret;
    return (text) => createHmac("sha256", key).update(text).digest("hex");
  }

  async function seal(text: string): Promise<string> {
    return (await makeSeal())(text);
  }

  function newRecord(ref: string, spool: Spool, detection: Detection, origin: Origin): StoredRecord {
    const created_at = new Date(now()).toISOString();
    return { artifact_ref: ref, ...artifactFacts(spool, detection, origin), created_at, run, owner };
  }

  /** The run and time of the first keep stay. An identical record is only marked as used. */
  async function keepRecord(record: StoredRecord): Promise<void> {
    const key = keys.record(record.artifact_ref);
    const before = await readObject(objects, key);
    const first = before && parseRecordOrUndefined(record.artifact_ref, before);
    const merged = { ...record, created_at: first?.created_at ?? record.created_at, run: first?.run ?? record.run };
    const json = Buffer.from(`${JSON.stringify(merged, null, 2)}\n`);
    if (!(before?.equals(json) && (await objects.touch(key)))) await objects.put(key, json);
    await objects.delete(keys.tombstone(record.artifact_ref));
  }

  /** Finds the record of one of this owner's refs and marks it as used by this run. */
  async function find(ref: string): Promise<ArtifactRecord> {
    requireRef(ref);
    try {
      const json = await recordJson(ref);
      if (json === undefined) throw await missingRefError(ref);
      const record = parseRecord(ref, json);
      if (!(await hasBlob(record))) throw damagedError(ref, "its bytes are missing or cut short");
      await markUsed(ref);
      return toRecord(record, now());
    } catch (error) {
      throw asDamage(ref, error);
    }
  }

  async function hasRecord(ref: string): Promise<boolean> {
    return ((await objects.head(keys.record(ref))) ?? (await recordJson(ref))) !== undefined;
  }

  /** Moves back a record that a sweeper has set aside: it is in use. */
  async function recordJson(ref: string): Promise<Buffer | undefined> {
    const json = await readObject(objects, keys.record(ref));
    if (json !== undefined || !(await objects.move(keys.aside(ref), keys.record(ref)))) return json;
    await objects.delete(keys.tombstone(ref));
    return readObject(objects, keys.record(ref));
  }

  async function missingRefError(ref: string): Promise<SpillwayError> {
    const json = await readObject(objects, keys.tombstone(ref));
    return json === undefined ? notFoundError(ref) : expiredError(parseTombstone(ref, json));
  }

  /** Moves back a blob that a sweeper has set aside: it has a record. */
  async function hasBlob({ sha256, size_bytes }: StoredRecord): Promise<boolean> {
    for (const pauseMs of [0, 20, 100]) {
      if (pauseMs > 0) await wait(pauseMs);
      const head = await objects.head(blobKey(sha256));
      if (head) return head.sizeBytes === size_bytes;
      await objects.move(trashKey(sha256), blobKey(sha256));
    }
    return false;
  }

  async function markUsed(ref: string): Promise<void> {
    try {
      await objects.touch(keys.record(ref));
      if (!(await objects.touch(keys.use(run, ref)))) {
        await objects.put(keys.use(run, ref), new Uint8Array(), { durable: false });
      }
    } catch (error) {
      // A read-only store still serves reads, and it cannot be swept either.
      if (!isUnwritable(error)) throw error;
    }
  }

  function toRecord(record: StoredRecord, usedAt: number): ArtifactRecord {
    const path = objects.path?.(blobKey(record.sha256)) ?? null;
    return { ...record, path, last_used_at: new Date(usedAt).toISOString() };
  }

  /** The complete bytes as a local file, until the handle is disposed. */
  async function local(record: ArtifactRecord): Promise<{ readonly path: string } & AsyncDisposable> {
    const file = await objects.local(blobKey(record.sha256));
    if (file === undefined) throw damagedError(record.artifact_ref, "its bytes are missing");
    return file;
  }

  /** All artifacts of this owner, or those that one run used. Listing does not mark them as used. */
  async function* list(ofRun?: string): AsyncGenerator<ListedArtifact> {
    const refsOfRun = ofRun === undefined ? undefined : await refsOf(ofRun);
    for await (const { key, touchedAt } of objects.list(keys.records)) {
      const ref = refOfKey(key);
      if (refsOfRun && !refsOfRun.has(ref)) continue;
      try {
        const json = await readObject(objects, key);
        if (json) yield { record: toRecord(parseRecord(ref, json), touchedAt) };
      } catch (error) {
        yield { ref, damaged: asDamage(ref, error) };
      }
    }
  }

  async function refsOf(ofRun: string): Promise<ReadonlySet<string>> {
    const uses = await Array.fromAsync(objects.list(keys.run(ofRun)));
    return new Set(uses.map(({ key }) => refOfKey(key)));
  }

  return { owner, run, objects, now, keep, find, seal, makeSeal, local, list };
}

async function ownerSecret(objects: Objects, key: string): Promise<Uint8Array> {
  const present = await readObject(objects, key);
  if (present?.length === 32) return present;
  await objects.put(key, randomBytes(32), { ifAbsent: present === undefined });
  const secret = await readObject(objects, key);
  if (secret?.length !== 32) throw Object.assign(new Error("The owner's key cannot be read back."), { code: "EIO" });
  return secret;
}

/**
 * Writes the bytes, unless this owner has kept them from this source before. Bytes that only others have are written
 * again: if they were not, the time of a keep would tell an owner what strangers have fetched.
 */
async function keepBlob(objects: Objects, { content, sha256, sizeBytes }: Spool, isKnown: boolean): Promise<void> {
  const key = blobKey(sha256);
  // A blob of another length is what a power failure left of an earlier write.
  const isWhole = isKnown && (await objects.head(key))?.sizeBytes === sizeBytes && (await objects.touch(key));
  // Blobs are content-addressed: a concurrent writer writes the same bytes.
  if (!isWhole) await objects.put(key, "path" in content ? content : content.bytes);
}

/** A read error of the disk means a damaged artifact. Other errors are thrown unchanged. */
function asDamage(ref: string, error: unknown): SpillwayError {
  if (error instanceof SpillwayError) return error;
  const code = systemCode(error);
  if (code === undefined) throw error;
  return damagedError(ref, `its record cannot be read from disk (${code})`, error);
}

function expiredError({ artifact_ref, expired_at, reason, source_url }: Tombstone): SpillwayError {
  const reasonText = {
    age: "unused for too long",
    count: "its run kept too many",
    bytes: "the store was full",
    removed: "removed by its owner",
  }[reason];
  const secretNote = isRedacted(source_url) ? ", with your own value in place of ***," : "";
  return new SpillwayError("artifact_expired", `Artifact ${artifact_ref} expired on ${expired_at} (${reasonText}).`, {
    hint: `Fetch ${source_url} again${secretNote} to get it back under the same ref while its content is the same.`,
  });
}

function unavailable(cause: unknown): SpillwayError {
  const code = systemCode(cause);
  const full = code === "ENOSPC" || code === "EDQUOT";
  const fact = full ? "the disk is full" : isUnwritable(cause) ? "the store cannot be written" : `disk error ${code}`;
  return new SpillwayError("store_unavailable", `The artifact could not be kept: ${fact}.`, {
    hint: "Free space or set SPILLWAY_HOME to a folder that can be written, then fetch again.",
    cause,
  });
}
