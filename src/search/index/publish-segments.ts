/** Writes segments to disk: files that are in no segment get one, and many small segments become a few. */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createSegmentBuilder } from "./build-segment.ts";
import { openSegment } from "./index-segment.ts";
import type { Pause } from "./pause.ts";
import type { IndexLocation, IndexStore, Snapshot } from "./store/index-store.ts";

const suffix = ".segment";
/** Fewer files or less text are indexed in memory by each search instead: a segment is not worth its file. */
const MIN_SEGMENT_FILES = 100;
const MIN_SEGMENT_CHARS = 2_000_000;
const MAX_SEGMENT_CHARS = 16_000_000;
/** With more segments than this, the smallest are merged. */
const MAX_SEGMENTS = 12;

/** The generation for which there was nothing to publish, for stores that this process writes to. */
const settledGenerations = new WeakMap<IndexStore, number>();

/** Publishes segments until at most a few files are in none. The caller holds the writer's lock. */
export async function publishSegments({ store, segmentFolder }: IndexLocation, pause: Pause): Promise<void> {
  if (segmentFolder === null || settledGenerations.get(store) === store.generation()) return;
  const snapshot = store.snapshot();
  const { uncovered, dropped } = judgeSegments(snapshot, segmentFolder);
  if (dropped.length > 0 || isWorthSegment(store, uncovered)) {
    await publish(store, segmentFolder, uncovered, dropped, pause);
    removeLeftovers(segmentFolder, new Set(store.snapshot().segments));
  } else settledGenerations.set(store, snapshot.generation);
}

function isWorthSegment(store: IndexStore, uncovered: readonly number[]): boolean {
  if (uncovered.length >= MIN_SEGMENT_FILES) return true;
  let chars = 0;
  return uncovered.some((id) => {
    chars += store.text(id)?.text.length ?? 0;
    return chars >= MIN_SEGMENT_CHARS;
  });
}

/**
 * A segment is dropped when it cannot be read, when half of its files are dead, or when it is one of too many small
 * ones. Its files are then uncovered, like files that were in no segment.
 */
function judgeSegments({ fileIds, segments }: Snapshot, folder: string): { uncovered: number[]; dropped: string[] } {
  const rest = new Set(fileIds);
  const judged = segments.map((name) => {
    const ids = idsIn(join(folder, name));
    return { name, size: ids.length, live: ids.filter((id) => rest.delete(id)) };
  });
  const sound = judged.filter(({ size, live }) => live.length * 2 > size);
  const smallestFirst = sound.toSorted((one, other) => one.live.length - other.live.length);
  const spare = sound.length > MAX_SEGMENTS ? smallestFirst.slice(0, sound.length - MAX_SEGMENTS / 2) : [];
  const dropped = judged.filter((segment) => !sound.includes(segment) || spare.includes(segment));
  const uncovered = [...rest, ...dropped.flatMap(({ live }) => live)].sort((one, other) => one - other);
  return { uncovered, dropped: dropped.map(({ name }) => name) };
}

/** The file ids of segments that this process has read: segments never change. */
const cachedIds = new Map<string, readonly number[]>();

function idsIn(path: string): readonly number[] {
  try {
    const ids = cachedIds.get(path) ?? [...(openSegment(readFileSync(path))?.fileIds ?? [])];
    cachedIds.set(path, ids);
    return ids;
  } catch {
    return []; // Deleted or unreadable: its files are uncovered and get another segment.
  }
}

async function publish(
  store: IndexStore,
  folder: string,
  uncovered: readonly number[],
  dropped: readonly string[],
  pause: Pause,
): Promise<void> {
  let rest = uncovered;
  let dropSegments = dropped;
  do {
    const { bytes, count } = await buildBytes(store, rest, pause);
    rest = rest.slice(count);
    if (bytes === null) store.write({ dropSegments });
    else store.write({ addSegment: writeSegment(folder, bytes), dropSegments });
    dropSegments = [];
    await pause();
  } while (rest.length > 0);
}

/** Pauses after each file, so that searches are answered in between. */
async function buildBytes(store: IndexStore, ids: readonly number[], pause: Pause) {
  const builder = createSegmentBuilder();
  let count = 0;
  for (const id of ids) {
    if (builder.textChars() >= MAX_SEGMENT_CHARS) break;
    const file = store.text(id);
    if (file !== undefined) builder.add(file);
    count++;
    await pause();
  }
  return { bytes: builder.fileCount() === 0 ? null : builder.finish(), count };
}

/** Writes under another name first: the final name appears once all bytes are on the disk. */
function writeSegment(folder: string, bytes: Uint8Array): string {
  const name = `${Date.now().toString(36)}-${randomBytes(6).toString("hex")}${suffix}`;
  const unfinished = join(folder, `${name}.unfinished`);
  const file = openSync(unfinished, "wx", 0o600);
  try {
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(file, bytes, offset);
    fsyncSync(file);
  } catch (error) {
    rmSync(unfinished, { force: true }); // On a full disk, half a segment would take the space that is left.
    throw error;
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, join(folder, name));
  return name;
}

/** Deletes what a killed writer or an earlier generation left. A reader that still needs one indexes its files in memory. */
function removeLeftovers(folder: string, current: ReadonlySet<string>): void {
  for (const name of readdirSync(folder)) {
    if (!name.includes(suffix) || current.has(name)) continue;
    rmSync(join(folder, name), { force: true });
    cachedIds.delete(join(folder, name));
  }
}
