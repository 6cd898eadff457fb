/**
 * Trains the table of the filter that drops blocks of a web page (src/extract/html/filter/block-table.json).
 *
 *   node scripts/train/train-block-filter.ts TABLE
 *
 * The pages are those that rules may be tuned on: wcxb-dev, and half of the sites of wcxb-dev-2.
 */
import { writeFileSync } from "node:fs";
import { findCorpusFolder, isUnread, readTruePages } from "../../bench/html-corpus.ts";
import { featureNames, measureBlocks, type WordOdds } from "../../src/extract/html/filter/block-features.ts";
import { ODDS_UNIT, type StoredTable } from "../../src/extract/html/filter/block-table.ts";
import { type WordPlace, wordPlaces } from "../../src/extract/html/filter/block-words.ts";
import { type PageSample, readSample } from "./block-samples.ts";
import { type BoostOptions, boostTrees, type Samples, type TreeNode } from "./boosted-trees.ts";

const options: BoostOptions = {
  trees: 70,
  leaves: 16,
  maxDepth: 5,
  learningRate: 0.12,
  regularisation: 20,
  minLeafRows: 60,
  minLeafWeight: 20,
  rowShare: 0.7,
  featureShare: 0.5,
  seed: 1,
};
const FOLDS = 5;
/** A word counts if it is on this many pages and its odds are this far from those of all words. */
const MIN_PAGES = 8;
const MIN_ODDS = 0.6;
/** Pages added to both sides of the odds: one page says little about a word. */
const PRIOR_PAGES = 2;
/** A block with a larger share in the labelled text is content. */
const MIN_CONTENT_SHARE = 0.5;
/** A repeated block of this many words is written once. */
const MIN_REPEAT_WORDS = 12;
/** Added to the words of each block: a line of one word matters too. */
const EXTRA_WEIGHT_WORDS = 3;
/** The filter is for articles; other pages count for less. */
const OTHER_PAGE_WEIGHT = 0.3;

const [output = ""] = process.argv.slice(2);
const folder = findCorpusFolder();
const pages = [
  ...readTruePages(folder, "wcxb-dev"),
  ...readTruePages(folder, "wcxb-dev-2").filter((page) => !isUnread(page)),
].filter(({ truth }) => truth !== "");
const samples = pages.map((page) => readSample(page, FOLDS));
const { features, targets, weights } = collectRows(samples);
console.log(`${pages.length} pages, ${targets.length} blocks`);
const trees = boostTrees({ features, targets, weights }, options);
writeFileSync(output, `${JSON.stringify(storeTable(countOdds(samples), trees), undefined, 1)}\n`);

/** The blocks that the rules keep; the odds of their words are those of other sites, as they will be on any page. */
function collectRows(all: readonly PageSample[]): Samples {
  const rows: { features: Float64Array; target: number; weight: number }[] = [];
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const odds = countOdds(all.filter((sample) => sample.fold !== fold));
    for (const { chosen, kind } of all.filter((sample) => sample.fold === fold)) {
      const { blocks, words, layout, sizes, shares } = chosen;
      const isCopy = createCopyTest();
      const measured = measureBlocks(blocks, words, layout, odds);
      const kept = blocks.flatMap(({ text }, index) => (isCopy(text, sizes[index] ?? 0) ? [] : [index]));
      const weightOf = (index: number) => (sizes[index] ?? 0) + EXTRA_WEIGHT_WORDS;
      const pageWeight = kept.reduce((sum, index) => sum + weightOf(index), 0);
      for (const index of kept)
        rows.push({
          features: measured[index] ?? new Float64Array(),
          target: shares[index] ?? 0,
          weight: ((kind === "article" ? 1 : OTHER_PAGE_WEIGHT) * weightOf(index)) / pageWeight,
        });
    }
  }
  const meanWeight = rows.reduce((sum, { weight }) => sum + weight, 0) / rows.length;
  return {
    features: rows.map((row) => row.features),
    targets: Float64Array.from(rows, ({ target }) => target),
    weights: Float64Array.from(rows, ({ weight }) => weight / meanWeight),
  };
}

function createCopyTest(): (text: string, words: number) => boolean {
  const seen = new Set<string>();
  return (text, words) => {
    const isCopy = words >= MIN_REPEAT_WORDS && seen.has(text);
    seen.add(text);
    return isCopy;
  };
}

/** The odds of words in all blocks of pages, also those that the rules drop. */
function countOdds(all: readonly PageSample[]): WordOdds {
  return Object.fromEntries(wordPlaces.map((place) => [place, countPlace(all, place)])) as WordOdds;
}

/** On how many pages a word is, and the sum of its shares of blocks that are content. */
type WordCount = { pages: number; content: number };

function countPlace(all: readonly PageSample[], place: WordPlace): ReadonlyMap<string, number> {
  const counts = new Map<string, WordCount>();
  for (const sample of all)
    for (const [word, share] of countPage(sample, place)) {
      const count = counts.get(word) ?? { pages: 0, content: 0 };
      counts.set(word, { pages: count.pages + 1, content: count.content + share });
    }
  const sums = [...counts.values()].reduce(
    (sum, { pages: n, content }) => ({ pages: sum.pages + n, content: sum.content + content }),
    { pages: 0, content: 0 },
  );
  const usual = sums.content / sums.pages;
  const oddsOf = ({ pages: n, content }: WordCount) =>
    Math.log((content + PRIOR_PAGES * usual) / (n - content + PRIOR_PAGES * (1 - usual))) -
    Math.log(usual / (1 - usual));
  const odds = [...counts].flatMap(([word, count]) =>
    count.pages >= MIN_PAGES && Math.abs(oddsOf(count)) >= MIN_ODDS ? [[word, quantise(oddsOf(count))] as const] : [],
  );
  return new Map(odds);
}

/** For each word of a page, the share of the blocks with it that are content. */
function countPage({ all }: PageSample, place: WordPlace): ReadonlyMap<string, number> {
  const counts = new Map<string, { blocks: number; content: number }>();
  for (const [index, words] of all.words.entries())
    for (const word of words[place]) {
      const count = counts.get(word) ?? { blocks: 0, content: 0 };
      const isContent = (all.shares[index] ?? 0) >= MIN_CONTENT_SHARE;
      counts.set(word, { blocks: count.blocks + 1, content: count.content + Number(isContent) });
    }
  return new Map([...counts].map(([word, { blocks, content }]) => [word, content / blocks]));
}

function quantise(odds: number): number {
  return Math.round(odds / ODDS_UNIT) * ODDS_UNIT;
}

function storeTable(odds: WordOdds, nodes: readonly TreeNode[]): StoredTable {
  const words = Object.fromEntries(wordPlaces.map((place) => [place, storeOdds(odds[place])]));
  return { features: featureNames, words: words as StoredTable["words"], trees: nodes.map(storeTree) };
}

function storeOdds(odds: ReadonlyMap<string, number>): Record<string, string> {
  const byOdds = Map.groupBy(odds.keys(), (word) => (odds.get(word) ?? 0) / ODDS_UNIT);
  const entries = [...byOdds].toSorted(([one], [other]) => one - other);
  return Object.fromEntries(entries.map(([key, words]) => [`${key}`, words.toSorted().join(" ")]));
}

function storeTree(node: TreeNode): string {
  if ("value" in node) return `${Number(node.value.toPrecision(4))}`;
  return `${node.feature}<${node.threshold} ${storeTree(node.left)} ${storeTree(node.right)}`;
}
