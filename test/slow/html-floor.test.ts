import assert from "node:assert/strict";
import { test } from "node:test";
import { digestCorpus, readCodePages, readTruePages, type TruePage, wasTunedLater } from "../../bench/html-corpus.ts";
import { mean, scoreCode, wordF1 } from "../../bench/html-score.ts";
import { extractHtml } from "../../src/extract/html/page.ts";

/** The scores of the corpus with this digest, rounded down; a change may raise them. */
const floors: Readonly<Record<string, number>> = {
  all: 0.885,
  "tuned later": 0.871,
  article: 0.951,
  collection: 0.744,
  documentation: 0.952,
  forum: 0.805,
  listing: 0.812,
  product: 0.678,
  service: 0.869,
};
const corpusDigest = "916659317b4d7f6bf4b6a6b19be6507cab8c8f949a520ad8840faa388815ac6e";

const markdownOf = (html: string, url: string): string => extractHtml(html, { url, mode: "markdown" }).text;

test("the main content of pages agrees with the labelled text at least as well as before", (t) => {
  const [pages, codePages] = [readTruePages(), readCodePages()];
  if (pages.length === 0) return t.skip("there is no corpus folder (set SPILLWAY_CORPUS)");
  const digest = digestCorpus(pages, codePages);
  if (digest !== corpusDigest) return t.skip(`the floors belong to another corpus, this one has ${digest}`);
  const scores = pages.map((page) => ({ page, score: wordF1(markdownOf(page.html, page.url), page.truth) }));
  for (const [name, floor] of Object.entries(floors)) {
    const score = mean(scores.filter(({ page }) => belongsTo(page, name)).map(({ score }) => score));
    t.diagnostic(`${name} ${score.toFixed(4)}`);
    assert.ok(score >= floor, `${name}: ${score}`);
  }
  const code = scoreCode(
    codePages,
    codePages.map(({ html }) => markdownOf(html, "https://example.com/")),
  );
  assert.deepEqual([code.kept, code.languagesKept], [code.blocks, code.languages]);
  assert.ok(code.blocks >= 40);
});

function belongsTo(page: TruePage, name: string): boolean {
  return name === "all" || (name === "tuned later" ? wasTunedLater(page) : page.type === name);
}
