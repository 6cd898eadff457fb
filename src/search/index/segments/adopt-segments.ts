/** Takes over segments that other machines have built of the same files, so that each segment is built once. */

import type { Pause } from "../pause.ts";
import type { IndexStore, StoredFile } from "../store/index-store.ts";
import { hashNumbers } from "./encode-segment.ts";
import type { IndexSegment } from "./index-segment.ts";
import { HASH_NUMBERS } from "./segment-layout.ts";
import { type IndexLocation, segmentsOfVersion } from "./segment-store.ts";

/** Names segments of others that have too few files of this index, so that they are not examined again. */
const unsuitableFact = "unsuitable_segments";

/** Adds published segments in which more than half of the files are files of this index that no other segment has. */
export async function adoptSegments(
  { store, segments }: IndexLocation,
  published: readonly string[],
  pause: Pause,
): Promise<void> {
  if (segments === null) return;
  const names = findUnexamined(store, segmentsOfVersion(published, segments.version));
  if (names.length === 0) return;
  const uncovered = await findUncovered(store, segments);
  const unsuitable: string[] = [];
  for (const name of names) {
    const segment = await segments.open(name);
    if (segment === null) continue; // A later job may be able to read it.
    const fileIds = findSameFiles(segment, uncovered);
    const isSuitable = fileIds.filter((id) => id > 0).length * 2 > fileIds.length;
    if (isSuitable) adopt(store, name, fileIds, uncovered);
    else unsuitable.push(name);
    await pause();
  }
  if (unsuitable.length > 0) noteUnsuitable(store, unsuitable, published);
}

/** Those of the published segments that this index has not examined. */
function findUnexamined(store: IndexStore, published: readonly string[]): readonly string[] {
  const known = new Set([...store.snapshot().segments, ...readUnsuitable(store)]);
  return published.filter((name) => !known.has(name));
}

const readUnsuitable = (store: IndexStore): readonly string[] => JSON.parse(store.fact(unsuitableFact) ?? "[]");

function adopt(store: IndexStore, name: string, fileIds: Uint32Array, uncovered: Map<string, StoredFile>): void {
  store.write({ addSegment: name, segmentFileIds: fileIds });
  const covered = new Set(fileIds);
  for (const [path, { id }] of uncovered) if (covered.has(id)) uncovered.delete(path);
}

/** The files that are in no segment of the index, by path. */
async function findUncovered(store: IndexStore, segments: NonNullable<IndexLocation["segments"]>) {
  const covered = new Set<number>();
  for (const name of segmentsOfVersion(store.snapshot().segments, segments.version)) {
    for (const id of store.segmentFileIds(name) ?? (await segments.outline(name))?.fileIds ?? []) covered.add(id);
  }
  return new Map(store.files().flatMap((file) => (covered.has(file.id) ? [] : [[file.path, file] as const])));
}

/** The id of each file of the segment that is the same here, by path and hash; 0 for others. */
function findSameFiles({ fileIds, fileHashes, path }: IndexSegment, files: ReadonlyMap<string, StoredFile>) {
  return fileIds.map((_, index) => {
    const file = files.get(path(index));
    if (file === undefined) return 0;
    const hash = fileHashes.subarray(index * HASH_NUMBERS, (index + 1) * HASH_NUMBERS);
    return hashNumbers(file.hash, file.outline).every((number, place) => number === hash[place]) ? file.id : 0;
  });
}

/** Names of segments that are not published any more are forgotten. */
function noteUnsuitable(store: IndexStore, names: readonly string[], published: readonly string[]): void {
  const noted = [...readUnsuitable(store), ...names].filter((name) => published.includes(name));
  store.write({ facts: { [unsuitableFact]: JSON.stringify(noted) } });
}
