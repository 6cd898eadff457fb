/** A file that only takes up space: given up while a full disk is swept, because deleting rows needs some. */
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CatalogueError } from "../catalogue/sql.ts";
import { systemCode } from "../errors.ts";
import type { Storage } from "./storage.ts";

/** Enough for the shared memory of the log and a batch of rows. */
const RESERVE_BYTES = 256 * 1024;

const reservePath = (home: string): string => join(home, "reserve");

/** Creates the reserve where there is none, if there is room for it. */
export async function keepReserve({ folder: home }: Pick<Storage, "folder">): Promise<void> {
  if (home === undefined) return;
  const path = reservePath(home);
  try {
    if ((await stat(path).catch(() => undefined))?.size === RESERVE_BYTES) return;
    await writeFile(path, Buffer.alloc(RESERVE_BYTES, 1), { mode: 0o600 });
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    await releaseReserve(home); // Half of it would take the space that is left.
  }
}

/** Runs work that frees space. If the disk is too full even for that, it runs again without the reserve. */
export async function withReserve<T>(storage: Storage, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { folder, catalogue } = storage;
    if (folder === undefined || !isFull(error) || !(await releaseReserve(folder))) throw error;
    await catalogue.close(); // On a full disk it may have been opened for reading only.
    return await work();
  } finally {
    await keepReserve(storage);
  }
}

function isFull(error: unknown): boolean {
  if (error instanceof CatalogueError) return error.fault === "full" || error.fault === "read_only";
  return systemCode(error) === "ENOSPC" || systemCode(error) === "EDQUOT";
}

/** False if there was nothing to give up. */
async function releaseReserve(home: string): Promise<boolean> {
  try {
    await rm(reservePath(home));
    return true;
  } catch {
    return false;
  }
}
