/** Finds what killed processes left behind: unfinished files and browser profiles. */
import type { Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { findAbandonedProfiles } from "../../../acquire/render/profiles.ts";
import { formatCount, formatSize } from "../../../answer/phrases.ts";
import { systemCode } from "../../../errors.ts";
import type { Session } from "../../../session/session.ts";
import { PATH_CHARS } from "../../../system/clip-lengths.ts";
import { clip, escapePath } from "../../../system/safe-names.ts";
import type { Check } from "./check.ts";

const temporaryFile = /^(?:put|spool|doctor)-(\d{1,10})(?:-[0-9a-f]{16})?$/;

/** Nothing takes this long to write, so an older file is not in use, whatever process it names. */
const MAX_AGE_MS = 60 * 60 * 1_000;

type Leftover = { readonly folder: string; readonly sizeBytes: number };

/** Counts them. Leftovers are not a fault: a sweep removes them. */
export async function checkLeftovers({ spoolFolders, now }: Session): Promise<Check> {
  // Without a slash at the end, which would follow a link.
  const folders = spoolFolders.map((folder) => resolve(folder));
  const files = (await Promise.all(folders.map((folder) => findFiles(folder, now())))).flat();
  const profiles = (await Promise.all(folders.map((folder) => findAbandonedProfiles(folder, now())))).flat();
  const sentences = [
    ...describeLeftovers(files, "temporary file", "spillway artifacts sweep removes them after an hour"),
    ...describeLeftovers(profiles.map(toLeftover), "browser profile", "spillway artifacts sweep removes them"),
  ];
  const found = sentences.length === 0 ? "none of killed processes" : `of killed processes: ${sentences.join(". ")}`;
  const links = await Promise.all(folders.map(describeLink));
  return { name: "leftovers", ok: true, detail: [found, ...links.filter((sentence) => sentence !== "")].join(". ") };
}

/** That a folder is a link, so that what unfinished work leaves behind it stays. */
async function describeLink(folder: string): Promise<string> {
  const stats = await lstat(folder).catch(() => undefined);
  return stats?.isSymbolicLink()
    ? `${clip(escapePath(folder), PATH_CHARS)} is a link; nothing behind it is deleted`
    : "";
}

function toLeftover(profile: string): Leftover {
  return { folder: dirname(profile), sizeBytes: 0 };
}

function describeLeftovers(leftovers: readonly Leftover[], thing: string, remedy: string): string[] {
  if (leftovers.length === 0) return [];
  const folders = [...new Set(leftovers.map(({ folder }) => clip(escapePath(folder), PATH_CHARS)))];
  const sizeBytes = leftovers.reduce((sum, each) => sum + each.sizeBytes, 0);
  const size = sizeBytes === 0 ? "" : `, ${formatSize(sizeBytes)}`;
  return [`${formatCount(leftovers.length, thing)}${size} in ${folders.join(", ")}; ${remedy}`];
}

/** Empty for a folder that is missing, cannot be read or is a link: what is behind a link is not ours. */
async function findFiles(folder: string, now: number): Promise<Leftover[]> {
  if (!(await lstat(folder).catch(() => undefined))?.isDirectory()) return [];
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(names.map((name) => judgeFile(folder, name, now)));
  return found.filter((each) => each !== undefined);
}

async function judgeFile(folder: string, name: string, now: number): Promise<Leftover | undefined> {
  const [, pid] = temporaryFile.exec(name) ?? [];
  if (pid === undefined) return undefined;
  const stats = await lstat(join(folder, name)).catch(() => undefined); // It may be gone by now.
  if (!stats?.isFile() || !isOurs(stats)) return undefined;
  const isOld = now - stats.mtimeMs > MAX_AGE_MS;
  return isOld || !isAlive(Number(pid)) ? { folder, sizeBytes: stats.size } : undefined;
}

function isOurs({ uid }: Stats): boolean {
  return uid === (process.getuid?.() ?? uid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0); // Signal 0 only asks.
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}
