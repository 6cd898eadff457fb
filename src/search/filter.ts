/** Which files a search may answer with: by their ending and by their folder. */
import type { IndexView } from "./index/view.ts";
import type { SearchRequest } from "./request.ts";

/** 1 for each file of the view that passes; null when nothing is asked. */
export function acceptedFiles(view: IndexView, { fileType, directory }: SearchRequest): Uint8Array | null {
  if (fileType === null && directory === null) return null;
  const inFolder = directory === null ? () => true : folderMatcher(directory);
  const accepted = new Uint8Array(view.fileCount);
  for (const { segment, firstFile } of view.parts) {
    for (let file = 0; file < segment.fileCount; file++) {
      const path = segment.path(file);
      const passes = (fileType === null || path.toLowerCase().endsWith(`.${fileType}`)) && inFolder(path);
      accepted[firstFile + file] = passes ? 1 : 0;
    }
  }
  return accepted;
}

/** How many files that are still there pass. */
export function countLiveFiles({ parts }: IndexView, accepted: Uint8Array): number {
  let count = 0;
  for (const { segment, firstFile, dead } of parts) {
    for (let file = 0; file < segment.fileCount; file++) {
      if (accepted[firstFile + file] === 1 && dead?.[file] !== 1) count++;
    }
  }
  return count;
}

/** Whether a path lies in a folder, or is it. `%` stands for any run of characters, `\\%` and everything else for itself. */
export function folderMatcher(directory: string): (path: string) => boolean {
  const plain = directory
    .replaceAll("\\%", literal)
    .replaceAll("\\", "/")
    .replace(/^(?:\.?\/)+/, "")
    .replace(/\/+$/, "");
  if (plain === "" || plain === ".") return () => true;
  const [first = "", ...rest] = plain.split(/%+/).map((piece) => piece.replaceAll(literal, "%"));
  const last = rest.pop();
  return (path) => {
    if (!path.startsWith(first)) return false;
    const at = afterPieces(path, first.length, rest);
    if (at === -1) return false;
    return last === undefined ? endsName(path, first.length) : hasEnding(path, at, last);
  };
}

/** Stands for a `%` that means itself; no path has it. */
const literal = "\0";

function afterPieces(path: string, start: number, pieces: readonly string[]): number {
  let at = start;
  for (const piece of pieces) {
    const found = path.indexOf(piece, at);
    if (found === -1) return -1;
    at = found + piece.length;
  }
  return at;
}

/** The last piece must end where a name ends, wherever that is. */
function hasEnding(path: string, start: number, piece: string): boolean {
  if (piece === "") return true;
  for (let at = path.indexOf(piece, start); at !== -1; at = path.indexOf(piece, at + 1)) {
    if (endsName(path, at + piece.length)) return true;
  }
  return false;
}

function endsName(path: string, at: number): boolean {
  return at === path.length || path[at] === "/";
}
