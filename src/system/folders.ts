/** Creates private folders, level by level. */
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
