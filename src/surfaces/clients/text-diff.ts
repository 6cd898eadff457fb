/** The difference of two texts as a unified diff. */
import { findLineEdits, type LineEdit } from "./line-edits.ts";

/** Lines around a change that are shown. Few, because configs hold keys. */
const CONTEXT_LINES = 1;

/** A diff from one text to another; empty if they are equal. A missing file is /dev/null. */
export function writeDiff(path: string, before: string | null, after: string | null): string {
  if (before === after) return "";
  const [old, changed] = [splitLines(before ?? ""), splitLines(after ?? "")];
  const hunks = joinNear(findLineEdits(old, changed)).map((edits) => writeHunk(old, changed, edits));
  return `--- ${before === null ? "/dev/null" : path}\n+++ ${after === null ? "/dev/null" : path}\n${hunks.join("")}`;
}

/** Lines with their ends, so that a change of the last line end is seen. */
const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Edits whose surrounding lines touch share a hunk. */
function joinNear(edits: readonly LineEdit[]): LineEdit[][] {
  const hunks: LineEdit[][] = [];
  for (const edit of edits) {
    const last = hunks.at(-1)?.at(-1);
    const isNear = last !== undefined && edit.oldStart - last.oldEnd <= 2 * CONTEXT_LINES;
    if (isNear) hunks.at(-1)?.push(edit);
    else hunks.push([edit]);
  }
  return hunks;
}

function writeHunk(old: readonly string[], changed: readonly string[], edits: readonly LineEdit[]): string {
  const [first, last] = [edits[0], edits.at(-1)];
  if (first === undefined || last === undefined) return "";
  const lead = Math.min(CONTEXT_LINES, first.oldStart);
  const trail = Math.min(CONTEXT_LINES, old.length - last.oldEnd);
  const lines = edits.flatMap(({ oldStart, oldEnd, newStart, newEnd }, index) => [
    ...markLines(" ", old.slice(edits[index - 1]?.oldEnd ?? oldStart - lead, oldStart)),
    ...markLines("-", old.slice(oldStart, oldEnd)),
    ...markLines("+", changed.slice(newStart, newEnd)),
  ]);
  const ranges = `-${writeRange(first.oldStart - lead, last.oldEnd + trail)} +${writeRange(first.newStart - lead, last.newEnd + trail)}`;
  return [`@@ ${ranges} @@\n`, ...lines, ...markLines(" ", old.slice(last.oldEnd, last.oldEnd + trail))].join("");
}

const markLines = (mark: string, lines: readonly string[]): string[] => lines.map((line) => endDiffLine(mark + line));

const writeRange = (start: number, end: number): string => `${end > start ? start + 1 : start},${end - start}`;

const endDiffLine = (line: string): string => (line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`);
