/** Compares HTML extractors on the same pages in one run: quality by page type, code blocks, CPU, worst cases. */
import { execFileSync, fork, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { worstCases } from "../test/html-worst.ts";
import type { EngineResult, TypedScore } from "./html-child.ts";
import { readTruePages, type TruePage, wasTunedLater } from "./html-corpus.ts";
import { engines } from "./html-engines.ts";
import { mean, pairedDifference } from "./html-score.ts";

/** What this bench measures, for the heading of its output. */
export const about = "HTML to Markdown: word F1, code blocks kept, CPU per page and worst cases, ours and peers.";

/** Prints the tables; BENCH_HTML_ENGINES=ours,mdream runs only these. */
export async function run(): Promise<void> {
  const pages = readTruePages();
  if (pages.length === 0) return console.log("There are no pages; set SPILLWAY_CORPUS.");
  const results = new Map<string, EngineResult>();
  for (const { name } of engines.filter(isRequested)) results.set(name, await runEngine(name));
  console.log(`${pages.length} pages, ${pages.filter(wasTunedLater).length} of them in view only for the later rules`);
  console.table(Object.fromEntries([...results].map(([name, each]) => [name, qualityCells(each, pages)])));
  console.log(
    "wcxb-dev-2: pages that rules may be tuned on, and pages that are not read; then folders of unseen pages",
  );
  console.table(Object.fromEntries([...results].flatMap(([name, each]) => unreadRows(name, each))));
  console.table(Object.fromEntries([...results].map(([name, each]) => [name, costCells(each, results.get("ours"))])));
  console.log(footnotes);
  printImport();
  printWorstCases();
}

const footnotes = `F1: word F1 after Markdown is reduced to text, mean over pages. "ours ahead by": mean difference of the scores on
the same pages, with its 95 % interval. CPU is user and system time of the call, Markdown included, one process for all
pages; "times ours" compares the sums. Recall: share of the labelled words that are in the output. Tokens are those of Llama 3.`;

function isRequested({ name }: { readonly name: string }): boolean {
  const prefixes = process.env.BENCH_HTML_ENGINES?.split(",") ?? [];
  return prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix));
}

function runEngine(name: string): Promise<EngineResult> {
  const child = fork(fileURLToPath(new URL("./html-child.ts", import.meta.url)), [name], { serialization: "advanced" });
  return new Promise((resolve, reject) => {
    child.once("message", (message) => resolve(message as EngineResult));
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code}; is it installed?`)));
  });
}

function qualityCells({ scores }: EngineResult, pages: readonly TruePage[]) {
  const scoreOf = (isChosen: (page: TruePage) => boolean) =>
    mean(scores.filter((_, index) => isChosen(pages[index] as TruePage))).toFixed(4);
  const types = [...new Set(pages.map(({ type }) => type))].sort();
  return {
    F1: scoreOf(() => true),
    ...Object.fromEntries(types.map((type) => [type, scoreOf((page) => page.type === type)])),
    "tuned first": scoreOf((page) => !wasTunedLater(page)),
    "tuned later": scoreOf(wasTunedLater),
  };
}

function unreadRows(name: string, { seen, unread, unseen }: EngineResult) {
  return [
    [`${name}, may be tuned`, typedCells(seen)],
    [`${name}, unread`, typedCells(unread)],
    ...[...unseen].map(([set, scores]) => [`${name}, ${set}`, typedCells(scores)] as const),
  ] as const;
}

function typedCells(scores: readonly TypedScore[]) {
  const types = [...new Set(scores.map(({ type }) => type))].sort();
  const scoreOf = (chosen: readonly TypedScore[]) => mean(chosen.map(({ score }) => score)).toFixed(4);
  return {
    pages: scores.length,
    F1: scoreOf(scores),
    ...Object.fromEntries(types.map((type) => [type, scoreOf(scores.filter((each) => each.type === type))])),
  };
}

function costCells({ scores, recalls, tokens, cpuMs, failures, code }: EngineResult, ours: EngineResult | undefined) {
  const total = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);
  const ahead = ours && pairedDifference(ours.scores, scores);
  return {
    "ours ahead by": ahead && ours.scores !== scores ? `${ahead.mean.toFixed(4)} ± ${ahead.halfWidth.toFixed(4)}` : "",
    recall: mean(recalls).toFixed(4),
    "tokens/page": mean(tokens).toFixed(0),
    "CPU ms/page": mean(cpuMs).toFixed(2),
    "times ours": ours ? (total(cpuMs) / total(ours.cpuMs)).toFixed(1) : "",
    failures,
    "code blocks": `${code.kept}/${code.blocks}`,
    languages: `${code.languagesKept}/${code.languages}`,
  };
}

const IMPORT_RUNS = 9;

/** Imports the published engine, each time in a fresh process. */
function printImport(): void {
  const root = join(import.meta.dirname, "..");
  execFileSync(process.execPath, [join(root, "scripts", "build.ts")], { stdio: "inherit" });
  const dist = join(root, "dist");
  const times = readdirSync(dist)
    .filter((file) => /^engine-.*\.js$/.test(file))
    .map((file) => ({ file, times: Array.from({ length: IMPORT_RUNS }, () => importCpuMs(join(dist, file))) }))
    .filter(({ times }) => !times.some(Number.isNaN));
  for (const { file, times: list } of times) {
    console.log(`import of ${file}: ${list.toSorted((a, b) => a - b)[IMPORT_RUNS >> 1]?.toFixed(1)} ms CPU (median)`);
  }
}

/** NaN for an engine of another kind. */
function importCpuMs(path: string): number {
  const script = `const before = process.cpuUsage();
    const { html } = await import(${JSON.stringify(pathToFileURL(path).href)});
    const { user, system } = process.cpuUsage(before);
    console.log(html === undefined ? "no" : (user + system) / 1000);`;
  return Number(spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }).stdout);
}

function printWorstCases(): void {
  const script = fileURLToPath(new URL("./html-worst.ts", import.meta.url));
  const rows = Object.keys(worstCases).map((name) => {
    const { stdout } = spawnSync(process.execPath, [script, name], { encoding: "utf8", timeout: 60_000 });
    return [name, stdout === "" ? { failed: true } : JSON.parse(stdout)];
  });
  console.log("\nWorst cases, ours, each in a fresh process:");
  console.table(Object.fromEntries(rows));
}
