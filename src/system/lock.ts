/** One writer at a time, across processes: the system itself lets go of the lock when its holder dies. */
import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isBusy, isDamaged, makePrivate } from "./sqlite.ts";

/** Who only looks has the lock for a moment; who wants it waits for that. */
const lookMs = 30;

/** Takes the lock at this path; null when somebody else has it. Disposing gives it back. */
export function takeLock(path: string, waitMs = lookMs): Disposable | null {
  try {
    return take(path, waitMs);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    rmSync(path, { force: true }); // Nobody can hold a lock in a file that is no database.
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

/** Whether somebody writes just now. */
export function isLocked(path: string): boolean {
  using lock = takeLock(path, 0);
  return lock === null;
}
