/** The lock of one clone, between all callers and the sweep. */
import { rmSync, statSync, utimesSync } from "node:fs";
import { takeLock } from "../system/lock.ts";

/** The lock that belongs to the folder of a clone, or to what its maker has not finished. */
const lockPathOf = (path: string): string => `${path.replace(/\.[\da-f]{8}\.tmp$/, "")}.lock`;

/** The lock of a clone's folder; null if another caller holds it. Disposing releases it. */
export function lockClone(path: string, now: number): Disposable | null {
  const lockPath = lockPathOf(path);
  const before = findInode(lockPath);
  const lock = takeLock(lockPath);
  if (lock === null) return null;
  // The sweep may have deleted the file between its opening and its locking; then another caller can lock its successor.
  if (before !== undefined && findInode(lockPath) !== before) {
    lock[Symbol.dispose]();
    return null;
  }
  utimesSync(lockPath, now / 1_000, now / 1_000);
  return lock;
}

/** SQLite has a second file while the lock is held. */
const JOURNAL_SUFFIX = "-journal";

/** Whether a file belongs to a lock and is deleted together with it. */
export const isLockPart = (path: string): boolean => path.endsWith(`.lock${JOURNAL_SUFFIX}`);

/** Deletes the file of a free lock that was not taken for this long; returns whether it did. */
export function deleteLock(lockPath: string, unusedMs: number, now: number): boolean {
  using lock = takeLock(lockPath, 0);
  if (lock === null || now - statSync(lockPath).mtimeMs < unusedMs) return false;
  for (const suffix of ["", JOURNAL_SUFFIX]) rmSync(`${lockPath}${suffix}`, { force: true });
  return true;
}

function findInode(path: string): bigint | undefined {
  return statSync(path, { throwIfNoEntry: false, bigint: true })?.ino;
}
