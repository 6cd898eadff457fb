/** Profile folders of browsers: named so that the ones of killed processes can be recognised and removed. */
import { createHash, randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { systemCode } from "../../errors.ts";
import { makeFolders } from "../../system/folders.ts";

const profileForm = /^spillway-render-([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{16}$/;

/** Whether a folder's entry has the name of a profile. */
export const isProfileName = (name: string): boolean => profileForm.test(name);

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
  for (const folder of folders) {
    for (const name of await listProfiles(folder)) {
      if (await removeIfAbandoned(join(folder, name), name, now)) removed++;
    }
  }
  return removed;
}

/** Empty for a folder that is missing, cannot be read or is a link: what lies behind a link is not ours. */
async function listProfiles(folder: string): Promise<string[]> {
  if (!(await lstat(folder).catch(() => undefined))?.isDirectory()) return [];
  return (await readdir(folder).catch(() => [])).filter(isProfileName);
}

async function removeIfAbandoned(profile: string, name: string, now: number): Promise<boolean> {
  try {
    const stats = await lstat(profile);
    const isOurs = stats.isDirectory() && stats.uid === (process.getuid?.() ?? stats.uid);
    if (!isOurs || (isInUse(name) && now - stats.mtimeMs < MAX_PROFILE_AGE_MS)) return false;
    await removeProfile(profile);
    return true;
  } catch (error) {
    // Another process was faster, or it cannot be removed now; the next sweep tries again.
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

/** A process of another machine or container cannot be seen from here, so it counts as running. */
function isInUse(name: string): boolean {
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
