/** What loading a source yields: facts, ref, bytes, and how they arrived. */
import type { Content } from "../acquire/spool.ts";
import type { Objects } from "../artifacts/objects.ts";
import type { ArtifactFacts, ArtifactRecord } from "../artifacts/record.ts";

/** The ref and record of an artifact that was kept, or why it could not be. */
export type KeepResult =
  | { readonly artifact_ref: string; readonly record: ArtifactRecord }
  | { readonly artifact_ref: null; readonly notKept: string };

/** How the bytes arrived: from a server, from the cache, or from a browser that ran the page's scripts. */
export type Delivery = {
  readonly statusCode: number | null;
  /** Whether no other site led to it by a redirect; else its page gets no credentials of the user's. */
  readonly isDirect: boolean;
  /** What the HTTP client reports about how it was fetched, one sentence each. */
  readonly notes: readonly string[];
  /** Set for a page that needs its scripts, where a browser is configured. */
  readonly rendering: Rendering | null;
  /** For a cached source, when its server was last asked; null for a new one. */
  readonly cachedAt: number | null;
};

/** The artifact of the page as it was sent, or why its scripts could not be run. */
export type Rendering = { readonly parentRef: string | null } | { readonly problem: string };

/** A loaded source. Its bytes are available until it is disposed. */
export type LoadedSource = AsyncDisposable &
  KeepResult & {
    readonly facts: ArtifactFacts;
    readonly content: Content;
    /** Where its extract is stored. */
    readonly objects: Objects;
    /** Whether its owner did not have these bytes before: nothing was extracted from them yet. */
    readonly isNewContent: boolean;
    readonly delivery: Delivery;
    readonly address: SourceAddress;
  };

/** Where a source really is. It may hold secrets, so it is never stored or shown. */
export type SourceAddress = {
  /** What its ref is made from. */
  readonly identity: string;
  /** The URL it came from in the end; null for a source without one. */
  readonly url: string | null;
};
