/** What parent and child say to each other. Everything here is plain data. */
import type { Ask, Extracted, Failure, LocalFile } from "../handler.ts";

/** One file to be read by one engine. */
export type Job = { readonly engine: string; readonly file: LocalFile; readonly ask: Ask };

export type ToChild =
  | { readonly job: Job }
  /** One more piece may be sent. */
  | { readonly more: true }
  /** Nothing more is wanted of this job. */
  | { readonly stop: true };

export type FromChild =
  /** It has started and takes jobs. */
  | { readonly up: true }
  | { readonly piece: Extracted }
  | { readonly done: true }
  /** The engine threw: the file is to blame, the engine, or the system. */
  | { readonly threw: Failure };

/** Pieces a child may be ahead of its parent: enough to keep both busy, few enough to hold in memory. */
export const piecesAhead = 4;
