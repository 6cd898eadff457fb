/** What a source is: bytes that can be read once, and what is claimed about them. */
import type { Freshness, Validators } from "./http/freshness.ts";
import type { Network } from "./http/http-client.ts";

/** One place bytes can be had from. */
export type Source = {
  /** The path or URL as the user gave it. */
  readonly given: string;
  /** The same place however it was spelled: part of what makes an artifact_ref. */
  readonly identity: string;
  /**
   * Where a reply may be remembered: all that decides which bytes come, credentials included. A secret, only ever
   * handed to a hash.
   */
  fingerprint?(): Promise<string>;
  open(ask: OpenAsk): Promise<Opened>;
  /** Asks whether what was fetched before still holds. */
  revalidate?(validators: Validators, ask: OpenAsk): Promise<Opened | Unchanged>;
};

export type OpenAsk = {
  readonly signal: AbortSignal;
  /** No copy on the way will do. */
  readonly noCache?: boolean;
  readonly incoming?: BodyWatch | undefined;
};

/** Told of bodies as they come from other hosts, before anything is decoded. */
export type BodyWatch = {
  /** A body begins, of so many bytes where its server says so. */
  begin(sizeBytes: number | undefined): void;
  add(bytes: number): void;
};

/** An open source: its bytes, and what is known of them by then. */
export type Opened = {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** What a reader should call it. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The path or URL whose extension counts, where that is not the name's. */
  readonly location?: string;
  readonly response?: Response;
};

/** What a server's answer says beyond its bytes. */
export type Response = {
  readonly statusCode: number;
  /** Sentences for the reader: where it really came from, what could not be checked. */
  readonly notes: readonly string[];
  /** Why the bytes ended before the body did; known once they have ended. */
  shortfall(): string | undefined;
  /** Absent where it may not be used again. */
  readonly freshness: Freshness | undefined;
};

/** The server says that what was fetched before still holds. */
export type Unchanged = { readonly unchanged: true; readonly freshness: Freshness | undefined };

/** What the surroundings lend to a source. */
export type SourceContext = {
  readonly cwd: string;
  /** Folders a path must stay in; undefined where a person typed the path and may read what they can read. */
  readonly roots?: readonly string[];
  readonly stdin?: AsyncIterable<Uint8Array>;
  /** The way to other hosts; undefined where nothing is fetched from them. */
  readonly network?: Network;
  /** Which form of a page is asked for where a server has several. */
  readonly prefers?: PagePreference;
};

/** Markdown where there is any, or the page as browsers get it. */
export type PagePreference = "markdown" | "source";

/** One kind of source: how it is recognised and opened. */
export type SourceKind = {
  matches(given: string): boolean;
  source(given: string, context: SourceContext): Source;
};
