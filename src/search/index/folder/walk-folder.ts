/** Walks a folder and yields every file in it, and what is skipped with the reason. It does not read the files. */
import { type BigIntStats, existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { systemCode } from "../../../errors.ts";
import { defaultIgnores, type IgnoreRules, matchRules, parseIgnore } from "./ignore-rules.ts";

/** A regular file, by its path relative to the root with `/` between names. */
export type FoundFile = { readonly path: string; readonly sizeBytes: number; readonly stamp: string };

/** A file that was skipped, and whether another run may be able to read it. */
export type SkippedFile = { readonly path: string; readonly reason: string; readonly isRetryable: boolean };

/** One entry of a walk. */
type WalkStep = { readonly file: FoundFile } | { readonly skipped: SkippedFile };

/** Deeper folders are skipped: no project needs them, and a loop that is not made by links ends here. */
const MAX_DEPTH = 64;

/** Every file below the root in a fixed order, except ignored files and `hidden` folders. */
export function* walkFolder(root: string, hidden: ReadonlySet<string> = new Set()): Generator<WalkStep> {
  yield* walkInto({ root, hidden }, "", rulesAbove(root), 0);
}

type Walk = { readonly root: string; readonly hidden: ReadonlySet<string> };

/** Ignore rules, and the folder that they are relative to. */
type ScopedRules = { readonly base: string; readonly rules: IgnoreRules; readonly owner: "git" | "spillway" };

/** `outerRules` has the outermost rules first. */
function* walkInto(walk: Walk, folder: string, outerRules: readonly ScopedRules[], depth: number): Generator<WalkStep> {
  const { root, hidden } = walk;
  const fullFolder = join(root, folder);
  const entries = readEntries(fullFolder);
  if (!Array.isArray(entries)) {
    yield { skipped: { path: folder || ".", reason: entries.reason, isRetryable: true } };
    return;
  }
  const names = new Set(entries.map(({ name }) => name));
  const rules = [...outerRules, ...rulesIn(fullFolder, (name) => names.has(name))];
  // Names from the disk need no normalising: `join` would cost time for each.
  const prefix = fullFolder.endsWith(sep) ? fullFolder : fullFolder + sep;
  for (const entry of entries) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    const fullPath = prefix + entry.name;
    if (entry.name === ".git" || hidden.has(fullPath)) continue;
    if (isIgnored(root, rules, fullPath, entry.isDirectory())) continue;
    if (!entry.isDirectory()) yield entry.isFile() ? inspect(fullPath, path) : skip(path, describeKind(entry), false);
    else if (depth >= MAX_DEPTH) yield skip(path, `deeper than ${MAX_DEPTH} folders`, false);
    else yield* walkInto(walk, path, rules, depth + 1);
  }
}

function readEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    return { reason: describeReadError(error) };
  }
}

/** Links are not followed: a target inside the root is walked anyway, and one outside must not be. */
function describeKind(entry: { isSymbolicLink(): boolean }): string {
  return entry.isSymbolicLink() ? "symbolic link" : "not a regular file";
}

function inspect(fullPath: string, path: string): WalkStep {
  try {
    const stats = lstatSync(fullPath, { bigint: true });
    if (!stats.isFile()) return skip(path, "not a regular file", true);
    return { file: { path, sizeBytes: Number(stats.size), stamp: formatStamp(stats) } };
  } catch (error) {
    // Node replaces bytes of a name that are not UTF-8 by U+FFFD, and no file has that name.
    return path.includes("\ufffd")
      ? skip(path, "its name is not UTF-8", false)
      : skip(path, describeReadError(error), true);
  }
}

/**
 * A string that changes with every write. Unlike mtime, ctime cannot be set back, so a branch switch or a restored
 * backup changes it. The same stamp means the same bytes; for another stamp the bytes are hashed.
 */
export function formatStamp({ mtimeNs, ctimeNs, ino, size }: BigIntStats): string {
  return `${mtimeNs}.${ctimeNs}.${ino}.${size}`;
}

/** The size of the file, of its stamp. */
export const sizeOfStamp = (stamp: string): number => Number.parseInt(stamp.split(".")[3] ?? "0", 10);

function skip(path: string, reason: string, isRetryable: boolean): WalkStep {
  return { skipped: { path, reason, isRetryable } };
}

/** The reason why a file could not be read, in a few words. */
export function describeReadError(error: unknown): string {
  const code = systemCode(error);
  if (code === "EACCES" || code === "EPERM") return "permission denied";
  if (code === "ENOENT" || code === "ENOTDIR") return "vanished while indexing";
  return code === undefined ? "unreadable" : `unreadable (${code})`;
}

/** Our own ignore files decide first, then the default list, then git's ignore files. */
function isIgnored(root: string, scopes: readonly ScopedRules[], path: string, isFolder: boolean): boolean {
  const ownVerdict = findVerdict("spillway", scopes, path, isFolder);
  if (ownVerdict !== null) return ownVerdict === "ignored";
  if (matchRules(defaultIgnores, relativePath(root, path), isFolder) === "ignored") return true;
  return findVerdict("git", scopes, path, isFolder) === "ignored";
}

/** The innermost rules that match decide. */
function findVerdict(owner: ScopedRules["owner"], scopes: readonly ScopedRules[], path: string, isFolder: boolean) {
  for (let index = scopes.length - 1; index >= 0; index--) {
    const scope = scopes[index];
    if (scope === undefined || scope.owner !== owner) continue;
    const verdict = matchRules(scope.rules, relativePath(scope.base, path), isFolder);
    if (verdict !== null) return verdict;
  }
  return null;
}

/** The path relative to a folder above it. The root of a disk already ends with a separator. */
function relativePath(base: string, path: string): string {
  const rest = path.slice(base.endsWith(sep) ? base.length : base.length + 1);
  return sep === "/" ? rest : rest.replaceAll(sep, "/");
}

const ignoreFiles = [
  [".gitignore", "git"],
  [".spillwayignore", "spillway"],
] as const;
/** A larger ignore file is not read. */
const MAX_IGNORE_BYTES = 1_000_000;

/** Reads only the ignore files that the folder has. */
function rulesIn(folder: string, has: (name: string) => boolean): ScopedRules[] {
  return ignoreFiles
    .filter(([name]) => has(name))
    .flatMap(([name, owner]) => readRules(folder, join(folder, name), owner));
}

/** An ignore file that cannot be read has no rules. */
function readRules(
  base: string,
  file: string,
  owner: ScopedRules["owner"],
  namedFolders: readonly string[] = [],
): ScopedRules[] {
  const text = readSmallText(file);
  return text === null ? [] : [{ base, rules: parseIgnore(text, namedFolders), owner }];
}

function readSmallText(file: string): string | null {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile() || stats.size > MAX_IGNORE_BYTES) return null;
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

/** Rules of the git repository that contains the root, except those that would hide the root itself. */
function rulesAbove(root: string): ScopedRules[] {
  const top = findGitRoot(root);
  if (top === null) return [];
  const folderNames = relative(top, root).split(sep).filter(Boolean);
  const namedFoldersFrom = (depth: number) =>
    folderNames.slice(depth).map((_, last) => folderNames.slice(depth, depth + last + 1).join("/"));
  const excludes = readRules(top, join(findGitFolder(top), "info", "exclude"), "git", namedFoldersFrom(0));
  const outer = folderNames.flatMap((_, depth) => {
    const folder = join(top, ...folderNames.slice(0, depth));
    return ignoreFiles.flatMap(([name, owner]) =>
      readRules(folder, join(folder, name), owner, namedFoldersFrom(depth)),
    );
  });
  return [...excludes, ...outer];
}

/** The `.git` folder of a repository; for a worktree, that of its main repository. */
function findGitFolder(top: string): string {
  const gitdir = /^gitdir: (.+)$/m.exec(readSmallText(join(top, ".git")) ?? "")?.[1];
  if (gitdir === undefined) return join(top, ".git");
  const folder = resolve(top, gitdir);
  const commonFolder = readSmallText(join(folder, "commondir"))?.trim();
  return commonFolder === undefined ? folder : resolve(folder, commonFolder);
}

function findGitRoot(root: string): string | null {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return null;
  }
}
