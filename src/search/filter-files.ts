/** Filters the files of a search by extension and by folder. */
import type { IndexView } from "./index/index-view.ts";
import type { SearchParameters } from "./search-input.ts";

type Filters = Pick<SearchParameters, "fileType" | "directory">;

/** 1 for each file of the view that passes the filters; null without filters. */
export function filterFiles(view: IndexView, parameters: Filters): Uint8Array | null {
  if (parameters.fileType === null && parameters.directory === null) return null;
  const passes = makePathFilter(parameters);
  const accepted = new Uint8Array(view.fileCount);
  for (const { segment, firstFile } of view.parts) {
    for (let file = 0; file < segment.fileCount; file++) {
      accepted[firstFile + file] = passes(segment.path(file)) ? 1 : 0;
    }
  }
  return accepted;
}

/** Tests whether a path passes the filters. */
export function makePathFilter({ fileType, directory }: Filters): (path: string) => boolean {
  const inFolder = directory === null ? () => true : makeFolderMatcher(directory);
  return (path) => (fileType === null || path.toLowerCase().endsWith(`.${fileType}`)) && inFolder(path);
}

/** How many live files are accepted. */
export function countLiveFiles({ parts }: IndexView, accepted: Uint8Array): number {
  let count = 0;
  for (const { segment, firstFile, dead } of parts) {
    for (let file = 0; file < segment.fileCount; file++) {
      if (accepted[firstFile + file] === 1 && dead?.[file] !== 1) count++;
    }
  }
  return count;
}

/** Tests whether a path is in a folder, or is it. `%` matches any characters, `\\%` a percent sign. */
export function makeFolderMatcher(directory: string): (path: string) => boolean {
  const plain = directory
    .replaceAll("\\%", escapedPercent)
    .replaceAll("\\", "/")
    .replace(/^(?:\.?\/)+/, "")
    .replace(/\/+$/, "");
  if (plain === "" || plain === ".") return () => true;
  const [first = "", ...rest] = plain.split(/%+/).map((literal) => literal.replaceAll(escapedPercent, "%"));
  const last = rest.pop();
  return (path) => {
    if (!path.startsWith(first)) return false;
    const end = endOfLiterals(path, first.length, rest);
    if (end === -1) return false;
    return last === undefined ? isNameEnd(path, first.length) : hasEnding(path, end, last);
  };
}

/** Replaces an escaped `%` while the pattern is split; no path contains it. */
const escapedPercent = "\0";

/** Where the last of these literals ends, if the path has them in this order; else -1. */
function endOfLiterals(path: string, start: number, literals: readonly string[]): number {
  let end = start;
  for (const literal of literals) {
    const index = path.indexOf(literal, end);
    if (index === -1) return -1;
    end = index + literal.length;
  }
  return end;
}

/** Whether the last literal of a pattern occurs where a name ends. */
function hasEnding(path: string, start: number, literal: string): boolean {
  if (literal === "") return true;
  for (let index = path.indexOf(literal, start); index !== -1; index = path.indexOf(literal, index + 1)) {
    if (isNameEnd(path, index + literal.length)) return true;
  }
  return false;
}

function isNameEnd(path: string, index: number): boolean {
  return index === path.length || path[index] === "/";
}
