/** Walks a folder and yields every file in it, and what is skipped with the reason. It does not read the files. */
import { type BigIntStats, type Dirent, lstatSync, readdirSync } from "node:fs";
import { join, sep } from "node:path";
import { systemCode } from "../../../errors.ts";
import { type FolderMemory, type FolderRecord, noMemory } from "./folder-memory.ts";
import { addRules, type FolderRules, ignoreFiles, isIgnored, openRules } from "./folder-rules.ts";

/** A regular file, by its path relative to the root with `/` between names. */
export type FoundFile = { readonly path: string; readonly sizeBytes: number; readonly stamp: string };

/** A file that was skipped, and whether another run may be able to read it. */
export type SkippedFile = { readonly path: string; readonly reason: string; readonly isRetryable: boolean };

/** One entry of a walk. */
type WalkStep = { readonly file: FoundFile } | { readonly skipped: SkippedFile };

/** Deeper folders are skipped: no project needs them, and a loop that is not made by links ends here. */
const MAX_DEPTH = 64;

/** Every file below the root in a fixed order, except ignored files, `hidden` folders, and what the memory trusts. */
export function* walkFolder(
  root: string,
  hidden: ReadonlySet<string> = new Set(),
  memory: FolderMemory = noMemory,
): Generator<WalkStep> {
  const walk = { root, hidden, memory };
  // One loop for all folders: a generator inside another costs time for each step and level.
  const waiting: WalkItem[] = [{ type: "folder", path: "", depth: 0, rules: openRules(root, hidden) }];
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    if (item.type === "folder") {
      const failure = listInto(waiting, walk, item);
      if (failure !== null) yield failure;
    } else if (item.reason !== undefined) yield skip(item.path, item.reason, false);
    else yield inspect(item.fullPath, item.path);
  }
}

type Walk = { readonly root: string; readonly hidden: ReadonlySet<string>; readonly memory: FolderMemory };

/** What is still to be visited, the next one last. */
type WalkItem =
  | {
      readonly type: "file";
      readonly path: string;
      readonly fullPath: string;
      readonly reason: string | undefined;
    }
  | { readonly type: "folder"; readonly path: string; readonly depth: number; readonly rules: FolderRules };

/** Adds what a folder contains to what is to be visited. Returns the step for a folder that cannot be read. */
function listInto(
  waiting: WalkItem[],
  walk: Walk,
  { path: folder, depth, rules: outerRules }: WalkItem & { readonly type: "folder" },
): WalkStep | null {
  if (depth > MAX_DEPTH) return skip(folder, `deeper than ${MAX_DEPTH} folders`, false);
  const fullFolder = join(walk.root, folder);
  const listing = listFolder(walk, folder, fullFolder, outerRules);
  if ("reason" in listing) return skip(folder || ".", listing.reason, true);
  // Names from the disk need no normalising: `join` would cost time for each.
  const prefix = fullFolder.endsWith(sep) ? fullFolder : fullFolder + sep;
  const { entries, skipped, rules, isTrusted } = listing;
  const isUnderSameRules = walk.memory.rulesOf(folder) === rules.digest;
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index] ?? "";
    const isFolder = entry.endsWith("/");
    const name = isFolder ? entry.slice(0, -1) : entry;
    const path = folder === "" ? name : `${folder}/${name}`;
    const reason = Object.hasOwn(skipped, entry) ? skipped[entry] : undefined;
    if (!isFolder) {
      if (!isTrusted) waiting.push({ type: "file", path, fullPath: prefix + name, reason });
    } else if (!isUnderSameRules || !walk.memory.isUntouched(path)) {
      waiting.push({ type: "folder", path, depth: depth + 1, rules });
    }
  }
  return null;
}

type Listing = Pick<FolderRecord, "entries" | "skipped"> & {
  readonly rules: FolderRules;
  /** Whether its files need not be looked at. */
  readonly isTrusted: boolean;
};

/** What a folder contains that is not ignored: as it was remembered, if neither the folder nor the rules have changed. */
function listFolder(
  { root, hidden, memory }: Walk,
  folder: string,
  fullFolder: string,
  outerRules: FolderRules,
): Listing | { readonly reason: string } {
  try {
    const trusted = memory.trusted(folder);
    if (trusted !== undefined) {
      const rules = addRules(outerRules, fullFolder, (name) => trusted.ignoreFiles.includes(name));
      if (trusted.rules === rules.digest) return { ...trusted, rules, isTrusted: true };
    }
    // The stamp is of before the reading: an entry that appears meanwhile changes the next one.
    const stamp = formatFolderStamp(lstatSync(fullFolder, { bigint: true }));
    const record = memory.recall(folder, stamp);
    if (record !== undefined) {
      const rules = addRules(outerRules, fullFolder, (name) => record.ignoreFiles.includes(name));
      if (record.rules === rules.digest) return { ...record, rules, isTrusted: false };
    }
    const found = readdirSync(fullFolder, { withFileTypes: true }).sort((one, other) =>
      one.name < other.name ? -1 : 1,
    );
    const names = new Set(found.map(({ name }) => name));
    const rules = addRules(outerRules, fullFolder, (name) => names.has(name));
    const listed = listEntries(root, fullFolder, found, hidden, rules);
    const ownFiles = ignoreFiles.flatMap(([name]) => (names.has(name) ? [name] : []));
    memory.remember({ path: folder, stamp, rules: rules.digest, ignoreFiles: ownFiles, ...listed });
    return { ...listed, rules, isTrusted: false };
  } catch (error) {
    memory.forget(folder);
    return { reason: describeReadError(error) };
  }
}

function listEntries(
  root: string,
  fullFolder: string,
  found: readonly Dirent[],
  hidden: ReadonlySet<string>,
  rules: FolderRules,
): Pick<FolderRecord, "entries" | "skipped"> {
  const prefix = fullFolder.endsWith(sep) ? fullFolder : fullFolder + sep;
  const entries: string[] = [];
  const skipped: Record<string, string> = {};
  for (const entry of found) {
    const fullPath = prefix + entry.name;
    if (entry.name === ".git" || hidden.has(fullPath)) continue;
    if (isIgnored(root, rules, fullPath, entry.isDirectory())) continue;
    entries.push(entry.isDirectory() ? `${entry.name}/` : entry.name);
    if (!entry.isDirectory() && !entry.isFile()) skipped[entry.name] = describeKind(entry);
  }
  return { entries, skipped };
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

/** Changes whenever an entry is added, removed or renamed. */
function formatFolderStamp({ mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return `${mtimeNs}.${ctimeNs}.${ino}`;
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
