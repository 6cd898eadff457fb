/** Creates private folders, level by level, and says which are not private. */
import { existsSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { mkdir as makeDirectory } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "../errors.ts";

type MakeDirectory = (path: string, options: { mode: number }) => Promise<unknown>;

/**
 * Creates a folder and its parents, for this user only, and returns the new ones, innermost first. Not by Node's
 * recursive option, because that never returns below a folder that accepts no new ones, such as /proc.
 */
export async function makeFolders(folder: string, mkdir: MakeDirectory = makeDirectory): Promise<string[]> {
  const created = await makeOne(folder, mkdir);
  if (created !== "no parent") return created === "made" ? [folder] : [];
  const above = await makeFolders(dirname(folder), mkdir);
  // Another process may have created it first. A parent that has disappeared is an error.
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (systemCode(error) !== "EEXIST") throw error;
  });
  return [folder, ...above];
}

async function makeOne(folder: string, mkdir: MakeDirectory): Promise<"made" | "there" | "no parent"> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return "made";
  } catch (error) {
    if (systemCode(error) === "EEXIST") return "there";
    if (systemCode(error) === "ENOENT" && dirname(folder) !== folder) return "no parent";
    throw error;
  }
}

/** The same without a turn of the event loop, for callers that write at once. */
export function makeFoldersSync(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFoldersSync(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error; // Another process may have created it first.
  }
}

/** What lets others change a folder of this user: an owner or a mode. Null if nothing does, or there is no such folder. */
export function findExposure(folder: string): string | null {
  const uid = process.getuid?.();
  if (uid === undefined) return null; // Windows has access lists instead.
  try {
    const [link, target] = [lstatSync(folder), statSync(folder)];
    const foreign = [link, target].find((stats) => stats.uid !== uid && !(stats === link && stats.uid === 0));
    if (foreign) return `it belongs to another user (${foreign.uid})`;
    const mode = target.mode & 0o777;
    return (mode & 0o022) === 0 ? null : `others can write to it (mode ${mode.toString(8)})`;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return null; // It will be created, or its use fails with a better message.
  }
}

/** Whether a folder below the data folder, or one of the folders between them, is a link: nothing behind it is deleted. */
export function isBehindLink(...folders: readonly string[]): boolean {
  return folders.some((folder) => lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink());
}
