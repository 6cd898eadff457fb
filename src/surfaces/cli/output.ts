/** How results and errors are printed: JSON lines on stdout, sentences on stderr. */
import { SpillwayError } from "../../errors.ts";
import { clipped } from "../../system/safe-names.ts";

export const toJsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** An error as fields: in every reply `error` is a sentence. */
export function toErrorFields(error: unknown) {
  const isExpected = error instanceof SpillwayError;
  return {
    error: sentenceOf(error),
    code: isExpected ? error.code : "internal",
    hint: isExpected ? error.hint : bugHint,
  };
}

/** Two lines a person can act on; a fault of ours shows where it happened. */
export function toErrorLines(error: unknown): string {
  if (error instanceof SpillwayError)
    return `spillway: ${sentenceOf(error)}\n  ${clipped(error.hint, MAX_LINE_CHARS)}\n`;
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `spillway: this should not have happened: ${trace}\n  ${bugHint}\n`;
}

const bugHint = "Please report it with the command that led to it.";

/** Names inside a sentence are clipped where it is made; this bounds what nobody thought of. */
const MAX_LINE_CHARS = 1_000;

function sentenceOf(error: unknown): string {
  return clipped(error instanceof Error ? error.message : String(error), MAX_LINE_CHARS);
}
