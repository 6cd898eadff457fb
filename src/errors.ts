/** The one error type of Spillway: a stable code, a sentence naming the thing, a hint with the next move, the cause. */

export type ErrorCode =
  | "usage"
  | "config_invalid"
  | "artifact_not_found"
  | "artifact_expired"
  | "artifact_damaged"
  | "source_not_found"
  | "source_refused"
  | "source_unreadable"
  | "store_unavailable"
  | "selector_invalid"
  | "place_not_found"
  | "aborted"
  | "internal";

export type ErrorDetails = { readonly hint?: string; readonly cause?: unknown };

export class SpillwayError extends Error {
  override readonly name = "SpillwayError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, sentence: string, details: ErrorDetails = {}) {
    super(sentence, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
  }

  /** The sentence and, where there is one, the next move: what a person or a model should read. */
  get advice(): string {
    return this.hint === undefined ? this.message : `${this.message} ${this.hint}`;
  }
}

/** The platform's error code (`ENOENT`, `EACCES`, ...), or undefined for any other thrown value. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
