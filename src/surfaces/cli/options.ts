/** Options that several commands share, and functions that read their values. */
import { formatNumber } from "../../answer/phrases.ts";
import { SpillwayError } from "../../errors.ts";
import { type LinkStyle, linkStyles, type Mode, modes } from "../../extract/handler.ts";
import { MAX_GET_CONTENT_CHARS } from "../../fit/limits.ts";
import type { ParameterNames } from "../../search/search-input.ts";
import { clip } from "../../system/safe-names.ts";
import type { Call, OptionRow } from "./command.ts";

export const modeRow: OptionRow = {
  type: "string",
  value: modes.join("|"),
  about: "Format of the text: markdown (default), text, or raw source.",
};

/** The value of --mode; markdown by default. */
export function readMode(call: Call): Mode {
  const text = readText(call, "mode") ?? "markdown";
  const mode = modes.find((candidate) => candidate === text);
  if (mode) return mode;
  throw new SpillwayError("usage", `There is no mode ${JSON.stringify(clip(text))}.`, {
    hint: `Modes: ${modes.join(", ")}.`,
  });
}

export const linksRow: OptionRow = {
  type: "string",
  value: linkStyles.join("|"),
  about: "Links of a web page: inline (default), numbered with a list of addresses at the end, or none.",
};

/** The value of --links; inline by default. */
export function readLinks(call: Call): LinkStyle {
  const text = readText(call, "links") ?? "inline";
  const links = linkStyles.find((candidate) => candidate === text);
  if (links) return links;
  throw new SpillwayError("usage", `There is no style of links ${JSON.stringify(clip(text))}.`, {
    hint: `Styles: ${linkStyles.join(", ")}.`,
  });
}

export const maxCharsRow: OptionRow = {
  type: "string",
  value: "N",
  about: `Characters of content to show, 1 to ${formatNumber(MAX_GET_CONTENT_CHARS)}.`,
};

export const passwordRow: OptionRow = {
  type: "string",
  value: "PASSWORD",
  about: "Opens an encrypted document for this call. It is not stored.",
};

export const projectRow: OptionRow = {
  type: "string",
  value: "ID",
  about: "Project whose indexes are used. Default: the one in the nearest .spillway/project.json, else default.",
};

/** What errors of a search call its parameters here. */
export const searchOptionNames: ParameterNames = {
  project: "--project",
  repository: "--repository",
  fileType: "--file-type",
  directory: "--directory",
  cursor: "--cursor",
};

export const allRow: OptionRow = { type: "boolean", about: "Show everything, without a limit." };

/** The text of an option, or undefined if it was not given. */
export function readText({ values }: Call, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

/** The value of --max-chars. A number above the ceiling is lowered later, and the reply says so. */
export function readMaxChars(call: Call): number | undefined {
  const text = readText(call, "max-chars");
  if (text === undefined) return undefined;
  const chars = /^\d+(?:[_,]\d+)*$/.test(text) ? Number(text.replaceAll(/[_,]/g, "")) : Number.NaN;
  if (Number.isSafeInteger(chars) && chars >= 1) return chars;
  throw new SpillwayError("usage", `--max-chars must be a whole number from 1, got ${JSON.stringify(clip(text))}.`, {
    hint: "For example --max-chars 50000, or leave it out.",
  });
}
