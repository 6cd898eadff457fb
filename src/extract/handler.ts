/** What every format handler promises: plain data in, segments of clean text out, in order, one by one. */
import type { Content } from "../acquire/spool.ts";
import type { ContentKind } from "../detect/kind.ts";
import type { Removed } from "./clean.ts";
import type { PageTally } from "./tally.ts";

/** The modes a source can be read in; a handler may treat several alike. */
export const modes = ["markdown", "text", "raw"] as const;
export type Mode = (typeof modes)[number];

/** The bytes of one artifact on this machine. Plain data: it crosses a process border. */
export type LocalFile = {
  readonly content: Content;
  readonly sizeBytes: number;
  readonly kind: ContentKind;
  readonly mediaType: string;
  readonly charset: string | null;
  /** The address it came from, where links in it are to be made absolute. */
  readonly url?: string;
};

/** What is wanted of the file. Plain data: it crosses a process border. */
export type Ask = {
  readonly mode: Mode;
  /** Index of the first segment wanted; earlier ones are stored already. */
  readonly from: number;
  readonly password?: string;
  /** What reading the file may use, where it is read in a child. */
  readonly limits?: Limits;
};

/** What a child may use for one file, and how many of them work at once. */
export type Limits = {
  readonly memoryBytes: number;
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly children: number;
};

/** A heading or other named place inside a segment; `at` counts characters from the segment's start. */
export type Mark = { readonly label: string; readonly level: number; readonly at: number };

export type SegmentKind = "whole" | "page" | "sheet" | "slide";

/**
 * One piece of an extract with a place. The text is clean (see clean.ts). Pieces of kind `whole` are joined with
 * nothing between them; pages, sheets and slides with a blank line.
 */
export type Segment = {
  readonly index: number;
  readonly kind: SegmentKind;
  readonly label: string;
  readonly text: string;
  readonly marks: readonly Mark[];
};

/** Facts that documents of any format may have. */
export type DocumentFacts = {
  readonly title?: string;
  readonly author?: string;
  readonly language?: string;
  /** When it was published, as the document states it; most often ISO 8601. */
  readonly date?: string;
  /** The name of the site it belongs to. */
  readonly site?: string;
  readonly canonicalUrl?: string;
  readonly pageCount?: number;
  /** How the pages that were read came out; added up by extract.ts. */
  readonly tally?: PageTally;
  /** How the text was obtained, where the handler has several methods. */
  readonly method?: string;
  /** Characters removed from the text because they could mislead a reader. */
  readonly removed?: Removed;
};

/** All facts about a document: the common ones and those of its handler. Stored with the extract as JSON. */
export type Info<Own extends object = object> = DocumentFacts & Partial<Own>;

/** What a handler adds to every answer about a document. */
export type Description = {
  /** Fields by the names users see; their values are JSON. */
  readonly fields?: object;
  /** What a reader should know about the text, one sentence each. */
  readonly warnings?: readonly string[];
  /** The document shows its text only after running scripts. */
  readonly needsScripts?: boolean;
};

/** Why text could not be read; the sentence a user sees is worded in `answer/`. */
export type Failure = {
  readonly reason: "corrupt" | "encrypted" | "no_text" | "too_slow" | "too_large" | "unavailable" | "interrupted";
  readonly detail: string;
};

/** Another time, with other limits or the engine installed, it may be read: such a failure is told, not stored. */
export function mayPass({ reason }: Failure): boolean {
  return reason !== "corrupt" && reason !== "encrypted" && reason !== "no_text";
}

/** What an engine thinks of a page it has read: as it should be, guesswork, only a picture, or not readable at all. */
export type PageVerdict = "read" | "garbled" | "image" | "damaged";

/** What an engine has to say of a page beside its text. */
export type PageNote = {
  readonly verdict: PageVerdict;
  /** Counts that the handler wants added up over all pages, by its own names. */
  readonly counts?: Readonly<Record<string, number>>;
};

export type Extracted<Own extends object = object> =
  | { readonly info: Info<Own> }
  | { readonly segment: Segment; readonly note?: PageNote }
  | { readonly failed: Failure };

/** Reads one family of formats. `Own` are the facts that only this handler states. */
export interface Handler<Own extends object = object> {
  readonly name: string;
  /** Raised whenever the same bytes would give another text, so that stored extracts are made anew. */
  readonly version: number;
  /** Text and metadata run in this process; parsers of complicated formats run in a child. */
  readonly runs: "inline" | "child";
  canHandle(kind: ContentKind, mediaType: string): boolean;
  extract(file: LocalFile, ask: Ask, signal: AbortSignal): AsyncIterable<Extracted<Own>>;
  /** The JSON types of the fields that `describe` may add. */
  readonly fields?: Readonly<Record<string, "string" | "number" | "boolean">>;
  /** Words the facts for a reader. Made for each answer from the stored facts, so sentences are never stored. */
  describe?(info: Info<Own>, failed: Failure | null): Description;
}
