/** Remembers how large the results of a server were that had to be bounded, for `spillway wrap --list`. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFoldersSync } from "../../system/folders.ts";
import { safeFileName } from "../../system/safe-names.ts";
import { isObject } from "./json-rpc.ts";

export type ResultSizes = {
  readonly lastTool: string;
  readonly lastChars: number;
  readonly maxChars: number;
  readonly count: number;
};

/** How long notes are collected: a write takes longer than all other work on a small page. */
const COLLECT_MS = 250;

/** Notes that are not written yet, by file. */
const unwritten = new Map<string, ResultSizes>();

const fileOf = (folder: string, server: string): string => join(folder, `${safeFileName(server)}.sizes`);

/** What is known of a server; undefined if none of its results was too large. */
export function readResultSizes(folder: string, server: string): ResultSizes | undefined {
  const file = fileOf(folder, server);
  return addSizes(readSizes(file), unwritten.get(file));
}

function readSizes(file: string): ResultSizes | undefined {
  try {
    const json: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isObject(json)) return undefined;
    const { lastTool, lastChars, maxChars, count } = json;
    const isWhole = [lastChars, maxChars, count].every((each) => typeof each === "number");
    if (typeof lastTool !== "string" || !isWhole) return undefined;
    return { lastTool, lastChars: Number(lastChars), maxChars: Number(maxChars), count: Number(count) };
  } catch {
    return undefined; // Nothing was bounded yet, or the file is damaged: it is only a statistic.
  }
}

/** Notes a result that was bounded; the file is written a little later. Of two gateways that note at once, one counts. */
export function noteResultSize(folder: string, server: string, tool: string, chars: number): void {
  const file = fileOf(folder, server);
  if (!unwritten.has(file)) setTimeout(() => writeNotes(file), COLLECT_MS);
  const sizes = { lastTool: tool, lastChars: chars, maxChars: chars, count: 1 };
  unwritten.set(file, addSizes(unwritten.get(file), sizes) ?? sizes);
}

function addSizes(known: ResultSizes | undefined, next: ResultSizes | undefined): ResultSizes | undefined {
  if (known === undefined || next === undefined) return next ?? known;
  return { ...next, maxChars: Math.max(known.maxChars, next.maxChars), count: known.count + next.count };
}

function writeNotes(file: string): void {
  const sizes = addSizes(readSizes(file), unwritten.get(file));
  unwritten.delete(file);
  try {
    makeFoldersSync(dirname(file));
    const unfinished = `${file}.${process.pid}.tmp`;
    writeFileSync(unfinished, JSON.stringify(sizes), { mode: 0o600 });
    renameSync(unfinished, file);
  } catch {
    // A statistic that cannot be written costs no result.
  }
}
