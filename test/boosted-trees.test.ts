/** The trees that scripts/train learns. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type BoostOptions, boostTrees, evaluate } from "../scripts/train/boosted-trees.ts";

const options: BoostOptions = {
  trees: 40,
  leaves: 6,
  maxDepth: 3,
  learningRate: 0.3,
  regularisation: 1,
  minLeafRows: 5,
  minLeafWeight: 0.5,
  rowShare: 0.8,
  featureShare: 1,
  seed: 1,
};
/** Wanted where exactly one of the first two numbers is high; the third says nothing. */
const features = Array.from({ length: 400 }, (_, row) => Float64Array.of(row % 20, Math.floor(row / 20), row % 7));
const isWanted = ([x = 0, y = 0]: Float64Array) => x >= 10 !== y >= 12;
const samples = {
  features,
  targets: Float64Array.from(features, (row) => Number(isWanted(row))),
  weights: new Float64Array(features.length).fill(1),
};

test("boosted trees learn what depends on two features at once", () => {
  const trees = boostTrees(samples, options);
  assert.equal(trees.length, options.trees + 1);
  const scoreOf = (row: Float64Array) => trees.reduce((sum, tree) => sum + evaluate(tree, row), 0);
  const right = features.filter((row) => scoreOf(row) > 0 === isWanted(row));
  assert.ok(right.length >= 0.97 * features.length, `${right.length}`);
});

test("boosted trees are the same for the same seed", () => {
  assert.deepEqual(boostTrees(samples, options), boostTrees(samples, options));
});
