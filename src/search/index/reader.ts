/** The index as searches see it: segments from the disk and, for files in none of them, one made on the spot. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createSegmentBuilder } from "./build.ts";
import type { IndexStore, Snapshot, StoredText } from "./index-store.ts";
import { openSegment, type Segment } from "./segment.ts";
import { type IndexView, viewOf } from "./view.ts";

/** What a search works on: a view and the generation it stands for. */
export type Loaded = { readonly view: IndexView; readonly snapshot: Snapshot; readonly waiting: number };

export type IndexReader = {
  /**
   * The index as it is now; what is loaded already is not loaded again. All of it, or as much as can be made at once: a
   * search beside a first indexing does not wait for what has no segment yet.
   */
  load(all?: boolean): Loaded;
  text(id: number): StoredText | undefined;
};

/** Characters of text that are indexed on the spot for one answer; while a first indexing runs, more may be waiting. */
const mostFreshChars = 4_000_000;
/** Small segments made on the spot before they are made into one; those of so many chunks stay as they are. */
const mostFreshSegments = 8;
const largeChunks = 1_000;

/** A reader of the store whose segments lie in `folder`; null where segments are not kept. */
export function openReader(store: IndexStore, folder: string | null): IndexReader {
  const stored = new Map<string, Segment | null>();
  let fresh: Segment[] = [];
  let loaded: Loaded | undefined;

  function load(all = true): Loaded {
    if (loaded !== undefined && store.generation() === loaded.snapshot.generation && loaded.waiting === 0)
      return loaded;
    const snapshot = store.snapshot();
    for (const name of stored.keys()) if (!snapshot.segments.includes(name)) stored.delete(name);
    const kept = folder === null ? [] : snapshot.segments.flatMap((name) => readStored(folder, name));
    const waiting = addFresh(snapshot.fileIds, kept, all);
    loaded = { view: viewOf([...kept, ...fresh], snapshot.fileIds), snapshot, waiting };
    return loaded;
  }

  /** A segment that cannot be read is none: its files are indexed on the spot, and the next writer makes it anew. */
  function readStored(place: string, name: string): Segment[] {
    const known = stored.get(name);
    if (known) return [known];
    const segment = readSegment(join(place, name));
    stored.set(name, segment);
    return segment === null ? [] : [segment];
  }

  /** Covers files that are in no segment, as many as can be done at once, and gives how many are left. */
  function addFresh(live: readonly number[], kept: readonly Segment[], all: boolean): number {
    const left = new Set(live);
    for (const segment of kept) cover(left, segment);
    fresh = fresh.filter(({ fileIds }) => fileIds.some((id) => left.has(id)));
    const isLarge = ({ chunkCount }: Segment) => chunkCount >= largeChunks;
    if (fresh.filter((segment) => !isLarge(segment)).length > mostFreshSegments) fresh = fresh.filter(isLarge);
    for (const segment of fresh) cover(left, segment);
    let missing = [...left];
    do {
      const { segment, count } = buildFrom(store, missing, mostFreshChars);
      if (segment !== null) fresh.push(segment);
      missing = missing.slice(count);
    } while (all && missing.length > 0);
    return missing.length;
  }

  return { load, text: (id) => store.text(id) };
}

function cover(left: Set<number>, { fileIds }: Segment): void {
  for (let file = 0; file < fileIds.length; file++) left.delete(fileIds[file] as number);
}

/** A segment of these files of the store, up to so much text; files gone meanwhile are left out. */
function buildFrom(
  store: IndexStore,
  ids: readonly number[],
  maxChars: number,
): { readonly segment: Segment | null; readonly count: number } {
  const builder = createSegmentBuilder();
  let count = 0;
  for (const id of ids) {
    if (builder.textChars() >= maxChars) break;
    const file = store.text(id);
    if (file !== undefined) builder.add(file);
    count++;
  }
  return { segment: builder.fileCount() === 0 ? null : openSegment(builder.finish()), count };
}

function readSegment(path: string): Segment | null {
  try {
    return openSegment(readFileSync(path));
  } catch {
    return null; // Gone or unreadable: what it held can be made again from the store.
  }
}
