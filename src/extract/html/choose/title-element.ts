/** Finds the element that shows the title of the page: the block whose text its title begins with, else the first H1. */

import { lettersOf } from "../tree/letters.ts";
import { headingTags } from "../tree/tags.ts";
import { collectText, type Element, listByTag, type Page } from "../tree/tree.ts";
import { isHidden } from "../tree/visibility.ts";
import { htmlWeights } from "../weights.ts";
import { readMeta } from "./generators.ts";
import type { Measures } from "./text-measures.ts";

const { minTitleChars, maxTitleChars, minTitleShare, maxTitleElements } = htmlWeights.title;

/** The element with the title, by its text, its tag and its place; undefined if the page shows none. */
export function findTitleElement(page: Page, measures: Measures): Element | undefined {
  const titles = listTitles(page);
  const isShownTitle = (element: Element) =>
    isShort(element, measures) && isTitle(lettersOf(collectText(element, maxTitleChars)), titles) && !isHidden(element);
  const headings = page.elements.filter(({ tag }) => headingTags.has(tag)).filter(isShownTitle);
  return (
    headings.find(({ tag }) => tag === "h1") ??
    headings[0] ??
    page.elements.find((element) => mayBeLine(element, titles) && isShownTitle(element)) ??
    listByTag(page, "h1").find(({ index }) => (measures.text[index] ?? 0) > 0)
  );
}

/** Quickly passes over elements whose own text does not begin like a title. */
function mayBeLine({ children: [text] }: Element, titles: readonly string[]): boolean {
  if (typeof text !== "string") return false;
  const letter = /[\p{L}\p{N}]/u.exec(text)?.[0]?.toLowerCase();
  return letter !== undefined && titles.some((title) => title.startsWith(letter));
}

function listTitles(page: Page): readonly string[] {
  const [title] = listByTag(page, "title");
  const texts = [readMeta(page, "og:title"), title === undefined ? "" : collectText(title, 2 * maxTitleChars)];
  return [...new Set(texts.map(lettersOf).filter((text) => text.length >= minTitleChars))];
}

/** Long enough to be a title, and not a box with more in it. */
function isShort({ index, end }: Element, { text }: Measures): boolean {
  const chars = text[index] ?? 0;
  return chars >= minTitleChars && chars <= maxTitleChars && end - index <= maxTitleElements;
}

/** The title of a page is that of its text, often with the name of the site. */
function isTitle(text: string, titles: readonly string[]): boolean {
  return titles.some((title) => title.startsWith(text) && text.length >= minTitleShare * title.length);
}
