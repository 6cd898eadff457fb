/** Parameters and hints that several tools share. */
import { formatNumber } from "../answer/phrases.ts";
import { linkStyles, modes } from "../extract/handler.ts";
import { MAX_GET_CONTENT_CHARS } from "../fit/limits.ts";
import type { Field } from "./parameters.ts";
import type { ToolHints } from "./tool.ts";

export const urlField = {
  type: "text",
  about: "Web address, data: URL, or file path.",
  aliases: ["uri", "link", "source", "path", "address", "href"],
  path: true,
} as const satisfies Field;

export const maxCharsField = {
  type: "integer",
  about: `Characters of content, at most ${formatNumber(MAX_GET_CONTENT_CHARS)}.`,
  min: 1,
  aliases: ["max_length", "maxCharacters"],
} as const satisfies Field;

export const modeField = {
  type: "choice",
  choices: modes,
  about: "markdown (default), text, or raw: the HTML or other source.",
  aliases: ["format"],
} as const satisfies Field;

export const linksField = {
  type: "choice",
  choices: linkStyles,
  about: "Where link addresses go. Default: inline.",
} as const satisfies Field;

export const refField = {
  type: "text",
  about: "From an earlier reply: af_ and 32 hex digits.",
  aliases: ["ref", "artifact", "artifact_id", "uri", "id"],
} as const satisfies Field;

export const responseIdField = {
  type: "text",
  about: "Instead: rs_ and 32 hex digits. Lists what is stored, or reads the only source.",
} as const satisfies Field;

export const urlIndexField = {
  type: "integer",
  example: 0,
  about: "Which source of the responseId, from 0.",
  aliases: ["index"],
} as const satisfies Field;

export const pagesField = {
  type: "text",
  about: "Pages, sheets or slides, such as 12-18,40.",
  aliases: ["page"],
} as const satisfies Field;

export const offsetField = {
  type: "integer",
  about: "Read from this character on.",
  aliases: ["start", "start_index"],
} as const satisfies Field;

export const folderField = {
  type: "text",
  about: "Folder with source files.",
  aliases: ["path", "dir", "folder", "root", "repository_path"],
  path: true,
} as const satisfies Field;

export const projectField = {
  type: "text",
  about: "Named project with its own indexes.",
  aliases: ["project"],
} as const satisfies Field;

/** A fetch changes nothing but our own store. */
export const fetchHints: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
};

export const readHints: ToolHints = { ...fetchHints, openWorldHint: false };

/** A ref without the scheme of its resource address. */
export const trimRef = (given: string): string => given.trim().replace(/^artifact:\/\//, "");
