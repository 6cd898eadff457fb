/** Splices of a text, and the layout that an inserted part takes over from its surroundings. */

/** A part of a text and what replaces it. */
export type Splice = { readonly start: number; readonly end: number; readonly text: string };

/** Applies splices that do not overlap, in one pass: configs may have megabytes and many changes. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const ordered = splices.toSorted((one, other) => one.start - other.start || one.end - other.end);
  const ends = [0, ...ordered.map(({ end }) => end)];
  const pieces = ordered.map(({ start, text: part }, index) => text.slice(ends[index], start) + part);
  return pieces.join("") + text.slice(ends.at(-1));
}

/** The line ends of a text, which an inserted line has too. */
export function findEol(text: string): "\r\n" | "\n" {
  return /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n";
}

/** Where the line of an offset starts. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** Where the line of an offset ends, before its line end. */
export function lineEnd(text: string, offset: number): number {
  const newline = text.indexOf("\n", offset);
  if (newline === -1) return text.length;
  return text[newline - 1] === "\r" && newline > offset ? newline - 1 : newline;
}

/** The start of the line after the one of an offset; the end of the text on the last line. */
export function nextLine(text: string, offset: number): number {
  const newline = text.indexOf("\n", offset);
  return newline === -1 ? text.length : newline + 1;
}

/** The spaces and tabs before the first word of the line of an offset. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? "";
}

/** Whether only blanks are before an offset on its line. */
export function startsLine(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === "";
}

/** The text, ending with a line end unless it is empty. */
export function endLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : text + findEol(text);
}

/** A place as people count it: `line 3, column 5`. */
export function describePlace(text: string, offset: number): string {
  const line = text.slice(0, offset).split("\n").length;
  return `line ${line}, column ${offset - lineStart(text, offset) + 1}`;
}
