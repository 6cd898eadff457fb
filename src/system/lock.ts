/** A lock between processes. The system releases it when its holder dies. */
import { rmSync } from "node:fs";
import { DatabaseSync } from "./load-sqlite.ts";
import { isBusy, isDamaged, makePrivate } from "./sqlite.ts";

/** Checking takes the lock for a moment, so acquiring waits this long for it. */
const CHECK_WAIT_MS = 30;

/** Acquires the lock at this path; null if another process holds it. Disposing releases it. */
export function takeLock(path: string, waitMs = CHECK_WAIT_MS): Disposable | null {
  try {
    return take(path, waitMs);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    rmSync(path, { force: true }); // A file that is not a database cannot be locked.
    return take(path, waitMs);
  }
}

function take(path: string, waitMs: number): Disposable | null {
  makePrivate(path);
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${waitMs}; BEGIN EXCLUSIVE`);
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return { [Symbol.dispose]: () => database.close() };
}

/** Whether another process holds the lock. */
export function isLocked(path: string): boolean {
  using lock = takeLock(path, 0);
  return lock === null;
}
