/** Stores segments: files that are in no segment get one, and many small segments become a few. */
import { segmentVersionOf } from "../../../artifacts/keys.ts";
import { createIdSet, type IdSet } from "../id-set.ts";
import type { Pause } from "../pause.ts";
import type { IndexStore } from "../store/index-store.ts";
import { createSegmentBuilder } from "./build-segment.ts";
import type { SegmentOutline } from "./index-segment.ts";
import { type IndexLocation, type SegmentStore, segmentsOfVersion } from "./segment-store.ts";

/** Fewer files or less text are indexed in memory by each search instead: a segment is not worth its file. */
const MIN_SEGMENT_FILES = 100;
const MIN_SEGMENT_CHARS = 2_000_000;
/** With more segments than this, the smallest are merged, down to this many and what they become. */
const MAX_SEGMENTS = 12;
const KEPT_SEGMENTS = 6;
/** Text of a full segment: so much, or a share of the whole index, so that a large index has no more segments. */
const FULL_SEGMENT_CHARS = 16_000_000;
const FULL_SEGMENT_SHARE = 1 / 6;
/** A segment may be so much fuller: else what is a little too much for one becomes a tiny one. */
const MAX_FILLING = 1.5;

/** The text of a full segment in an index with so much text. */
export function fullSegmentChars(indexChars: number): number {
  return Math.max(FULL_SEGMENT_CHARS, indexChars * FULL_SEGMENT_SHARE);
}

/** Names the generation for which there was nothing to publish, so that no process of this version looks again. */
const settledFact = ({ version }: SegmentStore): string => `segments_settled.${version}`;

/** Names when programs of a version have last used the index. Segments of a version that is not used are dropped. */
const usedFact = (version: number): string => `segments_used.${version}`;
const USE_INTERVAL_MS = 86_400_000;
const UNUSED_STAY_MS = 7 * 86_400_000;

/**
 * Publishes segments until at most a few files are in none. `expectedChars` is the text that the index will have, where
 * more is to come. The caller holds the writer's lock.
 */
export async function publishSegments(
  { store, segments }: IndexLocation,
  pause: Pause,
  expectedChars = 0,
): Promise<void> {
  if (segments === null) return;
  const isDue = noteUse(store, segments);
  if ((!isDue && isSettled(store, segments)) || !segments.canPut()) return;
  const verdict = await judgeSegments(store, segments, expectedChars);
  if (verdict === null) return;
  if (verdict.dropped.length > 0 || isWorthSegment(store, verdict.uncovered)) {
    await publish(store, segments, verdict, pause);
    // Also what a killed writer left. A reader that still needs a deleted one indexes its files in memory.
    await segments.keepOnly(new Set(store.snapshot().segments));
  } else store.write({ facts: { [settledFact(segments)]: String(store.generation()) } });
}

/** Once a day: then segments of other versions may be due. Returns whether it was noted. */
function noteUse(store: IndexStore, { version, now }: SegmentStore): boolean {
  if (now() - usedAt(store, version) < USE_INTERVAL_MS) return false;
  store.write({ facts: { [usedFact(version)]: String(now()) } });
  return true;
}

const usedAt = (store: IndexStore, version: number): number => Number(store.fact(usedFact(version)) ?? 0);

/** A reader deletes a segment that it finds damaged, so a segment that is missing has to be built again. */
function isSettled(store: IndexStore, segments: SegmentStore): boolean {
  if (store.fact(settledFact(segments)) !== String(store.generation())) return false;
  return !segmentsOfVersion(store.segmentNames(), segments.version).some(segments.isMissing);
}

function isWorthSegment(store: IndexStore, uncovered: readonly number[]): boolean {
  if (uncovered.length >= MIN_SEGMENT_FILES) return true;
  let chars = 0;
  return uncovered.some((id) => {
    chars += store.text(id)?.text.length ?? 0;
    return chars >= MIN_SEGMENT_CHARS;
  });
}

/** Segments to drop, the files that are then in none, and the text of a full segment. */
type Verdict = {
  readonly uncovered: readonly number[];
  readonly dropped: readonly string[];
  readonly fullChars: number;
};

/** A segment with its live files; `chars` is the length of their texts. */
type JudgedSegment = { readonly name: string; readonly size: number; readonly live: number[]; readonly chars: number };

/**
 * A segment is dropped when it is damaged, when half of its files are dead, or when it is one of too many small ones. Its
 * files are then uncovered, like files that were in no segment. Null where a segment cannot be read for now.
 */
async function judgeSegments(
  store: IndexStore,
  segments: SegmentStore,
  expectedChars: number,
): Promise<Verdict | null> {
  const { fileIds, segments: names } = store.snapshot();
  const rest = createIdSet(fileIds);
  const judged: JudgedSegment[] = [];
  for (const name of segmentsOfVersion(names, segments.version)) {
    const outline = await readOutline(store, segments, name);
    if (outline === null && !segments.isMissing(name)) return null;
    judged.push(judgeSegment(name, outline, rest));
  }
  const judgedChars = judged.reduce((sum, { chars }) => sum + chars, 0);
  const fullChars = fullSegmentChars(Math.max(expectedChars, judgedChars));
  const sound = judged.filter(({ size, live }) => live.length * 2 > size);
  const spare = findSpare(sound);
  const dropped = judged.filter((segment) => !sound.includes(segment) || spare.includes(segment));
  const uncovered = [...rest.values(), ...dropped.flatMap(({ live }) => live)].sort((one, other) => one - other);
  const droppedNames = [...dropped.map(({ name }) => name), ...findUnused(store, segments, names)];
  return { uncovered, dropped: droppedNames, fullChars };
}

/** Segments of versions that no program uses any more. */
function findUnused(store: IndexStore, { version, now }: SegmentStore, names: readonly string[]): string[] {
  const isUnused = (other: number) => other !== version && now() - usedAt(store, other) > UNUSED_STAY_MS;
  return names.filter((name) => isUnused(segmentVersionOf(name)));
}

function judgeSegment(name: string, outline: SegmentOutline | null, rest: IdSet): JudgedSegment {
  const { fileIds, fileChars } = outline ?? { fileIds: [], fileChars: [] };
  const live: number[] = [];
  let chars = 0;
  for (let file = 0; file < fileIds.length; file++) {
    const id = fileIds[file] as number;
    if (!rest.delete(id)) continue;
    live.push(id);
    chars += fileChars[file] ?? 0;
  }
  return { name, size: fileIds.length, live, chars };
}

/** The smallest of too many segments. Fewer come out of them, because a full segment has a sixth of the text or more. */
function findSpare(sound: readonly JudgedSegment[]): readonly JudgedSegment[] {
  if (sound.length <= MAX_SEGMENTS) return [];
  return sound.toSorted((one, other) => one.chars - other.chars).slice(0, sound.length - KEPT_SEGMENTS);
}

/** The outlines of segments that this process has read: segments never change, and no name is used twice. */
const cachedOutlines = new WeakMap<IndexStore, Map<string, SegmentOutline>>();

async function readOutline(store: IndexStore, segments: SegmentStore, name: string): Promise<SegmentOutline | null> {
  const cached = cachedOutlines.get(store) ?? new Map();
  cachedOutlines.set(store, cached);
  const outline = cached.get(name) ?? (await segments.outline(name));
  if (outline === null || segments.isMissing(name)) return null;
  cached.set(name, outline);
  return { ...outline, fileIds: store.segmentFileIds(name) ?? outline.fileIds };
}

async function publish(
  store: IndexStore,
  segments: SegmentStore,
  { uncovered, dropped, fullChars }: Verdict,
  pause: Pause,
): Promise<void> {
  let rest = uncovered;
  do {
    const { bytes, count } = await buildBytes(store, rest, fullChars, pause);
    rest = rest.slice(count);
    const name = bytes === null ? undefined : await segments.put(bytes);
    if (name === null) return; // It cannot be kept now: what is stored stays, and searches index the rest in memory.
    const isLast = rest.length === 0;
    // Until then searches need the segments that are replaced: a file counts in the first segment that has it.
    store.write({ ...(name !== undefined && { addSegment: name }), ...(isLast && { dropSegments: dropped }) });
    await pause();
  } while (rest.length > 0);
  for (const name of dropped) cachedOutlines.get(store)?.delete(name);
}

/** Pauses after each file, so that searches are answered in between. */
async function buildBytes(store: IndexStore, ids: readonly number[], fullChars: number, pause: Pause) {
  const builder = createSegmentBuilder();
  let count = 0;
  for (const id of ids) {
    if (builder.textChars() >= fullChars * MAX_FILLING) break;
    const file = store.text(id);
    if (file !== undefined) builder.add(file);
    count++;
    await pause();
  }
  return { bytes: builder.fileCount() === 0 ? null : builder.finish(), count };
}
