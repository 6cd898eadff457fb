/** Loads an index for searches: stored segments, and segments built in memory for files that are in none of those. */

import { createIdSet, type IdSet } from "./id-set.ts";
import { createView, type IndexView } from "./index-view.ts";
import { createSegmentBuilder } from "./segments/build-segment.ts";
import { type IndexSegment, openSegment } from "./segments/index-segment.ts";
import { type SegmentStore, segmentsOfVersion } from "./segments/segment-store.ts";
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
   * The index as it is now; `segments` is null where segments are not kept. Without `all`, a part of the files that are in no segment may be missing: a search beside
   * a first indexing does not wait for them.
   */
  load(segments: SegmentStore | null, all?: boolean): Promise<LoadedIndex>;
  text(id: number): StoredText | undefined;
  /** Bytes of the segments in memory. */
  loadedBytes(): number;
};

/** Characters of text in a segment that is built in memory. */
const MAX_MEMORY_SEGMENT_CHARS = 4_000_000;
/** Small segments in memory; when there are more, they are built again as one. */
const MAX_SMALL_SEGMENTS = 8;
const MIN_LARGE_CHUNKS = 1_000;

/** A reader of the store. */
export function openReader(store: IndexStore): IndexReader {
  const storedSegments = new Map<string, IndexSegment | null>();
  let memorySegments: IndexSegment[] = [];
  let loaded: LoadedIndex | undefined;

  async function load(segments: SegmentStore | null, all = true): Promise<LoadedIndex> {
    if (loaded !== undefined && store.generation() === loaded.snapshot.generation && loaded.missingFiles === 0)
      return loaded;
    const snapshot = store.snapshot();
    for (const name of storedSegments.keys()) if (!snapshot.segments.includes(name)) storedSegments.delete(name);
    const loadedSegments: IndexSegment[] = [];
    if (segments !== null) {
      for (const name of segmentsOfVersion(snapshot.segments, segments.version))
        loadedSegments.push(...(await readStored(segments, name)));
    }
    const missingFiles = buildMissing(snapshot.fileIds, loadedSegments, all);
    loaded = { view: createView([...loadedSegments, ...memorySegments], snapshot.fileIds), snapshot, missingFiles };
    return loaded;
  }

  /** Nothing for a segment that cannot be read: its files are indexed in memory, and the next writer replaces it. */
  async function readStored(segments: SegmentStore, name: string): Promise<IndexSegment[]> {
    const cached = storedSegments.get(name) ?? withOwnIds(name, await segments.open(name));
    storedSegments.set(name, cached);
    return cached === null ? [] : [cached];
  }

  /** A segment that another index has built numbers its files differently. */
  function withOwnIds(name: string, segment: IndexSegment | null): IndexSegment | null {
    const fileIds = segment && store.segmentFileIds(name);
    return fileIds ? { ...segment, fileIds } : segment;
  }

  /** Builds one segment or all segments in memory for files that are in none, and returns how many files are still missing. */
  function buildMissing(liveIds: readonly number[], loadedSegments: readonly IndexSegment[], all: boolean): number {
    const uncovered = createIdSet(liveIds);
    for (const segment of loadedSegments) removeCovered(uncovered, segment);
    memorySegments = memorySegments.filter(({ fileIds }) => fileIds.some((id) => uncovered.has(id)));
    const isLarge = ({ chunkCount }: IndexSegment) => chunkCount >= MIN_LARGE_CHUNKS;
    const smallCount = memorySegments.filter((segment) => !isLarge(segment)).length;
    if (smallCount > MAX_SMALL_SEGMENTS) memorySegments = memorySegments.filter(isLarge);
    for (const segment of memorySegments) removeCovered(uncovered, segment);
    let missing = uncovered.values();
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

function removeCovered(ids: IdSet, { fileIds }: IndexSegment): void {
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
