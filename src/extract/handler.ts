/** The contract of format handlers: plain data in, segments of clean text out, in order. */
import type { Content } from "../acquire/spool.ts";
import type { ContentKind } from "../detect/kind.ts";
import type { RemovedCounts } from "./clean.ts";
import type { NumberRange } from "./number-range.ts";
import type { PageTally } from "./page-tally.ts";

/** The modes in which a source can be read; a handler may treat several alike. */
export const modes = ["markdown", "text", "raw"] as const;
export type Mode = (typeof modes)[number];

/** How the links of a web page are written: with their addresses, as numbers with a list at the end, or as text only. */
export const linkStyles = ["inline", "numbered", "none"] as const;
export type LinkStyle = (typeof linkStyles)[number];

/** The bytes of one artifact on this machine. Plain data, because it is sent to child processes. */
export type LocalFile = {
  readonly content: Content;
  readonly sizeBytes: number;
  readonly kind: ContentKind;
  readonly mediaType: string;
  readonly charset: string | null;
  /** Its URL, where links in it are made absolute. */
  readonly url?: string;
  /** The name of the source. */
  readonly name?: string;
};

/** What to extract. Plain data, because it is sent to child processes. */
export type HandlerOptions = {
  readonly mode: Mode;
  /** How links are written, where a text has them; inline if it is absent. */
  readonly links?: LinkStyle;
  /** Index of the first segment to yield; earlier ones are stored already. */
  readonly from: number;
  readonly password?: string;
  /** A page before `from` crashed the engine: none of them may be read again. */
  readonly isAfterCrash?: boolean;
  /** The path of a member: its bytes are wanted, not the text of the file. */
  readonly entry?: string;
  /** A query in the format's own language: its result is wanted, not the text of the file. */
  readonly query?: string;
  /** Rows of a table: they are wanted, not the text of the file. */
  readonly rows?: NumberRange;
  /** What a child process may use to read the file. */
  readonly limits?: Limits;
  /** How text in pictures is recognised; absent where OCR is off. */
  readonly ocr?: OcrOptions | MissingOcr;
  /** Whether the place where a picture was taken is written. */
  readonly showsLocation?: boolean;
};

/** What is asked of the format itself: SQL, or rows of a table. */
export type FormatQuery = { readonly query: string } | { readonly rows: NumberRange };

/** How text in pictures is recognised. Plain data, because it is sent to child processes. */
export type OcrOptions = {
  readonly languages: readonly string[];
  /** The module of the engine, and the data of each language. */
  readonly enginePath: string;
  readonly dataPaths: readonly string[];
  /** CPU time for one page. */
  readonly pageCpuMs: number;
  /** Time on the clock that one call spends; a later call continues. */
  readonly callMs: number;
};

/** OCR is on, but these packages are not installed. */
export type MissingOcr = { readonly missingPackages: readonly string[] };

/** What a child process may use for one file, and how many run at once. */
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
 * One segment of an extract. The text is clean (see clean.ts). Segments of kind `whole` are joined without separator;
 * pages, sheets and slides with a blank line.
 */
export type Segment = {
  readonly index: number;
  readonly kind: SegmentKind;
  readonly label: string;
  readonly text: string;
  readonly marks: readonly Mark[];
  /** Where pages may be several segments: the number of the page, and whether the next segment continues it. */
  readonly page?: number;
  readonly isContinued?: boolean;
};

/** The number of the page, sheet or slide that a segment is, or is a part of. */
export const findPage = ({ page, index }: Segment): number => page ?? index + 1;

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
  /** Pages, sheets or slides. */
  readonly pageCount?: number;
  /** How the pages were read; added up by extract.ts. */
  readonly tally?: PageTally;
  /** The pages whose characters are guesswork. */
  readonly garbledPages?: readonly NumberRange[];
  /** The pages whose text was recognised from a picture. */
  readonly recognizedPages?: readonly NumberRange[];
  /** How the text was obtained, where the handler has several methods. */
  readonly method?: string;
  /** The length of a text that was counted to its end but is too long to be stored at once. */
  readonly total?: TextTotal;
  /** Characters removed from the text because they could mislead a reader. */
  readonly removed?: RemovedCounts;
  /** How often bytes could not be decoded; U+FFFD shows each place. */
  readonly undecoded?: number;
};

/** The length of a whole text. */
export type TextTotal = { readonly chars: number; readonly lines: number };

/** All facts about a document: the common ones and those of its handler. Stored with the extract as JSON. */
export type Info<Own extends object = object> = DocumentFacts & Partial<Own>;

/** What a handler adds to every answer about a document. */
export type Description = {
  /** Fields by the names users see; their values are JSON. */
  readonly fields?: object;
  /** What its members are called, if `entry` reads them. */
  readonly entryName?: "member" | "attachment";
  /** What a reader should know about the text, one sentence each. */
  readonly warnings?: readonly string[];
  /** The warnings say why a document has no text. */
  readonly explainsMissingText?: boolean;
  /** The document shows its text only after running scripts. */
  readonly needsScripts?: boolean;
  /** What its pages are called; `page` if it does not say. */
  readonly pageName?: Exclude<SegmentKind, "whole">;
  /** How much there is, as the summary line says it, such as `640x480`. Made from `pageCount` if it does not say. */
  readonly extent?: string;
};

/**
 * Why text could not be read; the sentence a user sees is worded in `answer/`. `unavailable` means that an engine is not
 * installed, `unsupported` that no version of it reads this, `failed` that a handler threw an error of its own.
 */
export type Failure = {
  readonly reason:
    | "corrupt"
    | "encrypted"
    | "no_text"
    | "too_slow"
    | "too_large"
    | "unavailable"
    | "unsupported"
    | "failed"
    | "interrupted";
  readonly detail: string;
};

/** Whether another attempt may succeed: with other limits, the engine installed, or a later version. It is not stored. */
export function isRetryableFailure({ reason }: Failure): boolean {
  return reason !== "corrupt" && reason !== "encrypted" && reason !== "no_text";
}

/** How reading a page went: well, with guessed characters, by OCR, only an image, or not at all. */
export type PageVerdict = "read" | "garbled" | "recognized" | "image" | "damaged";

/** What an engine reports about a page beside its text. */
export type PageNote = {
  readonly verdict: PageVerdict;
  /** Counts that the handler wants added up over all pages, by its own names. */
  readonly counts?: Readonly<Record<string, number>>;
  /** For a second reader: characters that the first one read as numbers of glyphs only. */
  readonly unknown?: string;
};

export type ExtractItem<Own extends object = object> =
  | { readonly info: Info<Own> }
  | { readonly segment: Segment; readonly note?: PageNote }
  | { readonly failed: Failure }
  /** What is being done now, for a user who waits. */
  | { readonly progress: string }
  /** The last item: the time for one call is used up, and another call continues. The sentence says what to do. */
  | { readonly paused: string }
  /** The next bytes of the member that was asked for. */
  | { readonly bytes: Uint8Array }
  /** The paths of the members, because none has the path that was asked for. */
  | { readonly paths: readonly string[] };

/** The bytes of a member, or the paths that there are if none is the one asked for. */
export type OpenedEntry = { readonly chunks: AsyncIterable<Uint8Array> } | { readonly paths: readonly string[] };

/** Reads one family of formats. `Own` are the facts that only this handler states. */
export interface Handler<Own extends object = object> {
  readonly name: string;
  /** Raised whenever the same bytes would give another text, so that stored extracts are made again. */
  readonly version: number;
  /** Text and metadata run in this process; parsers of complicated formats run in a child process. */
  readonly runs: "inline" | "child";
  canHandle(kind: ContentKind, mediaType: string): boolean;
  extract(file: LocalFile, options: HandlerOptions, signal: AbortSignal): AsyncIterable<ExtractItem<Own>>;
  /** Set where OCR can add to what it reads. */
  readonly readsPictures?: true;
  /** Set where it can write the place at which a picture was taken. */
  readonly readsLocations?: true;
  /** The JSON types of the fields that `describe` may add. */
  readonly fields?: Readonly<Record<string, "string" | "number" | "boolean">>;
  /** Whether a query is in the format's own language, such as SQL: `extract` then gets it and yields its result. */
  isQuery?(mediaType: string, query: string): boolean;
  /** Whether rows are read from the file, not from its text: `extract` then gets their numbers and yields them. */
  readsRows?(mediaType: string): boolean;
  /** Opens a member by its path as the text lists it: a file in an archive, an attachment of a mail. */
  openEntry?(file: LocalFile, path: string, signal: AbortSignal, limits?: Limits): Promise<OpenedEntry>;
  /** Words the facts for a reader. Made for each answer from the stored facts, so sentences are never stored. */
  describe?(info: Info<Own>, failed: Failure | null): Description;
}
