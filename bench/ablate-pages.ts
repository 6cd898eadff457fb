/** What the output of HTML extraction loses or gains when one rule is switched off. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadWatched, loadWithout, type Rule, rulesTouchedBy } from "./ablate-hook.ts";
import {
  type CodePage,
  findCorpusFolder,
  type PageSet,
  readCodePages,
  readTruePages,
  type TruePage,
} from "./html-corpus.ts";
import { mean, scoreCode, wordF1 } from "./html-score.ts";

/** The effect of switching a rule off on one set of pages: the change of F1, and how many pages became what. */
export type SetEffect = {
  readonly change: number;
  readonly changed: number;
  readonly better: number;
  readonly worse: number;
};

/** The effect of switching one rule off. */
export type PageEffect = {
  readonly rule: string;
  readonly sets: Readonly<Record<PageSet, SetEffect>>;
  /** Expected code blocks that are kept and whose language is named. */
  readonly codeKept: number;
  readonly languagesKept: number;
  /** The fixtures whose output changes. */
  readonly fixtures: readonly string[];
};

/** The scores with every rule on. */
export type PageBase = {
  readonly f1: Readonly<Record<PageSet, number>>;
  readonly codeKept: number;
  readonly languagesKept: number;
};

/** What a child sends: first the scores with every rule on, then one effect per rule. */
export type PageMessage = { readonly base: PageBase } | { readonly effect: PageEffect };

/** A page of a set with its score, a digest of its output, and the rules that decided anything on it. */
type Baseline = {
  readonly page: TruePage;
  readonly score: number;
  readonly digest: string;
  readonly touched: ReadonlySet<string>;
};

/** The module that extracts a page, with or without a rule. */
export type PageModule = typeof import("../src/extract/html/page.ts");
const entry = "extract/html/page.ts";

/** Measures the baseline, then each rule. `sample` limits the pages of each set. */
export async function* measureRules(rules: readonly Rule[], sample: number): AsyncGenerator<PageMessage> {
  const watched = await loadWatched<PageModule>(rules, entry);
  const read = readerOf(watched);
  const baselines = perSet((set) => readSample(set, sample).map((page) => baselineOf(page, read)));
  const codeBaselines = readCodePages().map((page) => ({ page, ...readTouched(read, page.html, codeUrl) }));
  const fixtures = [...readFixtures(), ...readReadingSet(watched)];
  const f1 = perSet((set) => mean(baselines[set].map(({ score }) => score)));
  yield { base: { f1, ...countCode(codeBaselines, ({ output }) => output) } };
  for (const rule of rules) {
    const module = await loadWithout<PageModule>(rule, entry);
    const without = readerOf(module);
    const sets = perSet((set) => compareSet(baselines[set], rule, without));
    const code = countCode(codeBaselines, ({ page, output, touched }) =>
      touched.has(rule.name) ? without(page.html, codeUrl) : output,
    );
    const changed = fixtures.filter(({ html, expected }) => toText(module, html) !== expected);
    yield { effect: { rule: rule.name, sets, ...code, fixtures: changed.map(({ name }) => name) } };
  }
}

const codeUrl = "https://example.com/";
type CodeBaseline = Touched & { readonly page: CodePage };

type ReadPage = (html: string, url: string) => string;

const readerOf =
  ({ extractHtml }: PageModule): ReadPage =>
  (html, url) =>
    extractHtml(html, { url, mode: "markdown" }).text;

function perSet<T>(measure: (set: PageSet) => T): Readonly<Record<PageSet, T>> {
  return { "wcxb-dev": measure("wcxb-dev"), "wcxb-dev-2": measure("wcxb-dev-2") };
}

/** Evenly spaced pages of a set. */
function readSample(set: PageSet, sample: number): readonly TruePage[] {
  const pages = readTruePages(findCorpusFolder(), set);
  const step = Math.max(1, pages.length / sample);
  return pages.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

function baselineOf(page: TruePage, read: ReadPage): Baseline {
  const { output, touched } = readTouched(read, page.html, page.url);
  return { page, score: wordF1(output, page.truth), digest: digestOf(output), touched };
}

/** An output, and the rules that decided anything in it. */
type Touched = { readonly output: string; readonly touched: ReadonlySet<string> };

function readTouched(read: ReadPage, html: string, url: string): Touched {
  let output = "";
  const touched = rulesTouchedBy(() => {
    output = read(html, url);
  });
  return { output, touched };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

/** Reads only the pages on which the rule decided something. */
function compareSet(baselines: readonly Baseline[], rule: Rule, without: ReadPage): SetEffect {
  const changes = baselines
    .filter(({ touched }) => touched.has(rule.name))
    .flatMap(({ page, score, digest }) => {
      const output = without(page.html, page.url);
      return digestOf(output) === digest ? [] : [wordF1(output, page.truth) - score];
    });
  return {
    change: changes.reduce((sum, each) => sum + each, 0) / Math.max(1, baselines.length),
    changed: changes.length,
    better: changes.filter((change) => change > 0).length,
    worse: changes.filter((change) => change < 0).length,
  };
}

function countCode(baselines: readonly CodeBaseline[], outputOf: (baseline: CodeBaseline) => string) {
  const { kept, languagesKept } = scoreCode(
    baselines.map(({ page }) => page),
    baselines.map(outputOf),
  );
  return { codeKept: kept, languagesKept };
}

/** A page that we wrote in the form that a real generator gives it, and the Markdown it must become. */
export type RuleFixture = {
  readonly name: string;
  readonly html: string;
  readonly expected: string;
};

/** The Markdown of a fixture, with a last line if the page has to be rendered first. */
export function toText({ extractHtml }: PageModule, html: string): string {
  const { text, needsJs } = extractHtml(html, { url: "https://example.com/page", mode: "markdown" });
  return needsJs ? `${text}\n\n(needs JavaScript)`.trimStart() : text;
}

const fixturesFolder = join(import.meta.dirname, "..", "test", "fixtures");

/** The fixtures of the rules; the folder of each is named after the rule that it needs. */
export function readFixtures(): readonly RuleFixture[] {
  return readFixturePages("html-rules").map(({ name, folder, html }) => ({
    name,
    html,
    expected: readFileSync(join(folder, "expected.md"), "utf8").trimEnd(),
  }));
}

/** The pages of the reading set, which many rules need together; their golden files have facts above the text. */
function readReadingSet(module: PageModule): readonly RuleFixture[] {
  return readFixturePages("pages").map(({ name, html }) => ({
    name: `pages/${name}`,
    html,
    expected: toText(module, html),
  }));
}

function readFixturePages(set: string) {
  return readdirSync(join(fixturesFolder, set), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, folder: join(fixturesFolder, set, name) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, folder }) => ({ name, folder, html: readFileSync(join(folder, "page.html"), "utf8") }));
}
