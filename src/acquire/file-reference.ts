/** Large local files: hashed where they are and read in place, instead of being copied. */
import { createHash } from "node:crypto";
import { type FileHandle, lstat } from "node:fs/promises";
import type { Spool } from "./spool.ts";

/** Which file it was, and in which state. */
export type FileReference = {
  /** Its real path, without links. */
  readonly path: string;
  readonly size_bytes: number;
  /** Too large for a number. */
  readonly mtime_ns: string;
  readonly inode: string;
  readonly device: string;
};

/** A regular file that may be read, open. */
export type CheckedFile = { readonly handle: FileHandle; readonly realPath: string };

/**
 * The file as a spool that is not a copy; the file is closed. Undefined if it changed while it was hashed: then only a
 * copy has a known hash.
 */
export async function referenceFile(
  { handle, realPath }: CheckedFile,
  signal: AbortSignal,
): Promise<(Spool & { readonly reference: FileReference }) | undefined> {
  await using file = handle;
  const before = await file.stat({ bigint: true });
  const sizeBytes = Number(before.size);
  const sha256 = await hashFile(file, sizeBytes, signal);
  const reference: FileReference = {
    path: realPath,
    size_bytes: sizeBytes,
    mtime_ns: String(before.mtimeNs),
    inode: String(before.ino),
    device: String(before.dev),
  };
  if (!(await isUnchanged(reference))) return undefined;
  return {
    content: { path: realPath },
    sizeBytes,
    sha256,
    cutBy: null,
    reference,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

const READ_BYTES = 256 * 1024;

/** All reads share a buffer: a gigabyte of new ones would take memory until the next garbage collection. */
async function hashFile(handle: FileHandle, sizeBytes: number, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (let position = 0; position < sizeBytes; ) {
    signal.throwIfAborted();
    const wanted = Math.min(READ_BYTES, sizeBytes - position);
    const { bytesRead } = await handle.read(buffer, 0, wanted, position);
    if (bytesRead === 0) break; // It became shorter, which the caller notices.
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  return hash.digest("hex");
}

/** Whether the file is still the one that was hashed. */
export async function isUnchanged({ path, size_bytes, mtime_ns, inode, device }: FileReference): Promise<boolean> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  return (
    stats?.isFile() === true &&
    stats.size === BigInt(size_bytes) &&
    String(stats.mtimeNs) === mtime_ns &&
    String(stats.ino) === inode &&
    String(stats.dev) === device
  );
}
