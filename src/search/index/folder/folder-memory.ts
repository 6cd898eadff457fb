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
  /** The record of a folder that has had this stamp ever since; undefined where there is none. */
  recall(path: string, stamp: string): FolderRecord | undefined;
  remember(record: FolderRecord): void;
};

/** Every folder is read. */
export const noMemory: FolderMemory = {
  trusted: () => undefined,
  recall: () => undefined,
  remember: () => undefined,
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

/** A memory that begins with stored records and collects what has changed. All but `changedFolders` are trusted. */
export function openFolderMemory(
  stored: readonly FolderRecord[],
  now: () => number,
  changedFolders: ReadonlySet<string> | null = null,
) {
  const records = new Map(stored.map((record) => [record.path, record]));
  const seen = new Set<string>();
  const changed: FolderRecord[] = [];
  return {
    trusted(path: string): FolderRecord | undefined {
      if (changedFolders === null || changedFolders.has(path)) return undefined;
      const record = records.get(path);
      if (record === undefined || record.stamp.endsWith("?")) return undefined;
      seen.add(path);
      return record;
    },
    recall(path: string, stamp: string): FolderRecord | undefined {
      seen.add(path);
      const record = records.get(path);
      return record?.stamp === stamp ? record : undefined;
    },
    remember(record: FolderRecord): void {
      const marked = { ...record, stamp: markUnsettled(record.stamp, now(), UNSETTLED_FOLDER_MS) };
      // A folder that has just changed is read again and again, and stored once.
      if (!isDeepStrictEqual(marked, records.get(record.path))) changed.push(marked);
    },
    /** What to store after a whole walk: new and changed records, and the folders that are gone. */
    changes: () => ({ folders: changed, removeFolders: [...records.keys()].filter((path) => !seen.has(path)) }),
  };
}
