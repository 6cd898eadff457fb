/** Drops what a learnt table takes for something else than the content: promotions, notices, other stories. */

import { findByline } from "../data/byline.ts";
import { findEmbed } from "../tree/embeds.ts";
import { wordSet } from "../tree/tags.ts";
import { createContains, type Element, isFormulaScript, isInside, type Page } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import { measureBlocks } from "./block-features.ts";
import { BlockLayout, type BlockRange } from "./block-layout.ts";
import storedTable from "./block-table.json" with { type: "json" };
import { type BlockTable, judgeBlock, openTable } from "./block-table.ts";
import { listBlockWords } from "./block-words.ts";
import { type ContentBlock, listBlocks } from "./content-blocks.ts";
import { leaveOutNeeded } from "./needed-blocks.ts";

const { minProbability, maxDroppedShare, maxBylineChars } = htmlWeights.blockFilter;

/** On a page of more blocks nothing is dropped: the ancestors of each block are visited. */
const MAX_BLOCKS = 5000;

let table: BlockTable | undefined;

/**
 * Marks what is unlikely to be content under the root; nothing if that is much of the text. Returns the share of the
 * text that is dropped.
 */
export function dropUnlikelyBlocks(page: Page, root: Element, dropped: Uint8Array): number {
  const blocks = listBlocks(page, root, dropped);
  if (blocks.length === 0 || blocks.length > MAX_BLOCKS) return 0;
  table ??= openTable(storedTable);
  const layout = new BlockLayout(root, blocks);
  const judged = findUnlikely(blocks, layout, table).filter(createBylineGuard(page, blocks));
  const unlikely = leaveOutNeeded(page, judged, blocks, layout);
  const chars = unlikely.reduce((sum, element) => sum + layout.sum(layout.rangeOf(element)).chars, 0);
  const share = chars / layout.total.chars;
  if (share > maxDroppedShare) return 0;
  for (const element of unlikely) dropped[element.index] = 1;
  dropEmptied(page, unlikely, layout, dropped);
  return share;
}

/** The blocks and whole lists that are content with a low probability. */
function findUnlikely(blocks: readonly ContentBlock[], layout: BlockLayout, table: BlockTable): readonly Element[] {
  const features = measureBlocks(blocks, listBlockWords(blocks, layout), layout, table.odds);
  const judgements = new Map<Element, { isFixed: boolean; sum: number; chars: number }>();
  for (const [index, { element, text, isFixed, isVerbatim, headingLevel }] of blocks.entries()) {
    const unit = findList(element, layout) ?? element;
    const before = judgements.get(unit) ?? { isFixed: false, sum: 0, chars: 0 };
    judgements.set(unit, {
      isFixed: before.isFixed || headingLevel === 1 || isVerbatim || (isFixed && unit === element),
      sum: before.sum + text.length * judgeBlock(features[index] ?? new Float64Array(), table),
      chars: before.chars + text.length,
    });
  }
  const isUnlikely = ([, { isFixed, sum, chars }]: JudgedUnit) => !isFixed && sum < minProbability * chars;
  return [...judgements].filter(isUnlikely).map(([element]) => element);
}
type JudgedUnit = readonly [Element, { readonly isFixed: boolean; readonly sum: number; readonly chars: number }];

/** Makes a test for what may be dropped: not the first line that names the author, since no other part of a reply does. */
function createBylineGuard(page: Page, blocks: readonly ContentBlock[]): (element: Element) => boolean {
  const author = findByline(page);
  if (author === undefined) return () => true;
  const isByline = ({ text }: ContentBlock) => text.length <= author.length + maxBylineChars && text.includes(author);
  const byline = blocks.find(isByline)?.element;
  return (element) => byline === undefined || byline.index < element.index || byline.index >= element.end;
}

/** The outermost list around a block: its items are kept or dropped together. */
function findList(element: Element, layout: BlockLayout): Element | undefined {
  let list: Element | undefined;
  for (const each of layout.ancestorsOf(element)) if (listTags.has(each.tag)) list = each;
  return list;
}
const listTags = wordSet("ul ol dl");

/** Drops the boxes in which no block is left, with their pictures, unless one shows something without text. */
function dropEmptied(page: Page, unlikely: readonly Element[], layout: BlockLayout, dropped: Uint8Array): void {
  const countLeft = createLeftCount(unlikely, layout);
  const isLeft = (element: Element) => !layout.ancestorsOf(element).some(({ index }) => dropped[index] === 1);
  const isShown = createContains(page, (element) => saysSomething(element) && isLeft(element));
  for (const element of unlikely)
    for (const box of layout.ancestorsOf(element).slice(1)) {
      // The boxes around one that was dropped before were visited then.
      if (dropped[box.index] === 1 || countLeft(layout.rangeOf(box)) > 0 || isShown(box)) break;
      dropped[box.index] = 1;
    }
}

/** A described figure, an embedded document or a formula; a picture inside a link is that of another page. */
function saysSomething(element: Element): boolean {
  const { tag, attributes } = element;
  if (tag === "img") return attributes.alt?.trim() && isInside(element, "figure") ? !isInside(element, "a") : false;
  return tag === "math" || isFormulaScript(element) || findEmbed(element) !== undefined;
}

/** Counts the blocks of a range that are outside the dropped elements, in constant time. */
function createLeftCount(unlikely: readonly Element[], layout: BlockLayout): (range: BlockRange) => number {
  const isLeft = new Uint8Array(layout.blockCount).fill(1);
  for (const { start, end } of unlikely.map((element) => layout.rangeOf(element))) isLeft.fill(0, start, end);
  const leftBefore = new Int32Array(isLeft.length + 1);
  for (const [index, left] of isLeft.entries()) leftBefore[index + 1] = (leftBefore[index] ?? 0) + left;
  return ({ start, end }) => (leftBefore[end] ?? 0) - (leftBefore[start] ?? 0);
}
