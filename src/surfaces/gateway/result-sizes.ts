/** Remembers how large the results of a server were that had to be bounded, for `spillway wrap --list`. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { safeFileName } from "../../system/safe-names.ts";
import { isObject } from "./json-rpc.ts";

export type ResultSizes = {
  readonly lastTool: string;
  readonly lastChars: number;
  readonly maxChars: number;
  readonly count: number;
};

const fileOf = (folder: string, server: string): string => join(folder, `${safeFileName(server)}.sizes`);

/** What is known of a server; undefined if none of its results was too large. */
export function readResultSizes(folder: string, server: string): ResultSizes | undefined {
  try {
    const json: unknown = JSON.parse(readFileSync(fileOf(folder, server), "utf8"));
    if (!isObject(json)) return undefined;
    const { lastTool, lastChars, maxChars, count } = json;
    const isWhole = [lastChars, maxChars, count].every((each) => typeof each === "number");
    if (typeof lastTool !== "string" || !isWhole) return undefined;
    return { lastTool, lastChars: Number(lastChars), maxChars: Number(maxChars), count: Number(count) };
  } catch {
    return undefined; // Nothing was bounded yet, or the file is damaged: it is only a statistic.
  }
}

/** Notes a result that was bounded. Of two gateways that note at once, one counts. */
export function noteResultSize(folder: string, server: string, tool: string, chars: number): void {
  const known = readResultSizes(folder, server);
  const sizes: ResultSizes = {
    lastTool: tool,
    lastChars: chars,
    maxChars: Math.max(chars, known?.maxChars ?? 0),
    count: (known?.count ?? 0) + 1,
  };
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const unfinished = `${fileOf(folder, server)}.${process.pid}.tmp`;
    writeFileSync(unfinished, JSON.stringify(sizes), { mode: 0o600 });
    renameSync(unfinished, fileOf(folder, server));
  } catch {
    // A statistic that cannot be written costs no result.
  }
}
