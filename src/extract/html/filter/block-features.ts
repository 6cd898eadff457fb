/** The numbers by which the learnt table tells the blocks of a page's content from others. */

import { type Element, isInside } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import type { BlockLayout, RangeSums } from "./block-layout.ts";
import type { BlockWords } from "./block-words.ts";
import type { ContentBlock } from "./content-blocks.ts";

/** What the feature numbers are, in their order. */
export const featureNames = [
  "textMean",
  "textMin",
  "textMax",
  "nameMean",
  "nameMin",
  "headingMean",
  "headingMin",
  "ending",
  "chars",
  "linkShare",
  "headingLevel",
  "headingDistance",
  "isItem",
  "isInFigure",
  "position",
  "prosePosition",
  "linkShareAround",
  "alike",
  "boxCharsPerLink",
  "sectionShare",
  "sectionProseShare",
  "sectionLinkShare",
  "sectionProseAfter",
  "sectionAlike",
  "pageProse",
  "pageProseShare",
] as const;

/** How often words are in content rather than in other blocks, as the logarithm of the odds. */
export type WordOdds = Readonly<Record<keyof BlockWords, ReadonlyMap<string, number>>>;

const { maxSectionShare, neighbours, maxAlike, maxAlikeLevels, maxHeadingDistance } = htmlWeights.blockFilter;

/** The features of every block of a page. */
export function measureBlocks(
  blocks: readonly ContentBlock[],
  words: readonly BlockWords[],
  layout: BlockLayout,
  odds: WordOdds,
): readonly Float64Array[] {
  let headingAbove = Number.NEGATIVE_INFINITY;
  return blocks.map((block, index) => {
    const features = measureWords(words[index], odds).concat(
      measureText(block),
      Math.min(maxHeadingDistance, index - headingAbove),
      measureTags(block),
      measurePosition(index, layout),
      measureBox(block, layout),
      measureSection(block, layout),
      Math.log1p(layout.total.prose),
      shareOf(layout.total.prose, layout.total),
    );
    if (block.headingLevel > 0) headingAbove = index;
    return new Float64Array(features);
  });
}

function measureWords(words: BlockWords | undefined, odds: WordOdds): readonly number[] {
  if (words === undefined) return [];
  const text = summarise(words.text, odds.text);
  const name = summarise(words.name, odds.name);
  const heading = summarise(words.heading, odds.heading);
  return [text.mean, text.min, text.max, name.mean, name.min, heading.mean, heading.min];
}

/** Words without odds say nothing; the mean of few words is taken towards 0. */
function summarise(words: readonly string[], odds: ReadonlyMap<string, number>) {
  const summary = { mean: 0, min: 0, max: 0 };
  let [sum, count] = [0, 0];
  for (const word of words) {
    const value = odds.get(word);
    if (value === undefined) continue;
    summary.min = count === 0 ? value : Math.min(summary.min, value);
    summary.max = count === 0 ? value : Math.max(summary.max, value);
    sum += value;
    count += 1;
  }
  summary.mean = sum / (count + 1);
  return summary;
}

function measureText({ text, linkChars, headingLevel }: ContentBlock): readonly number[] {
  return [endingOf(text), Math.log1p(text.length), linkChars / text.length, headingLevel];
}

/** 2 for a full stop, 1 for another mark that ends a sentence or a part of one. */
function endingOf(text: string): number {
  if (/[.。]$/.test(text)) return 2;
  return /[!?:;…"”)]$/.test(text) ? 1 : 0;
}

function measureTags({ element }: ContentBlock): readonly number[] {
  const isItem = element.tag === "li" || element.parent?.tag === "li";
  const isInFigure = element.tag === "figcaption" || isInside(element, "figure");
  return [Number(isItem), Number(isInFigure)];
}

function measurePosition(index: number, layout: BlockLayout): readonly number[] {
  const before = layout.sum({ start: 0, end: index });
  const around = layout.sum({ start: Math.max(0, index - neighbours), end: index + neighbours + 1 });
  return [
    shareOf(before.chars, layout.total),
    before.prose / Math.max(1, layout.total.prose),
    shareOf(around.links, around),
  ];
}

/** The longest row of similar elements that the block is in, and the smallest element around it and another block. */
function measureBox({ element }: ContentBlock, layout: BlockLayout): readonly number[] {
  let alike = 1;
  for (const each of layout.ancestorsOf(element).slice(0, maxAlikeLevels))
    alike = Math.max(alike, layout.countAlike(each));
  const box = layout.ancestorsOf(element).find((each) => layout.rangeOf(each).end - layout.rangeOf(each).start > 1);
  const { chars, anchors } = box === undefined ? layout.total : layout.sum(layout.rangeOf(box));
  return [Math.min(maxAlike, alike), Math.log1p(chars / Math.max(1, anchors))];
}

/** The largest element around a block that has at most half of the text. */
function measureSection({ element }: ContentBlock, layout: BlockLayout): readonly number[] {
  const section = findSection(element, layout);
  const range = layout.rangeOf(section);
  const sums = layout.sum(range);
  const before = layout.sum({ start: 0, end: range.end });
  return [
    shareOf(sums.chars, layout.total),
    shareOf(sums.prose, sums),
    shareOf(sums.links, sums),
    Math.log1p(layout.total.prose - before.prose),
    layout.countAlike(section),
  ];
}

function findSection(element: Element, layout: BlockLayout): Element {
  let section = element;
  for (const each of layout.ancestorsOf(element)) {
    if (layout.sum(layout.rangeOf(each)).chars > maxSectionShare * layout.total.chars) break;
    section = each;
  }
  return section;
}

function shareOf(part: number, { chars }: RangeSums): number {
  return part / Math.max(1, chars);
}
