/** Making private folders, level by level. */
import { mkdir as makeDirectory } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "../errors.ts";

type MakeDirectory = (path: string, options: { mode: number }) => Promise<unknown>;

/**
 * Makes a folder and those above it, for this user only, and gives the ones that are new, innermost first. By hand,
 * because the recursive call of Node never returns below a folder that takes no new ones, such as /proc.
 */
export async function makeFolders(folder: string, mkdir: MakeDirectory = makeDirectory): Promise<string[]> {
  const made = await makeOne(folder, mkdir);
  if (made !== "no parent") return made === "made" ? [folder] : [];
  const above = await makeFolders(dirname(folder), mkdir);
  // Another process may have been faster; a parent that is gone again is an error.
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
