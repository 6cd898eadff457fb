/** Where the segments of one index are: objects of the store, each under a name that is used once. */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { segmentHashOf, segmentVersionOf } from "../../../artifacts/keys.ts";
import { type Objects, ObjectsError } from "../../../artifacts/objects.ts";
import type { Storage } from "../../../artifacts/storage.ts";
import { announceObject } from "../../../catalogue/blob-rows.ts";
import { CatalogueError } from "../../../catalogue/sql.ts";
import { isUnwritable, systemCode } from "../../../errors.ts";
import type { IndexStore } from "../store/index-store.ts";
import { type IndexSegment, openSegment, readSegmentOutline, type SegmentOutline } from "./index-segment.ts";
import { SEGMENT_VERSION } from "./segment-layout.ts";

export interface SegmentStore {
  /** The version of segments that are put here. Programs of several versions may use one index, each with its segments. */
  readonly version: number;
  readonly now: () => number;
  /** The segment; null if it is missing or damaged, or cannot be had now. */
  open(name: string): Promise<IndexSegment | null>;
  /** The files of a segment, without its postings where that saves reading them; null like `open`. */
  outline(name: string): Promise<SegmentOutline | null>;
  /** Stores a segment and returns its name; null where none can be kept now. */
  put(bytes: Uint8Array): Promise<string | null>;
  /** Whether it is worth building a segment: not for a while after one could not be kept. */
  canPut(): boolean;
  /** Whether a segment is known to be missing or damaged. */
  isMissing(name: string): boolean;
  /** Deletes all segments of the index but these, where no other index can refer to them. The caller holds the writer's lock. */
  keepOnly(names: ReadonlySet<string>): Promise<void>;
  /** The sizes of those of these segments that exist. */
  sizesOf(names: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** An index and its source: the folder, the store, and its segments (null where segments are not kept). */
export type IndexLocation = {
  readonly root: string;
  readonly store: IndexStore;
  readonly segments: SegmentStore | null;
};

/** The store that has the objects, and the rows that announce them. */
export type SegmentStorage = Pick<Storage, "objects" | "catalogue" | "parts">;

/** The segments of a version among these names. */
export const segmentsOfVersion = (names: readonly string[], version: number): string[] =>
  names.filter((name) => segmentVersionOf(name) === version);

/** The segments whose keys have this prefix. */
export function openSegmentStore(
  storage: SegmentStorage,
  prefix: string,
  now: () => number,
  version = SEGMENT_VERSION,
): SegmentStore {
  const { objects } = storage;
  const missing = missingOf(objects);
  const keyOf = (name: string): string => prefix + name;
  const pathOf = objects.path && ((name: string): string => objects.path?.(keyOf(name)) ?? "");

  async function open(name: string): Promise<IndexSegment | null> {
    if (pathOf !== undefined) return readOwn(name, pathOf(name), (path) => openSegment(readFileSync(path)));
    const bytes = await readCopy(name);
    const segment = bytes && openSegment(bytes);
    if (bytes !== null && segment === null) missing.add(name);
    return segment;
  }

  /** What a file has. A damaged one is deleted: the next writer sees that it is missing and builds the segment again. */
  function readOwn<T>(name: string, path: string, read: (path: string) => T | null): T | null {
    try {
      const content = read(path);
      if (content !== null) return content;
    } catch (error) {
      if (!fileErrors.has(systemCode(error) ?? "")) return null; // Too many open files: the segment may be sound.
    }
    missing.add(name);
    deleteFile(path);
    return null;
  }

  /** A copy of an object that is elsewhere: its hash, which is part of its name, was computed on the way. */
  async function readCopy(name: string): Promise<Uint8Array | null> {
    try {
      await using file = await objects.local(keyOf(name));
      const bytes = file && readFileSync(file.path);
      const isSound = bytes !== undefined && (file?.sha256 ?? hashOf(bytes)) === segmentHashOf(name);
      if (!isSound) missing.add(name);
      return isSound ? bytes : null;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return null; // The service is away: the files are indexed in memory until it is back.
    }
  }

  async function outline(name: string): Promise<SegmentOutline | null> {
    if (pathOf === undefined) {
      const segment = await open(name);
      return segment && { fileIds: segment.fileIds.slice(), fileChars: segment.fileChars.slice() };
    }
    return readOwn(name, pathOf(name), readSegmentOutline);
  }

  async function put(bytes: Uint8Array): Promise<string | null> {
    const name = `${hashOf(bytes)}.${randomBytes(6).toString("hex")}.${version}`;
    try {
      await announce(storage, keyOf(name), now());
      await objects.put(keyOf(name), bytes, { isNewKey: true });
      return name;
    } catch (error) {
      if (!(error instanceof ObjectsError) && !(error instanceof CatalogueError)) throw error;
      failureTimes.set(objects, performance.now());
      return null;
    }
  }

  async function keepOnly(names: ReadonlySet<string>): Promise<void> {
    if (pathOf === undefined || storage.parts !== undefined) return; // Rows decide: catalogue/segment-rows.ts.
    for await (const { key } of objects.list(prefix)) {
      if (!names.has(key.slice(prefix.length))) await objects.delete(key);
    }
  }

  async function sizesOf(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const sizes = new Map<string, number>();
    for (const name of names) {
      const head = await objects.head(keyOf(name), { maxAgeMs: HEAD_AGE_MS });
      if (head !== undefined) sizes.set(name, head.sizeBytes);
    }
    return sizes;
  }

  return {
    version,
    now,
    open,
    outline,
    put,
    canPut: () => performance.now() - (failureTimes.get(objects) ?? -Infinity) > FAILURE_PAUSE_MS,
    isMissing: (name) => missing.has(name) || (pathOf !== undefined && !existsSync(pathOf(name))),
    keepOnly,
    sizesOf,
  };
}

/** After a failure, so that not every search builds a segment that cannot be kept. */
const FAILURE_PAUSE_MS = 60_000;
const failureTimes = new WeakMap<Objects, number>();

/** Segments have just been written or read when they are listed. */
const HEAD_AGE_MS = 60_000;

/** Names of segments that were found to be missing or damaged. No name is used twice. */
const missingNames = new WeakMap<Objects, Set<string>>();

function missingOf(objects: Objects): Set<string> {
  const names = missingNames.get(objects) ?? new Set();
  missingNames.set(objects, names);
  return names;
}

/** A search does not wait for a locked catalogue. */
const patience = { patienceMs: 200 };

/** Where the objects are ours alone, one that could not be announced is found by the next writer of its index. */
async function announce({ catalogue, parts }: SegmentStorage, key: string, now: number): Promise<void> {
  try {
    await catalogue.transact((queries) => announceObject(queries, key, now), patience);
  } catch (error) {
    if (!(error instanceof CatalogueError) || parts !== undefined) throw error;
  }
}

function deleteFile(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    if (!isUnwritable(error)) throw error; // A later writer, which may write here, replaces it.
  }
}

/** Errors that are of the file, not of the process. */
const fileErrors = new Set(["ENOENT", "ENOTDIR", "EISDIR", "ELOOP", "EACCES", "EPERM", "EIO"]);

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
