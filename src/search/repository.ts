/** A repository is one folder in one project: its index, its reader, and the lock of its writer. */
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
import { assertInsideRoots, assertNotKernelFolder } from "../acquire/file-source.ts";
import { isUnwritable, SpillwayError, systemCode } from "../errors.ts";
import { PATH_CHARS } from "../system/clip-lengths.ts";
import { makeFolders } from "../system/folders.ts";
import { takeLock } from "../system/lock.ts";
import { clip } from "../system/safe-names.ts";
import { isDamaged, isRefused } from "../system/sqlite.ts";
import { type IndexReader, openReader } from "./index/index-reader.ts";
import type { IndexLocation, IndexStore } from "./index/store/index-store.ts";
import { openMemoryStore } from "./index/store/memory-index-store.ts";
import { openSqliteStore } from "./index/store/sqlite-index-store.ts";
import type { Project } from "./project.ts";
import { searchInvalid } from "./search-input.ts";

/** An open repository. */
export type Repository = IndexLocation & {
  readonly id: string;
  readonly project: Project;
  /** The store's name, as replies show it. */
  readonly databaseName: string;
  readonly reader: IndexReader;
  /** The file of the writer's lock; null for an index in memory, which only this process uses. */
  readonly lockPath: string | null;
  /** How many searches and jobs use it now; it is closed only while unused. */
  readonly holds: { count: number };
};

/** A repository that stays open until this is disposed. */
export type RepositoryHold = Disposable & { readonly repository: Repository };

/** Keeps a repository open until disposed. */
export function holdRepository(repository: Repository): RepositoryHold {
  repository.holds.count += 1;
  return {
    repository,
    [Symbol.dispose]: () => {
      repository.holds.count -= 1;
    },
  };
}

/** Folders that may be searched; undefined allows all that the user can read. */
export type Roots = readonly string[] | undefined;

/** Opens the repository of a folder in a project; the same one for the same folder, however its path is written. */
export async function openRepository(project: Project, dir: string, roots: Roots): Promise<RepositoryHold> {
  const root = requireFolder(dir);
  await refuseRoot(dir, root, roots);
  return open(project, root, repositoryId(root));
}

async function refuseRoot(given: string, root: string, roots: Roots): Promise<void> {
  assertNotKernelFolder(given, root);
  await assertInsideRoots(given, root, roots);
}

/** Opens a repository by its id. Only repositories that were indexed in this project are found. */
export async function findRepository(project: Project, id: string, roots: Roots): Promise<RepositoryHold> {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) {
    throw searchInvalid(
      `Invalid repository_id format: ${clip(id)}`,
      "Give the repository_id of an indexing reply unchanged.",
    );
  }
  const root = project.folder === null ? undefined : readRoot(join(project.folder, id.toLowerCase()));
  if (root !== undefined) {
    await refuseRoot(id, root, roots);
    return open(project, root, id.toLowerCase());
  }
  throw new SpillwayError("repository_not_found", `No repository ${id} in project ${JSON.stringify(project.id)}.`, {
    hint: "Index its folder, or omit repository_id to search the current folder.",
  });
}

function requireFolder(dir: string): string {
  try {
    const root = realpathSync(dir);
    if (statSync(root).isDirectory()) return root;
  } catch (cause) {
    if (systemCode(cause) !== "ENOENT") throw folderNotFound(dir, "cannot be read", cause);
  }
  throw folderNotFound(dir, existsSync(dir) ? "is not a folder" : "does not exist");
}

function folderNotFound(dir: string, problem: string, cause?: unknown): SpillwayError {
  return new SpillwayError("source_not_found", `${clip(dir, PATH_CHARS)} ${problem}.`, {
    hint: "Name a folder with source files in it.",
    cause,
  });
}

/** A UUID that is always the same for the same folder. */
function repositoryId(root: string): string {
  const digest = createHash("sha256").update(`spillway repository\n${root}`).digest("hex");
  return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const factsFile = "repository.json";
const indexFile = "index.db";
/** The name of the writer's lock in the folder of an index. */
export const lockFile = "lock.db";
const openRepositories = new Map<string, Repository>();
const openInMemory = new WeakMap<object, Map<string, Repository>>();
/** Repositories that a process keeps open; the least recently used is closed first. */
const MAX_OPEN = 16;

async function open(project: Project, root: string, id: string): Promise<RepositoryHold> {
  const repositories = repositoriesOf(project);
  const key = `${project.folder}\n${project.id}\n${id}`;
  const repository = repositories.get(key) ?? (await openNew(project, root, id));
  // Another call may have opened it meanwhile; then that one is used, and this one is closed.
  const first = repositories.get(key) ?? repository;
  if (first !== repository) repository.store[Symbol.dispose]();
  repositories.delete(key);
  repositories.set(key, first);
  const hold = holdRepository(first);
  closeOldest();
  return hold;
}

/** Indexes in memory belong to one artifact store, and so to one owner, and live as long as it. */
function repositoriesOf({ folder, scope }: Project): Map<string, Repository> {
  if (folder !== null) return openRepositories;
  const own = openInMemory.get(scope) ?? new Map();
  openInMemory.set(scope, own);
  return own;
}

function closeOldest(): void {
  for (const [key, { store, lockPath, holds }] of openRepositories) {
    if (openRepositories.size <= MAX_OPEN) return;
    if (holds.count > 0 || lockPath === null) continue;
    openRepositories.delete(key);
    store[Symbol.dispose]();
  }
}

/** Where the disk cannot be written, the index is in memory: the first search is slower. */
async function openNew(project: Project, root: string, id: string): Promise<Repository> {
  const databaseName = `${basename(root) || "root"}-${id.slice(0, 8)}`;
  const facts = { id, project, root, databaseName, holds: { count: 0 } };
  try {
    if (project.folder !== null) return { ...facts, ...(await openOnDisk(join(project.folder, id), facts)) };
  } catch (error) {
    if (!isUnwritable(error) && !isRefused(error)) throw error;
  }
  const store = openMemoryStore();
  return { ...facts, store, segmentFolder: null, reader: openReader(store, null), lockPath: null };
}

async function openOnDisk(folder: string, { id, root }: { id: string; root: string }) {
  await makeFolders(folder);
  writeFacts(join(folder, factsFile), { repository_id: id, root });
  const lockPath = join(folder, lockFile);
  const store = openStore(join(folder, indexFile), lockPath);
  return { store, segmentFolder: folder, reader: openReader(store, folder), lockPath };
}

/** A damaged index is deleted, to be built again from its folder, if this process gets the lock. */
function openStore(path: string, lockPath: string): IndexStore {
  try {
    return openSqliteStore(path);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    using lock = takeLock(lockPath);
    if (lock === null) throw error;
    removeStore(path);
    return openSqliteStore(path);
  }
}

function removeStore(path: string): void {
  for (const ending of ["", "-wal", "-shm"]) rmSync(path + ending, { force: true });
}

const discarded = new WeakSet<Repository>();

/** Whether the index was found damaged and closed. The repository has to be opened again. */
export function isDiscarded(repository: Repository): boolean {
  return discarded.has(repository);
}

/** Closes and deletes a damaged index: the next open creates a new one. The caller holds the lock. */
export function discardIndex(repository: Repository): void {
  if (discarded.has(repository)) return;
  discarded.add(repository);
  for (const [key, each] of openRepositories) if (each === repository) openRepositories.delete(key);
  repository.store[Symbol.dispose]();
  if (repository.segmentFolder !== null) removeStore(join(repository.segmentFolder, indexFile));
}

/** Opens a repository whose index was discarded. */
export function reopenRepository({ project, root, id }: Repository): Promise<RepositoryHold> {
  return open(project, root, id);
}

/** When the index in this folder was last opened or written. */
export function lastUsedAt(folder: string): number {
  const names = [factsFile, indexFile, `${indexFile}-wal`];
  return Math.max(...names.map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0));
}

/** Closes the index in this folder if this process has it open; false while it is in use. */
export function closeUnused(folder: string): boolean {
  for (const [key, { store, segmentFolder, holds }] of openRepositories) {
    if (segmentFolder !== folder) continue;
    if (holds.count > 0) return false;
    openRepositories.delete(key);
    store[Symbol.dispose]();
  }
  return true;
}

/** Writes the file once; later only its time changes, which says when the index was last opened. */
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

/** The source folder of the index in this folder; undefined if there is no index. */
export function readRoot(folder: string): string | undefined {
  try {
    const facts: unknown = JSON.parse(readFileSync(join(folder, factsFile), "utf8"));
    return typeof facts === "object" && facts !== null && "root" in facts ? String(facts.root) : undefined;
  } catch {
    return undefined; // Never indexed in this project.
  }
}
