/** Profile folders of browsers: named so that the ones of killed processes can be recognised and removed. */
import { createHash, randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { systemCode } from "../../errors.ts";
import { makeFolders } from "../../system/folders.ts";

/** A digest of the machine and the number of the process; version 0.1.0 wrote six random characters instead. */
const profileForm = /^spillway-render-(?:([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{16}|[A-Za-z0-9]{6})$/;

/** No page runs this long, so an older profile is not in use, whatever process it names. */
const MAX_PROFILE_AGE_MS = 60 * 60 * 1_000;

/** Makes an empty profile folder in the first of these folders that can be written. */
export async function makeProfile(folders: readonly string[]): Promise<string> {
  const name = `spillway-render-${hostDigest()}-${process.pid}-${randomBytes(8).toString("hex")}`;
  let failure: unknown;
  for (const folder of folders) {
    try {
      await makeFolders(folder);
      await mkdir(join(folder, name), { mode: 0o700 });
      return join(folder, name);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** Removes a profile; a browser that is just exiting may still be writing to it. */
export async function removeProfile(profile: string): Promise<void> {
  await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** Removes the profiles of processes that have ended, in real folders of this user only, and returns how many. */
export async function sweepProfiles(folders: readonly string[], now: number): Promise<number> {
  let removed = 0;
  for (const profile of (await Promise.all(folders.map((folder) => findAbandonedProfiles(folder, now)))).flat()) {
    if (await removeIfPossible(profile)) removed++;
  }
  return removed;
}

/**
 * The paths of profiles whose process has ended. None for a folder that is missing, cannot be read or is a link: what
 * is behind a link is not ours. A slash at the end of the folder would follow the link, so it is taken off first.
 */
export async function findAbandonedProfiles(folder: string, now: number): Promise<string[]> {
  const path = resolve(folder);
  if (!(await lstat(path).catch(() => undefined))?.isDirectory()) return [];
  const names = (await readdir(path).catch(() => [])).filter((name) => profileForm.test(name));
  const areAbandoned = await Promise.all(names.map((name) => isAbandoned(join(path, name), name, now)));
  return names.filter((_, index) => areAbandoned[index]).map((name) => join(path, name));
}

async function isAbandoned(profile: string, name: string, now: number): Promise<boolean> {
  const stats = await lstat(profile).catch(() => undefined); // It may be gone by now.
  if (!stats?.isDirectory() || stats.uid !== (process.getuid?.() ?? stats.uid)) return false;
  return now - stats.mtimeMs > MAX_PROFILE_AGE_MS || !mayBeInUse(name);
}

/** False if it cannot be removed now; the next sweep tries again. */
async function removeIfPossible(profile: string): Promise<boolean> {
  try {
    await removeProfile(profile);
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

/** A process of another machine or container cannot be seen from here, so it may be running. */
function mayBeInUse(name: string): boolean {
  const [, host, pid] = profileForm.exec(name) ?? [];
  return host !== hostDigest() || isRunning(Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

function hostDigest(): string {
  return createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
}
