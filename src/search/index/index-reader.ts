/** Loads an index for searches: segments from disk, and segments built in memory for files that are in none of those. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createSegmentBuilder } from "./build-segment.ts";
import { type IndexSegment, openSegment } from "./index-segment.ts";
import { createView, type IndexView } from "./index-view.ts";
import type { IndexStore, Snapshot, StoredText } from "./store/index-store.ts";

/** A view, its generation, and how many files of the generation are not in it yet. */
type LoadedIndex = {
  readonly view: IndexView;
  readonly snapshot: Snapshot;
  readonly missingFiles: number;
};

/** Keeps what it has loaded, and loads only what changed. */
export type IndexReader = {
  /**
   * The index as it is now. Without `all`, a part of the files that are in no segment may be missing: a search beside
   * a first indexing does not wait for them.
   */
  load(all?: boolean): LoadedIndex;
  text(id: number): StoredText | undefined;
  /** Bytes of the segments in memory. */
  loadedBytes(): number;
};

/** Characters of text in a segment that is built in memory. */
const MAX_MEMORY_SEGMENT_CHARS = 4_000_000;
/** Small segments in memory; when there are more, they are built again as one. */
const MAX_SMALL_SEGMENTS = 8;
const MIN_LARGE_CHUNKS = 1_000;

/** A reader of the store whose segments are in `folder`; null where segments are not kept. */
export function openReader(store: IndexStore, folder: string | null): IndexReader {
  const storedSegments = new Map<string, IndexSegment | null>();
  let memorySegments: IndexSegment[] = [];
  let loaded: LoadedIndex | undefined;

  function load(all = true): LoadedIndex {
    if (loaded !== undefined && store.generation() === loaded.snapshot.generation && loaded.missingFiles === 0)
      return loaded;
    const snapshot = store.snapshot();
    for (const name of storedSegments.keys()) if (!snapshot.segments.includes(name)) storedSegments.delete(name);
    const diskSegments = folder === null ? [] : snapshot.segments.flatMap((name) => readStored(folder, name));
    const missingFiles = buildMissing(snapshot.fileIds, diskSegments, all);
    loaded = { view: createView([...diskSegments, ...memorySegments], snapshot.fileIds), snapshot, missingFiles };
    return loaded;
  }

  /** Nothing for a segment that cannot be read: its files are indexed in memory, and the next writer replaces it. */
  function readStored(segmentFolder: string, name: string): IndexSegment[] {
    const cached = storedSegments.get(name);
    if (cached) return [cached];
    const segment = readSegment(join(segmentFolder, name));
    storedSegments.set(name, segment);
    return segment === null ? [] : [segment];
  }

  /** Builds one segment or all segments in memory for files that are in none, and returns how many files are still missing. */
  function buildMissing(liveIds: readonly number[], diskSegments: readonly IndexSegment[], all: boolean): number {
    const uncovered = new Set(liveIds);
    for (const segment of diskSegments) removeCovered(uncovered, segment);
    memorySegments = memorySegments.filter(({ fileIds }) => fileIds.some((id) => uncovered.has(id)));
    const isLarge = ({ chunkCount }: IndexSegment) => chunkCount >= MIN_LARGE_CHUNKS;
    const smallCount = memorySegments.filter((segment) => !isLarge(segment)).length;
    if (smallCount > MAX_SMALL_SEGMENTS) memorySegments = memorySegments.filter(isLarge);
    for (const segment of memorySegments) removeCovered(uncovered, segment);
    let missing = [...uncovered];
    do {
      const { segment, count } = buildSegment(store, missing);
      if (segment !== null) memorySegments.push(segment);
      missing = missing.slice(count);
    } while (all && missing.length > 0);
    return missing.length;
  }

  function loadedBytes(): number {
    const segments = [...storedSegments.values(), ...memorySegments];
    return segments.reduce((sum, segment) => sum + (segment?.sizeBytes ?? 0), 0);
  }

  return { load, text: (id) => store.text(id), loadedBytes };
}

function removeCovered(ids: Set<number>, { fileIds }: IndexSegment): void {
  for (let file = 0; file < fileIds.length; file++) ids.delete(fileIds[file] as number);
}

/** A segment of the first of these files, and how many they are; files that were deleted meanwhile are left out. */
function buildSegment(
  store: IndexStore,
  ids: readonly number[],
): { readonly segment: IndexSegment | null; readonly count: number } {
  const builder = createSegmentBuilder();
  let count = 0;
  for (const id of ids) {
    if (builder.textChars() >= MAX_MEMORY_SEGMENT_CHARS) break;
    const file = store.text(id);
    if (file !== undefined) builder.add(file);
    count++;
  }
  return { segment: builder.fileCount() === 0 ? null : openSegment(builder.finish()), count };
}

/** A segment that cannot be used is deleted: the next writer sees that it is missing and builds it again. */
function readSegment(path: string): IndexSegment | null {
  try {
    const segment = openSegment(readFileSync(path));
    if (segment === null) rmSync(path, { force: true });
    return segment;
  } catch {
    return null; // Deleted or unreadable: its files can be indexed again from the store.
  }
}
