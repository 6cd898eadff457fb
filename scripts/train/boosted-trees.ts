/** Gradient-boosted trees for probabilities: histograms of binned features, leaves split by their gain. */

/** The rows to learn from: features, the wanted probability, and how much each row counts. */
export type Samples = {
  readonly features: readonly Float64Array[];
  readonly targets: Float64Array;
  readonly weights: Float64Array;
};

export type BoostOptions = {
  readonly trees: number;
  readonly leaves: number;
  readonly maxDepth: number;
  readonly learningRate: number;
  /** Added to the sum of second derivatives of a leaf: larger values make smaller steps. */
  readonly regularisation: number;
  readonly minLeafRows: number;
  readonly minLeafWeight: number;
  /** The shares of the rows and of the features that each tree sees. */
  readonly rowShare: number;
  readonly featureShare: number;
  readonly seed: number;
};

/** A tree of the model. */
export type TreeNode =
  | { readonly value: number }
  | { readonly feature: number; readonly threshold: number; readonly left: TreeNode; readonly right: TreeNode };

const MAX_BINS = 64;

/** Learns a model; its first tree is one leaf with the logarithm of the overall odds. */
export function boostTrees({ features, targets, weights }: Samples, options: BoostOptions): readonly TreeNode[] {
  const random = createRandom(options.seed);
  const bins = binFeatures(features);
  const start = overallOdds(targets, weights);
  const scores = new Float64Array(targets.length).fill(start);
  const trees: TreeNode[] = [{ value: start }];
  for (let round = 0; round < options.trees; round += 1) {
    const gradients = scores.map((score, row) => (weights[row] ?? 0) * (sigmoid(score) - (targets[row] ?? 0)));
    const curvatures = scores
      .map((score) => sigmoid(score) * (1 - sigmoid(score)))
      .map((c, row) => c * (weights[row] ?? 0));
    const rows = Int32Array.from(targets.keys()).filter(() => random() < options.rowShare);
    const columns = bins.filter(() => random() < options.featureShare);
    const tree = growTree(rows, columns, { gradients, curvatures }, options);
    for (const [row, values] of features.entries()) scores[row] = (scores[row] ?? 0) + evaluate(tree, values);
    trees.push(tree);
  }
  return trees;
}

/** The value of a tree for one row. */
export function evaluate(tree: TreeNode, features: Float64Array): number {
  let node = tree;
  while (!("value" in node)) node = (features[node.feature] ?? 0) < node.threshold ? node.left : node.right;
  return node.value;
}

/** The bins of one feature: `borders[bin]` is larger than all values in the bin. */
type Column = { readonly feature: number; readonly bins: Uint8Array; readonly borders: readonly number[] };

function binFeatures(rows: readonly Float64Array[]): readonly Column[] {
  return Array.from({ length: rows[0]?.length ?? 0 }, (_, feature) => {
    const values = Float64Array.from(rows, (row) => row[feature] ?? 0);
    const borders = findBorders(values);
    return { feature, borders, bins: Uint8Array.from(values, (value) => findBin(value, borders)) };
  });
}

/** Quantiles, with each border between two values. */
function findBorders(values: Float64Array): readonly number[] {
  const sorted = values.toSorted();
  const borders: number[] = [];
  for (let bin = 1; bin < MAX_BINS; bin += 1) {
    const at = Math.floor((bin * sorted.length) / MAX_BINS);
    const value = sorted[at] ?? 0;
    const before = sorted.subarray(0, at).findLast((other) => other < value);
    if (before === undefined) continue;
    const border = Number(((before + value) / 2).toPrecision(5));
    if (border > (borders.at(-1) ?? Number.NEGATIVE_INFINITY)) borders.push(border);
  }
  return borders;
}

function findBin(value: number, borders: readonly number[]): number {
  let [low, high] = [0, borders.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value < (borders[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}

type Derivatives = { readonly gradients: Float64Array; readonly curvatures: Float64Array };
type Split = { readonly column: Column; readonly bin: number; readonly gain: number };
/** A leaf that may still be split, with the place where its node is put. */
type Leaf = {
  readonly rows: Int32Array;
  readonly depth: number;
  readonly split: Split | undefined;
  readonly place: (node: TreeNode) => void;
};

/** Splits the leaf with the largest gain until there are enough leaves. */
function growTree(
  rows: Int32Array,
  columns: readonly Column[],
  derivatives: Derivatives,
  options: BoostOptions,
): TreeNode {
  const unset: TreeNode = { value: 0 };
  const top = { node: unset as TreeNode };
  const openLeaf = (leafRows: Int32Array, depth: number, place: Leaf["place"]): Leaf => ({
    rows: leafRows,
    depth,
    place,
    split: depth < options.maxDepth ? findSplit(leafRows, columns, derivatives, options) : undefined,
  });
  const leaves = [openLeaf(rows, 0, (node) => (top.node = node))];
  while (leaves.length < options.leaves) {
    const best = leaves.reduce((one, other) => ((other.split?.gain ?? 0) > (one.split?.gain ?? 0) ? other : one));
    if (best.split === undefined) break;
    const { column, bin } = best.split;
    const isLeft = (row: number) => (column.bins[row] ?? 0) <= bin;
    const node = {
      feature: column.feature,
      threshold: column.borders[bin] ?? 0,
      left: unset as TreeNode,
      right: unset as TreeNode,
    };
    best.place(node);
    leaves.splice(
      leaves.indexOf(best),
      1,
      openLeaf(best.rows.filter(isLeft), best.depth + 1, (child) => (node.left = child)),
      openLeaf(
        best.rows.filter((row) => !isLeft(row)),
        best.depth + 1,
        (child) => (node.right = child),
      ),
    );
  }
  for (const { rows: leafRows, place } of leaves) place({ value: leafValue(leafRows, derivatives, options) });
  return top.node;
}

function leafValue(rows: Int32Array, { gradients, curvatures }: Derivatives, options: BoostOptions): number {
  const sum = (values: Float64Array) => rows.reduce((total, row) => total + (values[row] ?? 0), 0);
  return (-options.learningRate * sum(gradients)) / (sum(curvatures) + options.regularisation);
}

function findSplit(
  rows: Int32Array,
  columns: readonly Column[],
  derivatives: Derivatives,
  options: BoostOptions,
): Split | undefined {
  let best: Split | undefined;
  for (const column of columns) {
    const split = splitColumn(rows, column, derivatives, options);
    if (split !== undefined && split.gain > (best?.gain ?? 0)) best = split;
  }
  return best;
}

function splitColumn(
  rows: Int32Array,
  column: Column,
  { gradients, curvatures }: Derivatives,
  { regularisation, minLeafRows, minLeafWeight }: BoostOptions,
): Split | undefined {
  const size = column.borders.length + 1;
  const [gradientSums, curvatureSums, counts] = [new Float64Array(size), new Float64Array(size), new Int32Array(size)];
  for (const row of rows) {
    const bin = column.bins[row] ?? 0;
    gradientSums[bin] = (gradientSums[bin] ?? 0) + (gradients[row] ?? 0);
    curvatureSums[bin] = (curvatureSums[bin] ?? 0) + (curvatures[row] ?? 0);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const total = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);
  const [gradient, curvature] = [total(gradientSums), total(curvatureSums)];
  const scoreOf = (g: number, c: number) => (g * g) / (c + regularisation);
  let [leftGradient, leftCurvature, leftRows] = [0, 0, 0];
  let best: Split | undefined;
  for (let bin = 0; bin < size - 1; bin += 1) {
    leftGradient += gradientSums[bin] ?? 0;
    leftCurvature += curvatureSums[bin] ?? 0;
    leftRows += counts[bin] ?? 0;
    if (Math.min(leftRows, rows.length - leftRows) < minLeafRows) continue;
    if (Math.min(leftCurvature, curvature - leftCurvature) < minLeafWeight) continue;
    const gain =
      scoreOf(leftGradient, leftCurvature) +
      scoreOf(gradient - leftGradient, curvature - leftCurvature) -
      scoreOf(gradient, curvature);
    if (gain > (best?.gain ?? 0)) best = { column, bin, gain };
  }
  return best;
}

function overallOdds(targets: Float64Array, weights: Float64Array): number {
  const wanted = targets.reduce((sum, target, row) => sum + target * (weights[row] ?? 0), 0);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return Math.log(wanted / (all - wanted));
}

function sigmoid(score: number): number {
  return 1 / (1 + Math.exp(-score));
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
