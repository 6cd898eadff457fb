/** How much text, and how much of it in links, every element of a page holds. */

import { embedOf } from "../tree/embeds.ts";
import { inlineTags } from "../tree/tags.ts";
import { type Element, isFormula, type Page } from "../tree/tree.ts";
import { weights } from "../weights.ts";

const { minProseChars, cjkCharWeight } = weights.measure;

/** Numbers per element, by `Element.index`, each including the descendants that are shown. */
export type Measures = {
  /** Characters of text, blanks at the ends aside; those that are words by themselves count for more. */
  readonly text: Int32Array;
  /** Those of them inside links. */
  readonly links: Int32Array;
  /** Those outside links that stand in paragraphs long enough to be sentences. */
  readonly prose: Int32Array;
  /** Characters of text that stand in the element itself. */
  readonly own: Int32Array;
  /** How many links there are. */
  readonly anchors: Int32Array;
};

const unread = new Set([
  "head",
  "script",
  "style",
  "noscript",
  "template",
  "noembed",
  "noframes",
  "select",
  "textarea",
  "button",
  "datalist",
]);

/** Whether an element's text is never part of what a page says. */
export function isUnread(element: Element): boolean {
  if (element.tag === "template") return element.attributes.shadowrootmode === undefined;
  if (element.tag === "dialog") return element.attributes.open === undefined;
  if (element.tag === "iframe") return embedOf(element) === undefined;
  return unread.has(element.tag) && !isFormula(element);
}

/** Measures a page without the elements that are skipped. */
export function measure(page: Page, isSkipped: (element: Element) => boolean): Measures {
  const size = page.elements.length;
  const column = () => new Int32Array(size);
  const measures: Measures = { text: column(), links: column(), prose: column(), own: column(), anchors: column() };
  /** Characters outside links in one line of text: of a block and of the inline elements in it. */
  const line = column();
  for (let at = size - 1; at >= 0; at -= 1) {
    const element = page.elements[at] as Element;
    if (isSkipped(element)) clear(measures, at);
    else close(element, measures, line);
  }
  return measures;
}

function clear({ text, links, prose, anchors }: Measures, at: number): void {
  text[at] = links[at] = prose[at] = anchors[at] = 0;
}

/** Adds an element to its parent; all its descendants have been added to it before. */
function close(element: Element, { text, links, prose, own, anchors }: Measures, line: Int32Array): void {
  const at = element.index;
  const isInline = inlineTags.has(element.tag);
  const chars = ownChars(element);
  own[at] = chars;
  add(text, at, chars);
  add(line, at, chars);
  if (element.tag === "a") {
    links[at] = text[at] ?? 0;
    anchors[at] = 1;
    prose[at] = line[at] = 0;
  } else if (!isInline && (line[at] ?? 0) >= minProseChars) add(prose, at, line[at] ?? 0);
  const parent = element.parent?.index;
  if (parent === undefined) return;
  if (isInline) add(line, parent, line[at] ?? 0);
  for (const numbers of [text, links, prose, anchors]) add(numbers, parent, numbers[at] ?? 0);
}

function add(numbers: Int32Array, at: number, value: number): void {
  numbers[at] = (numbers[at] ?? 0) + value;
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
  return code < firstDense || !isDense(code) ? end - start : cjkCharWeight * (end - start);
}

/** Kana; ideographs and Hangul come later. */
const firstDense = 0x3040;

function isDense(code: number): boolean {
  return (code >= firstDense && code <= 0x30ff) || (code >= 0x3400 && code <= 0xd7af);
}

/** Characters of text outside links. */
export function unlinkedChars({ text, links }: Measures, { index }: Element): number {
  return (text[index] ?? 0) - (links[index] ?? 0);
}
