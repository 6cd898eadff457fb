/** From what a user typed to bytes that can be read once: each kind of source is one entry of the table below. */
import { SpillwayError } from "../errors.ts";
import { dataSource } from "./data.ts";
import { fileSource } from "./file.ts";
import { stdinSource } from "./stdin.ts";

/** Bytes to be had and what is claimed about them. */
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

export type SourceContext = {
  readonly cwd: string;
  /** Folders a path must stay in; undefined where a person typed the path and may read what they can read. */
  readonly roots?: readonly string[];
  readonly stdin?: AsyncIterable<Uint8Array>;
};

export type SourceKind = {
  matches(given: string): boolean;
  source(given: string, context: SourceContext): Source;
};

/** The first entry that matches takes the source; a path is what nothing else claims. */
const sourceKinds: readonly SourceKind[] = [stdinSource, dataSource, fileSource];

export function findSource(given: string, context: SourceContext): Source {
  if (given.trim() === "") {
    throw new SpillwayError("usage", "A source cannot be empty.", { hint: "Give a path, a data: URL or - for stdin." });
  }
  const kind = sourceKinds.find(({ matches }) => matches(given));
  if (kind === undefined) {
    const scheme = given.slice(0, given.indexOf(":"));
    throw new SpillwayError("source_refused", `Sources of the kind ${scheme}: cannot be read.`, {
      hint: "Give a path, a file: or data: URL, or - for stdin.",
    });
  }
  return kind.source(given, context);
}
