/** What it means that an index cannot be written: in words, and as an error. */
import { statfsSync } from "node:fs";
import { isUnwritable, SpillwayError, systemCode } from "../../errors.ts";
import { isRefused } from "../../system/sqlite.ts";

/** Whether the disk is full, read-only, failing or not ours. */
export function isStorageFailure(error: unknown): boolean {
  return isUnwritable(error) || isRefused(error);
}

/** With less free space than this, SQLite's reports of failed writes mean that the disk is full. */
const MIN_FREE_BYTES = 1_048_576;
const SQLITE_FULL = 13;

/** The reason as the end of a sentence: `the disk is full`. */
export function describeStorageFailure(error: unknown, folder: string): string {
  const code = systemCode(error) ?? "";
  const isFull = ["ENOSPC", "EDQUOT"].includes(code) || sqliteCode(error) === SQLITE_FULL || isNearlyFull(folder);
  if (isFull) return "the disk is full";
  return `the data folder cannot be written${/^E[A-Z]+$/.test(code) ? ` (${code})` : ""}`;
}

const sqliteCode = (error: unknown): number =>
  error instanceof Error && "errcode" in error ? Number(error.errcode) % 256 : 0;

function isNearlyFull(folder: string): boolean {
  try {
    const { bavail, bsize, blocks } = statfsSync(folder);
    return blocks > 0 && bavail * bsize < MIN_FREE_BYTES;
  } catch {
    return false; // The folder does not exist: then that is the problem.
  }
}

/** The error for an index that cannot be written and cannot be replaced by one in memory. */
export function toStorageError(error: unknown, folder: string): SpillwayError {
  return new SpillwayError(
    "store_unavailable",
    `The index could not be stored: ${describeStorageFailure(error, folder)}.`,
    { hint: "Free space or set SPILLWAY_HOME to a folder that can be written, then try again.", cause: error },
  );
}
