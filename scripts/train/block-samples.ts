/** The blocks of labelled pages, each with the share of its words that is in the labelled text. */
import { createHash } from "node:crypto";
import type { TruePage } from "../../bench/html-corpus.ts";
import { type Choice, choose } from "../../src/extract/html/choose/choose.ts";
import type { PageKind } from "../../src/extract/html/choose/page-kind.ts";
import type { Pruning } from "../../src/extract/html/choose/prune.ts";
import { isIgnored, measureText } from "../../src/extract/html/choose/text-measures.ts";
import { BlockLayout } from "../../src/extract/html/filter/block-layout.ts";
import { type BlockWords, listBlockWords } from "../../src/extract/html/filter/block-words.ts";
import { type ContentBlock, listBlocks } from "../../src/extract/html/filter/content-blocks.ts";
import { parseHtml } from "../../src/extract/html/tree/parse.ts";
import type { Page } from "../../src/extract/html/tree/tree.ts";

/** The blocks of one page that a pruning keeps. */
export type PageBlocks = {
  readonly blocks: readonly ContentBlock[];
  readonly words: readonly BlockWords[];
  readonly layout: BlockLayout;
  /** For each block, how many words it has and the share of them in the labelled text. */
  readonly sizes: readonly number[];
  readonly shares: readonly number[];
};

/** A page before and after the rules; pages of one site are in one of the folds. */
export type PageSample = {
  readonly fold: number;
  readonly kind: PageKind;
  readonly all: PageBlocks;
  readonly chosen: PageBlocks;
};

/** A run of so many words is looked for in the labelled text. */
const RUN_WORDS = 3;

export function readSample({ html, url, truth, id }: TruePage, folds: number): PageSample {
  const site = (URL.parse(url)?.hostname ?? id).replace(/^www\./, "");
  const fold = (createHash("sha256").update(site).digest()[1] ?? 0) % folds;
  const page = parseHtml(html);
  const pick = (pruning: Pruning) => choose(page, measureText(page, isIgnored), { pruning, showsHidden: false, url });
  const chosen = pick("strict");
  return {
    fold,
    kind: chosen.kind,
    all: readBlocks(page, pick("none"), truth),
    chosen: readBlocks(page, chosen, truth),
  };
}

function readBlocks(page: Page, { root, dropped }: Choice, truth: string): PageBlocks {
  const blocks = listBlocks(page, root, dropped);
  const layout = new BlockLayout(root, blocks);
  const texts = blocks.map(({ text }) => wordsOf(text));
  return {
    blocks,
    layout,
    words: listBlockWords(blocks, layout),
    sizes: texts.map(({ length }) => length),
    shares: shareInTruth(texts, wordsOf(truth)),
  };
}

/** A word counts if a run of words around it is in the labelled text; runs may extend over several blocks. */
function shareInTruth(texts: readonly (readonly string[])[], truth: readonly string[]): readonly number[] {
  const runs = new Set(listRuns(truth));
  const isIn = new Uint8Array(texts.reduce((sum, { length }) => sum + length, 0));
  for (const [start, run] of listRuns(texts.flat()).entries())
    if (runs.has(run)) isIn.fill(1, start, start + RUN_WORDS);
  let start = 0;
  return texts.map(({ length }) => {
    const own = isIn.subarray(start, start + length);
    start += length;
    return own.reduce((sum, one) => sum + one, 0) / Math.max(1, length);
  });
}

function listRuns(words: readonly string[]): string[] {
  return words.slice(RUN_WORDS - 1).map((_, start) => words.slice(start, start + RUN_WORDS).join(" "));
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}
