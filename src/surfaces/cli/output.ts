/** How results and errors are printed: JSON lines on stdout, sentences on stderr. */
import { SpillwayError } from "../../errors.ts";
import { ERROR_LINE_CHARS } from "../../system/clip-lengths.ts";
import { clip } from "../../system/safe-names.ts";

export const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** An error as fields: in every reply `error` is a sentence. */
export function errorFields(error: unknown) {
  const known = error instanceof SpillwayError;
  return { error: sentenceOf(error), code: known ? error.code : "internal", hint: known ? error.hint : faultHint };
}

/** Two lines a person can act on; a fault of ours shows where it happened. */
export function errorLines(error: unknown): string {
  if (error instanceof SpillwayError)
    return `spillway: ${sentenceOf(error)}\n  ${clip(error.hint, ERROR_LINE_CHARS)}\n`;
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `spillway: this should not have happened: ${trace}\n  ${faultHint}\n`;
}

const faultHint = "Please report it with the command that led to it.";

/** Names inside a sentence are clipped where it is made; this bounds what nobody thought of. */
function sentenceOf(error: unknown): string {
  return clip(error instanceof Error ? error.message : String(error), ERROR_LINE_CHARS);
}
