/** Objects as private files below one folder, safe with concurrent and killed processes. */
import { randomBytes } from "node:crypto";
import * as blockingFiles from "node:fs";
import { type BigIntStats, constants } from "node:fs";
import * as nodeFiles from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { readChunks } from "../acquire/chunks.ts";
import { systemCode } from "../errors.ts";
import { makeFolders } from "../system/folders.ts";
import {
  assertKey,
  type ByteRange,
  isKey,
  type ObjectHead,
  type Objects,
  type PutOptions,
  temporaryPrefix,
} from "./objects.ts";

/**
 * The file system calls; tests pass in ones that fail. Short calls on the way of a fetch block, because handing each of
 * them to another thread takes three times as long as they do. What waits for the disk, or is called for many files, does
 * not.
 */
export type FileSystem = Pick<
  typeof nodeFiles,
  "open" | "link" | "rename" | "unlink" | "rmdir" | "lstat" | "copyFile"
> &
  Pick<
    typeof blockingFiles,
    "openSync" | "writeSync" | "closeSync" | "renameSync" | "mkdirSync" | "lstatSync" | "readdirSync" | "fsync"
  >;

const { openSync, writeSync, closeSync, renameSync, mkdirSync, lstatSync, readdirSync, fsync } = blockingFiles;
const blocking = { openSync, writeSync, closeSync, renameSync, mkdirSync, lstatSync, readdirSync, fsync };
const systemFiles: FileSystem = { ...nodeFiles, ...blocking };

/** More bytes are written by another thread. */
const MAX_BLOCKING_BYTES = 1024 * 1024;

export function diskObjects(root: string, files: FileSystem = systemFiles): Objects {
  const base = join(root, sep);
  const pathOf = (key: string): string => {
    assertKey(key);
    // A key needs no normalizing, which would take longer than opening the file.
    return base + (sep === "/" ? key : key.replaceAll("/", sep));
  };

  async function put(key: string, from: { path: string } | Uint8Array, options: PutOptions = {}) {
    const target = pathOf(key);
    const { ifAbsent = false, durable = true } = options;
    if (ifAbsent && exists(files, target)) return "exists";
    if (!durable && !ifAbsent && from instanceof Uint8Array && from.length === 0) return putMark(target);
    if (options.isNewKey) return putInPlace(target, from, durable);
    if (options.isLengthInKey && (await putIfFree(target, from, durable))) return "written";
    const staged = await stage(from, durable);
    try {
      const isWritten = await inFolder(files, dirname(target), durable, async () => {
        if (ifAbsent) return renameUnlessTaken(files, staged, target);
        files.renameSync(staged, target);
        return true;
      });
      if (!isWritten) await undefinedIfMissing(files.unlink(staged));
      return isWritten ? "written" : "exists";
    } catch (error) {
      await undefinedIfMissing(files.unlink(staged));
      throw error;
    }
  }

  async function putInPlace(target: string, from: { path: string } | Uint8Array, durable: boolean): Promise<"written"> {
    try {
      await inFolder(files, dirname(target), durable, () => writeTo(target, from, durable));
      return "written";
    } catch (error) {
      if (!isTaken(error)) await undefinedIfMissing(files.unlink(target));
      throw error;
    }
  }

  /** False if the key is taken, also by what a killed process has left of the object. */
  async function putIfFree(target: string, from: { path: string } | Uint8Array, durable: boolean): Promise<boolean> {
    try {
      await putInPlace(target, from, durable);
      return true;
    } catch (error) {
      if (isTaken(error)) return false;
      throw error;
    }
  }

  async function writeTo(path: string, from: { path: string } | Uint8Array, durable: boolean): Promise<void> {
    if (from instanceof Uint8Array) return writeNew(files, path, from, durable);
    await linkOrCopy(files, from.path, path);
    if (durable) await sync(files, path, "r+");
  }

  /** An empty object is complete at once, so it needs no temporary name. */
  async function putMark(target: string): Promise<"written"> {
    await inFolder(files, dirname(target), false, async () => files.closeSync(files.openSync(target, "w", 0o600)));
    return "written";
  }

  /** Writes the bytes to a complete temporary file, ready to be renamed in one step. */
  async function stage(from: { path: string } | Uint8Array, durable: boolean): Promise<string> {
    const staged = pathOf(`${temporaryPrefix}put-${process.pid}-${randomBytes(8).toString("hex")}`);
    try {
      await inFolder(files, dirname(staged), false, () => writeTo(staged, from, durable));
      return staged;
    } catch (error) {
      await undefinedIfMissing(files.unlink(staged));
      throw error;
    }
  }

  async function get(key: string, range?: ByteRange) {
    const handle = await undefinedIfMissing(files.open(pathOf(key), constants.O_RDONLY | constants.O_NOFOLLOW));
    if (handle === undefined) return undefined;
    // Most objects are small: knowing the size saves memory and a second read for the end.
    const { size } = await handle.stat();
    return readChunks(handle, { start: range?.start ?? 0, end: Math.min(range?.end ?? size, size) });
  }

  async function head(key: string): Promise<ObjectHead | undefined> {
    // A link is not an object of ours, whatever it leads to.
    const stats = await undefinedIfMissing(files.lstat(pathOf(key), { bigint: true }));
    return stats?.isFile()
      ? { sizeBytes: Number(stats.size), touchedAt: Number(stats.mtimeMs), stamp: stampOf(stats) }
      : undefined;
  }

  async function* list(prefix: string): AsyncGenerator<{ key: string } & ObjectHead> {
    const above = prefix.slice(0, prefix.lastIndexOf("/") + 1);
    const folder = above === "" ? root : pathOf(above.slice(0, -1));
    if (!isOurs(folder)) return;
    const entries = listFolder(folder);
    // A file whose name is not a key is not ours and is not touched.
    const ours = entries.filter(({ name }) => isKey(name));
    const keys = ours.map((entry) => above + (entry.isDirectory() ? `${entry.name}/` : entry.name));
    for (const key of keys.filter((each) => each.startsWith(prefix)).sort()) {
      if (key.endsWith("/")) yield* list(key);
      else {
        const entry = await head(key);
        if (entry) yield { key, ...entry };
      }
    }
  }

  /** Whether a folder exists and is below ours. What lies behind a link is not ours to list, and so not to delete. */
  function isOurs(folder: string): boolean {
    if (folder.length <= root.length) return true;
    return findStats(files, folder)?.isDirectory() === true && isOurs(dirname(folder));
  }

  /** Nothing for a folder that a sweeper has just removed. */
  function listFolder(folder: string): blockingFiles.Dirent[] {
    try {
      return files.readdirSync(folder, { withFileTypes: true });
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async function* folders(prefix: string): AsyncGenerator<string> {
    const folder = pathOf(prefix.slice(0, -1));
    if (!isOurs(folder)) return;
    for (const entry of listFolder(folder)) if (entry.isDirectory() && isKey(entry.name)) yield entry.name;
  }

  async function move(from: string, to: string): Promise<boolean> {
    const [source, target] = [pathOf(from), pathOf(to)];
    if (!exists(files, source)) return false;
    const moved = inFolder(files, dirname(target), true, () => renameUnlessTaken(files, source, target));
    return (await undefinedIfMissing(moved)) ?? false;
  }

  async function remove(key: string): Promise<void> {
    const isDeleted = await undefinedIfMissing(files.unlink(pathOf(key)).then(() => true));
    if (isDeleted) await removeEmptyFolders(files, dirname(pathOf(key)), root);
  }

  async function local(key: string) {
    return (await head(key)) && { path: pathOf(key), [Symbol.asyncDispose]: async () => undefined };
  }

  return { put, get, head, list, folders, move, delete: remove, local, path: pathOf };
}

/** The time of a file's last change in any respect cannot be set by a program, unlike that of its bytes. */
function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join("-");
}

/** Runs the step and syncs the folder. A folder that is missing, or that a sweeper has just removed, is created first. */
async function inFolder<T>(files: FileSystem, folder: string, durable: boolean, step: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const result = await step();
      if (durable) await sync(files, folder);
      return result;
    } catch (error) {
      if (attempt === 4 || !isMissing(error)) throw error;
    }
    await makeFolder(files, folder, durable);
  }
}

async function makeFolder(files: FileSystem, folder: string, durable: boolean): Promise<void> {
  const created = await makeFolders(folder, async (path, options) => files.mkdirSync(path, options));
  if (durable) for (const each of created) await sync(files, dirname(each));
}

/** A new name survives a power failure only after its folder is synced. Windows cannot sync folders. */
async function sync(files: FileSystem, path: string, flags = "r"): Promise<void> {
  if (process.platform === "win32" && flags === "r") return;
  await useFile(files, path, flags, (file) => syncFile(files, file));
}

/** Not by `promisify`, which takes longer to make the function than the call takes. */
function syncFile({ fsync }: FileSystem, file: number): Promise<void> {
  return new Promise((resolve, reject) => fsync(file, (error) => (error ? reject(error) : resolve())));
}

/** Opens a file for the work; closing may report an error too. */
async function useFile(
  files: FileSystem,
  path: string,
  flags: string,
  work: (file: number) => Promise<void>,
): Promise<void> {
  const file = files.openSync(path, flags, 0o600);
  try {
    await work(file);
  } finally {
    files.closeSync(file);
  }
}

async function writeNew(files: FileSystem, path: string, bytes: Uint8Array, durable: boolean): Promise<void> {
  if (bytes.length > MAX_BLOCKING_BYTES) return writeLarge(files, path, bytes, durable);
  await useFile(files, path, "wx", async (file) => {
    writeAllBlocking(files, file, bytes);
    if (durable) await syncFile(files, file);
  });
}

function writeAllBlocking(files: FileSystem, file: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length; ) {
    offset += requireProgress(files.writeSync(file, bytes, offset, bytes.length - offset));
  }
}

/** A nearly full disk may write fewer bytes than requested and report it only by the count. */
function requireProgress(bytesWritten: number): number {
  if (bytesWritten > 0) return bytesWritten;
  throw Object.assign(new Error("The disk accepts no more bytes."), { code: "ENOSPC" });
}

async function writeLarge(files: FileSystem, path: string, bytes: Uint8Array, durable: boolean): Promise<void> {
  const handle = await files.open(path, "wx", 0o600);
  try {
    for (let offset = 0; offset < bytes.length; ) {
      offset += requireProgress((await handle.write(bytes, offset, bytes.length - offset)).bytesWritten);
    }
    if (durable) await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A hard link costs nothing. Across devices, or where links are not allowed, the bytes are copied. */
async function linkOrCopy(files: FileSystem, from: string, to: string): Promise<void> {
  try {
    await files.link(from, to);
  } catch (error) {
    if (!isLinkUnavailable(error)) throw error;
    await files.copyFile(from, to, constants.COPYFILE_EXCL);
  }
}

/** Only a hard link refuses to overwrite. Without links, a check before the rename is the best approximation. */
async function renameUnlessTaken(files: FileSystem, from: string, to: string): Promise<boolean> {
  try {
    await files.link(from, to);
    await undefinedIfMissing(files.unlink(from));
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    if (!isLinkUnavailable(error)) throw error;
  }
  if (exists(files, to)) return false;
  await files.rename(from, to);
  return true;
}

async function removeEmptyFolders(files: FileSystem, folder: string, root: string): Promise<void> {
  for (let empty = folder; empty.length > root.length; empty = dirname(empty)) {
    try {
      await files.rmdir(empty);
    } catch {
      // Not empty, already removed, or not removable: an empty folder does no harm.
      return;
    }
  }
}

const exists = (files: FileSystem, path: string): boolean => findStats(files, path) !== undefined;

function findStats(files: FileSystem, path: string): blockingFiles.Stats | undefined {
  try {
    return files.lstatSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function undefinedIfMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "");
}

const isTaken = (error: unknown): boolean => systemCode(error) === "EEXIST";

function isLinkUnavailable(error: unknown): boolean {
  return ["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(systemCode(error) ?? "");
}
