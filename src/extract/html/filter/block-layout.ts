/** Where the blocks of a page are: which of them each element contains, and how much text, prose and links these have. */

import type { Element } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import type { ContentBlock } from "./content-blocks.ts";

const { minProseChars } = htmlWeights.measure;
const { maxProseLinkShare } = htmlWeights.blockFilter;

/** The blocks from `start` up to `end`. */
export type BlockRange = { readonly start: number; end: number };

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
  readonly #ranges = new Map<Element, BlockRange>();
  readonly #rowsByParent = new Map<Element, ReadonlyMap<string, number>>();
  readonly #chars: Float64Array;
  readonly #prose: Float64Array;
  readonly #links: Float64Array;
  readonly #anchors: Float64Array;

  constructor(root: Element, blocks: readonly ContentBlock[]) {
    this.#root = root;
    this.blockCount = blocks.length;
    for (const [index, { element }] of blocks.entries()) this.#addToRanges(element, index);
    this.#chars = sumsBefore(blocks, ({ text }) => text.length);
    this.#prose = sumsBefore(blocks, (block) => (isProse(block) ? block.text.length : 0));
    this.#links = sumsBefore(blocks, ({ linkChars }) => linkChars);
    this.#anchors = sumsBefore(blocks, ({ anchors }) => anchors);
    this.total = this.sum({ start: 0, end: blocks.length });
  }

  /** The range may extend beyond the last block. */
  sum({ start, end }: BlockRange): RangeSums {
    const last = Math.min(end, this.#chars.length - 1);
    const between = (sums: Float64Array) => (sums[last] ?? 0) - (sums[start] ?? 0);
    return {
      chars: between(this.#chars),
      prose: between(this.#prose),
      links: between(this.#links),
      anchors: between(this.#anchors),
    };
  }

  /** The blocks in an element; none for one without text. */
  rangeOf(element: Element): BlockRange {
    return this.#ranges.get(element) ?? { start: 0, end: 0 };
  }

  /** An element and its ancestors below the root, from the inside out. */
  *ancestorsOf(element: Element): Generator<Element, void> {
    for (let each: Element | null = element; each !== null && each !== this.#root; each = each.parent) yield each;
  }

  /** How many children of the same parent have text and the same tag and first class; at least 1. */
  countAlike(element: Element): number {
    const { parent } = element;
    if (parent === null) return 1;
    const rows = this.#rowsByParent.get(parent) ?? this.#countRows(parent);
    this.#rowsByParent.set(parent, rows);
    return rows.get(tagAndFirstClass(element)) ?? 1;
  }

  #countRows(parent: Element): ReadonlyMap<string, number> {
    const rows = new Map<string, number>();
    for (const child of parent.children) {
      if (typeof child === "string" || !this.#ranges.has(child)) continue;
      rows.set(tagAndFirstClass(child), (rows.get(tagAndFirstClass(child)) ?? 0) + 1);
    }
    return rows;
  }

  #addToRanges(element: Element, index: number): void {
    for (let each: Element | null = element; each !== null; each = each === this.#root ? null : each.parent) {
      const range = this.#ranges.get(each);
      if (range === undefined) this.#ranges.set(each, { start: index, end: index + 1 });
      else range.end = index + 1;
    }
  }
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
