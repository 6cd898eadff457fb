/** Helpers for SQLite files: privacy, and the meaning of errors. */
import { closeSync, openSync } from "node:fs";

/** Creates the file for its owner alone. SQLite gives its companion files the same mode. */
export function makePrivate(path: string): void {
  closeSync(openSync(path, "a", 0o600));
}

const extendedCode = (error: unknown): number =>
  error instanceof Error && "errcode" in error ? Number(error.errcode) : 0;

const resultCode = (error: unknown): number => extendedCode(error) % 256;

/** Whether the file is not a valid database. https://www.sqlite.org/rescode.html */
export function isDamaged(error: unknown): boolean {
  return [11, 26].includes(resultCode(error));
}

/** Whether the database cannot be opened or written, or the disk fails or is full. */
export function isRefused(error: unknown): boolean {
  return [8, 10, 13, 14, 23].includes(resultCode(error));
}

/** Whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return [5, 6].includes(resultCode(error));
}

/** Whether the database, its folder or its disk does not accept changes. */
export function isReadOnly(error: unknown): boolean {
  return [3, 8].includes(resultCode(error));
}

/** SQLITE_IOERR_SHMSIZE: there is no room for the index of the write-ahead log. */
const NO_ROOM_FOR_LOG_INDEX = 4874;

/** Whether the disk is full. */
export function isFull(error: unknown): boolean {
  return resultCode(error) === 13 || extendedCode(error) === NO_ROOM_FOR_LOG_INDEX;
}

/** SQLITE_CONSTRAINT_NOTNULL */
const NULL_IS_REFUSED = 1299;

/** Whether this column, which needs a value, was given none. Only the message names it. */
export function isNullRefused(error: unknown, table: string, column: string): boolean {
  if (extendedCode(error) !== NULL_IS_REFUSED || !(error instanceof Error)) return false;
  return error.message.endsWith(`: ${table}.${column}`);
}

/** Whether the statement or its values are wrong, which is a bug of the caller. */
export function isMistake(error: unknown): boolean {
  return [1, 19, 20, 21, 25].includes(resultCode(error));
}
