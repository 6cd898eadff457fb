/** Brings an index up to date with its folder: walk, read what changed, store it, and publish segments as it grows. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { chunkText } from "./chunk.ts";
import type { IndexStore, NewFile, PassedOver, StoredFile } from "./index-store.ts";
import { publishSegments } from "./publish.ts";
import { isTooLarge, readSource, textOf, tooLarge } from "./source-file.ts";
import { type FoundFile, type SkippedFile, walkFolder } from "./walk.ts";

/** The place of an index: its folder of sources, its store, and where its segments lie (null: kept nowhere). */
export type IndexPlace = { readonly root: string; readonly store: IndexStore; readonly segmentFolder: string | null };

export type UpdateOptions = {
  /** Larger files are passed over. */
  readonly maxFileBytes: number;
  /** Every file is read and stored again, whatever is known of it. */
  readonly anew?: boolean;
  /** Folders that are never walked, by their full path. */
  readonly hidden?: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Told of every file that is looked into and at the end: how many are done, of how many. */
  readonly progress?: (done: number, total: number) => void;
};

/** What a run did. */
export type UpdateReport = {
  /** Files in the index after the run. */
  readonly files: number;
  /** New and changed files that were indexed now, and files that are gone. */
  readonly indexed: number;
  readonly removed: number;
  readonly skippedCount: number;
  /** How many of the skipped may be readable another time. */
  readonly unreadable: number;
  /** The first of them, with the reason. */
  readonly skipped: readonly SkippedFile[];
  /** Bytes read now. */
  readonly bytes: number;
};

/** A report names so many skipped files; the count is of all. */
const mostSkippedNamed = 200;

/** Runs to the end or to an abort; what was stored before an abort stays. Hold the lock: there is one writer at a time. */
export async function updateIndex(place: IndexPlace, options: UpdateOptions): Promise<UpdateReport> {
  const turn = createTurn(options.signal);
  const known = knownFiles(place.store);
  const skipped = createSkipped();
  const found = await walk(place.root, options.hidden, turn, skipped);
  const writer = createWriter(place, turn, skipped);
  let met = 0;
  for (const [done, file] of found.entries()) {
    const before = known.files.get(file.path);
    if (before !== undefined || known.passed.has(file.path)) met++;
    if (isSame(file, before, options)) continue;
    options.progress?.(done, found.length);
    await writer.add(await examine(file, known, place.root, options));
    await turn();
  }
  const gone = met === known.files.size + known.passed.size ? [] : unseen(known, found);
  await writer.finish(gone);
  options.progress?.(found.length, found.length);
  const { indexed, bytes } = writer.sums;
  const removed = gone.filter((path) => known.files.has(path)).length;
  return { files: place.store.fileCount(), indexed, removed, ...skipped.report(), bytes };
}

/** Counts what is passed over and keeps the first of it: a tree may have more of that than of source. */
function createSkipped() {
  const first: SkippedFile[] = [];
  let [count, unreadable] = [0, 0];
  return {
    add(file: SkippedFile): void {
      count += 1;
      if (file.again) unreadable += 1;
      if (first.length < mostSkippedNamed) first.push(file);
    },
    report: () => ({ skippedCount: count, unreadable, skipped: first }),
  };
}

type Skipped = ReturnType<typeof createSkipped>;

/** Lets others have their turn now and then, and stops where the caller does not want to go on; null where none is due. */
export type Turn = () => Promise<void> | null;

const longestTurnMs = 12;

function createTurn(signal: AbortSignal): Turn {
  let since = performance.now();
  const pause = async () => {
    signal.throwIfAborted();
    await nextTurn();
    since = performance.now();
  };
  return () => (performance.now() - since < longestTurnMs ? null : pause());
}

type Known = { readonly files: ReadonlyMap<string, StoredFile>; readonly passed: ReadonlyMap<string, PassedOver> };

function knownFiles(store: IndexStore): Known {
  return {
    files: new Map(store.files().map((file) => [file.path, file])),
    passed: new Map(store.passedOver().map((entry) => [entry.path, entry])),
  };
}

async function walk(root: string, hidden: ReadonlySet<string> | undefined, turn: Turn, skipped: Skipped) {
  const found: FoundFile[] = [];
  for (const step of walkFolder(root, hidden)) {
    if ("file" in step) found.push(step.file);
    else skipped.add(step.skipped);
    const pause = turn();
    if (pause !== null) await pause; // To await nothing for each of many files would take longer than to look at them.
  }
  return found;
}

function unseen({ files, passed }: Known, found: readonly FoundFile[]): string[] {
  const seen = new Set(found.map(({ path }) => path));
  return [...files.keys(), ...passed.keys()].filter((path) => !seen.has(path));
}

/** Nearly all files are: they are passed by without a promise for each. */
function isSame(file: FoundFile, before: StoredFile | undefined, { anew, maxFileBytes }: UpdateOptions): boolean {
  return !anew && before?.stamp === file.stamp && file.sizeBytes <= maxFileBytes;
}

/** What is to be done about one file. */
type Finding =
  | { readonly is: "restamped"; readonly id: number; readonly stamp: string }
  | { readonly is: "changed"; readonly file: NewFile; readonly bytes: number }
  | { readonly is: "passed"; readonly entry: PassedOver; readonly known: boolean }
  | { readonly is: "unreadable"; readonly skipped: SkippedFile };

async function examine(file: FoundFile, known: Known, root: string, options: UpdateOptions): Promise<Finding> {
  const { path } = file;
  const before = options.anew ? undefined : known.files.get(path);
  const passed = options.anew ? undefined : known.passed.get(path);
  const { maxFileBytes } = options;
  if (passed?.stamp === file.stamp && !wasForSize(passed, maxFileBytes))
    return { is: "passed", entry: passed, known: true };
  const source = readSource(root, path, maxFileBytes);
  if ("reason" in source) {
    const { reason, again } = source;
    if (again) return { is: "unreadable", skipped: { path, reason, again } };
    return { is: "passed", entry: { path, stamp: file.stamp, reason }, known: false };
  }
  const stamp = settled(source.stamp, options.now());
  if (before?.hash === source.hash) return { is: "restamped", id: before.id, stamp };
  const read = await textOf(source.bytes, path);
  if ("reason" in read) return { is: "passed", entry: { path, stamp, reason: read.reason }, known: false };
  const { text } = read;
  const changed = { path, stamp, hash: source.hash, text, chunks: chunkText(text) };
  return { is: "changed", file: changed, bytes: source.bytes.length };
}

/** Passed over for a limit that is another now. */
function wasForSize({ reason }: PassedOver, maxFileBytes: number): boolean {
  return isTooLarge(reason) && reason !== tooLarge(maxFileBytes);
}

/** Clocks of file systems tick slowly: a file written this moment may be written again under the same stamp. */
const unsettledMs = 100;

function settled(stamp: string, now: number): string {
  const changedMs = Number(BigInt(stamp.split(".")[1] ?? 0) / 1_000_000n);
  return now - changedMs < unsettledMs ? `${stamp}?` : stamp;
}

/** So much is stored in one step: a search beside an indexing run sees it grow. */
const batchFiles = 500;
const batchChars = 2_000_000;
/** Text stored before a segment of it is published; each is twice as large as the one before, up to the last. */
const firstSegmentChars = 2_000_000;
const largestSegmentChars = 16_000_000;

function createWriter(place: IndexPlace, turn: Turn, skipped: Skipped) {
  const sums = { indexed: 0, bytes: 0 };
  let batch = emptyBatch();
  let unpublishedChars = 0;
  let nextSegmentChars = firstSegmentChars;

  async function add(finding: Finding): Promise<void> {
    if (finding.is === "restamped") batch.restamp.push(finding);
    if (finding.is === "passed") pass(finding.entry, finding.known);
    if (finding.is === "unreadable") {
      skipped.add(finding.skipped);
      batch.remove.push(finding.skipped.path);
    }
    if (finding.is === "changed") put(finding.file, finding.bytes);
    await flushIfLarge();
  }

  function put(file: NewFile, bytes: number): void {
    batch.put.push(file);
    batch.chars += file.text.length;
    sums.indexed += 1;
    sums.bytes += bytes;
  }

  function pass(entry: PassedOver, known: boolean): void {
    skipped.add({ path: entry.path, reason: entry.reason, again: false });
    if (!known) batch.pass.push(entry);
  }

  async function flushIfLarge(): Promise<void> {
    const { put: files, restamp, pass: passed, remove } = batch;
    const changes = files.length + restamp.length + passed.length + remove.length;
    if (changes >= batchFiles || batch.chars >= batchChars) await flush();
  }

  async function flush(): Promise<void> {
    const { chars, ...change } = batch;
    batch = emptyBatch();
    if (Object.values(change).every(({ length }) => length === 0)) return;
    place.store.write(change);
    unpublishedChars += chars;
    if (unpublishedChars < nextSegmentChars) return;
    await publishSegments(place, turn);
    unpublishedChars = 0;
    nextSegmentChars = Math.min(nextSegmentChars * 2, largestSegmentChars);
  }

  async function finish(gone: readonly string[]): Promise<void> {
    for (const path of gone) {
      batch.remove.push(path);
      await flushIfLarge();
    }
    await flush();
    await publishSegments(place, turn);
  }

  return { sums, add, finish };
}

function emptyBatch() {
  return {
    put: [] as NewFile[],
    restamp: [] as { id: number; stamp: string }[],
    pass: [] as PassedOver[],
    remove: [] as string[],
    chars: 0,
  };
}
