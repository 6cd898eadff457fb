/** Counts what the tokens of extracted web pages are for, beside version 0.1.0 on the same pages. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extractHtml } from "../src/extract/html/page.ts";
import {
  findCorpusFolder,
  findUnseenFolders,
  isUnread,
  readTruePages,
  readUnseenPages,
  type TruePage,
} from "./html-corpus.ts";
import { mean, wordRecall } from "./html-score.ts";
import { checkOutOldVersion } from "./old-version.ts";
import { countTokenKinds, countTokens, type TokenKind, tokenKinds } from "./token-kinds.ts";

export const about = "Tokens of web pages (Llama 3) by what they are for, beside version 0.1.0.";

/** Of the tuned pages every fifth is counted, as since the first figures. */
const STEP = 5;

type Extract = typeof extractHtml;

export async function run(): Promise<void> {
  const pages = everyFifth(readTruePages());
  if (pages.length === 0) return console.log("There are no pages; set SPILLWAY_CORPUS.");
  const folder = mkdtempSync(join(tmpdir(), "spillway-bench-tokens-"));
  try {
    checkOutOldVersion(join(folder, "old"));
    const old = (await import(join(folder, "old", "src/extract/html/page.ts"))) as { extractHtml: Extract };
    printKinds(pages, old.extractHtml);
    for (const [name, set] of pageSets(pages)) printTotals(name, set, old.extractHtml);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function everyFifth(pages: readonly TruePage[]): readonly TruePage[] {
  return pages.filter((_, index) => index % STEP === 0);
}

function pageSets(tuned: readonly TruePage[]): readonly (readonly [string, readonly TruePage[]])[] {
  const others = readTruePages(findCorpusFolder(), "wcxb-dev-2");
  return [
    ["wcxb-dev", tuned],
    ["wcxb-dev-2, may be tuned", others.filter((page) => !isUnread(page))],
    ["wcxb-dev-2, unread", others.filter(isUnread)],
    ...[...findUnseenFolders()].map(([name, path]) => [name, readUnseenPages(path)] as const),
  ];
}

function printKinds(pages: readonly TruePage[], extractOld: Extract): void {
  const before = meanKinds(pages, extractOld);
  const now = meanKinds(pages, extractHtml);
  console.log(`Tokens a page, mean of ${pages.length} pages: every fifth of wcxb-dev.\n`);
  console.log("| what for | 0.1.0 | now |\n| --- | --- | --- |");
  for (const kind of tokenKinds) console.log(`| ${kind} | ${before[kind].toFixed(0)} | ${now[kind].toFixed(0)} |`);
  console.log();
}

function meanKinds(pages: readonly TruePage[], extract: Extract): Record<TokenKind, number> {
  const counts = pages.map((page) => countTokenKinds(textOf(page, extract)));
  return Object.fromEntries(tokenKinds.map((kind) => [kind, mean(counts.map((each) => each[kind]))])) as Record<
    TokenKind,
    number
  >;
}

function printTotals(name: string, pages: readonly TruePage[], extractOld: Extract): void {
  const before = totals(pages, extractOld);
  const now = totals(pages, extractHtml);
  const change = ((now.tokens / before.tokens - 1) * 100).toFixed(1);
  console.log(
    `${name}, ${pages.length} pages: ${before.tokens.toFixed(0)} -> ${now.tokens.toFixed(0)} tokens a page (${change} %), recall ${before.recall.toFixed(4)} -> ${now.recall.toFixed(4)}`,
  );
}

function totals(pages: readonly TruePage[], extract: Extract) {
  const texts = pages.map((page) => textOf(page, extract));
  return {
    tokens: mean(texts.map(countTokens)),
    recall: mean(texts.map((text, index) => wordRecall(text, pages[index]?.truth ?? ""))),
  };
}

function textOf({ html, url }: TruePage, extract: Extract): string {
  return extract(html, { url, mode: "markdown" }).text;
}
