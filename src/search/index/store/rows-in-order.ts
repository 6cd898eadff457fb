/** Reads stored rows in the order of their paths, some thousand at a time: a look at a large tree need not hold them all. */
import type { FolderRecord, FolderRecords } from "../folder/folder-memory.ts";
import type { IndexStore, PathSelection } from "./index-store.ts";

/** Rows by path, for a reader who asks for each path once and in about their order. */
export type RowsInOrder<Row> = {
  /** The row of this path. */
  take(path: string): Row | undefined;
  /** The rows that were not taken. Nothing may have been written since the first row was read. */
  rest(): Row[];
};

/** Rows that are read together: a few milliseconds. */
const PAGE_ROWS = 500;

/** Reads pages of rows as they are needed. Another order than that of the paths takes time, and gives the same rows. */
export function openRowsInOrder<Row extends { readonly path: string }>(
  read: (selection: PathSelection) => readonly Row[],
  pageRows = PAGE_ROWS,
): RowsInOrder<Row> {
  const waiting = new Map<string, Row>();
  const takenEarly = new Set<string>();
  let lastPath: string | null = null;
  let isComplete = false;

  function readPage(): void {
    const rows = read({ after: lastPath, limit: pageRows });
    for (const row of rows) if (!takenEarly.delete(row.path)) waiting.set(row.path, row);
    lastPath = rows.at(-1)?.path ?? lastPath;
    isComplete = rows.length === 0;
  }

  /** Stores order paths by bytes and this program by UTF-16, so that a row may come later than it is asked for. */
  function takeEarly(path: string): Row | undefined {
    const [row] = takenEarly.has(path) ? [] : read({ at: path });
    if (row !== undefined) takenEarly.add(path);
    return row;
  }

  return {
    take(path) {
      while (!waiting.has(path) && !isComplete && (lastPath === null || path > lastPath)) readPage();
      const row = waiting.get(path);
      if (row === undefined) return isComplete ? undefined : takeEarly(path);
      waiting.delete(path);
      return row;
    },
    rest() {
      while (!isComplete) readPage();
      return [...waiting.values()];
    },
  };
}

/** Rows that are in memory already. */
export function collectRows<Row extends { readonly path: string }>(rows: readonly Row[]): RowsInOrder<Row> {
  const byPath = new Map(rows.map((row) => [row.path, row]));
  return {
    take(path) {
      const row = byPath.get(path);
      byPath.delete(path);
      return row;
    },
    rest: () => [...byPath.values()],
  };
}

/** The records of a store, read as a walk of all folders comes to them: those of a large tree would take megabytes. */
export function recordsInOrder(store: IndexStore): FolderRecords {
  const rows = openRowsInOrder(store.folders);
  let currentPath: string | null = null;
  let current: FolderRecord | undefined;
  return {
    folder(path) {
      if (path === currentPath) return current;
      // One that a walk comes back to was taken before.
      current = rows.take(path) ?? store.folder(path);
      currentPath = path;
      return current;
    },
    folderPaths: (top) => store.folderPaths(top),
  };
}
