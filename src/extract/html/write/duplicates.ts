/** Detects paragraphs that a page repeats: for other screen sizes, in sliders and as pull quotes. */
import { inlineTags } from "../tree/tags.ts";
import type { Element } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import { type LineLinks, lineBreak } from "./link-writer.ts";

/** Memory for the first occurrences; pages that repeat their text for several screen sizes are shorter. */
const MAX_REMEMBERED_CHARS = 2_000_000;

/** A paragraph with its links, and the heading above it. */
type Paragraph = { readonly text: string; readonly links: LineLinks; readonly heading: string };

/** The paragraphs of a page so far, and how much of them was repeated. */
export class DuplicateDetector {
  /** The box of the first occurrence, by heading and text. */
  readonly #boxes = new Map<string, Element | null>();
  #firstChars = 0;
  #duplicateChars = 0;

  /** Characters in all duplicates so far. */
  get duplicateChars(): number {
    return this.#duplicateChars;
  }

  /** Whether most of the text was repeated: then repetition is what the page is about. */
  get isMostlyDuplicates(): boolean {
    return this.#duplicateChars > htmlWeights.writing.maxDuplicateRatio * this.#firstChars;
  }

  /**
   * Records a paragraph and says whether it is a duplicate. Short ones, and those under another heading or in the same
   * box, repeat for a reason.
   */
  checkAndRecord({ text, links, heading }: Paragraph, element: Element): boolean {
    const chars = text.length + links.omittedChars;
    if (chars < htmlWeights.writing.minDuplicateChars) return false;
    const words = links.addresses === "" ? text : withoutLinks(text);
    const key = `${heading}\n${words}\n${links.addresses}`;
    const box = boxOf(element);
    const firstBox = this.#boxes.get(key);
    const isDuplicate = firstBox !== undefined && firstBox !== box;
    if (isDuplicate) this.#duplicateChars += chars;
    else this.#firstChars += chars;
    if (firstBox === undefined && this.#firstChars < MAX_REMEMBERED_CHARS) this.#boxes.set(key, box);
    return isDuplicate;
  }
}

/**
 * The text without the brackets and addresses of links and without emphasis, as the second copy of a link may have no
 * address and then keeps its lines and emphasis; with those of images, which may be all that differs.
 */
function withoutLinks(text: string): string {
  const words = /[[*]/.test(text) ? text.replace(/(!\[[^[\]]*\]\([^()\s]*\))|\]\([^()\s]*\)|[[\]*]/g, "$1") : text;
  return words.includes("\n") ? words.replace(lineBreak, " ") : words;
}

/** The parent of the block that an element is or belongs to. */
function boxOf(element: Element): Element | null {
  let block = element;
  while (block.parent !== null && inlineTags.has(block.tag)) block = block.parent;
  return block.parent;
}
