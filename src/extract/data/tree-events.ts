/** What the scanners of JSON, YAML and XML report, in document order; offsets count from the start of the text. */
export type TreeEvents = {
  /** An object or array begins. */
  open(kind: "object" | "array", at: number): void;
  /** The innermost object or array ends before `end`. */
  close(end: number): void;
  /** The name of the next value of the innermost object. A name may come several times. */
  key(name: string): void;
  /** A value that contains no others, as written, the middle of a long one left out; `isQuoted` for text in quotes. */
  value(text: string, isQuoted: boolean, at: number, end: number): void;
  /** Set once nothing more is wanted. */
  readonly isDone: boolean;
};

/** A scanner; `write` takes the next part of the text, `end` its end. */
export type TreeScanner = { write(text: string): void; end(): void };

/** Deeper nesting is damage, or made to exhaust a reader. */
export const MAX_TREE_DEPTH = 2_000;

/** How much of a value or name is kept. */
export const MAX_VALUE_CHARS = 200;

/** Thrown where a text nests deeper than is read. */
export class TreeDepthError extends Error {}
