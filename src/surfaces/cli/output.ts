/** Formats results and errors: JSON lines for stdout, sentences for stderr. */
import { describeWriteFailure, isUnwritable, SpillwayError } from "../../errors.ts";
import { ERROR_LINE_CHARS, PATH_CHARS } from "../../system/clip-lengths.ts";
import { clip } from "../../system/safe-names.ts";

/** One line of JSON. */
export const toJsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** An error as JSON fields. `error` is always a sentence. */
export function toErrorFields(thrown: unknown) {
  const error = explainFolder(thrown);
  const isExpected = error instanceof SpillwayError;
  return {
    error: sentenceOf(error),
    code: isExpected ? error.code : "internal",
    hint: isExpected ? error.hint : bugHint,
  };
}

/** An error as two lines: the sentence and the hint. A bug of ours also shows its stack. */
export function toErrorLines(thrown: unknown): string {
  const error = explainFolder(thrown);
  if (error instanceof SpillwayError)
    return `spillway: ${sentenceOf(error)}\n  ${clip(error.hint, ERROR_LINE_CHARS)}\n`;
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `spillway: internal error: ${trace}\n  ${bugHint}\n`;
}

/** A folder that cannot be written is not a bug of ours: the error names it and what to do. */
function explainFolder(error: unknown): unknown {
  if (error instanceof SpillwayError || !isUnwritable(error)) return error;
  const path = error instanceof Error && "path" in error ? error.path : undefined;
  if (typeof path !== "string") return error;
  return new SpillwayError("store_unavailable", `${clip(path, PATH_CHARS)} ${describeWriteFailure(error)}.`, {
    hint: "Let this user write there, free space, or set SPILLWAY_HOME to a folder that can be written.",
    cause: error,
  });
}

const bugHint = "Please report this, with the command that caused it.";

/** Names inside a sentence are clipped where it is made. This bounds everything else. */
function sentenceOf(error: unknown): string {
  return clip(error instanceof Error ? error.message : String(error), ERROR_LINE_CHARS);
}
