/** A repository is one folder in one project: its index, its reader, and the lock of its writer. */
import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { assertInsideRoots, assertNotKernelFolder } from "../../acquire/file-source.ts";
import { SpillwayError, systemCode } from "../../errors.ts";
import { PATH_CHARS } from "../../system/clip-lengths.ts";
import { makeFolders } from "../../system/folders.ts";
import { takeLock } from "../../system/lock.ts";
import { clip } from "../../system/safe-names.ts";
import { isDamaged } from "../../system/sqlite.ts";
import { type IndexReader, openReader } from "../index/index-reader.ts";
import type { IndexLocation } from "../index/segments/segment-store.ts";
import type { IndexStore } from "../index/store/index-store.ts";
import { openMemoryStore } from "../index/store/memory-index-store.ts";
import { openSqliteStore } from "../index/store/sqlite-index-store.ts";
import type { Project } from "./project.ts";
import { indexFile, lockFile, writeFacts } from "./repository-facts.ts";
import { describeStorageFailure, isStorageFailure } from "./storage-problem.ts";

/** An open repository. */
export type Repository = Pick<IndexLocation, "root" | "store"> & {
  readonly id: string;
  readonly project: Project;
  /** The store's name, as replies show it. */
  readonly databaseName: string;
  readonly reader: IndexReader;
  /** The folder of the index; null for an index in memory. */
  readonly folder: string | null;
  /** Why the index is in memory although it should be on disk; null where it is where it should be. */
  readonly storageProblem: string | null;
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
  return openKnown(project, root, repositoryId(root));
}

/** Throws for a folder of the kernel, and for one outside the roots. */
export async function refuseRoot(given: string, root: string, roots: Roots): Promise<void> {
  assertNotKernelFolder(given, root);
  await assertInsideRoots(given, root, roots);
}

/** The real path of a folder. Throws for anything else. */
export function requireFolder(dir: string): string {
  try {
    const root = realpathSync(dir);
    if (statSync(root).isDirectory()) {
      accessSync(root, constants.R_OK | constants.X_OK); // Else it would look empty, and so would its index.
      return root;
    }
  } catch (cause) {
    if (!["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(systemCode(cause) ?? ""))
      throw makeFolderError(dir, "cannot be read", cause);
  }
  throw makeFolderError(dir, existsSync(dir) ? "is not a folder" : "does not exist");
}

function makeFolderError(dir: string, problem: string, cause?: unknown): SpillwayError {
  return new SpillwayError("source_not_found", `${clip(dir, PATH_CHARS)} ${problem}.`, {
    hint: "Name a folder with source files in it.",
    cause,
  });
}

let lastId: { readonly root: string; readonly id: string } | undefined;

/** A UUID that is always the same for the same folder. Most searches are of the folder of the one before. */
function repositoryId(root: string): string {
  if (lastId?.root !== root) lastId = { root, id: makeRepositoryId(root) };
  return lastId.id;
}

function makeRepositoryId(root: string): string {
  const digest = createHash("sha256").update(`spillway repository\n${root}`).digest("hex");
  return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const openRepositories = new Map<string, Repository>();
const openInMemory = new WeakMap<object, Map<string, Repository>>();
/** Repositories that a process keeps open, and bytes of their segments; the least recently used is closed first. */
const MAX_OPEN = 64;
const MAX_LOADED_BYTES = 268_435_456;

/** Opens the repository with this id and root; the same one while it is open. */
export async function openKnown(project: Project, root: string, id: string): Promise<RepositoryHold> {
  const repositories = repositoriesOf(project);
  const key = keyOf(project, id);
  const repository = repositories.get(key) ?? (await openNew(project, root, id));
  // Another call may have opened it meanwhile; then that one is used, and this one is closed.
  const first = repositories.get(key) ?? repository;
  if (first !== repository) close(repository);
  repositories.delete(key);
  repositories.set(key, first);
  const hold = holdRepository(first);
  closeOldest();
  return hold;
}

const keyOf = ({ folder, id: projectId }: Project, id: string): string => `${folder}\n${projectId}\n${id}`;

/** The repositories that this process has open, on disk below a folder or in memory for an object. */
export function listOpen(home: string | null, scope: object): Repository[] {
  if (home === null) return [...(openInMemory.get(scope)?.values() ?? [])];
  return [...openRepositories.values()].filter(
    ({ project: { folder } }) => folder !== null && dirname(folder) === home,
  );
}

/** Indexes in memory belong to one artifact store, and so to one owner, and live as long as it. */
function repositoriesOf({ folder, scope }: Project): Map<string, Repository> {
  if (folder !== null) return openRepositories;
  const own = openInMemory.get(scope) ?? new Map();
  openInMemory.set(scope, own);
  return own;
}

function closeOldest(): void {
  let loadedBytes = [...openRepositories.values()].reduce((sum, { reader }) => sum + reader.loadedBytes(), 0);
  for (const [key, repository] of openRepositories) {
    const { reader, lockPath, holds } = repository;
    if (openRepositories.size <= MAX_OPEN && loadedBytes <= MAX_LOADED_BYTES) return;
    if (holds.count > 0 || lockPath === null) continue;
    loadedBytes -= reader.loadedBytes();
    openRepositories.delete(key);
    close(repository);
  }
}

type CloseListener = (repository: Pick<Repository, "store">) => void;
const closeListeners = new Set<CloseListener>();

/** Calls back for every repository that is closed from now on: what depends on it is closed with it. */
export function onRepositoryClosed(listener: CloseListener): void {
  closeListeners.add(listener);
}

function close(repository: Repository): void {
  for (const listener of closeListeners) listener(repository);
  repository.store[Symbol.dispose]();
}

/** Where the disk cannot be written, the index is in memory: the first search is slower. */
async function openNew(project: Project, root: string, id: string): Promise<Repository> {
  const databaseName = `${basename(root) || "root"}-${id.slice(0, 8)}`;
  const facts = { id, project, root, databaseName, holds: { count: 0 } };
  if (project.folder === null) return openInMemoryOnly(facts, null);
  try {
    return { ...facts, ...(await openOnDisk(join(project.folder, id), facts)) };
  } catch (error) {
    if (!isStorageFailure(error)) throw error;
    return openInMemoryOnly(facts, describeStorageFailure(error, dataFolder(project.folder)));
  }
}

/** The folder of all data, which exists where folders below it could not be made. */
const dataFolder = (projectFolder: string): string => join(projectFolder, "..", "..", "..");

type RepositoryIdentity = Pick<Repository, "id" | "project" | "root" | "databaseName" | "holds">;

function openInMemoryOnly(facts: RepositoryIdentity, storageProblem: string | null): Repository {
  const store = openMemoryStore();
  return { ...facts, storageProblem, store, folder: null, reader: openReader(store), lockPath: null };
}

async function openOnDisk(folder: string, { id, root, project }: RepositoryIdentity) {
  await makeFolders(folder);
  writeFacts(folder, { repository_id: id, root, project_id: project.id });
  const lockPath = join(folder, lockFile);
  const store = openStore(join(folder, indexFile), lockPath);
  removeOldSegments(folder);
  return { storageProblem: null, store, folder, reader: openReader(store), lockPath };
}

/** Earlier versions kept segments beside the index. No generation refers to those. */
function removeOldSegments(folder: string): void {
  for (const name of readdirSync(folder)) if (name.includes(".segment")) rmSync(join(folder, name), { force: true });
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
  closeForGood(repository);
  if (repository.folder !== null) removeStore(join(repository.folder, indexFile));
}

function closeForGood(repository: Repository): void {
  discarded.add(repository);
  for (const [key, each] of openRepositories) if (each === repository) openRepositories.delete(key);
  close(repository);
}

/**
 * Replaces an index that was never complete and cannot be written by an empty one in memory. What is stored of it is
 * deleted: the disk may be full because of it. The caller deletes its segments.
 */
export function moveToMemory(repository: Repository, error: unknown): RepositoryHold {
  const { id, project, root, databaseName, folder } = repository;
  const problem = describeStorageFailure(error, folder ?? root);
  const replacement = openInMemoryOnly({ id, project, root, databaseName, holds: { count: 0 } }, problem);
  closeForGood(repository);
  if (folder !== null) removeIncomplete(folder);
  openRepositories.set(keyOf(project, id), replacement);
  return holdRepository(replacement);
}

/** Leaves the lock, which this process may hold. */
function removeIncomplete(folder: string): void {
  try {
    removeStore(join(folder, indexFile));
  } catch (error) {
    if (!isStorageFailure(error)) throw error; // A disk that cannot be written keeps it: the next index replaces it.
  }
}

/** Opens a repository whose index was discarded. */
export function reopenRepository({ project, root, id }: Repository): Promise<RepositoryHold> {
  return openKnown(project, root, id);
}

/** Closes the index in this folder if this process has it open; false while it is in use. */
export function closeUnused(folder: string): boolean {
  for (const [key, repository] of openRepositories) {
    if (repository.folder !== folder) continue;
    if (repository.holds.count > 0) return false;
    openRepositories.delete(key);
    close(repository);
  }
  return true;
}
