/** Artifacts kept whole and found again by their owner: bytes once per content, one record per ref. */
import { createHmac, randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Spool } from "../acquire/spool.ts";
import type { Detection } from "../detect/kind.ts";
import { isUnwritable, SpillwayError, systemCode } from "../errors.ts";
import { blobKey, ownerKeys, refOfKey, trashKey } from "./keys.ts";
import { type Objects, readObject } from "./objects.ts";
import {
  type ArtifactRecord,
  artifactFacts,
  damaged,
  type Origin,
  parseRecord,
  parseTombstone,
  type StoredRecord,
  soundRecord,
  type Tombstone,
} from "./record.ts";
import { makeRef, notFound, requireRef } from "./ref.ts";

export type StoreOptions = {
  readonly owner: string;
  readonly run: string;
  readonly now?: () => number;
};

/** One line of a listing: a record that can be used, or a ref whose record cannot be read and why. */
export type Listed = { readonly record: ArtifactRecord } | { readonly ref: string; readonly damaged: SpillwayError };

export type ArtifactStore = ReturnType<typeof openStore>;

/** The store as one owner sees it during one run. */
export function openStore(objects: Objects, { owner, run, now = Date.now }: StoreOptions) {
  const keys = ownerKeys(owner);
  let secret: Promise<Uint8Array> | undefined;

  /** Keeps the bytes and the record; when this returns, both are on the disk. */
  async function keep(spool: Spool, detection: Detection, origin: Origin): Promise<ArtifactRecord> {
    try {
      secret ??= ownerSecret(objects, keys.secret);
      const ref = makeRef(await secret, spool.sha256, origin.identity);
      const record = newRecord(ref, spool, detection, origin);
      await objects.put(keys.use(run, ref), new Uint8Array(), { durable: false });
      // A sweeper may take the blob away until the record stands; then it never will again.
      for (let attempt = 0; attempt < 3; attempt++) {
        await keepBlob(objects, spool);
        await keepRecord(record);
        if ((await hasRecord(ref)) && (await hasBlob(record))) return shown(record, now());
      }
      throw Object.assign(new Error("The bytes vanished again after being written."), { code: "EIO" });
    } catch (cause) {
      secret = undefined;
      throw systemCode(cause) === undefined ? cause : unavailable(cause);
    }
  }

  /** A digest that only this owner's key makes: says nothing of what went in. */
  async function seal(text: string): Promise<string> {
    secret ??= ownerSecret(objects, keys.secret);
    // A secret that could not be had this time is asked for again.
    secret.catch(() => {
      secret = undefined;
    });
    return createHmac("sha256", await secret)
      .update(text)
      .digest("hex");
  }

  function newRecord(ref: string, spool: Spool, detection: Detection, origin: Origin): StoredRecord {
    const created_at = new Date(now()).toISOString();
    return { artifact_ref: ref, ...artifactFacts(spool, detection, origin), created_at, run, owner };
  }

  /** The first keeper's run and time stay; a record that says the same already is only marked as used. */
  async function keepRecord(record: StoredRecord): Promise<void> {
    const key = keys.record(record.artifact_ref);
    const before = await readObject(objects, key);
    const first = before && soundRecord(record.artifact_ref, before);
    const merged = { ...record, created_at: first?.created_at ?? record.created_at, run: first?.run ?? record.run };
    const json = Buffer.from(`${JSON.stringify(merged, null, 2)}\n`);
    if (!(before?.equals(json) && (await objects.touch(key)))) await objects.put(key, json);
    await objects.delete(keys.tombstone(record.artifact_ref));
  }

  /** The record of a ref of this owner, marked as used now by this run. */
  async function find(ref: string): Promise<ArtifactRecord> {
    requireRef(ref);
    try {
      const json = await recordJson(ref);
      if (json === undefined) throw await gone(ref);
      const record = parseRecord(ref, json);
      if (!(await hasBlob(record))) throw damaged(ref, "its bytes are missing or cut short");
      await markUsed(ref);
      return shown(record, now());
    } catch (error) {
      throw asDamage(ref, error);
    }
  }

  async function hasRecord(ref: string): Promise<boolean> {
    return ((await objects.head(keys.record(ref))) ?? (await recordJson(ref))) !== undefined;
  }

  /** A record that a sweeper has put aside is fetched back: it is in use. */
  async function recordJson(ref: string): Promise<Buffer | undefined> {
    const json = await readObject(objects, keys.record(ref));
    if (json !== undefined || !(await objects.move(keys.aside(ref), keys.record(ref)))) return json;
    await objects.delete(keys.tombstone(ref));
    return readObject(objects, keys.record(ref));
  }

  async function gone(ref: string): Promise<SpillwayError> {
    const json = await readObject(objects, keys.tombstone(ref));
    return json === undefined ? notFound(ref) : expired(parseTombstone(ref, json));
  }

  /** A blob that a sweeper has put aside is fetched back: there is a record for it. */
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
      // A store that can only be read still serves reads; it cannot be swept either.
      if (!isUnwritable(error)) throw error;
    }
  }

  function shown(record: StoredRecord, usedAt: number): ArtifactRecord {
    const path = objects.path?.(blobKey(record.sha256)) ?? null;
    return { ...record, path, last_used_at: new Date(usedAt).toISOString() };
  }

  /** The complete bytes as a file, as long as the handle is held. */
  async function local(record: ArtifactRecord): Promise<{ readonly path: string } & AsyncDisposable> {
    const file = await objects.local(blobKey(record.sha256));
    if (file === undefined) throw damaged(record.artifact_ref, "its bytes are missing");
    return file;
  }

  /** All artifacts of this owner, or those a run used; nothing is marked as used by looking. */
  async function* list(ofRun?: string): AsyncGenerator<Listed> {
    const used = ofRun === undefined ? undefined : await refsOf(ofRun);
    for await (const { key, touchedAt } of objects.list(keys.records)) {
      const ref = refOfKey(key);
      if (used && !used.has(ref)) continue;
      try {
        const json = await readObject(objects, key);
        if (json) yield { record: shown(parseRecord(ref, json), touchedAt) };
      } catch (error) {
        yield { ref, damaged: asDamage(ref, error) };
      }
    }
  }

  async function refsOf(ofRun: string): Promise<ReadonlySet<string>> {
    const uses = await Array.fromAsync(objects.list(keys.run(ofRun)));
    return new Set(uses.map(({ key }) => refOfKey(key)));
  }

  return { owner, run, objects, now, keep, find, seal, local, list };
}

async function ownerSecret(objects: Objects, key: string): Promise<Uint8Array> {
  const present = await readObject(objects, key);
  if (present?.length === 32) return present;
  await objects.put(key, randomBytes(32), { ifAbsent: present === undefined });
  const secret = await readObject(objects, key);
  if (secret?.length !== 32) throw Object.assign(new Error("The owner's key cannot be read back."), { code: "EIO" });
  return secret;
}

async function keepBlob(objects: Objects, { content, sha256, sizeBytes }: Spool): Promise<void> {
  const key = blobKey(sha256);
  // Bytes of another length under this name are what a power cut left of an earlier write.
  const whole = (await objects.head(key))?.sizeBytes === sizeBytes && (await objects.touch(key));
  // The name tells the bytes: whoever else writes them meanwhile writes the same.
  if (!whole) await objects.put(key, "path" in content ? content : content.bytes);
}

/** What the disk refuses to give back is a damaged artifact; what else went wrong stays what it is. */
function asDamage(ref: string, error: unknown): SpillwayError {
  if (error instanceof SpillwayError) return error;
  const code = systemCode(error);
  if (code === undefined) throw error;
  return damaged(ref, `the disk does not give its record back (${code})`, error);
}

function expired({ artifact_ref, expired_at, reason, source_url }: Tombstone): SpillwayError {
  const why = {
    age: "unused for too long",
    count: "its run kept too many",
    bytes: "the store was full",
    removed: "removed by its owner",
  }[reason];
  return new SpillwayError("artifact_expired", `Artifact ${artifact_ref} expired on ${expired_at} (${why}).`, {
    hint: `Fetch ${source_url} again to get it back under the same ref while its content is the same.`,
  });
}

function unavailable(cause: unknown): SpillwayError {
  const code = systemCode(cause);
  const full = code === "ENOSPC" || code === "EDQUOT";
  const fact = full
    ? "the disk is full"
    : isUnwritable(cause)
      ? "the store cannot be written"
      : `the disk says ${code}`;
  return new SpillwayError("store_unavailable", `The artifact could not be kept: ${fact}.`, {
    hint: "Free space or set SPILLWAY_HOME to a folder that can be written, then fetch again.",
    cause,
  });
}
