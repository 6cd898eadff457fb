/** Shallow clones of repositories: the files of one commit in a folder, shared by all callers until they expire. */
import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { waitByClock } from "../acquire/http/wait-by-clock.ts";
import { makeFolders } from "../system/folders.ts";
import { type Checkout, checkOut, FACTS_NAME } from "./checkout.ts";
import { makeRefError, toCloneError } from "./clone-errors.ts";
import { lockClone } from "./clone-lock.ts";
import { type CloneContext, type CloneTarget, isPlainRef, makeCloneName } from "./clone-target.ts";
import { fetchCommit } from "./fetch-commit.ts";
import { type GitOptions, runGit } from "./git.ts";

export type Clone = Checkout & {
  readonly path: string;
  readonly url: string;
  readonly ref: string | null;
  readonly clonedAt: number;
};

const LOCK_WAIT_MS = 200;

/**
 * The files of a commit as a folder. Callers of all processes that want the same one wait for the one that clones, and
 * then find its clone. One that fails or is aborted leaves nothing.
 */
export async function cloneRepository(target: CloneTarget, context: CloneContext): Promise<Clone> {
  const { folder, signal, now } = context;
  if (target.ref !== undefined && !isPlainRef(target.ref)) throw makeRefError(target.ref);
  await makeFolders(folder);
  const path = join(folder, makeCloneName(target));
  for (;;) {
    using lock = lockClone(path, now());
    if (lock !== null) return (await findClone(path, context)) ?? (await cloneInto(path, target, context));
    await waitByClock(LOCK_WAIT_MS, signal).catch(() => signal.throwIfAborted());
  }
}

/** A clone of one of these targets that is here already and young enough. */
export async function findAnyClone(
  targets: readonly CloneTarget[],
  context: CloneContext,
): Promise<CloneTarget | undefined> {
  for (const target of targets) {
    const facts = await readFacts(join(context.folder, makeCloneName(target)), context);
    if (facts !== undefined) return target;
  }
  return undefined;
}

/** A clone that is young enough; it is marked as used. */
async function findClone(path: string, context: CloneContext): Promise<Clone | undefined> {
  const clone = await readFacts(path, context);
  if (clone === undefined) return undefined;
  const usedAt = context.now() / 1_000;
  await utimes(path, usedAt, usedAt);
  return { ...clone, path };
}

async function readFacts(path: string, { maxAgeMs, now }: CloneContext): Promise<Clone | undefined> {
  try {
    const clone: Clone = JSON.parse(await readFile(join(path, FACTS_NAME), "utf8"));
    return now() - clone.clonedAt > maxAgeMs ? undefined : clone;
  } catch {
    return undefined; // It is cloned again.
  }
}

async function cloneInto(path: string, target: CloneTarget, context: CloneContext): Promise<Clone> {
  const unfinished = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  await mkdir(unfinished, { mode: 0o700 });
  try {
    const clone = await fetchFiles(unfinished, target, context);
    await writeFile(join(unfinished, FACTS_NAME), JSON.stringify(clone));
    await rm(path, { recursive: true, force: true });
    await rename(unfinished, path);
    return { ...clone, path };
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function fetchFiles(folder: string, target: CloneTarget, context: CloneContext): Promise<Clone> {
  const git = (args: readonly string[], options: Partial<GitOptions> = {}) =>
    runGit(args, { folder, path: context.env.PATH, signal: context.signal, ...options });
  const { url, ref = null } = target;
  try {
    await git(["init", "--quiet"]);
    await fetchCommit(folder, target, context);
    const checkout = await checkOut(folder, context.maxBytes, git);
    return { path: folder, url: url.href, ref, ...checkout, clonedAt: context.now() };
  } catch (error) {
    throw toCloneError(error, url, target.ref);
  }
}
