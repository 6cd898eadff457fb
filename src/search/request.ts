/** What a search is asked, checked once at the edge. */
import { existsSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { SpillwayError } from "../errors.ts";
import { PATH_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";

/** A search as it comes in. Paths are those of the folder where the user stands. */
export type SearchInput = {
  readonly query: string;
  /** Folder to search; default: where the user stands. */
  readonly dir?: string | undefined;
  readonly project_id?: string | undefined;
  readonly repository_id?: string | undefined;
  /** A file name's ending without its dot. */
  readonly file_type?: string | undefined;
  /** Only files below this folder of the repository; `%` stands for anything. */
  readonly directory?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  /** Whether each result says what its score is made of. */
  readonly explain?: boolean | undefined;
};

/** A search that can be done. */
export type SearchRequest = {
  readonly query: string;
  readonly limit: number;
  readonly offset: number;
  readonly fileType: string | null;
  readonly directory: string | null;
  readonly explain: boolean;
};

const defaultLimit = 10;
export const largestLimit = 50;
/** No ranking is read further than this. */
export const mostRanked = 500;

/** Throws with the next move for everything that is wrong with a search itself. */
export function parseRequest(input: SearchInput): SearchRequest {
  if (input.query.trim() === "")
    throw invalid("Search query cannot be empty", "Say what to look for: words or a name.");
  const limit = input.limit ?? defaultLimit;
  if (!Number.isInteger(limit) || limit < 1 || limit > largestLimit) {
    throw invalid(
      `Limit must be between 1 and ${largestLimit}, got ${limit}`,
      "Ask for fewer, and read on by the cursor.",
    );
  }
  return {
    query: input.query,
    limit,
    offset: offsetOf(input.cursor),
    fileType: fileTypeOf(input.file_type),
    directory: input.directory === undefined || input.directory === "" ? null : input.directory,
    explain: input.explain ?? false,
  };
}

/** An absolute directory below the root is the same as a relative one; one that lies elsewhere has nothing to find. */
export function inRepository(request: SearchRequest, root: string): SearchRequest {
  const { directory } = request;
  if (directory === null || (!isAbsolute(directory) && !/(?:^|\/)\.\.(?:\/|$)/.test(directory))) return request;
  const path = relative(root, resolve(root, directory));
  if (path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path)) return { ...request, directory: path };
  if (isAbsolute(directory) && !existsSync(directory)) return request; // `/src` means `src`.
  throw invalid(
    `Directory ${clip(directory, PATH_CHARS)} is outside the repository ${clip(root, PATH_CHARS)}`,
    "Name a folder below it.",
  );
}

function fileTypeOf(given: string | undefined): string | null {
  if (given === undefined || given === "") return null;
  if (given.startsWith(".")) {
    throw invalid("file_type should not include leading dot (use 'py' not '.py')", "Leave the dot out.");
  }
  return given.toLowerCase();
}

/** `c_12` goes on after the first twelve results. */
export const cursorAt = (offset: number): string => `c_${offset}`;

function offsetOf(cursor: string | undefined): number {
  if (cursor === undefined || cursor === "") return 0;
  const offset = /^c_(\d{1,4})$/.exec(cursor)?.[1];
  if (offset !== undefined && Number(offset) >= mostRanked) {
    throw invalid(
      `Cursor ${cursor} is past the last result: ${mostRanked} are ranked`,
      "Ask more narrowly, or filter.",
    );
  }
  if (offset !== undefined) return Number(offset);
  throw invalid(`Invalid cursor: ${clip(cursor)}`, "Give next_cursor of an earlier reply as it was, or none.");
}

/** A search that was asked wrongly. */
export function invalid(sentence: string, hint: string): SpillwayError {
  return new SpillwayError("search_invalid", sentence, { hint });
}
