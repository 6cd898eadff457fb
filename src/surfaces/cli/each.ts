/** Several inputs, answered in order: one that fails is told and the others go on. */
import { SpillwayError } from "../../errors.ts";
import type { Call, ExitCode } from "./command.ts";
import { errorFields, errorLines, jsonLine } from "./output.ts";

export async function forEachInput(call: Call, answer: (input: string) => Promise<void>): Promise<ExitCode> {
  const { args, json, terminal } = call;
  if (args.length === 0) {
    throw new SpillwayError("usage", "Nothing to work on was given.", { hint: "Add a file, a ref or - for stdin." });
  }
  let failed = false;
  for (const input of args) {
    try {
      await answer(input);
    } catch (error) {
      if (!(error instanceof SpillwayError)) throw error;
      failed = true;
      if (json) await terminal.out(jsonLine({ source_url: input, ...errorFields(error) }));
      terminal.note(errorLines(error));
    }
  }
  return failed ? 1 : 0;
}

/** The text of an option, or undefined when it was not given. */
export function textOption({ values }: Call, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

/** A whole number of characters. What is out of range is brought into it later, and the reply says so. */
export function charsOption(call: Call, name: string): number | undefined {
  const text = textOption(call, name);
  if (text === undefined) return undefined;
  const chars = Number(text.replaceAll(/[_,]/g, ""));
  if (Number.isInteger(chars)) return chars;
  throw new SpillwayError("usage", `--${name} must be a whole number, got ${JSON.stringify(text)}.`, {
    hint: `For example --${name} 50000.`,
  });
}
