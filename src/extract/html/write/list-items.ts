/** Lists and their items: which marker an item gets, and which items are sections of the page. */
import { headingTags } from "../tree/tags.ts";
import type { Element, Node } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";

/** A marker, "" for a section, and whether the item follows the block before it without an empty line. */
type ItemStart = { readonly marker: string; readonly isTight: boolean };

/** A list, the number of its next item, and the count of blocks at the end of its last one. */
type OpenList = { readonly isOrdered: boolean; number: number; lastEnd: number | undefined };

/** Numbers the items of the lists that are open. */
export class ListCounter {
  readonly #open: OpenList[] = [];

  beginList({ tag, attributes }: Element): void {
    this.#open.push({ isOrdered: tag === "ol", number: parseItemNumber(attributes.start) ?? 1, lastEnd: undefined });
  }

  endList(): void {
    this.#open.pop();
  }

  /**
   * Begins an item of the innermost list, after this many blocks. An item outside all lists gets a bullet. Directly after a
   * paragraph, Markdown reads a number other than 1 as part of it.
   */
  beginItem(item: Element, blocks: number): ItemStart {
    const list = this.#open.at(-1);
    const number = parseItemNumber(item.attributes.value) ?? list?.number ?? 1;
    const marker = list?.isOrdered ? `${number}. ` : isSection(item) ? "" : "- ";
    if (list === undefined) return { marker, isTight: false };
    const isFirstOfInner = list.lastEnd === undefined && this.#open.length > 1 && (!list.isOrdered || number === 1);
    const isTight = marker !== "" && (list.lastEnd === blocks || isFirstOfInner);
    list.number = number + 1;
    return { marker, isTight };
  }

  /** Ends the item, after this many blocks. */
  endItem(blocks: number): void {
    const list = this.#open.at(-1);
    if (list !== undefined) list.lastEnd = blocks;
  }
}

/** A number that Markdown accepts before a list item: at most nine digits. */
function parseItemNumber(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : undefined;
}

/** An item that begins with a heading: a list of sections is a list only in the markup. */
function isSection(item: Element): boolean {
  let first: Node | undefined = item;
  for (let level = 0; level <= htmlWeights.writing.maxItemWrappers && typeof first === "object"; level += 1) {
    if (headingTags.has(first.tag)) return true;
    first = first.children.find((child) => typeof child !== "string" || child.trim() !== "");
  }
  return false;
}
