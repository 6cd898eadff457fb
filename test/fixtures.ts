/** Reads the fixtures, compares text with golden files, and tells failed checks from known defects. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Answer,
  defaultSettings,
  type FetchFields,
  type FetchOptions,
  fetchSource,
  openSession,
} from "../src/index.ts";

/** Everything below is relative to this folder. */
export const fixturesFolder = fileURLToPath(new URL("./fixtures", import.meta.url));

/** Fetches a file of a folder as an agent would get it, with room for all of its text. */
export async function fetchFixture(
  folder: string,
  name: string,
  options: FetchOptions = {},
): Promise<Answer<FetchFields>> {
  await using session = await openSession({ inMemory: true, settings: defaultSettings, cwd: folder });
  return await fetchSource(name, { mode: "markdown", maxChars: 100_000, ...options }, session);
}

/** Fails with a diff if the text is not that of the golden file; with UPDATE_GOLDEN=1 the text is written to it. */
export function assertGolden(path: string, actual: string): void {
  const text = actual === "" || actual.endsWith("\n") ? actual : `${actual}\n`;
  if (process.env.UPDATE_GOLDEN === "1") writeFileSync(path, text);
  const expected = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (text === expected) return;
  assert.fail(`The output differs from ${relative(process.cwd(), path)} (- golden, + now):

${lineDiff(expected, text)}

If the new output is right, accept it with UPDATE_GOLDEN=1 and read the diff before you commit it.`);
}

const CONTEXT_LINES = 2;
const MAX_DIFF_LINES = 120;

/** Changed lines with `-` and `+`, and a little context around them. */
export function lineDiff(before: string, after: string): string {
  const lines = alignLines(before.split("\n"), after.split("\n"));
  const isNear = (index: number): boolean =>
    lines.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some((line) => !line.startsWith(" "));
  const shown = lines.flatMap((line, index) => {
    if (isNear(index)) return [line];
    return isNear(index - 1) ? ["  ..."] : [];
  });
  const rest = shown.length - MAX_DIFF_LINES;
  return shown.slice(0, MAX_DIFF_LINES).join("\n") + (rest > 0 ? `\n(${rest} more lines)` : "");
}

/** All lines of both texts in order, by their longest common subsequence. */
function alignLines(before: readonly string[], after: readonly string[]): string[] {
  const common = commonLengths(before, after);
  const lengthAt = (i: number, j: number): number => common[i]?.[j] ?? 0;
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [old, current] = [before[i], after[j]];
    if (old !== undefined && old === current) {
      lines.push(`  ${old}`);
      [i, j] = [i + 1, j + 1];
    } else if (old !== undefined && (current === undefined || lengthAt(i + 1, j) >= lengthAt(i, j + 1))) {
      lines.push(`- ${old}`);
      i += 1;
    } else {
      lines.push(`+ ${current}`);
      j += 1;
    }
  }
  return lines;
}

function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i--) {
    const [row = [], below = []] = [lengths[i], lengths[i + 1]];
    for (let j = after.length - 1; j >= 0; j--) {
      row[j] = before[i] === after[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return lengths;
}

/** Facts that must hold for the text of a fixture, whatever its golden file says. */
export type Checks = {
  readonly title?: string;
  readonly method?: string;
  /** Of a document. */
  readonly pages?: number;
  /** Part of the sentence that says why there is no text. */
  readonly error?: string;
  readonly contains?: readonly string[];
  readonly excludes?: readonly string[];
  /** These occur in this order. */
  readonly order?: readonly string[];
};

/** The checks as sentences, and whether each holds. */
export function runChecks(checks: Checks, { fields, content }: Answer<FetchFields>): ReadonlyMap<string, boolean> {
  const text = content ?? "";
  const results = new Map<string, boolean>();
  if (checks.title !== undefined) results.set(`title: ${checks.title}`, fields.title === checks.title);
  if (checks.method !== undefined) results.set(`method: ${checks.method}`, fields.method === checks.method);
  if (checks.pages !== undefined) results.set(`pages: ${checks.pages}`, fields.page_count === checks.pages);
  if (checks.error !== undefined) results.set(`error: ${checks.error}`, fields.error?.includes(checks.error) ?? false);
  for (const part of checks.contains ?? []) results.set(`contains: ${part}`, text.includes(part));
  for (const part of checks.excludes ?? []) results.set(`excludes: ${part}`, !text.includes(part));
  if (checks.order !== undefined) results.set(`order: ${checks.order.join(" < ")}`, occurInOrder(text, checks.order));
  return results;
}

function occurInOrder(text: string, parts: readonly string[]): boolean {
  let from = 0;
  return parts.every((part) => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return at !== -1;
  });
}

/** The checks that a KNOWN-DEFECTS.md lists, by the name of the fixture: lines such as `- contains: "text"`. */
export function readKnownDefects(path: string): ReadonlyMap<string, readonly string[]> {
  const defects = new Map<string, readonly string[]>();
  for (const section of readFileSync(path, "utf8").split(/^## /m).slice(1)) {
    const name = section.slice(0, section.indexOf("\n")).trim();
    const checks = section.matchAll(/^- (title|method|pages|error|contains|excludes|order): (".*")$/gm);
    defects.set(
      name,
      [...checks].map(([, kind, text = ""]) => `${kind}: ${JSON.parse(text)}`),
    );
  }
  return defects;
}

/** Fails if a check fails that is not a known defect, or if a known defect no longer exists. */
export function assertChecks(results: ReadonlyMap<string, boolean>, known: readonly string[]): void {
  const failed = [...results].filter(([, holds]) => !holds).map(([check]) => check);
  const unknown = failed.filter((check) => !known.includes(check));
  assert.deepEqual(unknown, [], "These checks fail and are not known defects.");
  const fixed = known.filter((check) => !failed.includes(check));
  assert.deepEqual(fixed, [], "These known defects no longer exist: remove them from KNOWN-DEFECTS.md.");
}
