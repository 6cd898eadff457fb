/** Runs one HTML extractor in its own process on all pages of the corpus and sends its scores and costs. */
import tokenizer from "llama3-tokenizer-js";
import {
  findCorpusFolder,
  findUnseenFolders,
  isUnread,
  readCodePages,
  readTruePages,
  readUnseenPages,
  type TruePage,
} from "./html-corpus.ts";
import { engines, type PageReading } from "./html-engines.ts";
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
  /** Scores on the folders of pages that were not looked at while tuning. */
  readonly unseen: ReadonlyMap<string, readonly TypedScore[]>;
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
  const page = await attempt(html, url);
  scores.push(wordF1(page.text, truth));
  cpuMs.push(page.cpuMs);
  recalls.push(wordRecall(page.text, truth));
  tokens.push(tokenizer.encode(page.text, { bos: false, eos: false }).length);
}
const others = readTruePages(findCorpusFolder(), "wcxb-dev-2");
const seen = await scorePages(others.filter((page) => !isUnread(page)));
const unread = await scorePages(others.filter(isUnread));
const unseen = new Map<string, readonly TypedScore[]>();
for (const [name, folder] of findUnseenFolders()) unseen.set(name, await scorePages(readUnseenPages(folder)));
const outputs: string[] = [];
const codePages = readCodePages();
for (const { html } of codePages) outputs.push((await attempt(html, "https://example.com/")).text);
const result: EngineResult = {
  scores,
  cpuMs,
  recalls,
  tokens,
  seen,
  unread,
  unseen,
  failures,
  code: scoreCode(codePages, outputs),
};
process.send?.(result, () => process.exit());

async function scorePages(pages: readonly TruePage[]): Promise<readonly TypedScore[]> {
  const scorePage = async ({ html, url, truth, type }: TruePage) => ({
    type,
    score: wordF1((await attempt(html, url)).text, truth),
  });
  return Array.fromAsync(pages, scorePage);
}

/** The CPU time is this process's, except where an engine reports that of its own. */
async function attempt(html: string, url: string): Promise<Required<PageReading>> {
  const before = process.cpuUsage();
  const reading = await readOrNothing(html, url);
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000, ...reading };
}

async function readOrNothing(html: string, url: string): Promise<PageReading> {
  try {
    const reading = await read(html, url);
    return typeof reading === "string" ? { text: reading } : reading;
  } catch {
    failures += 1;
    return { text: "" };
  }
}
