/** The first page of a long result: a real beginning that says what the rest is like, cut where a reader would cut. */
import { countLines, cutBetweenCodePoints, splitsPair } from "../../../fit/measure.ts";
import { formatCount } from "../../../system/quantities.ts";
import { clip } from "../../../system/safe-names.ts";
import { readJsonPages } from "./json-page.ts";

export type FirstPage = {
  readonly text: string;
  /** What the whole is like, in our words; empty if there is nothing to say. */
  readonly shape: string;
  /** Names in it, in the words of the server: keys, columns, headings that follow. Empty if there are none. */
  readonly names: string;
  /** Where the beginning ends in the text; reading continues there. */
  readonly nextOffset: number;
};

/** Makes the first page within a number of characters. The text is looked through once, whatever number is tried. */
export type PageMaker = (maxChars: number) => FirstPage;

/** The pages that can be made of a text. */
export function readPages(text: string): PageMaker {
  const start = text.trimStart().charAt(0);
  const jsonPages = start === "[" || start === "{" ? readJsonPages(text) : undefined;
  if (jsonPages !== undefined) return jsonPages;
  if (isLog(text)) return (maxChars) => makeEndsPage(text, maxChars, "The beginning and the end of a log.");
  const separator = findSeparator(text);
  return separator === undefined ? (maxChars) => makeTextPage(text, maxChars) : readTablePages(text, separator);
}

/** Whether a text has the headings of Markdown, so that its sections can be read by name. */
export function hasHeadings(text: string): boolean {
  return text.slice(0, 100_000).matchAll(HEADING).take(2).toArray().length === 2;
}

/** The beginning and the end: what an error or a log says is most often at its end. */
export function makeEndsPage(text: string, maxChars: number, shape: string): FirstPage {
  const head = cutAtLine(text, Math.floor(maxChars * 0.4));
  const target = Math.max(head.length, text.length - Math.floor(maxChars * 0.55));
  const lineStart = text.indexOf("\n", target) + 1;
  const near = lineStart > 0 && lineStart - target < maxChars * 0.2 ? lineStart : target;
  const tailStart = splitsPair(text, near) ? near + 1 : near;
  const skipped = formatCount(tailStart - head.length, "character");
  return {
    text: `${head}\n[... ${skipped} left out ...]\n${text.slice(tailStart)}`,
    shape,
    names: "",
    nextOffset: head.length,
  };
}

/** Lines that begin with a time or a level. */
const LOG_LINE = /^\[?(\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d|(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b)/;

function isLog(text: string): boolean {
  const lines = text.slice(0, 8_000).split("\n").slice(0, 40);
  return lines.length >= 10 && lines.filter((line) => LOG_LINE.test(line)).length >= lines.length * 0.6;
}

/** What separates the columns of a table, if the first lines have equally many. */
function findSeparator(text: string): string | undefined {
  const rows = text.slice(0, 8_000).split("\n").slice(0, 6);
  if (rows.length < 3) return undefined;
  return [",", "\t", ";", "|"].find((separator) => {
    const [columns = 0, ...rest] = rows.slice(0, -1).map((row) => splitRow(row, separator).length);
    return columns > 1 && rest.every((count) => count === columns);
  });
}

/** Cells of a row; a separator inside quotes is part of its cell. */
const splitRow = (row: string, separator: string): string[] =>
  row.replace(/"(?:[^"]|"")*"/g, (cell) => cell.replaceAll(separator, " ")).split(separator);

const MAX_COLUMNS = 20;
const NAME_CHARS = 60;

/** The header and whole rows. */
function readTablePages(text: string, separator: string): PageMaker {
  const columns = splitRow(text.slice(0, text.indexOf("\n")), separator).map((name) => clip(name.trim(), NAME_CHARS));
  const shown = columns.slice(0, MAX_COLUMNS).join(", ") + (columns.length > MAX_COLUMNS ? ", ..." : "");
  const shape = `A table with ${formatCount(countLines(text.trimEnd()) - 1, "row")}.`;
  const names = `Columns: ${shown}`;
  return (maxChars) => {
    const head = cutBetweenCodePoints(text, findRowEnd(text, maxChars));
    return { text: head, shape, names, nextOffset: head.length };
  };
}

/** A line break inside quotes does not end a row. */
function findRowEnd(text: string, maxChars: number): number {
  let end = 0;
  let isQuoted = false;
  for (let index = 0; index < maxChars; index++) {
    const sign = text[index];
    if (sign === '"') isQuoted = !isQuoted;
    else if (sign === "\n" && !isQuoted) end = index;
  }
  return end === 0 ? maxChars : end;
}

/** The beginning, cut before a heading or a paragraph where one is near, else at a line, with the headings that follow. */
function makeTextPage(text: string, maxChars: number): FirstPage {
  const head = cutAtLine(text, maxChars);
  return { text: head, shape: "", names: listHeadings(text.slice(head.length)), nextOffset: head.length };
}

const MAX_HEADINGS = 8;
const HEADING = /^#{1,3} +(\S.*)$/gm;

function listHeadings(rest: string): string {
  const names: string[] = [];
  let count = 0;
  for (const [, name = ""] of rest.matchAll(HEADING)) {
    count += 1;
    if (names.length < MAX_HEADINGS) names.push(clip(name.trim(), NAME_CHARS));
  }
  if (count === 0) return "";
  const more = count > MAX_HEADINGS ? ` and ${count - MAX_HEADINGS} more` : "";
  return `Sections that follow: ${names.join("; ")}${more}`;
}

const MIN_SHARE = 0.7;

function cutAtLine(text: string, maxChars: number): string {
  const window = cutBetweenCodePoints(text, maxChars);
  const min = window.length * MIN_SHARE;
  for (const sign of ["\n# ", "\n## ", "\n### ", "\n\n", "\n"]) {
    const end = window.lastIndexOf(sign);
    if (end >= min) return window.slice(0, end);
  }
  return window;
}
