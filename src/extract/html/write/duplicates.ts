/** Knows the paragraphs that a page shows a second time: for other screens, in sliders and as quotations. */
import { inlineTags } from "../tree/tags.ts";
import type { Element } from "../tree/tree.ts";

/** Shorter paragraphs are repeated for good reasons. */
const leastChars = 80;
const mostCopies = 3;
/** So much of a page is remembered to know it again; no page that shows its text to several screens is longer. */
const rememberedChars = 2_000_000;

export class Copies {
  /** Each long paragraph with the box it stood in first. */
  readonly #boxes = new Map<string, Element | null>();
  #firstChars = 0;
  #copiedChars = 0;

  /** Characters of all copies so far. */
  get chars(): number {
    return this.#copiedChars;
  }

  /** Where most is repeated, repeating is what the page is about. */
  get areMost(): boolean {
    return this.#copiedChars > mostCopies * this.#firstChars;
  }

  /** Whether this was there before. What stands under another heading, or twice in the same box, was meant. */
  isCopy(text: string, heading: string, at: Element): boolean {
    if (text.length < leastChars) return false;
    const placed = `${heading}\n${text}`;
    const box = boxOf(at);
    const firstBox = this.#boxes.get(placed);
    const isCopy = firstBox !== undefined && firstBox !== box;
    if (isCopy) this.#copiedChars += text.length;
    else this.#firstChars += text.length;
    if (firstBox === undefined && this.#firstChars < rememberedChars) this.#boxes.set(placed, box);
    return isCopy;
  }
}

/** What holds the block that an element is, or is a part of. */
function boxOf(element: Element): Element | null {
  let block = element;
  while (block.parent !== null && inlineTags.has(block.tag)) block = block.parent;
  return block.parent;
}
