/** Expiry of indexes whose folder is gone: kept for a grace period in case its drive is mounted again, then deleted. */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isUnwritable, systemCode } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { isBehindLink } from "../system/folders.ts";
import { takeLock } from "../system/lock.ts";
import { isRefused } from "../system/sqlite.ts";
import type { Sweeper } from "../verbs/sweep.ts";
import { closeUnused } from "./repository/repository.ts";
import { lastUsedAt, lockFile, readFacts } from "./repository/repository-facts.ts";

/** The sweeper of indexes. A process that searches registers it; others never load this code. */
export const indexSweeper: Sweeper = { counts: "deletedIndexes", takeTurn, sweep: expireIndexes };

/** Its time is when any process last swept the indexes. */
const sweptFile = "swept";

/** The first time there is nothing to sweep yet. */
function takeTurn({ searchFolder, settings, now }: Session): boolean {
  if (searchFolder === null || !existsSync(searchFolder)) return false;
  const path = join(searchFolder, sweptFile);
  const lastSweptAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (lastSweptAt !== undefined && now() - lastSweptAt < settings["artifacts.sweep_every"]) return false;
  try {
    writeFileSync(path, "", { mode: 0o600 });
  } catch (error) {
    if (isUnwritable(error)) return false; // What cannot be marked cannot be deleted either.
    throw error;
  }
  return lastSweptAt !== undefined;
}

/** Deletes indexes whose folder is gone and that have not been used for as long as artifacts are kept. Returns how many. */
async function expireIndexes({ searchFolder, settings, now, emit, store }: Session): Promise<number> {
  if (searchFolder === null || isBehindLink(dirname(searchFolder), searchFolder)) return 0;
  const unusedSince = now() - settings["artifacts.keep"];
  const indexes = foldersIn(searchFolder).flatMap(foldersIn);
  for (const folder of indexes) if (isSetAside(folder)) rmSync(folder, { recursive: true, force: true });
  let deleted = 0;
  for (const folder of indexes.filter((each) => !isSetAside(each) && isExpired(each, unusedSince))) {
    const sizeBytes = deleteIndex(folder);
    if (sizeBytes === null) continue;
    emit({ event: "index.swept", size_bytes: sizeBytes + (await forgetGeneration(folder, store)) });
    deleted++;
  }
  return deleted;
}

/** Deletes the rows of an index, which its folders name, and makes its segments garbage. Returns their bytes. */
async function forgetGeneration(folder: string, { catalogue, ownerId }: Session["store"]): Promise<number> {
  const { deleteGeneration } = await import("../catalogue/index-rows.ts");
  const { releaseSegments } = await import("../catalogue/segment-rows.ts");
  const { findPlace } = await import("./jobs/index-lease.ts");
  const project = dirname(folder);
  const key = { owner: ownerId, project: basename(project), repository: basename(folder) };
  try {
    return await catalogue.transact(async (queries) => {
      await deleteGeneration(queries, key);
      return releaseSegments(queries, key, findPlace({ folder: project }));
    });
  } catch (error) {
    if (systemCode(error) === undefined) throw error; // Rows of no index do no harm.
    return 0;
  }
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

/** An index is renamed to this before it is deleted; a killed sweeper may leave one behind. */
const setAsidePrefix = "retired-";

const isSetAside = (folder: string): boolean => /[/\\]retired-[0-9a-f]+$/.test(folder);

function isExpired(folder: string, unusedSince: number): boolean {
  const root = readFacts(folder)?.root;
  return root !== undefined && isGone(root) && lastUsedAt(folder) < unusedSince;
}

/** True only if the folder certainly does not exist: one that may not be read is not gone. */
function isGone(root: string): boolean {
  try {
    statSync(root);
    return false;
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "");
  }
}

/**
 * Deletes one index under the writer's lock and returns its size in bytes, or null if it has to stay. It is renamed
 * first, in one step: a process that opens the repository now begins a new index.
 */
function deleteIndex(folder: string): number | null {
  if (!closeUnused(folder)) return null;
  try {
    using lock = takeLock(join(folder, lockFile));
    if (lock === null) return null;
    const sizeBytes = sizeOf(folder);
    const aside = join(folder, "..", `${setAsidePrefix}${randomBytes(6).toString("hex")}`);
    renameSync(folder, aside);
    rmSync(aside, { recursive: true, force: true });
    return sizeBytes;
  } catch (error) {
    if (isUnwritable(error) || isRefused(error)) return null; // A later sweep may be able to delete it.
    throw error;
  }
}

function sizeOf(folder: string): number {
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}
