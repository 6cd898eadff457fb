/** The messages between parent and child. All of them are plain data. */
import type { ExtractItem, Failure, HandlerOptions, LocalFile } from "../handler.ts";

/** One file for one engine to read. */
export type Job = { readonly engine: string; readonly file: LocalFile; readonly options: HandlerOptions };

/** Sent by the parent. */
export type ToChild =
  | { readonly job: Job }
  /** One more item may be sent. */
  | { readonly sendMore: true }
  /** The parent needs nothing more from this job. */
  | { readonly stop: true };

/** Sent by the child. */
export type FromChild =
  /** The child has started and accepts jobs. */
  | { readonly isReady: true }
  | { readonly item: ExtractItem }
  | { readonly done: true }
  /** The engine threw, because of the file, itself or the system. */
  | { readonly failure: Failure };

/** How many items a child may be ahead of its parent: enough to keep both busy, few enough to hold in memory. */
export const MAX_ITEMS_AHEAD = 4;
