/** Indexes of folders that are gone: kept for a while, for a drive may come back, then taken away like old artifacts. */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isUnwritable, systemCode } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { takeLock } from "../system/lock.ts";
import { isRefused } from "../system/sqlite.ts";
import { closeUnused, lastUsedAt, lockFile, rootOf } from "./repository.ts";

/** An index that was taken away. */
export type RetiredIndex = { readonly sizeBytes: number };

/** What a killed sweeper may leave behind begins so. */
const retiredPrefix = "retired-";

/** Takes away indexes whose folder is gone and that nobody has used for as long as artifacts are kept. */
export function retireIndexes({ searchFolder, settings, now }: Session): RetiredIndex[] {
  if (searchFolder === null) return [];
  const before = now() - settings["artifacts.keep"];
  return foldersIn(searchFolder).flatMap((project) => {
    const indexes = foldersIn(project);
    for (const folder of indexes) if (isRetired(folder)) rmSync(folder, { recursive: true, force: true });
    return indexes.filter((folder) => !isRetired(folder) && isLeft(folder, before)).flatMap(retire);
  });
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

const isRetired = (folder: string): boolean => /[/\\]retired-[0-9a-f]+$/.test(folder);

function isLeft(folder: string, before: number): boolean {
  const root = rootOf(folder);
  return root !== undefined && isGone(root) && lastUsedAt(folder) < before;
}

/** Only what is certainly not there: a folder that may not be looked at is not gone. */
function isGone(root: string): boolean {
  try {
    statSync(root);
    return false;
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "");
  }
}

/** Under the writer's lock, and out of sight in one step: whoever comes now begins a new index. */
function retire(folder: string): RetiredIndex[] {
  if (!closeUnused(folder)) return [];
  try {
    using lock = takeLock(join(folder, lockFile));
    if (lock === null) return [];
    const sizeBytes = sizeOf(folder);
    const aside = join(folder, "..", `${retiredPrefix}${randomBytes(6).toString("hex")}`);
    renameSync(folder, aside);
    rmSync(aside, { recursive: true, force: true });
    return [{ sizeBytes }];
  } catch (error) {
    if (isUnwritable(error) || isRefused(error)) return []; // It is left for a sweep that can.
    throw error;
  }
}

function sizeOf(folder: string): number {
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}
