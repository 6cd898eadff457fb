/** Remembers what folders contain, so that a walk reads only folders whose entries have changed. */

import { isDeepStrictEqual } from "node:util";

/** What a folder contains that is not ignored, under its ignore rules. */
export type FolderRecord = {
  /** Relative to the root; empty for the root itself. */
  readonly path: string;
  readonly stamp: string;
  /** The digest of the rules that apply in it. */
  readonly rules: string;
  /** The ignore files that it has. */
  readonly ignoreFiles: readonly string[];
  /** Names in order; those of folders end with a slash. */
  readonly entries: readonly string[];
  /** Why an entry is skipped: it is a link, or another special file. */
  readonly skipped: Readonly<Record<string, string>>;
};

/** What a walk knows from the one before. */
export type FolderMemory = {
  /** The record of a folder of which it is known that neither its entries nor its files have changed. */
  trusted(path: string): FolderRecord | undefined;
  /** Whether it is known that nothing has changed in this folder and below it: under the same rules it is not visited. */
  isUntouched(path: string): boolean;
  /** The record of a folder that has had this stamp ever since; undefined where there is none. */
  recall(path: string, stamp: string): FolderRecord | undefined;
  /** The digest of the rules under which the folder was last read. */
  rulesOf(path: string): string | undefined;
  remember(record: FolderRecord): void;
  /** Notes that a folder could not be read: what was in it is gone. */
  forget(path: string): void;
};

/** Every folder is read. */
export const noMemory: FolderMemory = {
  trusted: () => undefined,
  isUntouched: () => false,
  recall: () => undefined,
  rulesOf: () => undefined,
  remember: () => undefined,
  forget: () => undefined,
};

/** Clocks of file systems are coarse: what changed within this time may change again under the same stamp. */
const UNSETTLED_MS = 100;
/** The times of some disks have whole seconds. For a file its size counts too, for a folder nothing else. */
const UNSETTLED_FOLDER_MS = 3_000;

/** A stamp that equals no later one if its time is so recent that it may not be the last change. */
export function markUnsettled(stamp: string, now: number, unsettledMs = UNSETTLED_MS): string {
  const changedMs = Number(BigInt(stamp.split(".")[1] ?? 0) / 1_000_000n);
  return now - changedMs < unsettledMs ? `${stamp}?` : stamp;
}

/** What folders contained when they were last read. */
export type FolderRecords = {
  folder(path: string): FolderRecord | undefined;
  /** The paths of all folders, or of a folder and those below it. */
  folderPaths(top?: string): string[];
};

/** All records at once, for a walk that needs them all. */
export function collectRecords(records: readonly FolderRecord[]): FolderRecords {
  const byPath = new Map(records.map((record) => [record.path, record]));
  const isIn = (path: string, top: string) => top === "" || path === top || path.startsWith(`${top}/`);
  return {
    folder: (path) => byPath.get(path),
    folderPaths: (top = "") => [...byPath.keys()].filter((path) => isIn(path, top)),
  };
}

/** A memory that begins with stored records and collects what has changed. All but `changedFolders` are trusted. */
export function openFolderMemory(
  stored: FolderRecords,
  now: () => number,
  changedFolders: ReadonlySet<string> | null = null,
) {
  const visited = changedFolders && withParents(changedFolders);
  const seen = new Set<string>();
  const listed = new Set<string>();
  const changed: FolderRecord[] = [];
  /** Folders that were below others before and are not any more. */
  const gone = new Set<string>();
  const findGone = (): string[] => {
    const candidates =
      changedFolders === null ? stored.folderPaths() : [...gone].flatMap((top) => stored.folderPaths(top));
    return candidates.filter((path) => !seen.has(path));
  };
  return {
    trusted(path: string): FolderRecord | undefined {
      if (changedFolders === null || changedFolders.has(path)) return undefined;
      const record = stored.folder(path);
      if (record === undefined || record.stamp.endsWith("?")) return undefined;
      seen.add(path);
      return record;
    },
    isUntouched: (path: string): boolean => visited !== null && !visited.has(path) && stored.folder(path) !== undefined,
    recall(path: string, stamp: string): FolderRecord | undefined {
      seen.add(path);
      listed.add(path);
      const record = stored.folder(path);
      return record?.stamp === stamp ? record : undefined;
    },
    rulesOf: (path: string): string | undefined => stored.folder(path)?.rules,
    remember(record: FolderRecord): void {
      const marked = { ...record, stamp: markUnsettled(record.stamp, now(), UNSETTLED_FOLDER_MS) };
      const before = stored.folder(record.path);
      // A folder that has just changed is read again and again, and stored once.
      if (!isDeepStrictEqual(marked, before)) changed.push(marked);
      for (const folder of findMissing(before, record)) gone.add(folder);
    },
    forget(path: string): void {
      gone.add(path);
    },
    /** The folders whose files were looked at, and those that are gone: all others are as they were. */
    touched: (): string[] => [...listed, ...findGone()],
    /** What to store after a walk: new and changed records, and the folders that are gone. */
    changes: () => ({ folders: changed, removeFolders: findGone() }),
  };
}

/** The folders that were in a folder before and are not any more. */
function findMissing(before: FolderRecord | undefined, { path, entries }: FolderRecord): string[] {
  const current = new Set(entries);
  const missing = before?.entries.filter((entry) => entry.endsWith("/") && !current.has(entry)) ?? [];
  return missing.map((entry) => (path === "" ? "" : `${path}/`) + entry.slice(0, -1));
}

/** The folders and all folders that they are in. */
function withParents(folders: ReadonlySet<string>): ReadonlySet<string> {
  const all = new Set([""]);
  for (const folder of folders) {
    for (let path = folder; !all.has(path); path = path.slice(0, Math.max(0, path.lastIndexOf("/")))) all.add(path);
  }
  return all;
}
