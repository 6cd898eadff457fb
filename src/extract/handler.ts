/** What every format handler promises: plain data in, segments of clean text out, in order, one by one. */
import type { Content } from "../acquire/spool.ts";
import type { ContentKind } from "../detect/kind.ts";
import type { Removed } from "./clean.ts";
import type { Method } from "./html/strategies.ts";
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

/** Facts about the document as a whole. */
export type Info = {
  readonly pageCount?: number;
  readonly title?: string;
  readonly author?: string;
  readonly language?: string;
  /** How the pages that were read came out. */
  readonly tally?: PageTally;
  /** The file is damaged, and a second reader, which tells less of a page, had to read it. */
  readonly rescued?: boolean;
  /** When it was published, as it says itself; most often ISO 8601. */
  readonly date?: string;
  /** The name of the site it stands on. */
  readonly site?: string;
  readonly canonicalUrl?: string;
  /** By which way of reading a web page its text was found. */
  readonly method?: Method | "raw";
  /** The share of a web page's text that was kept, from 0 to 1. */
  readonly keptShare?: number;
  /** A web page shows its text only after running scripts. */
  readonly needsJs?: boolean;
  /** Characters taken out of the text because they could mislead a reader. */
  readonly removed?: Removed;
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
  /** Characters of the text that a viewer of the page does not see. */
  readonly hiddenChars?: number;
  /** Annotations left out because there are too many. */
  readonly unreadAnnotations?: number;
};

export type Extracted =
  | { readonly info: Info }
  | { readonly segment: Segment; readonly note?: PageNote }
  | { readonly failed: Failure };

export interface Handler {
  readonly name: string;
  /** Raised whenever the same bytes would give another text, so that stored extracts are made anew. */
  readonly version: number;
  /** Text and metadata run in this process; parsers of complicated formats run in a child. */
  readonly runs: "inline" | "child";
  canHandle(kind: ContentKind, mediaType: string): boolean;
  extract(file: LocalFile, ask: Ask, signal: AbortSignal): AsyncIterable<Extracted>;
}
