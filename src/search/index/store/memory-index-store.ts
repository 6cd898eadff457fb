/** An index store in memory: for tests, and for searches where the disk cannot be written. */
import type { FolderRecord } from "../folder/folder-memory.ts";
import type {
  Change,
  IndexStore,
  NewFile,
  NewVectors,
  PathSelection,
  StoredFile,
  StoredSkip,
  StoredText,
  StoredVectors,
} from "./index-store.ts";

/** An empty store. */
export function openMemoryStore(): IndexStore {
  const files = new Map<string, NewFile & { id: number }>();
  const byId = new Map<number, string>();
  const skippedFiles = new Map<string, StoredSkip>();
  const folders = new Map<string, FolderRecord>();
  const segments = new Map<string, Uint32Array | undefined>();
  const facts = new Map<string, string>();
  const vectors = new Map<number, StoredVectors>();
  let madeBy: string | undefined;
  let lastNumber = 0;
  let generation = 0;
  let foldersVersion = 0;
  let lastId = 0;

  function write(change: Change): number {
    let changed = false;
    for (const path of change.remove ?? []) {
      skippedFiles.delete(path);
      changed = removeFile(path) || changed;
    }
    for (const file of change.put ?? []) {
      skippedFiles.delete(file.path);
      removeFile(file.path);
      files.set(file.path, { ...file, id: ++lastId });
      byId.set(lastId, file.path);
      changed = true;
    }
    for (const entry of change.skip ?? []) {
      changed = removeFile(entry.path) || changed;
      skippedFiles.set(entry.path, entry);
    }
    for (const { id, stamp } of change.restamp ?? []) restamp(id, stamp);
    for (const path of change.removeFolders ?? []) if (folders.delete(path)) foldersVersion++;
    for (const folder of change.folders ?? []) {
      if (!folders.has(folder.path)) foldersVersion++;
      folders.set(folder.path, folder);
    }
    for (const segment of change.dropSegments ?? []) changed = segments.delete(segment) || changed;
    if (change.addSegment !== undefined) changed = segments.set(change.addSegment, change.segmentFileIds).size > 0;
    for (const [name, value] of Object.entries(change.facts ?? {})) facts.set(name, value);
    if (change.vectors !== undefined) putVectors(change.vectors);
    if (changed) generation++;
    return generation;
  }

  function removeFile(path: string): boolean {
    byId.delete(files.get(path)?.id ?? 0);
    return files.delete(path);
  }

  const fileOf = (id: number) => files.get(byId.get(id) ?? "");

  function putVectors(change: NewVectors): void {
    if (madeBy !== change.madeBy) vectors.clear();
    madeBy = change.madeBy;
    for (const { id, bytes } of change.files) if (byId.has(id)) vectors.set(id, { number: ++lastNumber, id, bytes });
  }

  /** Also deletes the vectors of deleted files. */
  function liveVectors(): StoredVectors[] {
    for (const id of vectors.keys()) if (!byId.has(id)) vectors.delete(id);
    return [...vectors.values()].sort((one, other) => one.number - other.number);
  }

  function restamp(id: number, stamp: string): void {
    const file = fileOf(id);
    if (file !== undefined) files.set(file.path, { ...file, stamp });
  }

  const withoutText = ({ id, path, stamp, hash, outline }: StoredFile): StoredFile => {
    return { id, path, stamp, hash, outline };
  };

  return {
    generation: () => generation,
    fact: (name) => facts.get(name),
    snapshot: () => ({
      generation,
      fileIds: [...files.values()].map(({ id }) => id).sort((one, other) => one - other),
      segments: [...segments.keys()],
    }),
    segmentNames: () => [...segments.keys()],
    segmentFileIds: (name) => segments.get(name),
    fileCount: () => files.size,
    files: (selection) => select([...files.values()], selection).map(withoutText),
    skippedCount: () => skippedFiles.size,
    skippedFiles: (selection) => select([...skippedFiles.values()], selection),
    folders: (selection) => select([...folders.values()], selection),
    foldersVersion: () => foldersVersion,
    folder: (path) => folders.get(path),
    folderPaths: (top = "") =>
      [...folders.keys()].filter((path) => top === "" || path === top || path.startsWith(`${top}/`)),
    text(id): StoredText | undefined {
      const file = fileOf(id);
      if (file === undefined) return undefined;
      const { path, stamp, hash, text, chunks, outline } = file;
      return { id, path, stamp, hash, text, chunks, outline };
    },
    vectorsMadeBy: () => madeBy,
    vectorsAfter: (number) => liveVectors().filter((each) => each.number > number),
    filesWithoutVectors: (limit) =>
      [...files.values()].flatMap(({ id }) => (vectors.has(id) ? [] : [id])).slice(0, limit),
    write,
    [Symbol.dispose]: () => undefined,
  };
}

/** The limit of a page is for stores on disk: here all rows are in memory, and sorting them for each page would take long. */
function select<Row extends { readonly path: string }>(rows: Row[], selection: PathSelection | undefined): Row[] {
  if (selection === undefined) return rows;
  if ("at" in selection) return rows.filter(({ path }) => path === selection.at);
  if ("after" in selection) {
    const { after } = selection;
    const following = after === null ? rows : rows.filter(({ path }) => path > after);
    return following.sort((one, other) => (one.path < other.path ? -1 : 1));
  }
  const wanted = new Set(selection.in);
  return rows.filter(({ path }) => wanted.has(path.slice(0, Math.max(0, path.lastIndexOf("/")))));
}
