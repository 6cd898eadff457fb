/** Local copies of objects: kept for the next read, up to a number of bytes, the least recently used deleted first. */
import { createHash, randomBytes } from "node:crypto";
import {
  createReadStream,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open as openFile, readdir, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { joinChunks } from "../../acquire/chunks.ts";
import { systemCode } from "../../errors.ts";
import { makeFoldersSync } from "../../system/folders.ts";
import type { LocalObject, OpenedObject } from "../objects.ts";
import { hashBytes } from "./sign-request.ts";

export type LocalCopiesOptions = {
  /** Files in use; a sweep deletes those of killed processes. */
  readonly folder: string;
  /** Copies for later reads. */
  readonly cacheFolder: string;
  readonly maxBytes: number;
};

/** Up to this size bytes are not written to a file before they are used: as many as an arriving source has in memory. */
const MAX_MEMORY_BYTES = 256 * 1024;

/**
 * Other processes keep copies in the same folder: after this share of the bytes all are counted again. As much is free
 * after old copies were deleted, so that not every further copy has all of them counted.
 */
const COUNT_AGAIN_SHARE = 1 / 16;

export type LocalCopies = ReturnType<typeof openLocalCopies>;

/** Only for objects whose keys are used once: a copy is never compared with the object again, only with its own hash. */
export function openLocalCopies({ folder, cacheFolder, maxBytes }: LocalCopiesOptions) {
  /** Bytes of all copies when they were last counted; undefined until then. */
  let totalBytes: number | undefined;
  let addedSinceCount = 0;
  let trimming: Promise<void> | undefined;
  /** Copies that are written when the answer has its bytes, by their names. */
  const waiting = new Map<string, Uint8Array>();

  /** The copy as a file of the caller's own, which is deleted when it is disposed. */
  async function take(key: string, read: () => Promise<AsyncIterable<Uint8Array> | undefined>) {
    return (await takeKept(key)) ?? (await takeNew(key, read));
  }

  async function takeKept(key: string) {
    const kept = await find(key);
    if (kept === undefined) return undefined;
    const path = makePath();
    // A link: another process may delete the copy while this one reads it.
    if (!tryNow(() => linkSync(kept.path, path))) return undefined;
    const sha256 = await hashFile(path);
    if (sha256 === kept.sha256) {
      await utimes(kept.path, new Date(), new Date()).catch(() => undefined); // Another process has deleted it.
      return ownFile(path, sha256);
    }
    for (const damaged of [path, kept.path]) await rm(damaged, { force: true });
    return undefined;
  }

  async function takeNew(key: string, read: () => Promise<AsyncIterable<Uint8Array> | undefined>) {
    const path = makePath();
    try {
      // Before the bytes are asked for: an answer that is not read would hold its connection.
      await using file = await openFile(path, "wx", 0o600);
      const chunks = await read();
      if (chunks === undefined) {
        await rm(path, { force: true });
        return undefined;
      }
      const { sha256, sizeBytes } = await save(chunks, file);
      keepCopy(path, `${nameOf(key)}.${sha256}`, sizeBytes);
      await trimming; // Large copies stay within their bytes also while they are read.
      return ownFile(path, sha256);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  /** The bytes of the object: small ones in memory, others as a file of the caller's own. */
  async function open(key: string, read: () => Promise<AsyncIterable<Uint8Array> | undefined>) {
    return (await openKept(key)) ?? (await openNew(key, read));
  }

  async function openKept(key: string): Promise<OpenedObject | undefined> {
    const kept = await find(key);
    if (kept === undefined || kept.sizeBytes > MAX_MEMORY_BYTES) return toOpened(kept && (await takeKept(key)));
    let bytes: Buffer | undefined;
    tryNow(() => {
      bytes = readFileSync(kept.path);
    });
    if (bytes !== undefined && hashBytes(bytes) === kept.sha256) {
      tryNow(() => utimesSync(kept.path, new Date(), new Date()));
      return inMemory(bytes, kept.sha256);
    }
    tryNow(() => rmSync(kept.path, { force: true }));
    return undefined;
  }

  async function openNew(
    key: string,
    read: () => Promise<AsyncIterable<Uint8Array> | undefined>,
  ): Promise<OpenedObject | undefined> {
    const chunks = await read();
    if (chunks === undefined) return undefined;
    const { whole, rest } = await readStart(chunks, MAX_MEMORY_BYTES);
    if (whole === undefined) return toOpened(await takeNew(key, async () => rest.chunks()).finally(rest.discard));
    const sha256 = hashBytes(whole);
    if (waiting.size === 0) setImmediate(keepWaiting);
    waiting.set(`${nameOf(key)}.${sha256}`, whole);
    return inMemory(whole, sha256);
  }

  function keepWaiting(): void {
    for (const [name, bytes] of waiting) keepBytes(bytes, name);
    waiting.clear();
  }

  function keepBytes(bytes: Uint8Array, name: string): void {
    const path = makePath();
    if (bytes.length > maxBytes || !tryNow(() => writeFileSync(path, bytes, { flag: "wx", mode: 0o600 }))) return;
    keepCopy(path, name, bytes.length);
    tryNow(() => rmSync(path, { force: true }));
  }

  /** A copy that cannot be kept costs the next read a request. */
  function keepCopy(path: string, name: string, sizeBytes: number): void {
    if (sizeBytes > maxBytes) return;
    const copy = join(shardOf(name), name);
    const isKept =
      tryNow(() => linkSync(path, copy)) || (makeFolder(shardOf(name)) && tryNow(() => linkSync(path, copy)));
    if (isKept) count(sizeBytes);
  }

  /** Small answers do not wait until old copies are deleted. */
  function count(addedBytes: number): void {
    addedSinceCount += addedBytes;
    const isCountNew = addedSinceCount <= maxBytes * COUNT_AGAIN_SHARE;
    if (isCountNew && totalBytes !== undefined && totalBytes + addedSinceCount <= maxBytes) return;
    trimming ??= trim().finally(() => {
      trimming = undefined;
    });
  }

  async function trim(): Promise<void> {
    addedSinceCount = 0;
    totalBytes = await deleteOldest().catch(() => undefined); // Where they cannot be counted, the next copy tries again.
  }

  /** Counts all copies. If they are too many, deletes the oldest until the rest leaves room for further ones. */
  async function deleteOldest(): Promise<number> {
    const entries = await readdir(cacheFolder, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const all = await Promise.all(
      paths.map(async (path) => ({ path, stats: await stat(path).catch(() => undefined) })),
    );
    const copies = all.flatMap(({ path, stats }) =>
      stats ? [{ path, bytes: stats.size, usedAt: stats.mtimeMs }] : [],
    );
    let total = copies.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= maxBytes) return total;
    copies.sort((a, b) => a.usedAt - b.usedAt);
    const newest = copies.at(-1);
    for (const copy of copies) {
      // The newest one needs no room beside it: it may be almost as large as all may be.
      if (total <= (copy === newest ? maxBytes : maxBytes * (1 - COUNT_AGAIN_SHARE))) break;
      await rm(copy.path, { force: true });
      total -= copy.bytes;
    }
    return total;
  }

  /** A kept copy, which may be damaged. */
  async function find(key: string) {
    const shard = shardOf(nameOf(key));
    const names: string[] = [];
    tryNow(() => names.push(...readdirSync(shard)));
    const name = names.find((each) => each.startsWith(`${nameOf(key)}.`));
    if (name === undefined) return undefined;
    const path = join(shard, name);
    const sizeBytes = statSync(path, { throwIfNoEntry: false })?.size;
    return sizeBytes === undefined ? undefined : { path, sizeBytes, sha256: name.slice(name.indexOf(".") + 1) };
  }

  async function forget(key: string): Promise<void> {
    for (const name of waiting.keys()) if (name.startsWith(`${nameOf(key)}.`)) waiting.delete(name);
    const kept = await find(key);
    if (kept !== undefined) await rm(kept.path, { force: true });
  }

  /** Many folders, so that looking for a copy lists few names. */
  const shardOf = (name: string): string => join(cacheFolder, name.slice(0, 2));

  function makePath(): string {
    makeFolder(folder);
    return join(folder, `object-${process.pid}-${randomBytes(8).toString("hex")}`);
  }

  return {
    take,
    open,
    find,
    forget,
    /** Waits until copies are written and old ones deleted. */
    async close(): Promise<void> {
      keepWaiting();
      await trimming;
    },
  };
}

const nameOf = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 32);

const ownFile = (path: string, sha256: string): LocalObject & { readonly sha256: string } => ({
  path,
  sha256,
  [Symbol.asyncDispose]: async () => rmSync(path, { force: true }),
});

const toOpened = (file: (LocalObject & { readonly sha256: string }) | undefined): OpenedObject | undefined =>
  file && { content: { path: file.path }, sha256: file.sha256, [Symbol.asyncDispose]: file[Symbol.asyncDispose] };

const inMemory = (bytes: Uint8Array, sha256: string): OpenedObject => ({
  content: { bytes },
  sha256,
  [Symbol.asyncDispose]: async () => undefined,
});

/** The whole of what is short, or what follows from its start on. */
async function readStart(chunks: AsyncIterable<Uint8Array>, maxBytes: number) {
  const iterator = chunks[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  for (let sizeBytes = 0; sizeBytes <= maxBytes; ) {
    const { done, value } = await iterator.next();
    if (done) return { whole: joinChunks(read) };
    read.push(value);
    sizeBytes += value.length;
  }
  const rest = {
    async *chunks() {
      yield* read;
      yield* { [Symbol.asyncIterator]: () => iterator };
    },
    /** Ends an answer that was not read to its end. */
    discard: async (): Promise<void> => void (await iterator.return?.()),
  };
  return { rest };
}

const makeFolder = (path: string): boolean => tryNow(() => makeFoldersSync(path));

/** At once: these calls are short, and would wait behind long ones. False where the file system refuses. */
function tryNow(operation: () => unknown): boolean {
  try {
    operation();
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}

async function save(chunks: AsyncIterable<Uint8Array>, file: FileHandle) {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    sizeBytes += chunk.length;
    await file.writeFile(chunk);
  }
  return { sha256: hash.digest("hex"), sizeBytes };
}
