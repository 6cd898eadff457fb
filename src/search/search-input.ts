/** The input of a search, checked once at the edge. */
import { existsSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { SpillwayError } from "../errors.ts";
import { cleanText } from "../extract/clean.ts";
import { PATH_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";

/** A search as a client sends it. Paths are relative to the current folder. */
export type SearchInput = {
  readonly query: string;
  /** Folder to search; default: the current folder. */
  readonly dir?: string | undefined;
  readonly project_id?: string | undefined;
  readonly repository_id?: string | undefined;
  /** A file name's extension without its dot. */
  readonly file_type?: string | undefined;
  /** Only files below this folder of the repository; `%` matches any characters. */
  readonly directory?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  /** Whether each result explains its score. */
  readonly explain?: boolean | undefined;
  /** Whether the query is a text to be found exactly as it is written, without quotes around it. */
  readonly literal?: boolean | undefined;
};

/** What errors call the parameters: each surface has its own names for them. */
export type ParameterNames = {
  readonly project: string;
  readonly repository: string;
  readonly fileType: string;
  readonly directory: string;
  /** The part of a reply that a next page is asked for with. */
  readonly cursor: string;
};

/** The names of SearchInput, which tools have too. */
export const inputNames: ParameterNames = {
  project: "project_id",
  repository: "repository_id",
  fileType: "file_type",
  directory: "directory",
  cursor: "next_cursor",
};

/** A search with valid options and defaults. */
export type SearchParameters = {
  readonly query: string;
  /** The text that files have to contain exactly; null for an ordinary query. */
  readonly literal: string | null;
  readonly limit: number;
  readonly offset: number;
  readonly fileType: string | null;
  readonly directory: string | null;
  readonly explain: boolean;
};

/** Results of one reply where the client does not say. */
export const DEFAULT_SEARCH_LIMIT = 10;
/** The most results of one reply. */
export const MAX_SEARCH_LIMIT = 50;
/** Results that are ranked; a cursor leads no further. */
export const MAX_RANKED = 500;

/** Checks the input and fills in defaults. Throws with a hint for whatever is invalid. */
export function parseSearchInput(input: SearchInput, names = inputNames): SearchParameters {
  if (input.query.trim() === "")
    throw searchInvalid("Search query cannot be empty", "Say what to look for: words or a name.");
  const limit = input.limit ?? DEFAULT_SEARCH_LIMIT;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_SEARCH_LIMIT) {
    throw searchInvalid(
      `Limit must be between 1 and ${MAX_SEARCH_LIMIT}, got ${limit}`,
      limit > MAX_SEARCH_LIMIT
        ? `Use ${MAX_SEARCH_LIMIT}, and continue with the cursor.`
        : `Use a whole number such as ${DEFAULT_SEARCH_LIMIT}, or leave it out.`,
    );
  }
  const literal = input.literal ? toIndexedForm(input.query) : findLiteral(input.query);
  if (literal?.trim() === "")
    throw searchInvalid(
      "Search query has no visible character",
      "Say what to look for: words, a name, or a text in quotes.",
    );
  return {
    query: input.query,
    literal,
    limit,
    offset: parseCursor(input.cursor, names),
    fileType: parseFileType(input.file_type, names),
    directory: input.directory === undefined || input.directory === "" ? null : input.directory,
    explain: input.explain ?? false,
  };
}

/** What is between the quotes of a quoted query, or a query without any word: punctuation, emoji. Else null. */
export function findLiteral(query: string): string | null {
  const text = toIndexedForm(query).trim();
  const quoted = /^"(.+)"$/s.exec(text)?.[1];
  if (quoted !== undefined) return quoted;
  return text === "" || /[\p{L}\p{N}]/u.test(text) ? null : text;
}

/** The text as files are indexed: line feeds only, and no invisible characters. */
const toIndexedForm = (text: string): string => cleanText(text.replace(/\r\n?/g, "\n")).text;

/** The parameters with the directory relative to the root. Throws for a directory outside the root. */
export function resolveDirectory(parameters: SearchParameters, root: string): SearchParameters {
  const { directory } = parameters;
  if (directory === null || (!isAbsolute(directory) && !/(?:^|\/)\.\.(?:\/|$)/.test(directory))) return parameters;
  const path = relative(root, resolve(root, directory));
  if (path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path)) return { ...parameters, directory: path };
  if (isAbsolute(directory) && !existsSync(directory)) return parameters; // `/src` means `src`.
  throw searchInvalid(
    `Directory ${clip(directory, PATH_CHARS)} is outside the repository ${clip(root, PATH_CHARS)}`,
    "Name a folder below it.",
  );
}

/** Longer than any extension. */
const MAX_FILE_TYPE_CHARS = 40;

function parseFileType(given: string | undefined, names: ParameterNames): string | null {
  if (given === undefined || given === "") return null;
  if (given.startsWith(".")) {
    throw searchInvalid(`${names.fileType} should not include leading dot (use 'py' not '.py')`, "Omit the dot.");
  }
  if (given.length > MAX_FILE_TYPE_CHARS || /[/\\\s]/.test(given)) {
    throw searchInvalid(
      `${names.fileType} ${JSON.stringify(clip(given))} is not an extension`,
      `Give an extension such as py or d.ts; a folder goes into ${names.directory}.`,
    );
  }
  return given.toLowerCase();
}

/** `c_12` continues after the first twelve results. */
export const formatCursor = (offset: number): string => `c_${offset}`;

function parseCursor(cursor: string | undefined, names: ParameterNames): number {
  if (cursor === undefined || cursor === "") return 0;
  const offset = /^c_(\d{1,4})$/.exec(cursor)?.[1];
  if (offset !== undefined && Number(offset) >= MAX_RANKED) {
    throw searchInvalid(
      `Cursor ${cursor} is past the last result: ${MAX_RANKED} are ranked`,
      "Make the query more specific, or filter.",
    );
  }
  if (offset !== undefined) return Number(offset);
  throw searchInvalid(
    `Invalid cursor: ${clip(cursor)}`,
    `Send ${names.cursor} of an earlier reply unchanged, or omit it.`,
  );
}

/** The error for invalid input. */
export function searchInvalid(sentence: string, hint: string): SpillwayError {
  return new SpillwayError("search_invalid", sentence, { hint });
}
