/** Parameters and hints that several tools share. */
import { formatNumber } from "../answer/phrases.ts";
import { modes } from "../extract/handler.ts";
import { DEFAULT_GET_CONTENT_MAX_CHARS, MAX_GET_CONTENT_CHARS } from "../fit/limits.ts";
import type { Field } from "./parameters.ts";
import type { ToolHints } from "./tool.ts";

export const urlField = {
  type: "text",
  about: "Web address, data: URL, or path of a file in a folder that may be read.",
  aliases: ["uri", "link", "source", "path", "address", "href"],
  path: true,
} as const satisfies Field;

export const maxCharsField = {
  type: "integer",
  about: `Characters of content to return, from 1; default ${formatNumber(DEFAULT_GET_CONTENT_MAX_CHARS)}, at most ${formatNumber(MAX_GET_CONTENT_CHARS)}.`,
  min: 1,
  aliases: ["max_length", "maxCharacters"],
} as const satisfies Field;

export const modeField = {
  type: "choice",
  choices: modes,
  about: "How the text is written: markdown (default), text, or raw source.",
  aliases: ["format"],
} as const satisfies Field;

export const refField = {
  type: "text",
  about: "The artifact_ref of an earlier reply: af_ and 32 hex digits.",
  aliases: ["ref", "artifact", "artifact_id", "uri", "id"],
} as const satisfies Field;

export const pagesField = {
  type: "text",
  about: "Pages, sheets or slides of a document, such as 12-18,40.",
  aliases: ["page"],
} as const satisfies Field;

export const offsetField = {
  type: "integer",
  about: "Read from this character on; a truncated reply gives the next one as next_offset.",
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
  about: "Project; each project has its own indexes.",
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
