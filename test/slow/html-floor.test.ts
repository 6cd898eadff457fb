import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf, isHeldBack, readCodePages, readTruePages, type TruePage } from "../../bench/html-corpus.ts";
import { mean, scoreCode, wordF1 } from "../../bench/html-score.ts";
import { extractHtml } from "../../src/extract/html/page.ts";

/** What was reached, rounded down, on the corpus with this digest; a change may raise it. */
const floors: Readonly<Record<string, number>> = {
  all: 0.879,
  "held back": 0.862,
  article: 0.942,
  collection: 0.744,
  documentation: 0.95,
  forum: 0.805,
  listing: 0.808,
  product: 0.674,
  service: 0.865,
};
const pinnedOn = "916659317b4d7f6bf4b6a6b19be6507cab8c8f949a520ad8840faa388815ac6e";

const markdownOf = (html: string, url: string): string => extractHtml(html, { url, mode: "markdown" }).text;

test("the main content of pages agrees with people as well as it ever did", { timeout: 600_000 }, (t) => {
  const [pages, codePages] = [readTruePages(), readCodePages()];
  if (pages.length === 0) return t.skip("no corpus folder is there (set SPILLWAY_CORPUS)");
  const digest = digestOf(pages, codePages);
  if (digest !== pinnedOn) return t.skip(`the floors are pinned on another corpus, this one has ${digest}`);
  const scores = pages.map((page) => ({ page, score: wordF1(markdownOf(page.html, page.url), page.truth) }));
  for (const [name, floor] of Object.entries(floors)) {
    const reached = mean(scores.filter(({ page }) => isOf(page, name)).map(({ score }) => score));
    t.diagnostic(`${name} ${reached.toFixed(4)}`);
    assert.ok(reached >= floor, `${name}: ${reached}`);
  }
  const code = scoreCode(
    codePages,
    codePages.map(({ html }) => markdownOf(html, "https://example.com/")),
  );
  assert.deepEqual([code.kept, code.languagesKept], [code.blocks, code.languages]);
  assert.ok(code.blocks >= 40);
});

function isOf(page: TruePage, name: string): boolean {
  return name === "all" || (name === "held back" ? isHeldBack(page) : page.type === name);
}
