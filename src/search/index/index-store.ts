/** What an index is kept in: files with their chunks, and generations. Ranking and the inverted index stay above it. */
import type { Chunk } from "./chunk.ts";

/** A version of a file. A changed file gets a new id, so an id means the same text for ever. */
export type StoredFile = { readonly id: number; readonly path: string; readonly stamp: string; readonly hash: string };

/** The indexed text of a file and where its chunks are. */
export type StoredText = {
  readonly id: number;
  readonly path: string;
  readonly stamp: string;
  readonly text: string;
  readonly chunks: readonly Chunk[];
};

/** A file as it is written. */
export type NewFile = Omit<StoredFile, "id"> & { readonly text: string; readonly chunks: readonly Chunk[] };

/** A file that was looked at and is none for the index; its stamp saves looking again. */
export type PassedOver = { readonly path: string; readonly stamp: string; readonly reason: string };

/** Vectors of the chunks of some files, as bytes, and what made them. Of files that are gone they are left out. */
export type NewVectors = {
  readonly madeBy: string;
  readonly put: readonly { readonly id: number; readonly bytes: Uint8Array }[];
};

/** The vectors of one file. A later one has a higher number. */
export type StoredVectors = { readonly number: number; readonly id: number; readonly bytes: Uint8Array };

/** All of it happens, or nothing. */
export type Change = {
  readonly put?: readonly NewFile[];
  /** Files with the same bytes and a new stamp: nothing but the stamp changes, and no generation passes. */
  readonly restamp?: readonly { readonly id: number; readonly stamp: string }[];
  readonly pass?: readonly PassedOver[];
  /** Paths that are gone. */
  readonly remove?: readonly string[];
  /** A segment that now covers files; those it replaces. */
  readonly addSegment?: string;
  readonly dropSegments?: readonly string[];
  /** Vectors of files, all by one model: those of any other go in the same step, so that two are never mixed. */
  readonly vectors?: NewVectors;
  /** Facts about the index as a whole, by name. */
  readonly facts?: Readonly<Record<string, string>>;
};

/** Everything a search needs to know, as of one generation. */
export type Snapshot = {
  /** Raised by every change that adds, replaces or removes a file or a segment. */
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
  fileCount(): number;
  files(): StoredFile[];
  passedOver(): PassedOver[];
  /** The text of a version; undefined once it was replaced or removed. */
  text(id: number): StoredText | undefined;
  /** What made the vectors that are there; undefined while there are none. */
  vectorsMadeBy(): string | undefined;
  /** Vectors stored after this number, in their order. */
  vectorsAfter(number: number): StoredVectors[];
  /** Files without vectors, the oldest first. */
  filesWithoutVectors(most: number): number[];
  /** Does all of it in one step and gives the generation after it. */
  write(change: Change): number;
}
