/** How much text every element of a page has, and how much of it is prose or in links. */

import { findEmbed } from "../tree/embeds.ts";
import { inlineTags, wordSet } from "../tree/tags.ts";
import { type Element, isFormulaScript, type Page } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";

const { minProseChars, cjkCharWeight } = htmlWeights.measure;

/** Numbers per element, by `Element.index`. All but `own` include the descendants that were not skipped. */
export type Measures = {
  /** Characters of text without outer blanks; ideographs count for more. */
  readonly text: Int32Array;
  /** Characters of `text` inside links. */
  readonly links: Int32Array;
  /** Characters of `text` outside links, in lines long enough to be prose. */
  readonly prose: Int32Array;
  /** Characters of `text` that are direct children of the element. */
  readonly own: Int32Array;
  /** The number of links. */
  readonly anchors: Int32Array;
};

const ignoredTags = wordSet(
  "head script style noscript template noembed noframes select textarea button datalist dialog iframe video audio canvas",
);

/** Whether the text of an element is never part of a page's text, visible or not. */
export function isIgnored(element: Element): boolean {
  const { tag, attributes } = element;
  if (!ignoredTags.has(tag)) return false;
  if (tag === "template") return attributes.shadowrootmode === undefined;
  if (tag === "dialog") return attributes.open === undefined;
  if (tag === "iframe") return findEmbed(element) === undefined;
  return mediaTags.has(tag) ? !containsLink(element, MAX_LINK_LEVELS) : !isFormulaScript(element);
}

/** What is in these is for browsers that cannot play them, maybe with a link to the file. */
const mediaTags = wordSet("video audio canvas");

function containsLink({ children }: Element, levels: number): boolean {
  return children.some(
    (child) => typeof child !== "string" && (child.tag === "a" || (levels > 1 && containsLink(child, levels - 1))),
  );
}
/** A link may be in a paragraph, and in a list there. */
const MAX_LINK_LEVELS = 3;

/** Measures a page without the elements that are skipped. `known` are measures of the page that skipped no others. */
export function measureText(page: Page, isSkipped: (element: Element) => boolean, known?: Measures): Measures {
  const size = page.elements.length;
  const column = () => new Int32Array(size);
  const measures: Measures = { text: column(), links: column(), prose: column(), own: column(), anchors: column() };
  /** Characters outside links in one line of text: of a block and the inline elements in it. */
  const line = column();
  for (let index = size - 1; index >= 0; index -= 1) {
    const element = page.elements[index] as Element;
    if (isSkipped(element)) clearMeasures(measures, index);
    else addToParent(element, known?.own[index] ?? ownChars(element), measures, line);
  }
  return measures;
}

function clearMeasures({ text, links, prose, anchors }: Measures, index: number): void {
  text[index] = links[index] = prose[index] = anchors[index] = 0;
}

/** Completes the numbers of an element and adds them to its parent's; all its descendants were added to it before. */
function addToParent(
  element: Element,
  chars: number,
  { text, links, prose, own, anchors }: Measures,
  line: Int32Array,
): void {
  const { index } = element;
  const isInline = inlineTags.has(element.tag);
  own[index] = chars;
  add(text, index, chars);
  add(line, index, chars);
  if (element.tag === "a") {
    links[index] = text[index] ?? 0;
    anchors[index] = 1;
    prose[index] = line[index] = 0;
  } else if (!isInline && (line[index] ?? 0) >= minProseChars) add(prose, index, line[index] ?? 0);
  const parent = element.parent?.index;
  if (parent === undefined) return;
  if (isInline) add(line, parent, line[index] ?? 0);
  add(text, parent, text[index] ?? 0);
  add(links, parent, links[index] ?? 0);
  add(prose, parent, prose[index] ?? 0);
  add(anchors, parent, anchors[index] ?? 0);
}

function add(numbers: Int32Array, index: number, value: number): void {
  numbers[index] = (numbers[index] ?? 0) + value;
}

function ownChars(element: Element): number {
  let chars = 0;
  for (const child of element.children) if (typeof child === "string") chars += trimmedLength(child);
  return chars;
}

function trimmedLength(text: string): number {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 32) start += 1;
  while (end > start && text.charCodeAt(end - 1) <= 32) end -= 1;
  const code = start < end ? text.charCodeAt((start + end) >> 1) : 0;
  return code < FIRST_KANA || !isCjk(code) ? end - start : cjkCharWeight * (end - start);
}

/** The first Japanese letter; ideographs and Hangul have higher code points. */
const FIRST_KANA = 0x3040;

function isCjk(code: number): boolean {
  return (code >= FIRST_KANA && code <= 0x30ff) || (code >= 0x3400 && code <= 0xd7af);
}

/** Characters of text outside links. */
export function unlinkedChars({ text, links }: Measures, { index }: Element): number {
  return (text[index] ?? 0) - (links[index] ?? 0);
}
