/** Reads small files that somebody else may have put in place: a pipe, a device or a huge file must not stop us. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from "node:fs";
import { dirname } from "node:path";

/** What lies there: the first bytes of a regular file, or what it is instead. */
type SmallFile = { readonly stats: Stats; readonly bytes: Uint8Array } | { readonly instead: string };

/**
 * Reads at most `maxBytes` and one more, which tells a longer file, whatever size the system reports. Throws the system's
 * error if the file is missing or cannot be read.
 */
export function readSmallFile(path: string, maxBytes: number): SmallFile {
  // A pipe is opened without waiting for its writer, and then refused.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return { instead: stats.isDirectory() ? "a folder" : "not a regular file" };
    return { stats, bytes: readUpTo(file, maxBytes + 1) };
  } finally {
    closeSync(file);
  }
}

function readUpTo(file: number, maxBytes: number): Uint8Array {
  const buffer = new Uint8Array(maxBytes);
  let length = 0;
  while (length < maxBytes) {
    const count = readSync(file, buffer, length, maxBytes - length, null);
    if (count === 0) break;
    length += count;
  }
  return buffer.subarray(0, length);
}

/** Whether a file, or the folder it lies in, is a symbolic link. A repository can link to any file of this machine. */
export function isLinked(path: string): boolean {
  return [path, dirname(path)].some((place) => lstatSync(place).isSymbolicLink());
}
