/** Writes segments beside the store: files that are in none get one, and many small ones become few. */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createSegmentBuilder } from "./build.ts";
import type { IndexStore, Snapshot } from "./index-store.ts";
import { openSegment } from "./segment.ts";
import type { IndexPlace, Turn } from "./update.ts";

const suffix = ".segment";
/** Less than this is indexed on the spot by whoever searches; a segment of its own is not worth its file. */
const fewestFiles = 100;
const fewestChars = 2_000_000;
const largestChars = 16_000_000;
/** More segments than this, and the smallest are made into one. */
const mostSegments = 12;

/** The generation at which nothing was left to do, for stores this process writes to. */
const settledAt = new WeakMap<IndexStore, number>();

/** Leaves at most a few files in no segment. Hold the lock. */
export async function publishSegments({ store, segmentFolder }: IndexPlace, turn: Turn): Promise<void> {
  if (segmentFolder === null || settledAt.get(store) === store.generation()) return;
  const snapshot = store.snapshot();
  const { missing, worn } = judgeSegments(snapshot, segmentFolder);
  if (worn.length > 0 || isWorthSegment(store, missing)) {
    await publish(store, segmentFolder, missing, worn, turn);
    removeLeftovers(segmentFolder, new Set(store.snapshot().segments));
  } else settledAt.set(store, snapshot.generation);
}

function isWorthSegment(store: IndexStore, missing: readonly number[]): boolean {
  if (missing.length >= fewestFiles) return true;
  let chars = 0;
  return missing.some((id) => {
    chars += store.text(id)?.text.length ?? 0;
    return chars >= fewestChars;
  });
}

/**
 * A segment goes when it cannot be read, when half of it is dead, or when it is one of too many small ones. What it held
 * is missing then, like files that were in none.
 */
function judgeSegments({ fileIds, segments }: Snapshot, folder: string): { missing: number[]; worn: string[] } {
  const waiting = new Set(fileIds);
  const judged = segments.map((name) => {
    const ids = idsIn(join(folder, name));
    return { name, size: ids.length, live: ids.filter((id) => waiting.delete(id)) };
  });
  const sound = judged.filter(({ size, live }) => live.length * 2 > size);
  const small = sound.toSorted((one, other) => one.live.length - other.live.length);
  const spare = sound.length > mostSegments ? small.slice(0, sound.length - mostSegments / 2) : [];
  const worn = judged.filter((segment) => !sound.includes(segment) || spare.includes(segment));
  const missing = [...waiting, ...worn.flatMap(({ live }) => live)].sort((one, other) => one - other);
  return { missing, worn: worn.map(({ name }) => name) };
}

/** Segments never change, so a writer that has looked into one need not look again. */
const knownIds = new Map<string, readonly number[]>();

function idsIn(path: string): readonly number[] {
  try {
    const ids = knownIds.get(path) ?? [...(openSegment(readFileSync(path))?.fileIds ?? [])];
    knownIds.set(path, ids);
    return ids;
  } catch {
    return []; // Gone or unreadable: what it held is missing, and is made again.
  }
}

async function publish(
  store: IndexStore,
  folder: string,
  missing: readonly number[],
  worn: readonly string[],
  turn: Turn,
): Promise<void> {
  let rest = missing;
  let dropSegments = worn;
  do {
    const { bytes, count } = await buildBytes(store, rest, turn);
    rest = rest.slice(count);
    if (bytes === null) store.write({ dropSegments });
    else store.write({ addSegment: writeSegment(folder, bytes), dropSegments });
    dropSegments = [];
    await turn();
  } while (rest.length > 0);
}

/** File by file, so that searches have their turn in between. */
async function buildBytes(store: IndexStore, ids: readonly number[], turn: Turn) {
  const builder = createSegmentBuilder();
  let count = 0;
  for (const id of ids) {
    if (builder.textChars() >= largestChars) break;
    const file = store.text(id);
    if (file !== undefined) builder.add(file);
    count++;
    await turn();
  }
  return { bytes: builder.fileCount() === 0 ? null : builder.finish(), count };
}

/** The name appears only once all bytes are on the disk. */
function writeSegment(folder: string, bytes: Uint8Array): string {
  const name = `${Date.now().toString(36)}-${randomBytes(6).toString("hex")}${suffix}`;
  const unfinished = join(folder, `${name}.unfinished`);
  const file = openSync(unfinished, "wx", 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, join(folder, name));
  return name;
}

/** What a killed writer or an earlier generation left. A reader that still wants one indexes its files on the spot. */
function removeLeftovers(folder: string, wanted: ReadonlySet<string>): void {
  for (const name of readdirSync(folder)) {
    if (!name.includes(suffix) || wanted.has(name)) continue;
    rmSync(join(folder, name), { force: true });
    knownIds.delete(join(folder, name));
  }
}
