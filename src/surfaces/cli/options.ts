/** Options that several commands take, and reading what was given for them. */
import { grouped } from "../../answer/phrases.ts";
import { SpillwayError } from "../../errors.ts";
import { type Mode, modes } from "../../extract/handler.ts";
import { MAX_GET_CONTENT_CHARS } from "../../fit/limits.ts";
import type { Call, OptionRow } from "./command.ts";

export const modeRow: OptionRow = {
  type: "string",
  value: modes.join("|"),
  about: "How the text is written: markdown (default), text, or raw source.",
};

/** The mode asked for. */
export function readMode(call: Call): Mode {
  const text = readText(call, "mode") ?? "markdown";
  const mode = modes.find((candidate) => candidate === text);
  if (mode) return mode;
  throw new SpillwayError("usage", `There is no mode ${JSON.stringify(text)}.`, {
    hint: `Modes: ${modes.join(", ")}.`,
  });
}

export const maxCharsRow: OptionRow = {
  type: "string",
  value: "N",
  about: `Characters of content to show, at most ${grouped(MAX_GET_CONTENT_CHARS)}.`,
};

export const passwordRow: OptionRow = {
  type: "string",
  value: "WORD",
  about: "Opens an encrypted document for this call; it is not stored.",
};

export const projectRow: OptionRow = {
  type: "string",
  value: "ID",
  about: "Project whose indexes are used. Default: the one of .spillway/project.json above, else default.",
};

export const allRow: OptionRow = { type: "boolean", about: "Show everything, however much it is." };

/** The text of an option, or undefined when it was not given. */
export function readText({ values }: Call, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

/** A whole number of characters. What is out of range is brought into it later, and the reply says so. */
export function readMaxChars(call: Call): number | undefined {
  const name = "max-chars";
  const text = readText(call, name);
  if (text === undefined) return undefined;
  const chars = Number(text.replaceAll(/[_,]/g, ""));
  if (Number.isInteger(chars)) return chars;
  throw new SpillwayError("usage", `--${name} must be a whole number, got ${JSON.stringify(text)}.`, {
    hint: `For example --${name} 50000.`,
  });
}
