/** Shallow clones of repositories: the files of one commit in a folder, shared by all callers until they expire. */
import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HttpClient } from "../acquire/http/http-client.ts";
import { waitByClock } from "../acquire/http/wait-by-clock.ts";
import type { Environment } from "../config/paths.ts";
import { SpillwayError } from "../errors.ts";
import { makeFolders } from "../system/folders.ts";
import { takeLock } from "../system/lock.ts";
import { formatSize } from "../system/quantities.ts";
import { clip, safeFileName } from "../system/safe-names.ts";
import { GitError, type GitOptions, runGit } from "./git.ts";

export type CloneTarget = {
  /** The repository's address for git, without a secret. */
  readonly url: URL;
  /** A branch, a tag or a full commit hash; undefined for the default branch. */
  readonly ref: string | undefined;
  /** Headers for the host of the repository and no other. */
  readonly authorization?: string | undefined;
};

export type Clone = {
  readonly path: string;
  readonly url: string;
  readonly ref: string | null;
  readonly commit: string;
  readonly files: number;
  readonly sizeBytes: number;
  /** Files that are larger than a clone keeps. */
  readonly leftOut: readonly string[];
  readonly clonedAt: number;
};

export type CloneContext = {
  /** The folder of this owner's clones. */
  readonly folder: string;
  readonly network: HttpClient;
  readonly env: Environment;
  readonly maxAgeMs: number;
  /** A larger repository is refused when it turns out to be larger, on the way or after it. */
  readonly maxBytes: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
};

const MAX_FILE_BYTES = 5 * 1024 * 1024;
/** What even the smallest file takes on a disk; one more is for its name. */
const BLOCK_BYTES = 4_096;
const WATCH_INTERVAL_MS = 250;
const LOCK_WAIT_MS = 200;
const MAX_FETCH_MS = 10 * 60 * 1_000;

/**
 * The files of a commit as a folder. Callers of all processes that want the same one wait for the one that clones, and
 * then find its clone. One that fails or is aborted leaves nothing.
 */
export async function cloneRepository(target: CloneTarget, context: CloneContext): Promise<Clone> {
  const { folder, signal } = context;
  if (target.ref !== undefined && !plainRef.test(target.ref)) throw makeRefError(target.ref);
  await makeFolders(folder);
  const path = join(folder, makeName(target));
  for (;;) {
    using lock = takeLock(`${path}.lock`);
    if (lock !== null) return (await findClone(path, context)) ?? (await cloneInto(path, target, context));
    await waitByClock(LOCK_WAIT_MS, signal).catch(() => signal.throwIfAborted());
  }
}

/** `weir-4f1c2ab09d33`: the repository's name and what it was cloned by. */
function makeName({ url, ref, authorization = "" }: CloneTarget): string {
  const digest = createHash("sha256")
    .update(`${url.href}\n${ref ?? ""}\n${authorization}`)
    .digest("hex")
    .slice(0, 12);
  const repository =
    url.pathname
      .split("/")
      .filter(Boolean)
      .at(-1)
      ?.replace(/\.git$/, "") ?? "repository";
  return `${safeFileName(repository).slice(0, 60)}-${digest}`;
}

const FACTS_NAME = ".spillway-clone.json";

/** A clone that is young enough; it is marked as used. */
async function findClone(path: string, { maxAgeMs, now }: CloneContext): Promise<Clone | undefined> {
  try {
    const clone: Clone = JSON.parse(await readFile(join(path, FACTS_NAME), "utf8"));
    if (now() - clone.clonedAt > maxAgeMs) return undefined;
    await markUsed(path, now());
    return { ...clone, path };
  } catch {
    return undefined; // It is cloned again.
  }
}

const markUsed = (path: string, now: number): Promise<void> => utimes(path, now / 1_000, now / 1_000);

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
  await git(["init", "--quiet"]);
  await fetchCommit(folder, target, context);
  const commit = (await git(["rev-parse", "FETCH_HEAD^{commit}"])).toString("utf8").trim();
  const { kept, leftOut } = splitFiles(await git(["ls-tree", "-r", "-z", commit]), await listSizes(git));
  const sizeBytes = kept.reduce((sum, file) => sum + file.sizeBytes, 0);
  const diskBytes = kept.reduce((sum, file) => sum + Math.ceil(file.sizeBytes / BLOCK_BYTES + 1) * BLOCK_BYTES, 0);
  if (diskBytes > context.maxBytes) throw makeTooLargeError(context);
  const index = kept.map(({ mode, oid, path }) => `${mode} ${oid}\t${path}\0`).join("");
  // The repository's own attributes could rewrite files while they are written.
  await writeFile(join(folder, ".git", "info", "attributes"), "* -text -ident -filter -working-tree-encoding\n");
  await git(["update-index", "-z", "--index-info"], { stdin: index });
  await git(["checkout-index", "--all", "--quiet"]);
  // What is left of git would only be something to execute.
  await rm(join(folder, ".git"), { recursive: true, force: true });
  const { url, ref = null } = target;
  return { path: folder, url: url.href, ref, commit, files: kept.length, sizeBytes, leftOut, clonedAt: context.now() };
}

/** The one step that uses the network, through a proxy behind the guard, while the size of the folder is watched. */
async function fetchCommit(
  folder: string,
  { url, ref, authorization }: CloneTarget,
  context: CloneContext,
): Promise<void> {
  await using proxy = await context.network.openProxy(url);
  const tooLarge = new AbortController();
  const deadline = AbortSignal.timeout(MAX_FETCH_MS);
  const signal = AbortSignal.any([context.signal, tooLarge.signal, deadline]);
  const config = {
    "http.proxy": proxy.url,
    // Git would send the token to whatever host a redirect names.
    "http.followRedirects": proxy.isGuarded && authorization === undefined ? "initial" : "false",
    "remote.origin.url": url.href,
    "remote.origin.promisor": "true",
    "remote.origin.partialCloneFilter": `blob:limit=${MAX_FILE_BYTES}`,
    ...(authorization === undefined ? {} : { [`http.${url.origin}/.extraHeader`]: `Authorization: ${authorization}` }),
  };
  const protocol = url.protocol === "http:" ? "http" : "https";
  const args = [
    ...["fetch", "--quiet", "--depth=1", "--no-tags", `--filter=blob:limit=${MAX_FILE_BYTES}`],
    ...["--", "origin", ref ?? "HEAD"],
  ];
  const watching = watchSize(join(folder, ".git"), context.maxBytes, tooLarge, signal);
  try {
    await runGit(args, { folder, path: context.env.PATH, signal, config, protocol });
  } catch (error) {
    context.signal.throwIfAborted();
    if (tooLarge.signal.aborted) throw makeTooLargeError(context);
    if (deadline.aborted) throw makeSlowError(url);
    throw proxy.refusal() ?? toCloneError(error, url, ref);
  } finally {
    tooLarge.abort();
    await watching;
  }
}

async function watchSize(
  folder: string,
  maxBytes: number,
  tooLarge: AbortController,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    if ((await sumFiles(folder)) > maxBytes) return tooLarge.abort();
    await waitByClock(WATCH_INTERVAL_MS, signal).catch(() => undefined);
  }
}

async function sumFiles(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

type TreeFile = { readonly mode: string; readonly oid: string; readonly path: string; readonly sizeBytes: number };

/** The sizes of the objects that are here; asking for others by name would fetch them. */
async function listSizes(git: (args: readonly string[]) => Promise<Buffer>): Promise<ReadonlyMap<string, number>> {
  const output = await git([
    "cat-file",
    "--batch-check=%(objectname) %(objectsize)",
    "--batch-all-objects",
    "--unordered",
  ]);
  return new Map(
    output
      .toString("latin1")
      .split("\n")
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf(" ")), Number(line.slice(line.indexOf(" ") + 1))]),
  );
}

/** Files and links; submodules are other repositories. */
function splitFiles(tree: Buffer, sizes: ReadonlyMap<string, number>) {
  const kept: TreeFile[] = [];
  const leftOut: string[] = [];
  for (const line of tree.toString("utf8").split("\0")) {
    const [, mode = "", oid = "", path = ""] = /^(\d+) blob ([\da-f]+)\t([\s\S]+)$/.exec(line) ?? [];
    if (path === "" || path.split("/")[0] === FACTS_NAME) continue;
    const sizeBytes = sizes.get(oid);
    if (sizeBytes === undefined || sizeBytes > MAX_FILE_BYTES) leftOut.push(path);
    else kept.push({ mode, oid, path, sizeBytes });
  }
  return { kept, leftOut };
}

function makeSlowError({ host }: URL): SpillwayError {
  return new SpillwayError("network_timeout", `${clip(host)} took longer than ten minutes to send the repository.`, {
    hint: "Try again later, or fetch the address without forceClone and then the files that you need.",
  });
}

function makeTooLargeError({ maxBytes }: CloneContext): SpillwayError {
  return new SpillwayError(
    "source_refused",
    `The repository is larger than ${formatSize(maxBytes)} (sites.clone_bytes).`,
    {
      hint: "Fetch the address without forceClone for its tree, then fetch the folders and files that you need.",
    },
  );
}

/** What git takes for a name, not for an option, a range or a pattern. */
const plainRef = /^[^-+\s:*?^~\\[\p{Cc}][^\s:*?^~\\[\p{Cc}]*$/u;

function makeRefError(ref: string): SpillwayError {
  return new SpillwayError("source_not_found", `The repository has no branch, tag or commit ${clip(ref)}.`, {
    hint: "Fetch the repository's address without forceClone to see its default branch.",
  });
}

/** Git's words come in part from the server, so only known ones are repeated, as ours. */
function describeGitFailure(detail: string): string {
  if (/redirect|error: 30\d/i.test(detail)) return "it redirects; give the address that it redirects to";
  if (/not found|404/i.test(detail)) return "there is no such repository, or it is private";
  if (/authentication|could not read Username|403|401/i.test(detail)) return "it asks for a token";
  if (/timed out|low speed|timeout/i.test(detail)) return "it did not answer in time";
  return "git failed";
}

function toCloneError(error: unknown, { host }: URL, ref: string | undefined): unknown {
  if (!(error instanceof GitError)) return error;
  const missing = /couldn't find remote ref|not our ref/i.test(error.detail);
  if (missing && ref !== undefined) return makeRefError(ref);
  return new SpillwayError(
    "source_unreadable",
    `${clip(host)} could not be cloned: ${describeGitFailure(error.detail)}.`,
    {
      hint: "Check the address; a private repository needs a token in the environment.",
      cause: error,
    },
  );
}

/** Deletes the clones that were not used for this long, and what killed processes left; returns how many. */
export async function sweepClones(folder: string, keepMs: number, now: number): Promise<number> {
  let deleted = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    const usedAt = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => now,
    );
    // A lock is one file; a process that waits for it makes it again.
    const maxAgeMs = entry.name.endsWith(".tmp") ? MIN_UNUSED_MS : keepMs;
    if (now - usedAt < maxAgeMs) continue;
    await rm(path, { recursive: true, force: true });
    deleted++;
  }
  return deleted;
}

const MIN_UNUSED_MS = 60 * 60 * 1_000;
