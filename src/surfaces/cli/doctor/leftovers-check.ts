/** Finds what killed processes left behind: unfinished files and browser profiles. */
import type { Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { formatCount, formatSize } from "../../../answer/phrases.ts";
import { systemCode } from "../../../errors.ts";
import type { Session } from "../../../session/session.ts";
import { PATH_CHARS } from "../../../system/clip-lengths.ts";
import { clip, escapePath } from "../../../system/safe-names.ts";
import type { Check } from "./check.ts";

const temporaryFile = /^(?:put|spool|doctor)-(\d{1,10})(?:-[0-9a-f]{16})?$/;
const profileFolder = /^spillway-render-(?:[0-9a-f]{8}-(\d{1,10})-[0-9a-f]{16}$)?/;

/** Nothing takes this long to write, so an older file is not in use, whatever process it names. */
const MAX_AGE_MS = 60 * 60 * 1_000;

type Leftover = { readonly kind: "file" | "profile"; readonly folder: string; readonly sizeBytes: number };

/** Counts them. Leftovers are not a fault: a sweep removes the files. */
export async function checkLeftovers({ spoolFolders, now }: Session): Promise<Check> {
  const leftovers = (await Promise.all(spoolFolders.map((folder) => findLeftovers(resolve(folder), now())))).flat();
  const files = leftovers.filter(({ kind }) => kind === "file");
  const profiles = leftovers.filter(({ kind }) => kind === "profile");
  const sentences = [
    ...(files.length === 0
      ? []
      : [`${describeCount(files, "temporary file")}; spillway artifacts sweep removes them after an hour`]),
    ...(profiles.length === 0
      ? []
      : [`${describeCount(profiles, "browser profile")} (spillway-render-*); delete them`]),
  ];
  const detail = sentences.length === 0 ? "none of killed processes" : `of killed processes: ${sentences.join(". ")}`;
  return { name: "leftovers", ok: true, detail };
}

function describeCount(leftovers: readonly Leftover[], thing: string): string {
  const folders = [...new Set(leftovers.map(({ folder }) => clip(escapePath(folder), PATH_CHARS)))];
  const sizeBytes = leftovers.reduce((sum, each) => sum + each.sizeBytes, 0);
  const size = sizeBytes === 0 ? "" : `, ${formatSize(sizeBytes)}`;
  return `${formatCount(leftovers.length, thing)}${size} in ${folders.join(", ")}`;
}

/** Without a slash at the end, which would follow a link. Empty for a folder that is missing, cannot be read or is a link: what lies behind a link is not ours. */
async function findLeftovers(folder: string, now: number): Promise<Leftover[]> {
  if (!(await lstat(folder).catch(() => undefined))?.isDirectory()) return [];
  const names = await readdir(folder).catch(() => []);
  const leftovers = await Promise.all(names.map((name) => judgeEntry(folder, name, now)));
  return leftovers.filter((each) => each !== undefined);
}

async function judgeEntry(folder: string, name: string, now: number): Promise<Leftover | undefined> {
  const [file, profile] = [temporaryFile.exec(name), profileFolder.exec(name)];
  if (file === null && profile === null) return undefined;
  const stats = await lstat(join(folder, name)).catch(() => undefined); // It may be gone by now.
  if (stats === undefined || !isOurs(stats)) return undefined;
  const pid = file?.[1] ?? profile?.[1];
  const isOld = now - stats.mtimeMs > MAX_AGE_MS;
  if (!isOld && (pid === undefined || isAlive(Number(pid)))) return undefined;
  if (file !== null && stats.isFile()) return { kind: "file", folder, sizeBytes: stats.size };
  return profile !== null && stats.isDirectory() ? { kind: "profile", folder, sizeBytes: 0 } : undefined;
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
