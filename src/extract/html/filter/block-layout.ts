/** Where the blocks of a page are: which of them each element contains, and how much text, prose and links these have. */

import type { Element } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import type { ContentBlock } from "./content-blocks.ts";

const { minProseChars } = htmlWeights.measure;
const { maxProseLinkShare } = htmlWeights.blockFilter;

/** The blocks from `start` up to `end`. */
export type BlockRange = { readonly start: number; readonly end: number };

/** What a range of blocks has. */
export type RangeSums = {
  readonly chars: number;
  readonly prose: number;
  readonly links: number;
  readonly anchors: number;
};

/** Makes sums over any range of blocks, and finds the range of an element and its similar siblings. */
export class BlockLayout {
  readonly total: RangeSums;
  readonly blockCount: number;
  readonly #root: Element;
  /** The first block of each element and the one after its last, by `Element.index`; 0 and 0 if there is none. */
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  /** How many siblings are similar to each element, by its index; 0 until its siblings were counted. */
  readonly #alike: Int32Array;
  readonly #chars: Float64Array;
  readonly #prose: Float64Array;
  readonly #links: Float64Array;
  readonly #anchors: Float64Array;

  constructor(root: Element, blocks: readonly ContentBlock[]) {
    this.#root = root;
    this.blockCount = blocks.length;
    this.#starts = new Int32Array(root.end);
    this.#ends = new Int32Array(root.end);
    this.#alike = new Int32Array(root.end);
    for (const [index, { element }] of blocks.entries()) this.#addToRanges(element, index);
    this.#chars = sumsBefore(blocks, ({ text }) => text.length);
    this.#prose = sumsBefore(blocks, (block) => (isProse(block) ? block.text.length : 0));
    this.#links = sumsBefore(blocks, ({ linkChars }) => linkChars);
    this.#anchors = sumsBefore(blocks, ({ anchors }) => anchors);
    this.total = this.sum({ start: 0, end: blocks.length });
  }

  /** The range may extend beyond the last block. */
  sum({ start, end }: BlockRange): RangeSums {
    const last = Math.min(end, this.blockCount);
    return {
      chars: difference(this.#chars, start, last),
      prose: difference(this.#prose, start, last),
      links: difference(this.#links, start, last),
      anchors: difference(this.#anchors, start, last),
    };
  }

  /** The blocks in an element; none for one without text. */
  rangeOf({ index }: Element): BlockRange {
    return { start: this.#starts[index] ?? 0, end: this.#ends[index] ?? 0 };
  }

  /** An element and its ancestors below the root, from the inside out. */
  ancestorsOf(element: Element): readonly Element[] {
    const ancestors: Element[] = [];
    for (let each: Element | null = element; each !== null && each !== this.#root; each = each.parent)
      ancestors.push(each);
    return ancestors;
  }

  /** How many children of the same parent have text and the same tag and first class; at least 1. */
  countAlike(element: Element): number {
    if (element.parent !== null && this.#alike[element.index] === 0) this.#countRows(element.parent);
    return Math.max(1, this.#alike[element.index] ?? 1);
  }

  #countRows(parent: Element): void {
    const boxes = parent.children.filter((child) => typeof child !== "string").filter((child) => this.#hasBlock(child));
    for (const row of Map.groupBy(boxes, tagAndFirstClass).values())
      for (const { index } of row) this.#alike[index] = row.length;
  }

  #hasBlock({ index }: Element): boolean {
    return (this.#ends[index] ?? 0) > 0;
  }

  #addToRanges(element: Element, block: number): void {
    for (let each: Element | null = element; each !== null; each = each === this.#root ? null : each.parent) {
      if (!this.#hasBlock(each)) this.#starts[each.index] = block;
      this.#ends[each.index] = block + 1;
    }
  }
}

function difference(sums: Float64Array, start: number, end: number): number {
  return (sums[end] ?? 0) - (sums[start] ?? 0);
}

/** Code, tables, and text that is long enough and mostly outside links. */
function isProse({ text, linkChars, isVerbatim }: ContentBlock): boolean {
  return isVerbatim || (text.length - linkChars >= minProseChars && linkChars < maxProseLinkShare * text.length);
}

function sumsBefore(blocks: readonly ContentBlock[], measure: (block: ContentBlock) => number): Float64Array {
  const sums = new Float64Array(blocks.length + 1);
  for (const [index, block] of blocks.entries()) sums[index + 1] = (sums[index] ?? 0) + measure(block);
  return sums;
}

function tagAndFirstClass({ tag, attributes }: Element): string {
  return `${tag} ${attributes.class?.split(/\s+/, 1)[0] ?? ""}`;
}
