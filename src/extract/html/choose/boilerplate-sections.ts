/** The elements of a boilerplate section, beginning with its heading. */

import { headingTags } from "../tree/tags.ts";
import type { Element, Page } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import type { BoilerplateKind } from "./boilerplate-headings.ts";
import type { PageKind } from "./page-kind.ts";
import { type Measures, unlinkedChars } from "./text-measures.ts";

type SectionContext = {
  readonly page: Page;
  readonly root: Element;
  readonly measures: Measures;
  readonly kind: PageKind;
};

/** The elements to drop together with a boilerplate heading; none if the section is long or reads like content. */
export function findBoilerplateSection(
  heading: Element,
  boilerplate: BoilerplateKind,
  { page, root, measures, kind }: SectionContext,
): readonly Element[] {
  const maxChars = htmlWeights.boilerplate.maxSectionShare * Math.max(1, unlinkedChars(measures, root));
  const isLarge = (element: Element) => unlinkedChars(measures, element) > maxChars;
  if (boilerplate !== "controls") {
    const section = sectionOf(heading, root, measures, isLarge);
    return !section.some(isLarge) && (kind === "product" || isLinksOrShort(section, measures)) ? section : [];
  }
  // The list that the controls act on has a heading of its own, maybe in the same box.
  const hasNextHeading = (box: Element) => box !== heading && containsNextHeading(box, heading, page);
  const section = sectionOf(heading, root, measures, (box) => isLarge(box) || hasNextHeading(box));
  const next = section.findIndex(hasNextHeading);
  const controls = next < 0 ? section : section.slice(0, next);
  return controls.some((element) => isLarge(element) || (measures.prose[element.index] ?? 0) > 0) ? [] : controls;
}

/** Whether a box contains another heading of the same rank after this one; a line that looks like one has no rank. */
function containsNextHeading(box: Element, { tag, end }: Element, { elements }: Page): boolean {
  const rank = headingTags.has(tag) ? tag : "h6";
  for (let index = Math.max(box.index, end); index < box.end; index += 1) {
    const nextTag = elements[index]?.tag ?? "";
    if (headingTags.has(nextTag) && nextTag <= rank) return true;
  }
  return false;
}

/** Cards with a link each, or a short text without prose. */
function isLinksOrShort(section: readonly Element[], { text, prose, anchors }: Measures): boolean {
  const sum = (numbers: Int32Array) => section.reduce((total, { index }) => total + (numbers[index] ?? 0), 0);
  const chars = sum(text);
  if (chars < htmlWeights.measure.cardCharsPerLink * sum(anchors)) return true;
  return chars < htmlWeights.boilerplate.minSectionChars && sum(prose) === 0;
}

/**
 * The elements of the section that a heading opens: the box that it comes first in, or what follows up to the next
 * heading. A line that only looks like a heading opens nothing but its box.
 */
function sectionOf(
  heading: Element,
  root: Element,
  { text }: Measures,
  isTooLarge: (element: Element) => boolean,
): readonly Element[] {
  let section = heading;
  while (section.parent !== null && section.parent !== root && isFirst(section, text) && !isTooLarge(section.parent))
    section = section.parent;
  if (section !== heading) return [section];
  return headingTags.has(heading.tag) ? listSectionElements(heading) : [];
}

/** Whether no text comes before an element in its parent. */
function isFirst(element: Element, text: Int32Array): boolean {
  for (const sibling of element.parent?.children ?? []) {
    if (sibling === element) return true;
    if (typeof sibling === "string" ? sibling.trim() !== "" : (text[sibling.index] ?? 0) > 0) return false;
  }
  return false;
}

/** A heading and its siblings up to the next heading of the same rank. */
function listSectionElements(heading: Element): readonly Element[] {
  const siblings = heading.parent?.children ?? [];
  const section: Element[] = [heading];
  for (const sibling of siblings.slice(siblings.indexOf(heading) + 1)) {
    if (typeof sibling === "string") continue;
    if (headingTags.has(sibling.tag) && sibling.tag <= heading.tag) break;
    section.push(sibling);
  }
  return section;
}
