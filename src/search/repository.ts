/** A repository is one folder under one project: its index, its reader, and the lock of its writer. */
import { createHash } from "node:crypto";
import {
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { refuseKernelFolder, refuseOutside } from "../acquire/file-source.ts";
import { isUnwritable, SpillwayError, systemCode } from "../errors.ts";
import { PATH_CHARS } from "../system/clip-lengths.ts";
import { makeFolders } from "../system/folders.ts";
import { takeLock } from "../system/lock.ts";
import { clip } from "../system/safe-names.ts";
import { isDamaged, isRefused } from "../system/sqlite.ts";
import type { IndexStore } from "./index/index-store.ts";
import { memoryStore } from "./index/memory-index-store.ts";
import { type IndexReader, openReader } from "./index/reader.ts";
import { sqliteStore } from "./index/sqlite-index-store.ts";
import type { IndexPlace } from "./index/update.ts";
import type { Project } from "./project.ts";
import { invalid } from "./request.ts";

export type Repository = IndexPlace & {
  readonly id: string;
  readonly project: Project;
  /** The store's name, as replies give it. */
  readonly databaseName: string;
  readonly reader: IndexReader;
  /** Where the writer's lock is; null for an index in memory, which has one process only. */
  readonly lockPath: string | null;
  /** How many searches and jobs use it just now; only an unused one is closed. */
  readonly holds: { count: number };
};

/** A repository that stays open until this is disposed. */
export type HeldRepository = Disposable & { readonly repository: Repository };

/** Keeps a repository open until disposed. */
export function holdRepository(repository: Repository): HeldRepository {
  repository.holds.count += 1;
  return {
    repository,
    [Symbol.dispose]: () => {
      repository.holds.count -= 1;
    },
  };
}

/** Folders that may be searched; without them all may that the user can read. */
export type Roots = readonly string[] | undefined;

/** Opens the repository of a folder under a project; the same one for the same folder, however it is spelled. */
export async function openRepository(project: Project, dir: string, roots: Roots): Promise<HeldRepository> {
  const root = requireFolder(dir);
  await refuseRoot(dir, root, roots);
  return open(project, root, idOf(root));
}

async function refuseRoot(given: string, root: string, roots: Roots): Promise<void> {
  refuseKernelFolder(given, root);
  await refuseOutside(given, root, roots);
}

/** Opens a repository by its id; only one that was indexed under this project is found. */
export async function findRepository(project: Project, id: string, roots: Roots): Promise<HeldRepository> {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) {
    throw invalid(
      `Invalid repository_id format: ${clip(id)}`,
      "Give the repository_id of an indexing reply as it was.",
    );
  }
  const root = project.folder === null ? undefined : rootOf(join(project.folder, id.toLowerCase()));
  if (root !== undefined) {
    await refuseRoot(id, root, roots);
    return open(project, root, id.toLowerCase());
  }
  throw new SpillwayError("repository_not_found", `No repository ${id} in project ${JSON.stringify(project.id)}.`, {
    hint: "Index its folder, or leave repository_id out to search the folder you stand in.",
  });
}

function requireFolder(dir: string): string {
  try {
    const root = realpathSync(dir);
    if (statSync(root).isDirectory()) return root;
  } catch (cause) {
    if (systemCode(cause) !== "ENOENT") throw noFolder(dir, "cannot be read", cause);
  }
  throw noFolder(dir, existsSync(dir) ? "is no folder" : "does not exist");
}

function noFolder(dir: string, why: string, cause?: unknown): SpillwayError {
  return new SpillwayError("source_not_found", `${clip(dir, PATH_CHARS)} ${why}.`, {
    hint: "Name a folder with source files in it.",
    cause,
  });
}

/** The same folder has the same id for ever, in the form of a UUID. */
function idOf(root: string): string {
  const digest = createHash("sha256").update(`spillway repository\n${root}`).digest("hex");
  return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const factsFile = "repository.json";
const indexFile = "index.db";
/** The writer's lock in the folder of an index. */
export const lockFile = "lock.db";
const opened = new Map<string, Repository>();
const openedInMemory = new WeakMap<object, Map<string, Repository>>();
/** Repositories a process keeps open; the one used longest ago is closed first. */
const mostOpen = 16;

async function open(project: Project, root: string, id: string): Promise<HeldRepository> {
  const known = placeOf(project);
  const key = `${project.folder}\n${project.id}\n${id}`;
  const repository = known.get(key) ?? (await openNew(project, root, id));
  // Another call may have opened it meanwhile; then that one is used, and this one is not needed.
  const first = known.get(key) ?? repository;
  if (first !== repository) repository.store[Symbol.dispose]();
  known.delete(key);
  known.set(key, first);
  const held = holdRepository(first);
  closeOldest();
  return held;
}

/** Indexes in memory belong to one store of artifacts, so to one owner, and go with it. */
function placeOf({ folder, scope }: Project): Map<string, Repository> {
  if (folder !== null) return opened;
  const own = openedInMemory.get(scope) ?? new Map();
  openedInMemory.set(scope, own);
  return own;
}

function closeOldest(): void {
  for (const [key, { store, lockPath, holds }] of opened) {
    if (opened.size <= mostOpen) return;
    if (holds.count > 0 || lockPath === null) continue;
    opened.delete(key);
    store[Symbol.dispose]();
  }
}

/** Where nothing can be written the index is in memory: slower to begin with, but an answer. */
async function openNew(project: Project, root: string, id: string): Promise<Repository> {
  const databaseName = `${basename(root) || "root"}-${id.slice(0, 8)}`;
  const facts = { id, project, root, databaseName, holds: { count: 0 } };
  try {
    if (project.folder !== null) return { ...facts, ...(await openOnDisk(join(project.folder, id), facts)) };
  } catch (error) {
    if (!isUnwritable(error) && !isRefused(error)) throw error;
  }
  const store = memoryStore();
  return { ...facts, store, segmentFolder: null, reader: openReader(store, null), lockPath: null };
}

async function openOnDisk(folder: string, { id, root }: { id: string; root: string }) {
  await makeFolders(folder);
  writeFacts(join(folder, factsFile), { repository_id: id, root });
  const lockPath = join(folder, lockFile);
  const store = openStoreAt(join(folder, indexFile), lockPath);
  return { store, segmentFolder: folder, reader: openReader(store, folder), lockPath };
}

/** A damaged index is made anew from its folder, by whoever can have the lock. */
function openStoreAt(path: string, lockPath: string): IndexStore {
  try {
    return sqliteStore(path);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    using lock = takeLock(lockPath);
    if (lock === null) throw error;
    removeStore(path);
    return sqliteStore(path);
  }
}

function removeStore(path: string): void {
  for (const ending of ["", "-wal", "-shm"]) rmSync(path + ending, { force: true });
}

const discarded = new WeakSet<Repository>();

/** Whether the index was found damaged and closed: who still wants it opens the repository again. */
export function isDiscarded(repository: Repository): boolean {
  return discarded.has(repository);
}

/** Closes a damaged index and takes it away, so that the next to open it begins anew. Hold the lock. */
export function discardIndex(repository: Repository): void {
  if (discarded.has(repository)) return;
  discarded.add(repository);
  for (const [key, each] of opened) if (each === repository) opened.delete(key);
  repository.store[Symbol.dispose]();
  if (repository.segmentFolder !== null) removeStore(join(repository.segmentFolder, indexFile));
}

/** Opens a repository again whose index was discarded. */
export function reopenRepository({ project, root, id }: Repository): Promise<HeldRepository> {
  return open(project, root, id);
}

/** When the index in this folder was last opened or written. */
export function lastUsedAt(folder: string): number {
  const names = [factsFile, indexFile, `${indexFile}-wal`];
  return Math.max(...names.map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0));
}

/** Closes the index in this folder where this process has it open; false while it is in use. */
export function closeUnused(folder: string): boolean {
  for (const [key, { store, segmentFolder, holds }] of opened) {
    if (segmentFolder !== folder) continue;
    if (holds.count > 0) return false;
    opened.delete(key);
    store[Symbol.dispose]();
  }
  return true;
}

/** Once there, its time says when the index was last opened. */
function writeFacts(path: string, facts: object): void {
  const now = new Date();
  if (existsSync(path)) {
    utimesSync(path, now, now);
    return;
  }
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(facts)}\n`, { mode: 0o600 });
  renameSync(unfinished, path);
}

/** The folder of sources that the index in this folder is of. */
export function rootOf(folder: string): string | undefined {
  try {
    const facts: unknown = JSON.parse(readFileSync(join(folder, factsFile), "utf8"));
    return typeof facts === "object" && facts !== null && "root" in facts ? String(facts.root) : undefined;
  } catch {
    return undefined; // Never indexed under this project.
  }
}
