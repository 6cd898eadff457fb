/** A source: bytes that can be read once, and what its server or name claims about them. */
import type { CheckedFile } from "./file-reference.ts";
import type { Freshness, KnownValidators } from "./freshness.ts";

/** One place that bytes can be read from. */
export type Source = {
  /** The path or URL as the user gave it, without secrets: it is stored and shown. */
  readonly given: string;
  /** The same for every spelling of the same place, secrets included: part of what an artifact_ref is a keyed hash of. */
  readonly identity: string;
  /**
   * The cache key: everything that decides which bytes a server sends, credentials included. It is secret, so it is only
   * ever passed to a hash.
   */
  fingerprint?(): Promise<string>;
  open(options: OpenOptions): Promise<OpenedSource>;
  /** Asks the server whether the copy fetched before is still valid. */
  revalidate?(validators: KnownValidators, options: OpenOptions): Promise<OpenedSource | UnchangedSource>;
};

export type OpenOptions = {
  readonly signal: AbortSignal;
  /** Asks caches between us and the server for a new copy too. */
  readonly noCache?: boolean;
  readonly incoming?: DownloadMonitor | undefined;
};

/** Receives the progress of downloads, in bytes as sent, before decoding. */
export type DownloadMonitor = {
  /** A body begins; its size is undefined where the server does not give it. */
  begin(sizeBytes: number | undefined): void;
  add(bytes: number): void;
};

/** An open source: its bytes, and what is known about them before they are read. */
export type OpenedSource = {
  /** Each chunk is valid until the next one is asked for. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The name to show to readers. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The path or URL whose extension counts, if not the name's. */
  readonly location?: string;
  readonly response?: ResponseInfo;
  /** For a local file: opens it, to be read in place. */
  openFile?(): Promise<CheckedFile>;
};

/** What an HTTP response says beyond its bytes. */
export type ResponseInfo = {
  readonly statusCode: number;
  /** Whether no other site led to it by a redirect. */
  readonly isDirect: boolean;
  /** Sentences for the reader: where the content came from, what could not be checked. */
  readonly notes: readonly string[];
  /** Why the body is incomplete; known only after its chunks were read. */
  shortfall(): Shortfall | undefined;
  /** Undefined where the response may not be cached. */
  readonly freshness: Freshness | undefined;
};

/** Why the bytes of a source end early: our own limits, a full disk, a broken download, or the server. */
export type SourceCut = "size_limit" | "disk" | "connection" | "timeout" | "server";

/** Why a body is incomplete; the reason is worded as the end of a sentence. */
export type Shortfall = { readonly by: Exclude<SourceCut, "size_limit" | "disk">; readonly reason: string };

/** The server says that the copy fetched before is still valid. */
export type UnchangedSource = { readonly unchanged: true; readonly freshness: Freshness | undefined };

/** Markdown if the site offers it, or the page as browsers get it. */
export type PagePreference = "markdown" | "source";
