/** Compares readers of office documents on the same files in one run: string recall, CPU time, memory, failures. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { engines, extensionOf, mediaTypes, type OfficeEngine } from "./office-engines.ts";
import { computeRecall, readWords } from "./office-score.ts";
import { readWithPythonPackage } from "./pdf-python.ts";
import { type Reading, readWithEngine } from "./pdf-readings.ts";

/** What this bench measures, for the heading of its output. */
export const about = "Office documents: string recall against the raw XML and CPU, ours and peers.";

/** The documents of the corpus in `SPILLWAY_CORPUS`, by default in `shared/corpus` next to the repository. */
export function officeCorpusFolder(): string {
  const defaultFolder = fileURLToPath(new URL("../../shared/corpus", import.meta.url));
  return join(process.env.SPILLWAY_CORPUS ?? defaultFolder, "office");
}

/** Prints a table for each folder in SPILLWAY_OFFICE (separated by colons), by default for the corpus. */
export async function run(): Promise<void> {
  for (const folder of (process.env.SPILLWAY_OFFICE ?? officeCorpusFolder()).split(":")) {
    const paths = listDocuments(folder);
    if (paths.length === 0) console.log(`No documents in ${folder}; set SPILLWAY_OFFICE.`);
    else await compare(paths);
  }
}

/** The documents of the formats that are compared, in the order of their names. */
export function listDocuments(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).toSorted();
  return names.filter((name) => extensionOf(name) in mediaTypes).map((name) => join(folder, name));
}

/** Files with fewer words say little. */
const MIN_WORDS = 5;

type Document = { readonly path: string; readonly words: readonly string[] };

async function compare(paths: readonly string[]): Promise<void> {
  const documents: Document[] = [];
  for (const path of paths) documents.push({ path, words: await readWords(readFileSync(path), extensionOf(path)) });
  console.log(`${paths.length} files`);
  const byEngine = new Map<string, ReadonlyMap<string, Reading>>();
  for (const engine of engines) byEngine.set(engine.name, await readAll(engine, paths));
  const read = paths.filter((path) => /^(docx|pptx|xlsx)$/.test(extensionOf(path)));
  const readings = await readWithPythonPackage("markitdown", read);
  if (readings) byEngine.set("markitdown", new Map(read.flatMap((path, index) => toPair(path, readings[index]))));
  for (const format of Object.keys(mediaTypes)) printFormat(format, documents, byEngine);
  printWorst(documents, byEngine.get("ours") ?? new Map());
}

const toPair = (path: string, reading: Reading | undefined): (readonly [string, Reading])[] =>
  reading === undefined ? [] : [[path, reading]];

async function readAll({ name, reads }: OfficeEngine, paths: readonly string[]): Promise<ReadonlyMap<string, Reading>> {
  const own = paths.filter((path) => reads.includes(extensionOf(path)));
  try {
    const readings = await readWithEngine(name, own, "./office-child.ts");
    return new Map(own.flatMap((path, index) => toPair(path, readings[index])));
  } catch (error) {
    console.log(error instanceof Error ? error.message : String(error));
    return new Map();
  }
}

function printFormat(
  format: string,
  documents: readonly Document[],
  byEngine: ReadonlyMap<string, ReadonlyMap<string, Reading>>,
): void {
  const own = documents.filter(({ path }) => extensionOf(path) === format);
  const scored = own.filter(({ words }) => words.length >= MIN_WORDS);
  if (own.length === 0) return;
  const rows = [...byEngine].flatMap(([name, readings]) => {
    const read = own.flatMap(({ path }) => readings.get(path) ?? []);
    if (read.length === 0) return [];
    const recalls = scored.map(({ path, words }) => computeRecall(words, readings.get(path)?.text ?? ""));
    const cpuMs = read.reduce((sum, reading) => sum + reading.cpuMs, 0);
    const failed = read.filter((reading) => reading.failed !== null).length;
    return [[name, { recall: mean(recalls).toFixed(4), "CPU ms": Math.round(cpuMs), failed }] as const];
  });
  console.log(`${format}: ${own.length} files, ${scored.length} of them with at least ${MIN_WORDS} words`);
  console.table(Object.fromEntries(rows));
}

function printWorst(documents: readonly Document[], readings: ReadonlyMap<string, Reading>): void {
  const scored = documents.filter(({ words }) => words.length >= MIN_WORDS);
  const worst = scored
    .map(({ path, words }) => ({ path, recall: computeRecall(words, readings.get(path)?.text ?? "") }))
    .filter(({ recall }) => recall < 0.98)
    .sort((one, other) => one.recall - other.recall);
  console.log(`Ours below 0.98: ${worst.length} of ${scored.length}`);
  for (const { path, recall } of worst.slice(0, 25))
    console.log(`${recall.toFixed(3)} ${basename(path)} ${readings.get(path)?.failed ?? ""}`);
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);
