/** The learnt table: which words are in content, and the trees that judge a block by its features. */

import { featureNames, type WordOdds } from "./block-features.ts";
import { wordPlaces } from "./block-words.ts";

/** The table as it is stored: see `scripts/train/README.md`. */
export type StoredTable = {
  /** The names of the features in the order of their numbers. */
  readonly features: readonly string[];
  /** For each place, words by their odds in quarters. */
  readonly words: Readonly<Record<keyof WordOdds, Readonly<Record<string, string>>>>;
  /** One tree each: `feature<threshold` with both branches after it, or the value of a leaf. */
  readonly trees: readonly string[];
};

/** The table in memory. */
export type BlockTable = { readonly odds: WordOdds; readonly trees: readonly Tree[] };

/** The nodes of a tree in preorder; a leaf has no feature, and its value as the threshold. */
type Tree = { readonly features: Int16Array; readonly thresholds: Float64Array; readonly rights: Int16Array };

/** One unit of the stored odds. */
export const ODDS_UNIT = 0.25;
const LEAF = -1;

/** Reads a stored table. Throws if its features are not those of this version, or a tree is damaged. */
export function openTable({ features, words, trees }: StoredTable): BlockTable {
  if (features.join() !== featureNames.join()) throw new RangeError("The table of blocks is of another version.");
  const odds = Object.fromEntries(wordPlaces.map((place) => [place, readOdds(words[place])]));
  return { odds: odds as WordOdds, trees: trees.map(readTree) };
}

function readOdds(wordsByOdds: Readonly<Record<string, string>>): ReadonlyMap<string, number> {
  const entries = Object.entries(wordsByOdds);
  return new Map(
    entries.flatMap(([odds, words]) => words.split(" ").map((word) => [word, Number(odds) * ODDS_UNIT] as const)),
  );
}

function readTree(text: string): Tree {
  const nodes = text.split(" ");
  const tree = {
    features: new Int16Array(nodes.length),
    thresholds: new Float64Array(nodes.length),
    rights: new Int16Array(nodes.length),
  };
  /** Inner nodes whose right branch was not reached yet. */
  const open: number[] = [];
  for (const [index, node] of nodes.entries()) {
    const [first = "", threshold] = node.split("<");
    tree.features[index] = threshold === undefined ? LEAF : Number(first);
    tree.thresholds[index] = Number(threshold ?? first);
    if (threshold !== undefined) open.push(index);
    else {
      const parent = open.pop();
      if (parent !== undefined) tree.rights[parent] = index + 1;
    }
  }
  if (!isWhole(tree)) throw new RangeError("The table of blocks has a damaged tree.");
  return tree;
}

/** Whether every path from the first node leads forward to a leaf of the same tree, so that judging ends. */
function isWhole({ features, thresholds, rights }: Tree): boolean {
  const isInner = (index: number) => features[index] !== LEAF;
  const isForward = (index: number) => (rights[index] ?? 0) > index + 1 && (rights[index] ?? 0) < features.length;
  const isNode = (value: number, index: number) =>
    value >= LEAF && value < featureNames.length && (!isInner(index) || isForward(index));
  return features.every(isNode) && thresholds.every(Number.isFinite);
}

/** The probability that a block with these features is content. */
export function judgeBlock(features: Float64Array, { trees }: BlockTable): number {
  let sum = 0;
  for (const tree of trees) sum += evaluateTree(tree, features);
  return 1 / (1 + Math.exp(-sum));
}

function evaluateTree({ features: tests, thresholds, rights }: Tree, features: Float64Array): number {
  let node = 0;
  for (let test = tests[node] ?? LEAF; test !== LEAF; test = tests[node] ?? LEAF)
    node = (features[test] ?? 0) < (thresholds[node] ?? 0) ? node + 1 : (rights[node] ?? 0);
  return thresholds[node] ?? 0;
}
