/** The blocks of text in the chosen part of a page: paragraphs, headings, list items, code blocks and tables. */

import { isPlainTable } from "../choose/table-kind.ts";
import { isIgnored } from "../choose/text-measures.ts";
import { headingTags, inlineTags } from "../tree/tags.ts";
import { collectText, type Element, isInside, type Page } from "../tree/tree.ts";

/** One block of text. */
export type ContentBlock = {
  readonly element: Element;
  readonly text: string;
  /** Characters of the text that are in links, and the number of these. */
  readonly linkChars: number;
  readonly anchors: number;
  /** 1 to 6 for a heading, else 0. */
  readonly headingLevel: number;
  /** Code and tables are kept whole; a line between other blocks of the same element cannot be dropped alone. */
  readonly isFixed: boolean;
  readonly isVerbatim: boolean;
};

/** Lists the blocks under an element that are not dropped, in their order. */
export function listBlocks(page: Page, root: Element, dropped: Uint8Array): readonly ContentBlock[] {
  const lister = new BlockLister(page, dropped);
  lister.visit(root);
  return lister.blocks;
}

/** A line of text that is being collected. */
type Line = { text: string; linkChars: number; anchors: number };

class BlockLister {
  readonly blocks: ContentBlock[] = [];
  readonly #page: Page;
  readonly #dropped: Uint8Array;
  /** Elements with a block inside. */
  readonly #hasBlock: Uint8Array;

  constructor(page: Page, dropped: Uint8Array) {
    this.#page = page;
    this.#dropped = dropped;
    this.#hasBlock = findBlockParents(page);
  }

  visit(element: Element): void {
    if (this.#isLeftOut(element)) return;
    const isVerbatim = element.tag === "pre" || (element.tag === "table" && isPlainTable(this.#page, element));
    if (isVerbatim || !this.#hasBlock[element.index]) this.#addWhole(element, isVerbatim);
    else this.#visitChildren(element);
  }

  #visitChildren(element: Element): void {
    let line: Line = { text: "", linkChars: 0, anchors: 0 };
    for (const child of element.children) {
      if (typeof child === "string") line.text += child;
      else if (this.#hasBlock[child.index] || !inlineTags.has(child.tag)) {
        this.#add(element, line, { isFixed: true, isVerbatim: false });
        line = { text: "", linkChars: 0, anchors: 0 };
        this.visit(child);
      } else this.#collect(child, line, false);
    }
    this.#add(element, line, { isFixed: true, isVerbatim: false });
  }

  #addWhole(element: Element, isVerbatim: boolean): void {
    const line: Line = { text: "", linkChars: 0, anchors: 0 };
    const isLinked = isInside(element, "a");
    if (isVerbatim) line.text = collectText(element);
    else this.#collect(element, line, isLinked);
    if (isLinked) line.anchors = Math.max(1, line.anchors);
    this.#add(element, line, { isFixed: isVerbatim, isVerbatim });
  }

  /** Adds the text of an element without blocks to a line. */
  #collect(element: Element, line: Line, isLinked: boolean): void {
    if (this.#isLeftOut(element)) return;
    const isInLink = isLinked || element.tag === "a";
    if (element.tag === "a") line.anchors += 1;
    if (element.tag === "br") line.text += " ";
    for (const child of element.children) {
      if (typeof child !== "string") this.#collect(child, line, isInLink);
      else {
        line.text += child;
        if (isInLink) line.linkChars += child.trim().length;
      }
    }
  }

  #add(element: Element, line: Line, kind: Pick<ContentBlock, "isFixed" | "isVerbatim">): void {
    const text = line.text.replace(/\s+/g, " ").trim();
    if (text === "") return;
    const headingLevel = headingTags.has(element.tag) ? Number(element.tag.slice(1)) : 0;
    const linkChars = Math.min(line.linkChars, text.length);
    this.blocks.push({ element, text, linkChars, anchors: line.anchors, headingLevel, ...kind });
  }

  #isLeftOut(element: Element): boolean {
    return this.#dropped[element.index] === 1 || isIgnored(element);
  }
}

function findBlockParents({ elements }: Page): Uint8Array {
  const hasBlock = new Uint8Array(elements.length);
  for (let index = elements.length - 1; index > 0; index -= 1) {
    const { tag, parent } = elements[index] as Element;
    if (parent !== null && (!inlineTags.has(tag) || hasBlock[index])) hasBlock[parent.index] = 1;
  }
  return hasBlock;
}
