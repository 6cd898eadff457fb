/** Runs one HTML extractor in its own process on all pages of the corpus and sends its scores and costs. */
import tokenizer from "llama3-tokenizer-js";
import { findCorpusFolder, isUnread, readCodePages, readTruePages } from "./html-corpus.ts";
import { engines } from "./html-engines.ts";
import { type CodeScore, scoreCode, wordF1, wordRecall } from "./html-score.ts";

/** The result of one extractor: a score and CPU time per page, in the order of the corpus. */
export type EngineResult = {
  readonly scores: readonly number[];
  readonly cpuMs: readonly number[];
  /** The share of the labelled words that were kept, and the tokens of the output, per page. */
  readonly recalls: readonly number[];
  readonly tokens: readonly number[];
  /** Scores by type on the pages of wcxb-dev-2 that rules may be tuned on, and on those that nobody reads. */
  readonly seen: readonly TypedScore[];
  readonly unread: readonly TypedScore[];
  readonly failures: number;
  readonly code: CodeScore;
};

/** The score of a page, with its type. */
export type TypedScore = { readonly type: string; readonly score: number };

const engine = engines.find(({ name }) => name === process.argv[2]);
if (engine === undefined) throw new Error(`Unknown engine ${process.argv[2]}.`);
const read = await engine.load();
// Other extractors log their errors to the console.
console.log = console.warn = console.error = () => {};

const scores: number[] = [];
const cpuMs: number[] = [];
const recalls: number[] = [];
const tokens: number[] = [];
let failures = 0;
for (const { html, url, truth } of readTruePages()) {
  const page = await timed(() => attempt(html, url));
  scores.push(wordF1(page.result, truth));
  cpuMs.push(page.cpuMs);
  recalls.push(wordRecall(page.result, truth));
  tokens.push(tokenizer.encode(page.result, { bos: false, eos: false }).length);
}
const seen: TypedScore[] = [];
const unread: TypedScore[] = [];
for (const page of readTruePages(findCorpusFolder(), "wcxb-dev-2")) {
  const score = wordF1(await attempt(page.html, page.url), page.truth);
  (isUnread(page) ? unread : seen).push({ type: page.type, score });
}
const outputs: string[] = [];
const codePages = readCodePages();
for (const { html } of codePages) outputs.push(await attempt(html, "https://example.com/"));
const result: EngineResult = {
  scores,
  cpuMs,
  recalls,
  tokens,
  seen,
  unread,
  failures,
  code: scoreCode(codePages, outputs),
};
process.send?.(result, () => process.exit());

async function attempt(html: string, url: string): Promise<string> {
  try {
    return await read(html, url);
  } catch {
    failures += 1;
    return "";
  }
}

async function timed<T>(work: () => T | Promise<T>): Promise<{ result: T; cpuMs: number }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, cpuMs: (user + system) / 1000 };
}
