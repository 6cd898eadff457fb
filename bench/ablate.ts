/** Switches every rule off, one at a time, and prints what changes: HTML rules on pages, wordings on refusals. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { ChildTask } from "./ablate-child.ts";
import type { PageBase, PageEffect, PageMessage, SetEffect } from "./ablate-pages.ts";
import { htmlRules } from "./ablate-rules.ts";
import { classifierRules, readTables, type Table } from "./ablate-tables.ts";
import { type Comparison, findRemovable, openComparison, type VerdictEffect } from "./ablate-wordings.ts";

/** What this bench measures, for the heading of its output. */
export const about = "each rule switched off: word F1 and pages of HTML extraction, verdicts of the classifier.";

/**
 * Prints the tables. `--part=html` or `--part=wordings` prints one of them, `--only=teasers,headings-` the HTML rules
 * with these prefixes, `--sample=50` reads 50 pages of each set.
 */
export async function run(): Promise<void> {
  const options = { part: { type: "string" }, only: { type: "string" }, sample: { type: "string" } } as const;
  const { part, only = "", sample } = parseArgs({ options, allowPositionals: true }).values;
  const prefixes = only.split(",");
  const names = htmlRules.map(({ name }) => name).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
  const pages = sample === undefined ? ALL_PAGES : Number(sample);
  if (!Number.isInteger(pages)) throw new Error(`--sample takes a number of pages, not ${sample}.`);
  if (names.length === 0) throw new Error(`No rule begins with ${only}; the names are in bench/ablate-rules.ts.`);
  if (part !== "wordings") await printHtmlRules(names, pages);
  if (part !== "html" && only === "") await printClassifierRules();
}

const ALL_PAGES = 1e9;

// HTML

/** Each child keeps all pages in memory. */
const MAX_CHILDREN = 2;

async function printHtmlRules(names: readonly string[], sample: number): Promise<void> {
  const shares = Array.from({ length: MAX_CHILDREN }, (_, child) =>
    names.filter((_, index) => index % MAX_CHILDREN === child),
  ).filter((share) => share.length > 0);
  const results = await Promise.all(shares.map((share) => measure({ names: share, sample })));
  const effects = names.flatMap((name) =>
    results.flatMap((result) => result.effects.filter(({ rule }) => rule === name)),
  );
  const [base] = results.map((result) => result.base);
  if (base === undefined) return;
  if (base.codeKept === 0) console.log("There are no pages; set SPILLWAY_CORPUS. Only fixtures are measured.");
  console.log(
    `All rules on: F1 ${base.f1["wcxb-dev"].toFixed(4)} on the tuned pages, ${base.f1["wcxb-dev-2"].toFixed(4)}`,
  );
  console.log(
    `on the others; ${base.codeKept} code blocks kept, ${base.languagesKept} languages named. One rule off:\n`,
  );
  console.log("| rule | tuned | pages | other | pages | code, languages | fixtures that change |");
  console.log("| --- | --- | --- | --- | --- | --- | --- |");
  for (const effect of effects) console.log(rowOf(effect, base));
  const idle = effects.filter((effect) => isIdle(effect, base)).map(({ rule }) => rule);
  console.log(`\nWithout effect on either set, on code and on fixtures: ${idle.join(", ") || "none"}.\n`);
}

function rowOf({ rule, sets, codeKept, languagesKept, fixtures }: PageEffect, base: PageBase): string {
  const code = [codeKept - base.codeKept, languagesKept - base.languagesKept];
  const codeCell = code.every((change) => change === 0) ? "" : code.join(", ");
  const others = fixtures.length > 3 ? [...fixtures.slice(0, 3), `${fixtures.length - 3} more`] : fixtures;
  return `| ${rule} | ${cellsOf(sets["wcxb-dev"])} | ${cellsOf(sets["wcxb-dev-2"])} | ${codeCell} | ${others.join(", ")} |`;
}

function cellsOf({ change, changed, better, worse }: SetEffect): string {
  return changed === 0
    ? "| 0"
    : `${change < 0 ? "" : "+"}${change.toFixed(4)} | ${changed}: ${better} better, ${worse} worse`;
}

function isIdle({ sets, codeKept, languagesKept, fixtures }: PageEffect, base: PageBase): boolean {
  const isUnchanged = Object.values(sets).every(({ changed }) => changed === 0) && fixtures.length === 0;
  return isUnchanged && codeKept === base.codeKept && languagesKept === base.languagesKept;
}

function measure(task: ChildTask): Promise<{ readonly base: PageBase | undefined; readonly effects: PageEffect[] }> {
  const child = fork(fileURLToPath(new URL("./ablate-child.ts", import.meta.url)), [JSON.stringify(task)]);
  const effects: PageEffect[] = [];
  let base: PageBase | undefined;
  child.on("message", (message: PageMessage) => {
    if ("base" in message) base = message.base;
    else effects.push(message.effect);
  });
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => {
      if (code === 0) resolve({ base, effects });
      else reject(new Error(`The child that measures ${task.names[effects.length]} ended with ${code}.`));
    });
  });
}

// Classifier

async function printClassifierRules(): Promise<void> {
  const compare = await openComparison();
  console.log("\nVerdicts that change, by class or figures, when one row of the classifier is off:\n");
  console.log("| row | fixtures | recorded answers |\n| --- | --- | --- |");
  for (const rule of classifierRules) printVerdicts(await compare(rule));
  for (const table of await readTables()) await printTable(table, compare);
}

async function printTable({ name, rows, without }: Table, compare: Comparison): Promise<void> {
  const idle: string[] = [];
  for (const row of rows) {
    const effect = await compare(without(new Set([row])));
    if (name !== "words") printVerdicts(effect);
    if (effect.fixtures + effect.recorded === 0) idle.push(row);
  }
  const removable = name === "words" ? new Set() : await findRemovable(idle, without, compare);
  console.log(
    `\n${name}: ${idle.length} of ${rows.length} change nothing alone; together: ${[...removable].join("; ") || "-"}\n`,
  );
}

function printVerdicts({ rule, fixtures, recorded }: VerdictEffect): void {
  console.log(`| ${rule.replaceAll("|", "\\|")} | ${fixtures} | ${recorded} |`);
}
