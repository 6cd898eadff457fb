/** What a source is: bytes that can be read once, and what is claimed about them. */

/** One place bytes can be had from. */
export type Source = {
  /** The path or URL as the user gave it. */
  readonly given: string;
  /** The same place however it was spelled: part of what makes an artifact_ref. */
  readonly identity: string;
  /** What a reader should call it. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  open(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
};

/** What the surroundings lend to a source. */
export type SourceContext = {
  readonly cwd: string;
  /** Folders a path must stay in; undefined where a person typed the path and may read what they can read. */
  readonly roots?: readonly string[];
  readonly stdin?: AsyncIterable<Uint8Array>;
};

/** One kind of source: how it is recognised and opened. */
export type SourceKind = {
  matches(given: string): boolean;
  source(given: string, context: SourceContext): Source;
};
