/** The difference of two texts as a unified diff. Our changes are few and close together, so one hunk is enough. */

/** Lines around a change that are shown. Few, because configs hold keys. */
const CONTEXT_LINES = 1;

/** A diff from one text to another; empty if they are equal. A missing file is /dev/null. */
export function writeDiff(path: string, before: string | null, after: string | null): string {
  if (before === after) return "";
  const [old, changed] = [splitLines(before ?? ""), splitLines(after ?? "")];
  const head = countEqual(old, changed);
  const tail = Math.min(countEqual(old.toReversed(), changed.toReversed()), old.length - head, changed.length - head);
  const start = Math.max(0, head - CONTEXT_LINES);
  const end = Math.max(0, tail - CONTEXT_LINES);
  const lines = [
    ...old.slice(start, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...changed.slice(head, changed.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - end).map((line) => ` ${line}`),
  ];
  const ranges = `-${writeRange(start, old.length - end)} +${writeRange(start, changed.length - end)}`;
  const heading = `--- ${before === null ? "/dev/null" : path}\n+++ ${after === null ? "/dev/null" : path}\n@@ ${ranges} @@\n`;
  return heading + lines.map(endDiffLine).join("");
}

/** Lines with their ends, so that a change of the last line end is seen. */
const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function countEqual(one: readonly string[], other: readonly string[]): number {
  const index = one.findIndex((line, position) => line !== other[position]);
  return index === -1 ? one.length : index;
}

const writeRange = (start: number, end: number): string => `${end > start ? start + 1 : start},${end - start}`;

const endDiffLine = (line: string): string => (line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`);
