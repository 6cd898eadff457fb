/** The contract of a kind of source: how it is recognised, and what it may use to open one. */
import type { HttpClient } from "./http/http-client.ts";
import type { PagePreference, Source } from "./source.ts";

/** What a source may use to open itself. */
export type SourceContext = {
  readonly cwd: string;
  /** Folders that a path must stay in; undefined where a person typed the path and may read what they can read. */
  readonly roots?: readonly string[];
  readonly stdin?: AsyncIterable<Uint8Array>;
  /** Undefined where nothing may be fetched from other hosts. */
  readonly network?: HttpClient;
  /** Which form of a page to request where a server has several. */
  readonly prefers?: PagePreference;
};

/** One kind of source: how it is recognised and opened. */
export type SourceKind = {
  matches(given: string): boolean;
  source(given: string, context: SourceContext): Source;
};
