/** The ignore rules that apply in a folder: our own, the built-in list, and those of git. */
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { defaultIgnores, defaultIgnoreText, type IgnoreRules, matchRules, parseIgnore } from "./ignore-rules.ts";

/** All rules that apply in a folder, outermost first, and a digest that changes with any of them. */
export type FolderRules = { readonly scopes: readonly ScopedRules[]; readonly digest: string };

/** Ignore rules, and the folder that they are relative to. */
type ScopedRules = {
  readonly base: string;
  readonly rules: IgnoreRules;
  readonly owner: "git" | "spillway";
  readonly text: string;
};

/** The rules for the root of a walk: those of the git repository around it. `hidden` folders are not walked. */
export function openRules(root: string, hidden: ReadonlySet<string>): FolderRules {
  const scopes = rulesAbove(root);
  return { scopes, digest: digestOf(defaultIgnoreText, scopes, [...hidden]) };
}

/** The rules with those of the ignore files that the folder has. */
export function addRules(outer: FolderRules, folder: string, has: (name: string) => boolean): FolderRules {
  const own = rulesIn(folder, has);
  if (own.length === 0) return outer;
  return { scopes: [...outer.scopes, ...own], digest: digestOf(outer.digest, own) };
}

function digestOf(outer: string, scopes: readonly ScopedRules[], more: readonly string[] = []): string {
  const parts = scopes.map(({ base, owner, text }) => [base, owner, text]);
  return createHash("sha256")
    .update(JSON.stringify([outer, parts, more]))
    .digest("base64url");
}

/** Our own ignore files decide first, then the default list, then git's ignore files. */
export function isIgnored(root: string, { scopes }: FolderRules, path: string, isFolder: boolean): boolean {
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

/** The files that have rules. */
export const ignoreFiles = [
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
  return text === null ? [] : [{ base, rules: parseIgnore(text, namedFolders), owner, text }];
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
