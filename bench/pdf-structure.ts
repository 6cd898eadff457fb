/** Compares the Markdown of PDF engines with the structure that the documents were made from. */
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { markdownEngines } from "./pdf-engines.ts";
import { readWithPythonPackages } from "./pdf-python.ts";
import { type Reading, readWithEngine } from "./pdf-readings.ts";
import {
  parseHtml,
  parseMarkdown,
  type Structure,
  type StructureScore,
  scoreStructure,
} from "./pdf-structure-score.ts";

/** A PDF of `make-pdfs.ts`, which writes its HTML beside it. */
export function hasSource(path: string): boolean {
  return existsSync(toSource(path));
}

const toSource = (path: string): string => path.replace(/\.pdf$/i, ".html");

/** Prints one table for each program that made the PDFs, and one for all. */
export async function printStructure(paths: readonly string[]): Promise<void> {
  const expected = paths.map((path) => parseHtml(readFileSync(toSource(path), "utf8")));
  const rows: { readonly name: string; readonly readings: readonly Reading[] }[] = [];
  for (const { name } of markdownEngines) rows.push({ name, readings: await readWithEngine(name, paths) });
  rows.push(...(await readWithPythonPackages(paths)));
  const makers = [...new Set(paths.map(makerOf))].sort();
  for (const maker of [...makers, "all"]) {
    const indexes = paths.flatMap((path, index) => (maker === "all" || makerOf(path) === maker ? [index] : []));
    console.log(`\n${maker}: ${indexes.length} PDFs`);
    console.table(Object.fromEntries(rows.map(({ name, readings }) => [name, cells(readings, expected, indexes)])));
  }
}

/** `weirs.chromium-tagged.pdf` was made by `chromium-tagged`. */
const makerOf = (path: string): string => basename(path).split(".").at(-2) ?? "";

function cells(readings: readonly Pick<Reading, "text">[], expected: readonly Structure[], indexes: readonly number[]) {
  const scores = indexes.map((index) =>
    scoreStructure(
      parseMarkdown(readings[index]?.text ?? ""),
      expected[index] ?? { headings: [], rows: [], tokens: [] },
    ),
  );
  const sum = (name: keyof StructureScore): number => scores.reduce((total, score) => total + score[name], 0);
  const share = (part: number, whole: number): string => (whole === 0 ? "" : (part / whole).toFixed(3));
  return {
    "headings found": share(sum("headingsFound"), sum("headings")),
    precision: share(sum("headingsRight"), sum("headingsMarked")),
    "rows found": share(sum("rowsFound"), sum("rows")),
    order: share(sum("order"), scores.length),
    words: share(sum("words"), scores.length),
  };
}
