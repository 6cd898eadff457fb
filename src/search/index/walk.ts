/** Walks a folder and tells of every file in it, those that are passed over with the reason. Content is not read here. */
import { type BigIntStats, existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { systemCode } from "../../errors.ts";
import { defaultIgnores, type IgnoreRules, judge, parseIgnore } from "./ignore.ts";

/** A regular file, by its path below the root with `/` between names. */
export type FoundFile = { readonly path: string; readonly sizeBytes: number; readonly stamp: string };

/** What was passed over. `again` when another run may find it readable. */
export type SkippedFile = { readonly path: string; readonly reason: string; readonly again: boolean };

export type WalkStep = { readonly file: FoundFile } | { readonly skipped: SkippedFile };

/** Deeper folders are passed over: no project needs them, and a loop made by other means than links ends here. */
const deepest = 64;

/** Every file below the root that no ignore file names, in a fixed order. Neither they nor `hidden` folders are told. */
export function* walkFolder(root: string, hidden: ReadonlySet<string> = new Set()): Generator<WalkStep> {
  yield* walkInto({ root, hidden }, "", rulesAbove(root), 0);
}

type Walk = { readonly root: string; readonly hidden: ReadonlySet<string> };

/** Ignore rules with the folder they count from, the outermost first. */
type ScopedRules = { readonly base: string; readonly rules: IgnoreRules; readonly from: "git" | "us" };

function* walkInto(walk: Walk, folder: string, above: readonly ScopedRules[], depth: number): Generator<WalkStep> {
  const { root, hidden } = walk;
  const place = join(root, folder);
  const entries = entriesOf(place);
  if (!Array.isArray(entries)) {
    yield { skipped: { path: folder || ".", reason: entries.reason, again: true } };
    return;
  }
  const names = new Set(entries.map(({ name }) => name));
  const rules = [...above, ...rulesIn(place, (name) => names.has(name))];
  // Names come from the disk and need no `join`, which would look into each of them.
  const prefix = place.endsWith(sep) ? place : place + sep;
  for (const entry of entries) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    const full = prefix + entry.name;
    if (entry.name === ".git" || hidden.has(full) || isIgnored(root, rules, full, entry.isDirectory())) continue;
    if (!entry.isDirectory()) yield entry.isFile() ? look(full, path) : skip(path, kindWords(entry), false);
    else if (depth >= deepest) yield skip(path, `deeper than ${deepest} folders`, false);
    else yield* walkInto(walk, path, rules, depth + 1);
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    return { reason: unreadable(error) };
  }
}

/** Links are never followed: what they lead to inside the root is walked anyway, and outside is none of ours. */
function kindWords(entry: { isSymbolicLink(): boolean }): string {
  return entry.isSymbolicLink() ? "symbolic link" : "not a regular file";
}

function look(full: string, path: string): WalkStep {
  try {
    const stats = lstatSync(full, { bigint: true });
    if (!stats.isFile()) return skip(path, "not a regular file", true);
    return { file: { path, sizeBytes: Number(stats.size), stamp: stampOf(stats) } };
  } catch (error) {
    // Node gives a name that is not UTF-8 with U+FFFD in it, under which the file cannot be found again.
    return path.includes("\ufffd") ? skip(path, "its name is not UTF-8", false) : skip(path, unreadable(error), true);
  }
}

/**
 * Changes with every write: unlike the time of modification, that of the last change cannot be set back, so a branch
 * switch or a restored backup is seen. The same stamp means the same bytes; another one means that they are hashed.
 */
export function stampOf({ mtimeNs, ctimeNs, ino, size }: BigIntStats): string {
  return `${mtimeNs}.${ctimeNs}.${ino}.${size}`;
}

function skip(path: string, reason: string, again: boolean): WalkStep {
  return { skipped: { path, reason, again } };
}

/** Why the system would not let us, in a word or two. */
export function unreadable(error: unknown): string {
  const code = systemCode(error);
  if (code === "EACCES" || code === "EPERM") return "permission denied";
  if (code === "ENOENT" || code === "ENOTDIR") return "vanished while indexing";
  return code === undefined ? "unreadable" : `unreadable (${code})`;
}

/** Our own ignore files have the last word; what git keeps may still be on the list of our own. */
function isIgnored(root: string, scopes: readonly ScopedRules[], path: string, isFolder: boolean): boolean {
  const ours = verdictOf("us", scopes, path, isFolder);
  if (ours !== null) return ours === "ignored";
  if (judge(defaultIgnores, below(root, path), isFolder) === "ignored") return true;
  return verdictOf("git", scopes, path, isFolder) === "ignored";
}

/** The innermost rules are asked first; the first that says anything decides. */
function verdictOf(from: ScopedRules["from"], scopes: readonly ScopedRules[], path: string, isFolder: boolean) {
  for (let at = scopes.length - 1; at >= 0; at--) {
    const scope = scopes[at];
    if (scope === undefined || scope.from !== from) continue;
    const verdict = judge(scope.rules, below(scope.base, path), isFolder);
    if (verdict !== null) return verdict;
  }
  return null;
}

/** The path from a folder above it; that of the root of a disk ends in its separator already. */
function below(base: string, path: string): string {
  const inside = path.slice(base.endsWith(sep) ? base.length : base.length + 1);
  return sep === "/" ? inside : inside.replaceAll(sep, "/");
}

const ignoreFiles = [
  [".gitignore", "git"],
  [".spillwayignore", "us"],
] as const;
/** A larger ignore file is no ignore file. */
const largestIgnoreBytes = 1_000_000;

/** A folder whose names are known is asked only for what it has. */
function rulesIn(folder: string, has: (name: string) => boolean): ScopedRules[] {
  return ignoreFiles
    .filter(([name]) => has(name))
    .flatMap(([name, from]) => readRules(folder, join(folder, name), from));
}

/** An ignore file that cannot be read hides nothing; its folder is walked as if it were not there. */
function readRules(
  base: string,
  file: string,
  from: ScopedRules["from"],
  wanted: readonly string[] = [],
): ScopedRules[] {
  const text = smallText(file);
  return text === null ? [] : [{ base, rules: parseIgnore(text, wanted), from }];
}

function smallText(file: string): string | null {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile() || stats.size > largestIgnoreBytes) return null;
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

/** What the repository around the folder says: a folder inside it is under its rules too, but for those against itself. */
function rulesAbove(root: string): ScopedRules[] {
  const top = repositoryAround(root);
  if (top === null) return [];
  const between = relative(top, root).split(sep).filter(Boolean);
  const wantedFrom = (depth: number) =>
    between.slice(depth).map((_, last) => between.slice(depth, depth + last + 1).join("/"));
  const own = readRules(top, join(privateFolder(top), "info", "exclude"), "git", wantedFrom(0));
  const outer = between.flatMap((_, depth) => {
    const folder = join(top, ...between.slice(0, depth));
    return ignoreFiles.flatMap(([name, from]) => readRules(folder, join(folder, name), from, wantedFrom(depth)));
  });
  return [...own, ...outer];
}

/** Where git keeps what belongs to a repository; that of a worktree is the one of the repository it was made from. */
function privateFolder(top: string): string {
  const named = /^gitdir: (.+)$/m.exec(smallText(join(top, ".git")) ?? "")?.[1];
  if (named === undefined) return join(top, ".git");
  const folder = resolve(top, named);
  const shared = smallText(join(folder, "commondir"))?.trim();
  return shared === undefined ? folder : resolve(folder, shared);
}

function repositoryAround(root: string): string | null {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return null;
  }
}
