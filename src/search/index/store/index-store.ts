/** What an index is stored in: files with their chunks, in generations. It does not depend on ranking or inverted indexes. */
import type { Chunk } from "../chunk.ts";
import type { FolderRecord } from "../folder/folder-memory.ts";

/** A version of a file. A changed file gets a new id, so an id always means the same text. */
export type StoredFile = {
  readonly id: number;
  readonly path: string;
  readonly stamp: string;
  readonly hash: string;
  /** Why only the definitions of the file are stored; null where its whole text is. */
  readonly outline: string | null;
};

/** The indexed text of a file and where its chunks are. */
export type StoredText = {
  readonly id: number;
  readonly path: string;
  readonly stamp: string;
  readonly hash: string;
  readonly text: string;
  readonly chunks: readonly Chunk[];
  readonly outline: string | null;
};

/** A file as it is written. */
export type NewFile = Omit<StoredFile, "id"> & { readonly text: string; readonly chunks: readonly Chunk[] };

/** A skipped file; its stamp saves reading it again. */
export type StoredSkip = { readonly path: string; readonly stamp: string; readonly reason: string };

/** Vectors of the chunks of some files, as bytes, and what made them. Those of deleted files are ignored. */
export type NewVectors = {
  readonly madeBy: string;
  readonly files: readonly { readonly id: number; readonly bytes: Uint8Array }[];
};

/** The vectors of one file. Those stored later have a higher number. */
export type StoredVectors = { readonly number: number; readonly id: number; readonly bytes: Uint8Array };

/** Changes that are made together or not at all. */
export type Change = {
  readonly put?: readonly NewFile[];
  /** Files with the same bytes and a new stamp: only the stamp changes, and the generation stays. */
  readonly restamp?: readonly { readonly id: number; readonly stamp: string }[];
  readonly skip?: readonly StoredSkip[];
  /** Paths of deleted files. */
  readonly remove?: readonly string[];
  /** What folders contain, in place of what was stored for them, and folders that are gone. The generation stays. */
  readonly folders?: readonly FolderRecord[];
  readonly removeFolders?: readonly string[];
  /** The name of a new segment, and of those it replaces. */
  readonly addSegment?: string;
  /** The ids that this store has for the files of the new segment, where another index has built it; 0 for none. */
  readonly segmentFileIds?: Uint32Array;
  readonly dropSegments?: readonly string[];
  /** Vectors of files, all by one model. Those of any other model are deleted: two are never mixed. */
  readonly vectors?: NewVectors;
  /** Facts about the index as a whole, by name. */
  readonly facts?: Readonly<Record<string, string>>;
};

/** Some of the stored paths: those directly in some folders, one, or the next ones in the order of paths (by bytes). */
export type PathSelection =
  | { readonly in: readonly string[] }
  | { readonly at: string }
  /** At most `limit`, from the first one if `after` is null. A store in memory may give more than that. */
  | { readonly after: string | null; readonly limit: number };

/** The files and segments of one generation. */
export type Snapshot = {
  /** Incremented by every change that adds, replaces or removes a file or a segment. */
  readonly generation: number;
  readonly fileIds: readonly number[];
  readonly segments: readonly string[];
};

/** Several processes may read while one writes; a reader never sees half a change. */
export interface IndexStore extends Disposable {
  generation(): number;
  /** A fact about the index as a whole. */
  fact(name: string): string | undefined;
  snapshot(): Snapshot;
  /** The segments of the current generation; a snapshot also lists all files. */
  segmentNames(): string[];
  /** The ids of the files of a segment that another index has built; undefined for those of this one. */
  segmentFileIds(name: string): Uint32Array | undefined;
  fileCount(): number;
  files(selection?: PathSelection): StoredFile[];
  skippedFiles(selection?: PathSelection): StoredSkip[];
  skippedCount(): number;
  /** What the folders contained when they were last read. */
  folders(selection?: PathSelection): FolderRecord[];
  folder(path: string): FolderRecord | undefined;
  /** Another number whenever any process has added or removed a folder. */
  foldersVersion(): number;
  /** The paths of all folders, or of a folder and those below it. */
  folderPaths(top?: string): string[];
  /** The text of a version; undefined once the version is replaced or removed. */
  text(id: number): StoredText | undefined;
  /** What made the stored vectors; undefined while there are none. */
  vectorsMadeBy(): string | undefined;
  /** Vectors with a higher number than this, in order. */
  vectorsAfter(number: number): StoredVectors[];
  /** Files without vectors, the oldest first. */
  filesWithoutVectors(limit: number): number[];
  /** Makes the change in one transaction and returns the new generation. */
  write(change: Change): number;
}
