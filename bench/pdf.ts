/** Compares PDF engines on the same files in one run: CPU time, memory, failures, and agreement. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { engines, markdownEngines } from "./pdf-engines.ts";
import { printOcr } from "./pdf-ocr.ts";
import { readWithPythonPackages } from "./pdf-python.ts";
import {
  measureColdChildCpuMs,
  measureColdCpuMs,
  type Reading,
  readWithEngine,
  readWithProgram,
} from "./pdf-readings.ts";
import { computeF1, splitRunningLines, splitTokens, toBigrams } from "./pdf-score.ts";
import { hasSource, printStructure } from "./pdf-structure.ts";

/** What this bench measures, for the heading of its output. */
export const about =
  "PDF text: CPU, peak memory, failures, agreement with pdftotext and mutool, and structure, ours and peers.";

/**
 * Prints the tables for the open PDFs (SPILLWAY_PDFS, by default the corpus) and for further ones that were not looked
 * at while tuning (SPILLWAY_PDFS_UNSEEN). Folders are separated by colons. PDFs of `make-pdfs.ts` are scored by their
 * structure, all others by their words.
 */
export async function run(): Promise<void> {
  await printSet("Open files", process.env.SPILLWAY_PDFS ?? pdfCorpusFolder());
  const unseen = process.env.SPILLWAY_PDFS_UNSEEN;
  if (unseen === undefined) console.log("\nSet SPILLWAY_PDFS_UNSEEN for files that were not looked at.");
  else await printSet("Files that were not looked at while tuning", unseen);
}

async function printSet(title: string, folderList: string): Promise<void> {
  const folders = folderList.split(":");
  const paths = folders.filter((folder) => existsSync(folder)).flatMap(listPdfs);
  console.log(`\n### ${title}\n`);
  if (paths.length === 0) return console.log(`No PDFs in ${folders.join(", ")}.`);
  const made = paths.filter(hasSource);
  const others = paths.filter((path) => !hasSource(path));
  if (others.length > 0) await printAgreement(others);
  if (made.length > 0) await printStructure(made);
  if (made.length > 0 && isSelected("ocr")) await printOcr(made);
}

async function printAgreement(paths: readonly string[]): Promise<void> {
  const references = readReferences(paths);
  const rows: Row[] = [...references];
  for (const { name } of [...engines, ...markdownEngines]) {
    if (isSelected(name)) rows.push({ name, readings: await readWithEngine(name, paths) });
  }
  if (isSelected("python")) rows.push(...(await readWithPythonPackages(paths)));
  const consensus = findScoreable(paths, references);
  const withoutForms = consensus.filter(({ index }) => !hasAnnotationText(paths[index] ?? ""));
  const longFiles = findLongFiles(rows, paths);
  console.log(
    `${paths.length} files, ${consensus.length} of them read alike by pdftotext and mutool, ${withoutForms.length} of these without forms`,
  );
  console.table(Object.fromEntries(rows.map((row) => [row.name, cells(row, consensus, withoutForms, longFiles)])));
  await printColdStarts(rows, paths);
  console.log(footnotes);
  for (const row of rows.filter(({ name }) => name.startsWith("ours"))) printWorst(row, consensus, paths);
}

/** Prints the CPU time of the first page in a new process, on the first one-page file that all engines have read. */
async function printColdStarts(rows: readonly Row[], paths: readonly string[]): Promise<void> {
  const inNode = rows.filter(({ readings }) => readings.some(({ processCpuMs }) => processCpuMs > 0));
  const fileIndex = paths.findIndex((_, index) =>
    inNode.every(({ readings }) => readings[index]?.pages === 1 && readings[index].text.length > 200),
  );
  const path = paths[fileIndex];
  if (path === undefined) return console.log("No file of one page was read by all: the first page is not measured.");
  console.log(`CPU ms of a new process from its start to the text of ${basename(path)}:`);
  const print = (name: string, cpuMs: number) => console.log(`${cpuMs.toFixed(0).padStart(6)} ${name}`);
  print("ours, the built child", await measureColdChildCpuMs(path));
  for (const { name } of inNode) print(`${name}, in the bench's child`, await measureColdCpuMs(name, path));
}

/** The PDFs of the corpus in `SPILLWAY_CORPUS`, by default in `shared/corpus` next to the repository. */
export function pdfCorpusFolder(): string {
  const defaultFolder = fileURLToPath(new URL("../../shared/corpus", import.meta.url));
  return join(process.env.SPILLWAY_CORPUS ?? defaultFolder, "pdf");
}

type Row = { readonly name: string; readonly readings: readonly Reading[] };

const footnotes = `CPU is user and system time: of the reader's calls for engines in Node (one process for all files, start not
counted), of the whole program for pdftotext and mutool. A time-out is 20 CPU seconds or 60 seconds, and counts 20.
F1 and bigrams: token F1 against the better of pdftotext and mutool, mean over the files those two read alike (0.9).
Running headers and footers after their first page (up to eight lines at an edge that a page before has too) may be
there or not.
"no forms": only files without form fields and free-text notes, whose text pdf.js gives by another call.
"long" are the files of 50 pages and more. Peak MB is of the one process that read all files.`;

/** BENCH_PDF_ENGINES=ours,pdf-parse selects these engines; `python` are its packages, `ocr` is the accuracy of OCR. */
function isSelected(name: string): boolean {
  const selected = process.env.BENCH_PDF_ENGINES?.split(",") ?? [];
  return selected.length === 0 || selected.some((part) => name.startsWith(part));
}

/** The PDFs of a folder in order. */
export function listPdfs(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /\.pdf$/i.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/** The readings of the two reference programs; empty if they are not installed. */
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

/** What a reference reads of a file. */
type ExpectedTokens = {
  readonly tokens: readonly string[];
  /** Those without running headers and footers after their first page, and these. */
  readonly once: readonly string[];
  readonly repeated: readonly string[];
};

/** A file on which the references agree. */
export type ScoreableFile = { readonly index: number; readonly references: readonly ExpectedTokens[] };

/** The files on which both references agree. */
export function findScoreable(paths: readonly string[], references: readonly Row[]): ScoreableFile[] {
  return paths.flatMap((_, index) => {
    const texts = references.map(({ readings }) => readings[index]?.text ?? "");
    const [first = [], second = []] = texts.map(splitTokens);
    if (texts.length < 2 || first.length + second.length === 0 || computeF1(first, second) < 0.9) return [];
    return [{ index, references: texts.map(toExpected) }];
  });
}

function toExpected(text: string): ExpectedTokens {
  const split = splitRunningLines(text);
  return { tokens: splitTokens(text), once: splitTokens(split.text), repeated: splitTokens(split.repeated) };
}

/** Form fields and free-text notes: the references print them, but they are not in the content of a page. */
function hasAnnotationText(path: string): boolean {
  const { stdout } = spawnSync("mutool", ["show", path, "grep"], { encoding: "latin1", maxBuffer: 2 ** 30 });
  return /\/Subtype\s*\/(?:Widget|FreeText)\b/.test(stdout);
}

const LONG_PAGES = 50;

function findLongFiles(rows: readonly Row[], paths: readonly string[]): readonly number[] {
  const pagesOf = (index: number): number => Math.max(0, ...rows.map(({ readings }) => readings[index]?.pages ?? 0));
  return paths.map((_, index) => index).filter((index) => pagesOf(index) >= LONG_PAGES);
}

function cells(
  { readings }: Row,
  consensus: readonly ScoreableFile[],
  withoutForms: readonly ScoreableFile[],
  longFiles: readonly number[],
) {
  const scores = consensus.map((file) => scoreFile(readings, file));
  const pageScores = withoutForms.map((file) => scoreFile(readings, file));
  const cpuSeconds = (files: readonly Reading[]): string => (sum(files.map(({ cpuMs }) => cpuMs)) / 1000).toFixed(2);
  const failures = (kind: string): number => readings.filter(({ failed }) => failed === kind).length;
  const cjkScores = consensus.filter(isCjk).map((file) => scoreFile(readings, file).tokens);
  return {
    F1: mean(scores.map(({ tokens }) => tokens)).toFixed(4),
    bigrams: mean(scores.map(({ bigrams }) => bigrams)).toFixed(4),
    "F1, no forms": mean(pageScores.map(({ tokens }) => tokens)).toFixed(4),
    "F1, CJK": cjkScores.length === 0 ? "" : mean(cjkScores).toFixed(4),
    "CPU s": cpuSeconds(readings),
    "CPU s long": cpuSeconds(longFiles.flatMap((index) => readings[index] ?? [])),
    "peak MB": Math.round(Math.max(...readings.map(({ peakMb }) => peakMb))) || "",
    "with text": readings.filter(({ text }) => text.trim().length > 20).length,
    refused: readings.filter(({ failed }) => failed !== null).length - failures("crash") - failures("time-out"),
    crashes: failures("crash"),
    "time-outs": failures("time-out"),
  };
}

/** At least this many Chinese, Japanese or Korean characters. */
const MIN_CJK_CHARS = 10;

function isCjk({ references: [first] }: ScoreableFile): boolean {
  const cjk = /^[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]$/;
  return (first?.tokens ?? []).filter((token) => cjk.test(token)).length >= MIN_CJK_CHARS;
}

/** The agreement of a reading with the better of the references. */
export function scoreFile(readings: readonly Pick<Reading, "text">[], { index, references }: ScoreableFile) {
  const tokens = splitTokens(readings[index]?.text ?? "");
  const pairs = toBigrams(tokens);
  return {
    tokens: Math.max(...references.map(({ once, repeated }) => computeF1(tokens, once, repeated))),
    bigrams: Math.max(
      ...references.flatMap(({ tokens, once }) => [tokens, once]).map((words) => computeF1(pairs, toBigrams(words))),
    ),
  };
}

const MAX_WORST_FILES = 15;

function printWorst({ name, readings }: Row, consensus: readonly ScoreableFile[], paths: readonly string[]): void {
  const worst = consensus
    .map((file) => ({ path: paths[file.index] ?? "", ...scoreFile(readings, file) }))
    .sort((a, b) => a.tokens - b.tokens)
    .slice(0, MAX_WORST_FILES);
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
