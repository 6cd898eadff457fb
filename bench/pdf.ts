/** PDF readers side by side on the same files in one run: CPU, memory, failures, and how well they agree. */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { engines } from "./pdf-engines.ts";
import { coldChildCpuMs, coldCpuMs, type Reading, readWithEngine, readWithProgram } from "./pdf-readings.ts";
import { bigramsOf, f1, tokensOf } from "./pdf-score.ts";

/** What this bench measures, for the heading of its output. */
export const about = "PDF text: CPU, peak memory, failures and agreement with pdftotext and mutool, ours and peers.";

/** Prints the table for all PDFs of the folders in SPILLWAY_PDFS (separated by colons), else of the corpus. */
export async function run(): Promise<void> {
  const folders = (process.env.SPILLWAY_PDFS ?? corpusPdfs()).split(":");
  const paths = folders.filter((folder) => existsSync(folder)).flatMap(pdfsIn);
  if (paths.length === 0) return console.log(`No PDFs in ${folders.join(", ")}; set SPILLWAY_PDFS.`);
  const references = readReferences(paths);
  const rows: Row[] = [...references];
  for (const { name } of engines) {
    if (isAsked(name)) rows.push({ name, readings: await readWithEngine(name, paths) });
  }
  const consensus = scoreable(paths, references);
  const longFiles = longDocuments(rows, paths);
  console.log(`${paths.length} files, ${consensus.length} of them read alike by pdftotext and mutool`);
  console.table(Object.fromEntries(rows.map((row) => [row.name, cells(row, consensus, longFiles)])));
  await printCold(rows, paths);
  console.log(footnotes);
  for (const row of rows.filter(({ name }) => name.startsWith("ours"))) printWorst(row, consensus, paths);
}

/** What the first page costs a process that has just started, on the first file of one page that all have read. */
async function printCold(rows: readonly Row[], paths: readonly string[]): Promise<void> {
  const own = rows.filter(({ readings }) => readings.some(({ processCpuMs }) => processCpuMs > 0));
  const at = paths.findIndex((_, index) =>
    own.every(({ readings }) => readings[index]?.pages === 1 && readings[index].text.length > 200),
  );
  const path = paths[at];
  if (path === undefined) return console.log("No file of one page was read by all: the first page is not measured.");
  console.log(`CPU ms of a new process from its start to the text of ${basename(path)}:`);
  const print = (name: string, cpuMs: number) => console.log(`${cpuMs.toFixed(0).padStart(6)} ${name}`);
  print("ours, the built child", await coldChildCpuMs(path));
  for (const { name } of own) print(`${name}, in the bench's child`, await coldCpuMs(name, path));
}

/** The folder from `SPILLWAY_CORPUS`, else the one that stands beside the repository. */
export function corpusPdfs(): string {
  const beside = fileURLToPath(new URL("../../shared/corpus", import.meta.url));
  return join(process.env.SPILLWAY_CORPUS ?? beside, "pdf");
}

type Row = { readonly name: string; readonly readings: readonly Reading[] };

const footnotes = `CPU is user and system time: of the reader's calls for engines in Node (one process for all files, start not
counted), of the whole program for pdftotext and mutool. A time-out is 20 CPU seconds or 60 seconds, and counts 20.
F1 and bigrams: token F1 against the better of pdftotext and mutool, mean over the files those two read alike (0.9).
"long" are the files of 50 pages and more. Peak MB is of the one process that read all files.`;

/** BENCH_PDF_ENGINES=ours,pdf-parse runs only these. */
function isAsked(name: string): boolean {
  const asked = process.env.BENCH_PDF_ENGINES?.split(",") ?? [];
  return asked.length === 0 || asked.some((part) => name.startsWith(part));
}

/** The PDFs of a folder in order. */
export function pdfsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /\.pdf$/i.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/** What the two programs read that everybody is measured by; empty where they are not installed. */
export function readReferences(paths: readonly string[]): Row[] {
  const commands = {
    pdftotext: ["pdftotext", "-q", "-enc", "UTF-8", "FILE", "-"],
    mutool: ["mutool", "draw", "-q", "-F", "txt", "-o", "-", "FILE"],
  };
  return Object.entries(commands).flatMap(([name, command]) => {
    const readings = readWithProgram(command, paths);
    return readings === null ? [] : [{ name, readings }];
  });
}

/** One file the references agree on, ready for scoring. */
export type Scoreable = { readonly index: number; readonly references: readonly (readonly string[])[] };

/** The files both references read alike. */
export function scoreable(paths: readonly string[], references: readonly Row[]): Scoreable[] {
  return paths.flatMap((_, index) => {
    const tokens = references.map(({ readings }) => tokensOf(readings[index]?.text ?? ""));
    const [first = [], second = []] = tokens;
    if (tokens.length < 2 || first.length + second.length === 0 || f1(first, second) < 0.9) return [];
    return [{ index, references: tokens }];
  });
}

const longPages = 50;

function longDocuments(rows: readonly Row[], paths: readonly string[]): readonly number[] {
  const pagesOf = (index: number): number => Math.max(0, ...rows.map(({ readings }) => readings[index]?.pages ?? 0));
  return paths.map((_, index) => index).filter((index) => pagesOf(index) >= longPages);
}

function cells({ readings }: Row, consensus: readonly Scoreable[], longFiles: readonly number[]) {
  const scores = consensus.map((file) => score(readings, file));
  const cpuSeconds = (files: readonly Reading[]): string => (sum(files.map(({ cpuMs }) => cpuMs)) / 1000).toFixed(2);
  const failures = (kind: string): number => readings.filter(({ failed }) => failed === kind).length;
  return {
    F1: mean(scores.map(({ tokens }) => tokens)).toFixed(4),
    bigrams: mean(scores.map(({ bigrams }) => bigrams)).toFixed(4),
    "CPU s": cpuSeconds(readings),
    "CPU s long": cpuSeconds(longFiles.flatMap((index) => readings[index] ?? [])),
    "peak MB": Math.round(Math.max(...readings.map(({ peakMb }) => peakMb))) || "",
    "with text": readings.filter(({ text }) => text.trim().length > 20).length,
    refused: readings.filter(({ failed }) => failed !== null).length - failures("crash") - failures("time-out"),
    crashes: failures("crash"),
    "time-outs": failures("time-out"),
  };
}

/** How well readings agree with the better of the references. */
export function score(readings: readonly Pick<Reading, "text">[], { index, references }: Scoreable) {
  const found = tokensOf(readings[index]?.text ?? "");
  const pairs = bigramsOf(found);
  return {
    tokens: Math.max(...references.map((expected) => f1(found, expected))),
    bigrams: Math.max(...references.map((expected) => f1(pairs, bigramsOf(expected)))),
  };
}

const worstShown = 15;

function printWorst({ name, readings }: Row, consensus: readonly Scoreable[], paths: readonly string[]): void {
  const worst = consensus
    .map((file) => ({ path: paths[file.index] ?? "", ...score(readings, file) }))
    .sort((a, b) => a.tokens - b.tokens)
    .slice(0, worstShown);
  console.log(`\nLeast agreement, ${name}:`);
  for (const { path, tokens, bigrams } of worst) {
    console.log(`${tokens.toFixed(3)} ${bigrams.toFixed(3)} ${basename(path)}`);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function mean(numbers: readonly number[]): number {
  return sum(numbers) / Math.max(1, numbers.length);
}
