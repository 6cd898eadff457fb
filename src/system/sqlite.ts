/** What every SQLite file of ours needs: that it is private, and what a failure with it means. */
import { closeSync, openSync } from "node:fs";

/** Makes the file where there is none, for its owner alone; what SQLite puts beside it is as private as it is. */
export function makePrivate(path: string): void {
  closeSync(openSync(path, "a", 0o600));
}

const resultCode = (error: unknown): number =>
  error instanceof Error && "errcode" in error ? Number(error.errcode) % 256 : 0;

/** Whether the file is there but is no sound database. https://www.sqlite.org/rescode.html */
export function isDamaged(error: unknown): boolean {
  return [11, 26].includes(resultCode(error));
}

/** Whether the database may not be opened or written, or the disk fails or is full. */
export function isRefused(error: unknown): boolean {
  return [8, 10, 13, 14, 23].includes(resultCode(error));
}

/** Whether another connection holds what was wanted. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === 5;
}
