/** Objects as private files below one folder, safe for several processes at once and for a killed one. */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import * as nodeFiles from "node:fs/promises";
import { dirname, join } from "node:path";
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

/** The calls made to the file system; tests hand in ones that fail. */
export type FileSystem = Pick<
  typeof nodeFiles,
  "open" | "mkdir" | "link" | "rename" | "unlink" | "rmdir" | "utimes" | "stat" | "readdir" | "copyFile"
>;

export function diskObjects(root: string, files: FileSystem = nodeFiles): Objects {
  const folders: Folders = { files, made: new Set() };
  const pathOf = (key: string): string => {
    assertKey(key);
    return join(root, ...key.split("/"));
  };

  async function put(key: string, from: { path: string } | Uint8Array, options: PutOptions = {}) {
    const target = pathOf(key);
    const { ifAbsent = false, durable = true } = options;
    if (ifAbsent && (await exists(files, target))) return "exists";
    if (!durable && !ifAbsent && from instanceof Uint8Array && from.length === 0) return putMark(target);
    const staged = await stage(from, durable);
    try {
      const written = await inFolder(folders, dirname(target), durable, async () => {
        if (ifAbsent) return renameUnlessTaken(files, staged, target);
        await files.rename(staged, target);
        return true;
      });
      if (!written) await undefinedIfMissing(files.unlink(staged));
      return written ? "written" : "exists";
    } catch (error) {
      await undefinedIfMissing(files.unlink(staged));
      throw error;
    }
  }

  /** Nothing to write is whole from the first moment, so it needs no other name before. */
  async function putMark(target: string): Promise<"written"> {
    await inFolder(folders, dirname(target), false, async () => (await files.open(target, "w", 0o600)).close());
    return "written";
  }

  /** The bytes as a finished file in our own folder, ready to be given its name in one step. */
  async function stage(from: { path: string } | Uint8Array, durable: boolean): Promise<string> {
    const staged = pathOf(`${temporaryPrefix}put-${process.pid}-${randomBytes(8).toString("hex")}`);
    try {
      await inFolder(folders, dirname(staged), false, () =>
        from instanceof Uint8Array ? writeNew(files, staged, from, durable) : linkOrCopy(files, from.path, staged),
      );
      if (durable && !(from instanceof Uint8Array)) await sync(files, staged, "r+");
      return staged;
    } catch (error) {
      await undefinedIfMissing(files.unlink(staged));
      throw error;
    }
  }

  async function get(key: string, range?: ByteRange) {
    const handle = await undefinedIfMissing(files.open(pathOf(key), constants.O_RDONLY));
    if (handle === undefined) return undefined;
    // Most objects are small: knowing how small saves the memory and the second look for an end.
    const { size } = await handle.stat();
    return readChunks(handle, { start: range?.start ?? 0, end: Math.min(range?.end ?? size, size) });
  }

  async function head(key: string): Promise<ObjectHead | undefined> {
    const stats = await undefinedIfMissing(files.stat(pathOf(key)));
    return stats?.isFile() ? { sizeBytes: stats.size, touchedAt: stats.mtimeMs } : undefined;
  }

  async function* list(prefix: string): AsyncGenerator<{ key: string } & ObjectHead> {
    const above = prefix.slice(0, prefix.lastIndexOf("/") + 1);
    const folder = above === "" ? root : pathOf(above.slice(0, -1));
    const entries = (await undefinedIfMissing(files.readdir(folder, { withFileTypes: true }))) ?? [];
    // What is not named like a key was put there by somebody else, and is not ours to touch.
    const ours = entries.filter(({ name }) => isKey(name));
    const keys = ours.map((entry) => above + (entry.isDirectory() ? `${entry.name}/` : entry.name));
    for (const key of keys.filter((each) => each.startsWith(prefix)).sort()) {
      if (key.endsWith("/")) yield* list(key);
      else {
        const found = await head(key);
        if (found) yield { key, ...found };
      }
    }
  }

  async function touch(key: string): Promise<boolean> {
    const now = new Date();
    return (await undefinedIfMissing(files.utimes(pathOf(key), now, now).then(() => true))) ?? false;
  }

  async function move(from: string, to: string): Promise<boolean> {
    const [source, target] = [pathOf(from), pathOf(to)];
    if (!(await exists(files, source))) return false;
    const moved = inFolder(folders, dirname(target), true, () => renameUnlessTaken(files, source, target));
    return (await undefinedIfMissing(moved)) ?? false;
  }

  async function remove(key: string): Promise<void> {
    const gone = await undefinedIfMissing(files.unlink(pathOf(key)).then(() => true));
    if (gone) await removeEmptyFolders(files, dirname(pathOf(key)), root);
  }

  async function local(key: string) {
    return (await head(key)) && { path: pathOf(key), [Symbol.asyncDispose]: async () => undefined };
  }

  return { put, get, head, list, touch, move, delete: remove, local, path: pathOf };
}

/** Makes the folder, does the step, and makes the new name last. A sweeper may take the empty folder away between. */
async function inFolder<T>(
  { files, made }: Folders,
  folder: string,
  durable: boolean,
  step: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    if (!made.has(folder)) await makeFolder(files, folder, durable);
    try {
      const result = await step();
      if (durable) await sync(files, folder);
      if (made.size >= rememberedFolders) made.clear();
      made.add(folder);
      return result;
    } catch (error) {
      made.delete(folder);
      if (attempt === 3 || !isMissing(error)) throw error;
    }
  }
}

/** The folders that were there a moment ago, so that not every object asks for its folder again. */
type Folders = { readonly files: FileSystem; readonly made: Set<string> };

const rememberedFolders = 1_000;

async function makeFolder(files: FileSystem, folder: string, durable: boolean): Promise<void> {
  const made = await makeFolders(folder, files.mkdir);
  if (durable) for (const each of made) await sync(files, dirname(each));
}

/** A name survives a power cut only once its folder is on the disk; Windows knows no such call for folders. */
async function sync(files: FileSystem, path: string, flags = "r"): Promise<void> {
  if (process.platform === "win32" && flags === "r") return;
  const handle = await files.open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeNew(files: FileSystem, path: string, bytes: Uint8Array, durable: boolean): Promise<void> {
  const handle = await files.open(path, "wx", 0o600);
  try {
    await writeAll(handle, bytes);
    if (durable) await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A nearly full disk takes less than it was given and says so only by the count. */
async function writeAll(handle: Pick<nodeFiles.FileHandle, "write">, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written);
    if (bytesWritten === 0) throw Object.assign(new Error("The disk took no more bytes."), { code: "ENOSPC" });
    written += bytesWritten;
  }
}

/** A second name costs nothing; from another device, and where links are not allowed, the bytes are copied. */
async function linkOrCopy(files: FileSystem, from: string, to: string): Promise<void> {
  try {
    await files.link(from, to);
  } catch (error) {
    if (!isLinkUnavailable(error)) throw error;
    await files.copyFile(from, to, constants.COPYFILE_EXCL);
  }
}

/** Linking is the one rename that refuses to overwrite; without links a check before comes as near as it can. */
async function renameUnlessTaken(files: FileSystem, from: string, to: string): Promise<boolean> {
  try {
    await files.link(from, to);
    await undefinedIfMissing(files.unlink(from));
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    if (!isLinkUnavailable(error)) throw error;
  }
  if (await exists(files, to)) return false;
  await files.rename(from, to);
  return true;
}

async function removeEmptyFolders(files: FileSystem, folder: string, root: string): Promise<void> {
  for (let empty = folder; empty.length > root.length; empty = dirname(empty)) {
    try {
      await files.rmdir(empty);
    } catch {
      // Not empty, or gone already, or not ours to remove: an empty folder harms nobody.
      return;
    }
  }
}

async function exists(files: FileSystem, path: string): Promise<boolean> {
  return (await undefinedIfMissing(files.stat(path))) !== undefined;
}

async function undefinedIfMissing<T>(wanted: Promise<T>): Promise<T | undefined> {
  try {
    return await wanted;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "");
}

function isLinkUnavailable(error: unknown): boolean {
  return ["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(systemCode(error) ?? "");
}
