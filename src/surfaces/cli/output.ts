/** Formats results and errors: JSON lines for stdout, sentences for stderr. */
import { SpillwayError } from "../../errors.ts";
import { ERROR_LINE_CHARS } from "../../system/clip-lengths.ts";
import { clip } from "../../system/safe-names.ts";

/** One line of JSON. */
export const toJsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** An error as JSON fields. `error` is always a sentence. */
export function toErrorFields(error: unknown) {
  const isExpected = error instanceof SpillwayError;
  return {
    error: sentenceOf(error),
    code: isExpected ? error.code : "internal",
    hint: isExpected ? error.hint : bugHint,
  };
}

/** An error as two lines: the sentence and the hint. A bug of ours also shows its stack. */
export function toErrorLines(error: unknown): string {
  if (error instanceof SpillwayError)
    return `spillway: ${sentenceOf(error)}\n  ${clip(error.hint, ERROR_LINE_CHARS)}\n`;
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `spillway: internal error: ${trace}\n  ${bugHint}\n`;
}

const bugHint = "Please report this, with the command that caused it.";

/** Names inside a sentence are clipped where it is made. This bounds everything else. */
function sentenceOf(error: unknown): string {
  return clip(error instanceof Error ? error.message : String(error), ERROR_LINE_CHARS);
}
