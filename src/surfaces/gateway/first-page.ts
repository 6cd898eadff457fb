/** The first page of a long result: a real beginning that says what the rest is like, cut where a reader would cut. */
import { cutBetweenCodePoints } from "../../fit/measure.ts";
import { formatCount } from "../../system/quantities.ts";
import { isObject } from "./json-rpc.ts";

export type FirstPage = {
  readonly text: string;
  /** What the rest is like, in a sentence; empty if there is nothing to say. */
  readonly shape: string;
  /** Where the page ends in the text, if the page is a beginning of it; reading continues there. */
  readonly nextOffset: number;
};

/** The first page within a number of characters. */
export function makeFirstPage(text: string, maxChars: number): FirstPage {
  if (/^\s*[[{]/.test(text.slice(0, 1_000))) {
    const page = makeJsonPage(text, maxChars);
    if (page) return page;
  }
  return looksLikeLog(text) ? makeLogPage(text, maxChars) : makeTextPage(text, maxChars);
}

/** Whole items of a list, or of the longest list of an object, and the shape of the rest. */
function makeJsonPage(text: string, maxChars: number): FirstPage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // Not JSON after all.
  }
  const found = findLongestList(value);
  if (found === undefined) return undefined;
  const { name, items } = found;
  const end = findItemEnd(text, maxChars);
  if (end === undefined) return undefined;
  const place = name === "" ? "" : ` in ${JSON.stringify(name)}`;
  return {
    text: text.slice(0, end),
    shape: `JSON with ${formatCount(items.length, "item")}${place}. ${describeItems(items)}`.trim(),
    nextOffset: end,
  };
}

/** The last place within the bound where an item ends: the outermost one that leaves the page long enough. */
function findItemEnd(text: string, maxChars: number): number | undefined {
  const tokens = /"(?:[^"\\]|\\.)*"|[[\]{},]/g;
  const ends: number[] = [];
  let depth = 0;
  for (let match = tokens.exec(text); match !== null && match.index < maxChars; match = tokens.exec(text)) {
    const [token] = match;
    if (token === "[" || token === "{") depth++;
    else if (token === "]" || token === "}") depth--;
    else if (token === "," && depth < MAX_ITEM_DEPTH) ends[depth] = match.index + 1;
  }
  return ends.find((end) => end >= maxChars * MIN_SHARE) ?? ends.findLast((end) => end !== undefined);
}

const MAX_ITEM_DEPTH = 8;

function findLongestList(value: unknown): { readonly name: string; readonly items: readonly unknown[] } | undefined {
  if (Array.isArray(value)) return { name: "", items: value };
  if (!isObject(value)) return undefined;
  const lists = Object.entries(value).flatMap(([name, items]) => (Array.isArray(items) ? [{ name, items }] : []));
  return lists.sort((a, b) => b.items.length - a.items.length)[0];
}

const MAX_SHOWN_KEYS = 12;

/** The keys of the items, in how many items each is. */
function describeItems(items: readonly unknown[]): string {
  const counts = new Map<string, number>();
  for (const item of items)
    if (isObject(item)) for (const key of Object.keys(item)) counts.set(key, (counts.get(key) ?? 0) + 1);
  if (counts.size === 0) return "";
  const keys = [...counts]
    .slice(0, MAX_SHOWN_KEYS)
    .map(([key, count]) => (count === items.length ? key : `${key} (${count})`));
  return `Keys: ${keys.join(", ")}${counts.size > MAX_SHOWN_KEYS ? ", ..." : ""}.`;
}

/** Lines that begin with a time or a level. */
const LOG_LINE = /^\[?(\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d|(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b)/;

function looksLikeLog(text: string): boolean {
  const lines = text.slice(0, 8_000).split("\n").slice(0, 40);
  return lines.length >= 10 && lines.filter((line) => LOG_LINE.test(line)).length >= lines.length * 0.6;
}

/** The head and the tail: what matters in a log is most often at its end. */
function makeLogPage(text: string, maxChars: number): FirstPage {
  const head = cutAtLine(text, Math.floor(maxChars * 0.4));
  const tailStart = text.indexOf("\n", text.length - Math.floor(maxChars * 0.55)) + 1;
  const skipped = text.slice(head.length, tailStart).split("\n").length - 1;
  return {
    text: `${head}\n[... ${formatCount(skipped, "line")} left out ...]\n${text.slice(tailStart)}`,
    shape: "The beginning and the end of a log.",
    nextOffset: head.length,
  };
}

/** The beginning, cut before a heading or paragraph where one is near, else at a line. */
function makeTextPage(text: string, maxChars: number): FirstPage {
  const head = cutAtLine(text, maxChars);
  return { text: head, shape: describeTable(text), nextOffset: head.length };
}

/** Rows of a table, if the text looks like one. */
function describeTable(text: string): string {
  const [header = "", second = ""] = text.slice(0, 4_000).split("\n");
  const isTable = [",", "\t", ";"].some((sign) => {
    const columns = header.split(sign).length;
    return columns > 1 && columns === second.split(sign).length;
  });
  return isTable
    ? `A table with ${formatCount(text.split("\n").length - 1, "row")}; the first line is its header.`
    : "";
}

const MIN_SHARE = 0.7;

function cutAtLine(text: string, maxChars: number): string {
  const window = cutBetweenCodePoints(text, maxChars);
  const min = window.length * MIN_SHARE;
  for (const sign of ["\n# ", "\n## ", "\n\n", "\n"]) {
    const end = window.lastIndexOf(sign);
    if (end >= min) return window.slice(0, end);
  }
  return window;
}
