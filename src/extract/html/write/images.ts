/** Images as text: their label, where it tells a reader of text something. */

import type { Resolver } from "../tree/links.ts";
import { collectText, type Element, listByTag, type Page } from "../tree/tree.ts";
import { ICON } from "../tree/tree-builder.ts";
import { htmlWeights } from "../weights.ts";
import { escapeText } from "./escape.ts";

type ImageOptions = {
  readonly isInTable: boolean;
  /** In a reference, links that show only an image are badges: their labels say something. */
  readonly isReference: boolean;
  readonly resolve: Resolver;
};

/** Writes images, and remembers their labels: a gallery shows one thing many times under one label. */
export class ImageWriter {
  readonly #page: Page;
  readonly #labels = new Set<string>();
  #textLinks: ReadonlyMap<string | undefined, readonly Element[]> | undefined;

  constructor(page: Page) {
    this.#page = page;
  }

  /**
   * The text of an image; undefined if it says nothing. In the cell of a table, in a badge, in a link, in place of a sign
   * and where its address is data or too long, the label is all there is, so it is written as it is.
   */
  write(image: Element, { isInTable, isReference, resolve }: ImageOptions): string | undefined {
    const label = labelOf(image);
    if (label === "" || isFileName(label)) return undefined;
    if (isInTable || (isReference && isOnlyContentOfLink(image))) return escapeText(label);
    if (isIcon(image)) return isFirstInItem(image) && stateLabel.test(label) ? `${label}: ` : undefined;
    if (isSign(image, label)) return escapeText(label);
    const { src } = image.attributes;
    if (src === undefined || !this.#isFigure(image, label)) return undefined;
    const link = findAncestor(image, "a");
    if (link !== null && this.#isNamed(link, image)) return undefined;
    this.#labels.add(label);
    const target = resolve(src);
    const isLabelEnough = target === undefined || target.length > MAX_IMAGE_ADDRESS_CHARS || leadsToPage(link, resolve);
    return isLabelEnough ? escapeText(label) : `![${label}](${target})`;
  }

  /** Whether text says where the link of an image leads: its own, or in a card that of another link beside it. */
  #isNamed(link: Element, image: Element): boolean {
    if (showsText(link)) return true;
    if (this.#hasCaption(image)) return false;
    this.#textLinks ??= Map.groupBy(listByTag(this.#page, "a").filter(showsText), ({ attributes }) => attributes.href);
    const others = this.#textLinks.get(link.attributes.href) ?? [];
    return others.some(({ index }) => Math.abs(index - image.index) <= htmlWeights.writing.maxCardElements);
  }

  /** Whether an image is in a figure with text outside of links, or in a large one: not in a card. */
  #hasCaption(image: Element): boolean {
    const figure = findAncestor(image, "figure");
    if (figure === null) return false;
    if (figure.end - figure.index > htmlWeights.writing.maxCardElements) return true;
    const links = this.#page.elements.slice(figure.index, figure.end).filter(({ tag }) => tag === "a");
    const linkedChars = links.reduce((chars, link) => chars + countChars(link), 0);
    return countChars(figure) - linkedChars >= htmlWeights.writing.minCaptionChars;
  }

  /** An image in a sentence, or one with a description that is not a caption too. Short labels belong to portraits. */
  #isFigure(image: Element, label: string): boolean {
    if (isInSentence(image)) return true;
    if (isSlug(label)) return false;
    if (label.length < htmlWeights.writing.minImageLabelChars || this.#labels.has(label)) return false;
    const figure = findAncestor(image, "figure");
    return figure !== null && !collectText(figure, MAX_CAPTION_CHARS).includes(label);
  }
}

/** Whether a link shows an image that it leads to in full size. */
export function isEnlargement(link: Element, target: string): boolean {
  return isImageAddress(target) && !showsText(link);
}

function leadsToPage(link: Element | null, resolve: Resolver): boolean {
  const target = resolve(link?.attributes.href ?? "");
  return target !== undefined && !isImageAddress(target);
}

function isImageAddress(address: string): boolean {
  return /\.(?:jpe?g|png|gif|webp|svg|avif)(?:$|[?#])/i.test(address);
}

function showsText(element: Element): boolean {
  return countChars(element) > 0;
}

function countChars(element: Element): number {
  return collectText(element, MAX_CAPTION_CHARS).trim().length;
}

/** Whether an inline element without text shows an icon, such as a letter of a font with icons. */
export function isLabelledIcon({ attributes, children }: Element): boolean {
  return attributes["aria-label"] !== undefined && children.length === 0;
}

function labelOf({ attributes: { alt = "", "aria-label": label = "" } }: Element): string {
  return (alt || label).replace(/\s+/g, " ").trim().replaceAll("[", "(").replaceAll("]", ")");
}

function isFileName(label: string): boolean {
  return /^[^ ]+\.(?:jpe?g|png|gif|webp|svg|avif)$/i.test(label);
}

/** The name of a file without its ending: `autumn-harbour-lamp`. */
function isSlug(label: string): boolean {
  return /^[\p{L}\p{N}]+(?:[-_]+[\p{L}\p{N}]+){2,}$/u.test(label);
}

function isIcon({ tag, attributes }: Element): boolean {
  return tag !== "img" || attributes[ICON] !== undefined;
}

/** What an icon before the feature of a plan says. */
const stateLabel = /^(?:not |un)?(?:included|available|supported|yes|no|check(?:ed|mark)?|cross|enabled|disabled)$/i;

function isFirstInItem({ parent }: Element): boolean {
  const item = parent?.tag === "li" ? parent : parent?.parent;
  return item?.tag === "li";
}

/** A smiley or another sign that stands for a character. */
function isSign({ attributes: { class: className = "" } }: Element, label: string): boolean {
  return label.length <= MAX_SIGN_CHARS || /emoji|smil/i.test(className);
}
const MAX_SIGN_CHARS = 3;

function isInSentence({ parent }: Element): boolean {
  return parent?.children.some((child) => typeof child === "string" && child.trim() !== "") === true;
}

/** Whether an image is all that its link shows. */
function isOnlyContentOfLink(image: Element): boolean {
  const link = findAncestor(image, "a");
  return link !== null && !showsText(link);
}

function findAncestor({ parent }: Element, tag: string): Element | null {
  let ancestor = parent;
  while (ancestor !== null && ancestor.tag !== tag) ancestor = ancestor.parent;
  return ancestor;
}

const MAX_CAPTION_CHARS = 2000;
/** A longer address of an image is one of a delivery network and takes more tokens than its description. */
const MAX_IMAGE_ADDRESS_CHARS = 200;
