/** One writer at a time, across processes: the system itself lets go of the lock when its holder dies. */
import { DatabaseSync } from "node:sqlite";
import { isBusy } from "./sqlite.ts";

/** Takes the lock at this path; null when somebody else has it. Disposing gives it back. */
export function takeLock(path: string): Disposable | null {
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return { [Symbol.dispose]: () => database.close() };
}

/** Whether somebody writes just now. */
export function isLocked(path: string): boolean {
  using lock = takeLock(path);
  return lock === null;
}
