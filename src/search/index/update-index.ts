/** Brings an index up to date with its folder: walk, read what changed, store it, and publish segments as it grows. */
import { chunkText } from "./chunk.ts";
import { collectRecords, type FolderRecords, markUnsettled, openFolderMemory } from "./folder/folder-memory.ts";
import { decodeSource, readSource, tooLarge } from "./folder/source-file.ts";
import { type FoundFile, type SkippedFile, walkFolder } from "./folder/walk-folder.ts";
import { chunkOutline, LONG_LINES, outlineText } from "./outline.ts";
import { createPause, type Pause } from "./pause.ts";
import { fullSegmentChars, publishSegments } from "./segments/publish-segments.ts";
import type { IndexLocation } from "./segments/segment-store.ts";
import { type ChangedFile, createSieve, isStoredRight, knownIn, knownInOrder, limitsFor } from "./sift-files.ts";
import type { IndexStore, NewFile, StoredFile, StoredSkip } from "./store/index-store.ts";
import { recordsInOrder } from "./store/rows-in-order.ts";

type UpdateOptions = {
  /** Larger files are not indexed whole. See `limitsFor`. */
  readonly maxFileBytes: number;
  /** Read and store every file again, changed or not. */
  readonly force?: boolean;
  /** The only folders whose files and entries may have changed, relative to the root; null or absent if all may have. */
  readonly changedFolders?: ReadonlySet<string> | null;
  /** Full paths of folders that are not walked. */
  readonly hidden?: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Called before every file that is read, and before files are removed. If it throws, the run ends. */
  readonly beforeChange?: () => Promise<void>;
  /** The segments that other machines have published of this folder; known once `beforeChange` was called. */
  readonly published?: () => readonly string[];
  /** Called for every file that is read, and at the end: how many files are done, of how many. */
  readonly progress?: (done: number, total: number) => void;
};

/** What a run did. */
export type UpdateReport = {
  /** Files in the index after the run. */
  readonly files: number;
  /** New and changed files that this run indexed, and deleted files. */
  readonly indexed: number;
  readonly removed: number;
  /** Files of the whole folder that are not indexed. A look at some folders counts links only in these. */
  readonly skippedCount: number;
  /** How many of the skipped files may be readable another time. */
  readonly unreadable: number;
  /** The first skipped files, with the reasons. */
  readonly skipped: readonly SkippedFile[];
  /** Bytes that this run read. */
  readonly bytes: number;
};

/** Skipped files that a report names; the count includes all. */
const MAX_SKIPPED_NAMED = 200;

/** Runs to the end or to an abort; what was stored before an abort stays. The caller holds the lock: there is one writer at a time. */
export async function updateIndex(location: IndexLocation, options: UpdateOptions): Promise<UpdateReport> {
  const report = await lookAndStore(location, options);
  if (report.files > 0 || (options.changedFolders ?? null) === null) return report;
  // Why nothing is indexed may be known only in folders that were not looked at.
  const wholeReport = await lookAndStore(location, { ...options, changedFolders: null });
  return { ...wholeReport, removed: report.removed + wholeReport.removed };
}

async function lookAndStore(location: IndexLocation, options: UpdateOptions): Promise<UpdateReport> {
  const pause = createPause(options.signal);
  const skipped = createSkippedList();
  const { changedFolders = null } = options;
  const memory = openFolderMemory(recordsFor(location.store, options), options.now, changedFolders);
  const steps = walkFolder(location.root, options.hidden, memory);
  const { changed, untouched, skipsElsewhere, bytes, goneFiles, goneSkips } = await (changedFolders === null
    ? siftAll(location.store, steps, pause, skipped, options)
    : siftSome(location.store, steps, memory.touched, pause, skipped, options));
  const writer = createWriter(location, {
    published: options.published ?? (() => []),
    expectedChars: bytes,
    pause,
    skipped,
  });
  const total = untouched + changed.length;
  for (const [done, { file, stored }] of changed.entries()) {
    await options.beforeChange?.();
    options.progress?.(untouched + done, total);
    await writer.add(await examine(file, stored, location.root, options));
    await pause();
  }
  const folderChanges = memory.changes();
  if (goneFiles.length + goneSkips.length > 0) await options.beforeChange?.();
  await writer.finish([...goneFiles, ...goneSkips]);
  if (folderChanges.folders.length + folderChanges.removeFolders.length > 0) location.store.write(folderChanges);
  options.progress?.(total, total);
  const { indexed, bytes: readBytes } = writer.sums;
  const { skippedCount, ...skippedFiles } = skipped.report();
  return {
    files: location.store.fileCount(),
    indexed,
    removed: goneFiles.length,
    skippedCount: skippedCount + skipsElsewhere,
    ...skippedFiles,
    bytes: readBytes,
  };
}

/** What a walk has found. */
type Sifted = {
  readonly changed: readonly ChangedFile[];
  /** Files that are as they are stored. */
  readonly untouched: number;
  /** Skipped files in folders that were not looked at. */
  readonly skipsElsewhere: number;
  /** The bytes of all files that were found, each file up to the limit. */
  readonly bytes: number;
  readonly goneFiles: readonly string[];
  readonly goneSkips: readonly string[];
};

/** A look at all folders compares each file as it is found. */
async function siftAll(
  store: IndexStore,
  steps: WalkSteps,
  pause: Pause,
  skipped: SkippedList,
  options: UpdateOptions,
): Promise<Sifted> {
  const sieve = createSieve(knownInOrder(store), options, skipped.add);
  const bytes = await walk(steps, pause, skipped, sieve.add, options.maxFileBytes);
  const { unchanged, ...sifted } = sieve.finish();
  return { ...sifted, untouched: unchanged, skipsElsewhere: 0, bytes };
}

/** After a look at some folders it is known which these are, and only what is stored of them is read. */
async function siftSome(
  store: IndexStore,
  steps: WalkSteps,
  touched: () => readonly string[],
  pause: Pause,
  skipped: SkippedList,
  options: UpdateOptions,
): Promise<Sifted> {
  const found: FoundFile[] = [];
  const bytes = await walk(steps, pause, skipped, (file) => void found.push(file), options.maxFileBytes);
  const { known, elsewhere } = knownIn(store, touched());
  const sieve = createSieve(known, options, skipped.add);
  for (const file of found) sieve.add(file);
  const { unchanged, ...sifted } = sieve.finish();
  const untouched = unchanged + elsewhere.files + elsewhere.skips;
  return { ...sifted, untouched, skipsElsewhere: elsewhere.skips, bytes };
}

/** Counts skipped files and keeps the first: a tree may have more of them than source files. */
function createSkippedList() {
  const first: SkippedFile[] = [];
  let [count, unreadable] = [0, 0];
  return {
    add(file: SkippedFile): void {
      count += 1;
      if (file.isRetryable) unreadable += 1;
      if (first.length < MAX_SKIPPED_NAMED) first.push(file);
    },
    report: () => ({ skippedCount: count, unreadable, skipped: first }),
  };
}

type SkippedList = ReturnType<typeof createSkippedList>;

/** A look at some folders reads what is stored of these, however many others there are. */
function recordsFor(store: IndexStore, { force, changedFolders = null }: UpdateOptions): FolderRecords {
  if (force) return collectRecords([]);
  return changedFolders === null ? recordsInOrder(store) : store;
}

type WalkSteps = ReturnType<typeof walkFolder>;

/** Hands on every file, and returns the bytes of all. */
async function walk(
  steps: WalkSteps,
  pause: Pause,
  skipped: SkippedList,
  onFile: (file: FoundFile) => void,
  maxFileBytes: number,
): Promise<number> {
  let bytes = 0;
  for (const step of steps) {
    if ("file" in step) {
      bytes += Math.min(step.file.sizeBytes, maxFileBytes);
      onFile(step.file);
    } else skipped.add(step.skipped);
    const paused = pause();
    if (paused !== null) await paused; // An `await` of nothing for each of many files takes longer than the walk.
  }
  return bytes;
}

/** What to do about one file. */
type Finding =
  | { readonly type: "restamped"; readonly id: number; readonly stamp: string }
  | { readonly type: "changed"; readonly file: NewFile; readonly bytes: number }
  | { readonly type: "skipped"; readonly entry: StoredSkip }
  | { readonly type: "unreadable"; readonly skipped: SkippedFile };

async function examine(
  file: FoundFile,
  stored: StoredFile | undefined,
  root: string,
  options: UpdateOptions,
): Promise<Finding> {
  const { path } = file;
  const storedFile = options.force ? undefined : stored;
  const limits = limitsFor(path, options.maxFileBytes);
  const source = readSource(root, path, limits.outlineBytes);
  if ("reason" in source) {
    const { reason, isRetryable } = source;
    if (isRetryable) return { type: "unreadable", skipped: { path, reason, isRetryable } };
    return { type: "skipped", entry: { path, stamp: file.stamp, reason } };
  }
  const stamp = markUnsettled(source.stamp, options.now());
  if (storedFile?.hash === source.hash && isStoredRight(storedFile, source.bytes.length, limits))
    return { type: "restamped", id: storedFile.id, stamp };
  const decoded = await decodeSource(source.bytes, path);
  if ("reason" in decoded) {
    return { type: "skipped", entry: { path, stamp, reason: decoded.reason } };
  }
  const { text, isMinified } = decoded;
  const bytes = source.bytes.length;
  const outline = bytes > limits.wholeBytes ? tooLarge(limits.wholeBytes) : isMinified ? LONG_LINES : null;
  const indexed = outline === null ? { text, chunks: chunkText(text) } : makeOutline(text);
  if (indexed === null) return { type: "skipped", entry: { path, stamp, reason: outline ?? "" } };
  return { type: "changed", file: { path, stamp, hash: source.hash, ...indexed, outline }, bytes };
}

function makeOutline(text: string): Pick<NewFile, "text" | "chunks"> | null {
  const outline = outlineText(text);
  return outline === null ? null : { text: outline, chunks: chunkOutline(outline) };
}

/** What is stored in one step: a search beside an indexing run sees the index grow. */
const BATCH_CHANGES = 500;
const BATCH_CHARS = 2_000_000;
/** Text that is stored before a segment is published: each segment is twice as large as the last, until it is full. */
const FIRST_PUBLISH_CHARS = 2_000_000;

type WriterOptions = {
  readonly published: () => readonly string[];
  /** About the text that the index will have: segments are as large as they will be needed, so that few are merged. */
  readonly expectedChars: number;
  readonly pause: Pause;
  readonly skipped: SkippedList;
};

function createWriter(location: IndexLocation, { published, expectedChars, pause, skipped }: WriterOptions) {
  const sums = { indexed: 0, bytes: 0 };
  let batch = emptyBatch();
  let unpublishedChars = 0;
  let publishChars = FIRST_PUBLISH_CHARS;

  async function add(finding: Finding): Promise<void> {
    if (finding.type === "restamped") batch.restamp.push(finding);
    if (finding.type === "skipped") skip(finding.entry);
    if (finding.type === "unreadable") {
      skipped.add(finding.skipped);
      batch.remove.push(finding.skipped.path);
    }
    if (finding.type === "changed") put(finding.file, finding.bytes);
    await flushIfLarge();
  }

  function put(file: NewFile, bytes: number): void {
    batch.put.push(file);
    batch.chars += file.text.length;
    sums.indexed += 1;
    sums.bytes += bytes;
  }

  function skip(entry: StoredSkip): void {
    skipped.add({ path: entry.path, reason: entry.reason, isRetryable: false });
    batch.skip.push(entry);
  }

  async function flushIfLarge(): Promise<void> {
    const { put: files, restamp, skip: skips, remove } = batch;
    const changes = files.length + restamp.length + skips.length + remove.length;
    if (changes >= BATCH_CHANGES || batch.chars >= BATCH_CHARS) await flush();
  }

  async function flush(): Promise<void> {
    const { chars, ...change } = batch;
    batch = emptyBatch();
    if (Object.values(change).every(({ length }) => length === 0)) return;
    location.store.write(change);
    unpublishedChars += chars;
    // Which files the segments of others have is known at the end.
    if (unpublishedChars < publishChars || published().length > 0) return;
    await publishSegments(location, pause, expectedChars);
    unpublishedChars = 0;
    publishChars = Math.min(publishChars * 2, fullSegmentChars(expectedChars));
  }

  async function finish(deleted: readonly string[]): Promise<void> {
    for (const path of deleted) {
      batch.remove.push(path);
      await flushIfLarge();
    }
    await flush();
    await adoptPublished(location, published(), pause);
    await publishSegments(location, pause, expectedChars);
  }

  return { sums, add, finish };
}

async function adoptPublished(location: IndexLocation, published: readonly string[], pause: Pause): Promise<void> {
  if (published.length === 0) return;
  const { adoptSegments } = await import("./segments/adopt-segments.ts");
  await adoptSegments(location, published, pause);
}

function emptyBatch() {
  return {
    put: [] as NewFile[],
    restamp: [] as { id: number; stamp: string }[],
    skip: [] as StoredSkip[],
    remove: [] as string[],
    chars: 0,
  };
}
