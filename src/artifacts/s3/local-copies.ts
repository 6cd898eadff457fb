/** Local copies of objects: kept for the next read, up to a number of bytes, the least recently used deleted first. */
import { createHash, randomBytes } from "node:crypto";
import { createReadStream, linkSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { open, readdir, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../errors.ts";
import type { LocalObject } from "../objects.ts";

export type LocalCopiesOptions = {
  /** Files in use; a sweep deletes those of killed processes. */
  readonly folder: string;
  /** Copies for later reads. */
  readonly cacheFolder: string;
  readonly maxBytes: number;
};

export type LocalCopies = ReturnType<typeof openLocalCopies>;

/** Only for objects whose keys are used once: a copy is never compared with the object again, only with its own hash. */
export function openLocalCopies({ folder, cacheFolder, maxBytes }: LocalCopiesOptions) {
  /** Bytes of all copies; undefined until they were counted. */
  let totalBytes: number | undefined;

  /** The copy as a file of the caller's own, which is deleted when it is disposed. */
  async function take(key: string, read: () => Promise<AsyncIterable<Uint8Array> | undefined>) {
    return (await takeKept(key)) ?? (await takeNew(key, read));
  }

  async function takeKept(key: string): Promise<LocalObject | undefined> {
    const kept = await find(key);
    if (kept === undefined) return undefined;
    const path = await makePath();
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
    const chunks = await read();
    if (chunks === undefined) return undefined;
    const path = await makePath();
    try {
      const { sha256, sizeBytes } = await save(chunks, path);
      await keepCopy(path, `${nameOf(key)}.${sha256}`, sizeBytes);
      return ownFile(path, sha256);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  /** A copy that cannot be kept costs the next read a request. */
  async function keepCopy(path: string, name: string, sizeBytes: number): Promise<void> {
    if (sizeBytes > maxBytes) return;
    const copy = join(shardOf(name), name);
    const isKept =
      tryNow(() => linkSync(path, copy)) || (makeFolder(shardOf(name)) && tryNow(() => linkSync(path, copy)));
    if (!isKept) return;
    totalBytes = (totalBytes ?? maxBytes) + sizeBytes;
    if (totalBytes > maxBytes) totalBytes = await deleteOldest();
  }

  /** Counts all copies and deletes the oldest until the rest fits. */
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
    for (const { path, bytes } of copies.sort((a, b) => a.usedAt - b.usedAt)) {
      if (total <= maxBytes) break;
      await rm(path, { force: true });
      total -= bytes;
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
    const kept = await find(key);
    if (kept !== undefined) await rm(kept.path, { force: true });
  }

  /** Many folders, so that looking for a copy lists few names. */
  const shardOf = (name: string): string => join(cacheFolder, name.slice(0, 2));

  async function makePath(): Promise<string> {
    makeFolder(folder);
    return join(folder, `object-${process.pid}-${randomBytes(8).toString("hex")}`);
  }

  return { take, find, forget };
}

const nameOf = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 32);

const ownFile = (path: string, sha256: string): LocalObject => ({
  path,
  sha256,
  [Symbol.asyncDispose]: async () => rmSync(path, { force: true }),
});

const makeFolder = (path: string): boolean => tryNow(() => mkdirSync(path, { recursive: true, mode: 0o700 }));

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

async function save(chunks: AsyncIterable<Uint8Array>, path: string) {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  await using file = await open(path, "wx", 0o600);
  for await (const chunk of chunks) {
    hash.update(chunk);
    sizeBytes += chunk.length;
    await file.writeFile(chunk);
  }
  return { sha256: hash.digest("hex"), sizeBytes };
}
