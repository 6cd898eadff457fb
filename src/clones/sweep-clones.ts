/** Deletes clones that are not used any more, and what killed processes left of unfinished ones. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { deleteLock, isLockPart, lockClone } from "./clone-lock.ts";

/** Returns how many entries were deleted. A clone that a caller makes or looks up at this moment stays. */
export async function sweepClones(folder: string, keepMs: number, now: number): Promise<number> {
  let deleted = 0;
  for (const { name } of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, name);
    if (await sweepEntry(path, keepMs, now)) deleted++;
  }
  return deleted;
}

async function sweepEntry(path: string, keepMs: number, now: number): Promise<boolean> {
  if (isLockPart(path) || !(await isUnused(path, keepMs, now))) return false;
  if (path.endsWith(".lock")) return deleteLock(path, keepMs, now);
  using lock = lockClone(path, now);
  // It may have been used while the lock was waited for.
  if (lock === null || !(await isUnused(path, keepMs, now))) return false;
  await rm(path, { recursive: true, force: true });
  return true;
}

/** A folder that its maker has not finished belongs to a caller with the lock, or to a process that was killed. */
async function isUnused(path: string, keepMs: number, now: number): Promise<boolean> {
  if (path.endsWith(".tmp")) return true;
  const facts = await stat(path).catch(() => undefined);
  return facts !== undefined && now - facts.mtimeMs >= keepMs;
}
