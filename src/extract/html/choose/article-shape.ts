/** Whether a page that states no kind has the shape of an article: one run of paragraphs with most of its prose. */

import type { Node, Page } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import type { Measures } from "./text-measures.ts";

const { minRunChars, minRunShare, maxPrices, maxPriceChars } = htmlWeights.articleShape;

/** Paragraphs that are children of one element are a run; cards and columns have an element each. */
export function hasArticleShape(page: Page, measures: Measures): boolean {
  return hasLongRun(page, measures) && !isCatalogue(page);
}

function hasLongRun({ elements }: Page, { prose }: Measures): boolean {
  const ownProse = Int32Array.from(prose);
  for (const { parent, index } of elements)
    if (parent !== null) ownProse[parent.index] = (ownProse[parent.index] ?? 0) - (prose[index] ?? 0);
  const runs = new Int32Array(elements.length);
  for (const { parent, index } of elements)
    if (parent !== null) runs[parent.index] = (runs[parent.index] ?? 0) + (ownProse[index] ?? 0);
  const longest = runs.reduce((best, chars) => Math.max(best, chars), 0);
  return longest > minRunChars && longest > minRunShare * (prose[0] ?? 0);
}

/** Shops describe a category below its goods. */
function isCatalogue({ elements }: Page): boolean {
  return elements.filter(({ children }) => children.some(isPrice)).length > maxPrices;
}

function isPrice(node: Node): boolean {
  return typeof node === "string" && node.length <= maxPriceChars && price.test(node);
}
const price = /^\P{L}*(?:\p{Sc}\s?\d|\d\s?(?:\p{Sc}|zł|kr))/u;
