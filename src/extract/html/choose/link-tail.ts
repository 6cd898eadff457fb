/** What follows the last prose of a text: lists of links to other pages of the site, with the headings above them. */

import { headingTags, wordSet } from "../tree/tags.ts";
import type { Element, Page } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import type { Measures } from "./text-measures.ts";

const { minLinkShare, maxTailShare, maxLineChars, minLinks } = htmlWeights.linkTail;

type TailContext = {
  readonly page: Page;
  readonly root: Element;
  readonly measures: Measures;
  /** The address of the page, if it is known. */
  readonly url: string | undefined;
};

/** Drops such lists from the end of the root upwards, until something else is found; none if they are much of it. */
export function dropLinkTail(context: TailContext, dropped: Uint8Array): void {
  const { root, measures } = context;
  const walk = new TailWalk(context, dropped);
  walk.walk(root);
  const chars = walk.tail.reduce((sum, { index }) => sum + (measures.text[index] ?? 0), 0);
  if (chars > maxTailShare * (measures.text[root.index] ?? 0)) return;
  for (const { index } of walk.tail) dropped[index] = 1;
}

/** Tags of blocks that are content whatever links they have. */
const contentTags = wordSet("table pre blockquote figure dl");

class TailWalk {
  readonly #measures: Measures;
  readonly #dropped: Uint8Array;
  readonly #isOwnSite: (link: Element) => boolean;
  /** Short lines below which no list of links was found yet. */
  #pending: Element[] = [];
  /** What is found so far. */
  readonly tail: Element[] = [];

  constructor({ measures, url }: TailContext, dropped: Uint8Array) {
    this.#measures = measures;
    this.#dropped = dropped;
    this.#isOwnSite = createSiteTest(url);
  }

  /** Looks at the children of an element from the last to the first; false once content is found. */
  walk(element: Element): boolean {
    for (let index = element.children.length - 1; index >= 0; index -= 1) {
      const child = element.children[index];
      if (typeof child === "string" ? child.trim() !== "" : child !== undefined && !this.#pass(child)) return false;
    }
    return true;
  }

  /** Whether an element is empty or belongs to the tail. */
  #pass(element: Element): boolean {
    const { index, tag } = element;
    const chars = this.#measures.text[index] ?? 0;
    if (this.#dropped[index] || chars === 0) return true;
    if (contentTags.has(tag)) return false;
    if (this.#isLinkList(element)) return this.#drop(element);
    if (headingTags.has(tag)) return this.tail.length > 0 && this.#drop(element);
    if ((this.#measures.prose[index] ?? 0) > 0 || isLine(element)) return this.#passLine(element, chars);
    return this.walk(element);
  }

  #passLine(element: Element, chars: number): boolean {
    if (chars > maxLineChars || (this.#measures.prose[element.index] ?? 0) > 0)
      return isBox(element) && this.walk(element);
    this.#pending.push(element);
    return true;
  }

  #drop(element: Element): boolean {
    this.tail.push(element, ...this.#pending);
    this.#pending = [];
    return true;
  }

  /** Mostly links, and most of them to pages of the same site. */
  #isLinkList(element: Element): boolean {
    const { text, links, prose, anchors } = this.#measures;
    const { index } = element;
    if ((anchors[index] ?? 0) < minLinks || (prose[index] ?? 0) > 0) return false;
    if ((links[index] ?? 0) < minLinkShare * (text[index] ?? 0)) return false;
    const [own, all] = this.#countLinks(element);
    return 2 * own > all;
  }

  #countLinks(element: Element): readonly [own: number, all: number] {
    let [own, all] = [0, 0];
    const stack = [element];
    for (let each = stack.pop(); each !== undefined; each = stack.pop()) {
      if (each.tag === "a") {
        all += 1;
        if (this.#isOwnSite(each)) own += 1;
      }
      for (const child of each.children) if (typeof child !== "string") stack.push(child);
    }
    return [own, all];
  }
}

function createSiteTest(url: string | undefined): (link: Element) => boolean {
  const host = url === undefined ? undefined : URL.parse(url)?.host;
  return ({ attributes: { href = "#" } }) => {
    if (href.startsWith("#") || /^(?:mailto|tel|javascript):/i.test(href)) return false;
    return !/^(?:https?:)?\/\//i.test(href) || URL.parse(href, url)?.host === host;
  };
}

function isLine({ children }: Element): boolean {
  return children.some((child) => typeof child === "string" && child.trim() !== "");
}

function isBox(element: Element): boolean {
  return !isLine(element) && !lineTags.has(element.tag);
}
const lineTags = wordSet("p li a span h1 h2 h3 h4 h5 h6 dd dt td");
