/** The artifact store of one owner: bytes once per content, one record per ref. */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { type FileReference, isUnchanged } from "../acquire/file-reference.ts";
import type { Spool } from "../acquire/spool.ts";
import {
  type ArtifactRow,
  countOfRun,
  type FirstKeep,
  type FoundArtifact,
  findArtifactRow,
  keepArtifactRow,
  keepUse,
  type ListedRow,
  markArtifactUsed,
  pageOfArtifacts,
  pageOfRecent,
  pageOfRun,
  readTotals,
  type UsePosition,
} from "../catalogue/artifact-rows.ts";
import { findBlob } from "../catalogue/blob-rows.ts";
import { CatalogueError, type Queries, RequirementError } from "../catalogue/sql.ts";
import { deleteTombstone, findTombstone } from "../catalogue/tombstone-rows.ts";
import type { Detection } from "../detect/kind.ts";
import { SpillwayError, systemCode } from "../errors.ts";
import { safeFileName } from "../system/safe-names.ts";
import { type OpenedBlob, openBlobs, type WrittenBlob } from "./blobs.ts";
import { extractsKey, ownerKeys } from "./keys.ts";
import { type Objects, ObjectsError, readObject } from "./objects.ts";
import { type ArtifactRecord, artifactFacts, type Origin, parseRow, writeFacts } from "./record.ts";
import { makeRef, notFoundError, requireRef } from "./ref.ts";
import type { Storage } from "./storage.ts";
import { damagedError, expiredError, sourceChangedError, toStoreError, unavailableError } from "./store-errors.ts";

export type StoreOptions = {
  readonly owner: string;
  readonly run: string;
  readonly now?: () => number;
};

/** Adds rows that refer to an artifact, in the transaction that keeps it. */
export type KeptAlongside = (queries: Queries, ref: string) => Promise<void>;

/** One entry of a listing: a usable record, or a ref whose record cannot be read and why. */
export type ListedArtifact =
  | { readonly record: ArtifactRecord }
  | { readonly ref: string; readonly damaged: SpillwayError };

export type ListOptions = {
  /** Whether records name the local files of their bytes, which takes longer. Default: yes. */
  readonly withPaths?: boolean;
};

/** Artifacts, and where the next page begins; undefined after the last one. */
export type RecentPage = { readonly artifacts: readonly ListedArtifact[]; readonly next: UsePosition | undefined };

export type ArtifactStore = ReturnType<typeof openStore>;

/** A use is noted at most this often: it protects an artifact from every sweep for much longer. */
const MARK_INTERVAL_MS = 60_000;

const MAX_REMEMBERED_MARKS = 10_000;

const PAGE_ROWS = 200;

/** A sweeper that is faster even once is one whose grace is over, so this many are never needed. */
const MAX_KEEP_ATTEMPTS = 20;

/** The store as one owner sees it during one run. */
export function openStore(storage: Storage, { owner, run, now = Date.now }: StoreOptions) {
  const { objects, catalogue, oldRecords, journal } = storage;
  const keys = ownerKeys(owner);
  const ownerId = safeFileName(owner);
  const runId = safeFileName(run);
  const blobs = openBlobs(objects, catalogue, now);
  let secret: Promise<KeyObject> | undefined;
  /** When reads that did not wait for it noted their use. */
  const markedAt = new Map<string, number>();
  /** Where the bytes of records were when they were found. */
  const places = new WeakMap<ArtifactRecord, string>();
  /** Records of contents that this owner did not have before. */
  const newContents = new WeakSet<ArtifactRecord>();
  /** The last keep of each content: the same content is kept one after another, so that its bytes are written once. */
  const keeping = new Map<string, Promise<unknown>>();

  /** Keeps the bytes and the record, and what goes with them. All are on disk when this returns. */
  async function keep(
    spool: Spool,
    detection: Detection,
    origin: Origin,
    alongside?: KeptAlongside,
  ): Promise<ArtifactRecord> {
    const previous = keeping.get(spool.sha256);
    const kept = keepAfter(previous, spool, detection, origin, alongside);
    keeping.set(spool.sha256, kept);
    try {
      return await kept;
    } finally {
      if (keeping.get(spool.sha256) === kept) keeping.delete(spool.sha256);
    }
  }

  async function keepAfter(
    previous: Promise<unknown> | undefined,
    spool: Spool,
    detection: Detection,
    origin: Origin,
    alongside: KeptAlongside | undefined,
  ): Promise<ArtifactRecord> {
    await previous?.catch(() => undefined);
    try {
      secret ??= ownerSecret(objects, keys.secret);
      const ref = makeRef(await secret, spool.sha256, origin.identity);
      const facts = artifactFacts(spool, detection, origin);
      for (let attempt = 0; attempt < MAX_KEEP_ATTEMPTS; attempt++) {
        const kept = await keepOnce(ref, spool, writeFacts(facts), alongside);
        if (kept === undefined) continue;
        const record = { artifact_ref: ref, ...facts, owner, ...kept.fields, ...seen(now()) };
        if (kept.isNewContent) newContents.add(record);
        return record;
      }
      throw Object.assign(new Error("The bytes were swept again and again before their record."), { code: "EIO" });
    } catch (cause) {
      secret = undefined;
      throw toStoreError("kept", cause);
    }
  }

  /** Undefined if a sweeper took the bytes before the record referred to them. */
  async function keepOnce(ref: string, spool: Spool, record: string, alongside: KeptAlongside | undefined) {
    const { sha256, sizeBytes, reference } = spool;
    const blob = reference === undefined ? await blobs.write(spool, ownerId) : null;
    const time = now();
    const sizes = { size_bytes: sizeBytes, stored_bytes: blob === null ? 0 : sizeBytes };
    const row = { owner: ownerId, ref, sha256, ...sizes, created_at: time, used_at: time, run, record };
    const firstKeep = await keepRows(row, blob, alongside);
    if (firstKeep === undefined) {
      await blob?.discard();
      return undefined;
    }
    if (firstKeep.created_at === time) await journal?.add({ kept: row }, time);
    const created_at = new Date(firstKeep.created_at).toISOString();
    const fields = { created_at, run: firstKeep.run, path: reference?.path ?? pathOf(blob?.objectKey) };
    return { fields, isNewContent: blob?.isNewContent ?? false };
  }

  /** Keeps the rows in one transaction, whose statements and commit are given at once. Undefined if the bytes were swept. */
  async function keepRows(row: ArtifactRow, blob: WrittenBlob | null, alongside: KeptAlongside | undefined) {
    const { ref, used_at: usedAt } = row;
    const keepAll = async (queries: Queries): Promise<FirstKeep> => {
      const [, firstKeep] = await Promise.all([
        blob?.adopt(queries),
        keepArtifactRow(queries, row),
        keepUse(queries, { owner: ownerId, run: runId, ref, usedAt }),
        deleteTombstone(queries, ownerId, ref),
        alongside?.(queries, ref),
      ]);
      return firstKeep;
    };
    return catalogue.transact(keepAll, { durable: true, isOneBatch: true }).catch((error: unknown) => {
      if (error instanceof RequirementError) return undefined;
      throw error;
    });
  }

  /** Whether keeping gave this record, and its bytes were new to the owner: nothing was extracted from them yet. */
  const isNewContent = (record: ArtifactRecord): boolean => newContents.has(record);

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

  /** Finds the record of one of this owner's refs and marks it as used by this run. */
  async function find(ref: string): Promise<ArtifactRecord> {
    return findWith(ref, async (record, row) => {
      await requireBytes(record, row);
      await markUse(row);
      const found = { ...record, ...seen(now()) };
      if (row.object_key !== null) places.set(found, row.object_key);
      return found;
    });
  }

  /** Finds a record and opens its complete bytes, verified, until the handle is disposed. Marks it as used. */
  async function read(ref: string): Promise<{ readonly record: ArtifactRecord } & OpenedBlob> {
    return findWith(ref, async (record, row) => {
      const opening = openBytes(record, row.object_key ?? undefined);
      opening.catch(() => undefined); // It is awaited after the mark.
      // No sweeper is after what was used a moment ago, so that the answer need not wait to name this run too.
      if (isRecent(row.used_at)) void opening.then(() => markLater(row)).catch(() => undefined);
      else await discardUnless(opening, markUse(row));
      return { record: { ...record, ...seen(now()) }, ...(await opening) };
    });
  }

  /** Once, however many reads there are: they do not wait for it, and their marks would take all connections. */
  async function markLater(row: FoundArtifact): Promise<void> {
    if (isRecent(markedAt.get(row.ref) ?? 0)) return;
    if (markedAt.size >= MAX_REMEMBERED_MARKS) markedAt.clear();
    markedAt.set(row.ref, now());
    await markUse(row);
  }

  /** Bytes of an artifact that has expired while they were opened are not used. */
  async function discardUnless(opening: Promise<OpenedBlob>, marking: Promise<void>): Promise<void> {
    await marking.catch(async (error: unknown) => {
      await (await opening.catch(() => undefined))?.[Symbol.asyncDispose]();
      throw error;
    });
  }

  async function findWith<T>(ref: string, use: (record: ArtifactRecord, row: FoundArtifact) => Promise<T>): Promise<T> {
    requireRef(ref);
    try {
      const row = await findRow(ref);
      if (row === undefined) throw await missingRefError(ref);
      return await use(toRecord(row), row);
    } catch (error) {
      throw asReadError(ref, error);
    }
  }

  async function requireBytes(
    { artifact_ref: ref, reference }: ArtifactRecord,
    row: Parameters<typeof blobs.isPresent>[0],
  ): Promise<void> {
    if (reference !== undefined) {
      if (!(await isUnchanged(reference))) throw sourceChangedError(ref, reference.path);
    } else if (!(await blobs.isPresent(row))) throw damagedError(ref, "its bytes are missing or cut short");
  }

  async function findRow(ref: string): Promise<FoundArtifact | undefined> {
    const row = await findArtifactRow(catalogue, ownerId, ref, runId);
    if (row !== undefined || !(await oldRecords?.importOne(ownerId, ref))) return row;
    return findArtifactRow(catalogue, ownerId, ref, runId);
  }

  async function missingRefError(ref: string): Promise<SpillwayError> {
    const tombstone = await findTombstone(catalogue, ownerId, ref);
    return tombstone === undefined ? notFoundError(ref) : expiredError(tombstone);
  }

  /** Notes the use, unless one was noted a moment ago. Fails if the artifact has expired meanwhile. */
  async function markUse({ ref, used_at, run_used_at }: FoundArtifact): Promise<void> {
    if (isRecent(Math.min(used_at, run_used_at ?? 0))) return;
    try {
      const use = { owner: ownerId, run: runId, ref, usedAt: now() };
      if (await catalogue.transact((queries) => markArtifactUsed(queries, use))) return;
    } catch (error) {
      // A catalogue that cannot be written still serves reads, and it cannot be swept either.
      if (error instanceof CatalogueError) return;
      throw error;
    }
    throw await missingRefError(ref);
  }

  const isRecent = (markedAt: number): boolean => now() - markedAt < MARK_INTERVAL_MS;

  function toRecord(row: ListedRow): ArtifactRecord {
    const record = parseRow(row, owner);
    // The record is new and ours: a listing has hundreds, and copying each of them takes as long as parsing it.
    return Object.assign(record, { path: record.reference?.path ?? pathOf(row.object_key), ...seen(row.used_at) });
  }

  const seen = (usedAt: number) => ({ last_used_at: new Date(usedAt).toISOString() });

  const pathOf = (objectKey: string | null | undefined): string | null =>
    typeof objectKey === "string" ? (objects.path?.(objectKey) ?? null) : null;

  /** The complete bytes, verified, until the handle is disposed. */
  async function open(record: ArtifactRecord): Promise<OpenedBlob> {
    try {
      return await openBytes(record, places.get(record));
    } catch (error) {
      throw asReadError(record.artifact_ref, error);
    }
  }

  const openBytes = (record: ArtifactRecord, objectKey: string | undefined): Promise<OpenedBlob> =>
    record.reference === undefined ? blobs.open(record, objectKey) : openInPlace(record, record.reference);

  /** A file that is read in place is looked at again afterwards: a reply never has bytes of two states. */
  async function openInPlace({ artifact_ref, sha256 }: ArtifactRecord, reference: FileReference) {
    const check = async (): Promise<void> => {
      if (await isUnchanged(reference)) return;
      // What was extracted may be of the new state.
      for await (const { key } of objects.list(extractsKey(sha256))) await objects.delete(key);
      throw sourceChangedError(artifact_ref, reference.path);
    };
    await check();
    return { content: { path: reference.path }, [Symbol.asyncDispose]: check };
  }

  /** Whether the bytes are there in their length. */
  async function hasBytes({ sha256, size_bytes, reference }: ArtifactRecord): Promise<boolean> {
    if (reference !== undefined) return isUnchanged(reference);
    const blob = await findBlob(catalogue, sha256);
    return blob !== undefined && (await blobs.isPresent({ object_key: blob.object_key, size_bytes }));
  }

  /** All artifacts of this owner, the newest first, or those that one run used. Listing does not mark them as used. */
  async function* list(ofRun?: string, options?: ListOptions): AsyncGenerator<ListedArtifact> {
    for await (const page of listPages(ofRun, options)) yield* page;
  }

  /** The same in pages: a step for each artifact would cost more than the artifacts. */
  async function* listPages(
    ofRun?: string,
    { withPaths = true }: ListOptions = {},
  ): AsyncGenerator<readonly ListedArtifact[]> {
    const rows = { limit: PAGE_ROWS, withObjects: withPaths };
    let last: ListedRow | undefined;
    do {
      const page: ListedRow[] =
        ofRun === undefined
          ? await pageOfArtifacts(catalogue, ownerId, rows, last)
          : await pageOfRun(catalogue, ownerId, safeFileName(ofRun), rows, last?.ref);
      yield page.map(toListed);
      last = page.length < PAGE_ROWS ? undefined : page.at(-1);
    } while (last !== undefined);
  }

  /** One page of the artifacts used last, the latest first, without paths. */
  async function listRecent(limit: number, after?: UsePosition): Promise<RecentPage> {
    const rows = await pageOfRecent(catalogue, ownerId, limit, after);
    return { artifacts: rows.map(toListed), next: rows.length < limit ? undefined : rows.at(-1) };
  }

  function toListed(row: ListedRow): ListedArtifact {
    try {
      return { record: toRecord(row) };
    } catch (error) {
      return { ref: row.ref, damaged: asReadError(row.ref, error) };
    }
  }

  /** How many artifacts this owner has, and their bytes, counted once per content. */
  const totals = () => readTotals(catalogue, ownerId);

  /** How many artifacts a listing has. */
  async function count(ofRun?: string): Promise<number> {
    return ofRun === undefined ? (await totals()).artifacts : countOfRun(catalogue, ownerId, safeFileName(ofRun));
  }

  return {
    // First: a storage may be the store of another owner, who is not the owner of this one.
    ...storage,
    owner,
    ownerId,
    run,
    now,
    keep,
    isNewContent,
    find,
    read,
    open,
    seal,
    makeSeal,
    hasBytes,
    list,
    listPages,
    listRecent,
    totals,
    count,
  };
}

/** As a key object: an HMAC with plain bytes takes several times as long. */
async function ownerSecret(objects: Objects, key: string): Promise<KeyObject> {
  return createSecretKey(await readOrMakeSecret(objects, key));
}

async function readOrMakeSecret(objects: Objects, key: string): Promise<Uint8Array> {
  const present = await readObject(objects, key);
  if (present?.length === 32) return present;
  await objects.put(key, randomBytes(32), { ifAbsent: present === undefined });
  const secret = await readObject(objects, key);
  if (secret?.length !== 32) throw Object.assign(new Error("The owner's key cannot be read back."), { code: "EIO" });
  return secret;
}

/** A read error of the disk means a damaged artifact, one of the catalogue that the store cannot be read. */
function asReadError(ref: string, error: unknown): SpillwayError {
  if (error instanceof SpillwayError) return error;
  if (error instanceof CatalogueError || error instanceof ObjectsError) return unavailableError("read", error);
  const code = systemCode(error);
  if (code === undefined) throw error;
  return damagedError(ref, `its bytes cannot be read from disk (${code})`, error);
}
