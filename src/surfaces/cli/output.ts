/** How results and errors are printed: JSON lines on stdout, sentences on stderr. */
import { SpillwayError } from "../../errors.ts";

export const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** An error as fields: in every reply `error` is a sentence. */
export function errorFields({ code, message, hint }: SpillwayError) {
  return { error: message, code, hint: hint ?? null };
}

/** Two lines a person can act on; a fault of ours shows where it happened. */
export function errorLines(error: unknown): string {
  if (!(error instanceof SpillwayError)) {
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return `spillway: this should not have happened: ${trace}\n`;
  }
  return `spillway: ${error.message}\n${error.hint === undefined ? "" : `  ${error.hint}\n`}`;
}
