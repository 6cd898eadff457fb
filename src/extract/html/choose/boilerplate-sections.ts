/** The elements of a section that is not about the page, beginning with its heading. */

import { headings } from "../tree/tags.ts";
import type { Element, Page } from "../tree/tree.ts";
import { weights } from "../weights.ts";
import type { PageKind } from "./page-kind.ts";
import { type Measures, unlinkedChars } from "./text-measures.ts";

type Around = {
  readonly page: Page;
  readonly root: Element;
  readonly measures: Measures;
  readonly kind: PageKind;
};

/** What is left out with a heading that closes a page or names the controls of a list; nothing where that is text. */
export function sideElements(heading: Element, side: "closing" | "controls", around: Around): readonly Element[] {
  const { page, root, measures, kind } = around;
  const most = weights.boilerplate.maxSectionShare * Math.max(1, unlinkedChars(measures, root));
  const isMuch = (element: Element) => unlinkedChars(measures, element) > most;
  if (side === "closing") {
    const section = sectionOf(heading, root, measures, isMuch);
    return !section.some(isMuch) && (kind === "product" || isPoorSection(section, measures)) ? section : [];
  }
  // What the controls act upon stands under a heading of its own, maybe in the same box.
  const goesOn = (box: Element) => box !== heading && holdsNextHeading(box, heading, page);
  const section = sectionOf(heading, root, measures, (box) => isMuch(box) || goesOn(box));
  const next = section.findIndex(goesOn);
  const controls = next < 0 ? section : section.slice(0, next);
  return controls.some((element) => isMuch(element) || (measures.prose[element.index] ?? 0) > 0) ? [] : controls;
}

/** Whether a box holds another heading of the same rank after this one; a line that only looks like one has no rank. */
function holdsNextHeading(box: Element, { tag, end }: Element, { elements }: Page): boolean {
  const rank = headings.has(tag) ? tag : "h6";
  for (let at = Math.max(box.index, end); at < box.end; at += 1) {
    const next = elements[at]?.tag ?? "";
    if (headings.has(next) && next <= rank) return true;
  }
  return false;
}

/** Cards with a link each, or hardly anything and no sentence. */
function isPoorSection(section: readonly Element[], { text, prose, anchors }: Measures): boolean {
  const sum = (numbers: Int32Array) => section.reduce((total, { index }) => total + (numbers[index] ?? 0), 0);
  return (
    sum(text) < weights.measure.cardCharsPerLink * sum(anchors) ||
    (sum(text) < weights.boilerplate.minSectionChars && sum(prose) === 0)
  );
}

/**
 * The elements of the section a heading opens: what it stands first in, or what follows up to the next heading. A line
 * that only looks like a heading opens nothing but the box it stands in.
 */
function sectionOf(
  heading: Element,
  root: Element,
  { text }: Measures,
  most: (element: Element) => boolean,
): readonly Element[] {
  let section = heading;
  while (section.parent !== null && section.parent !== root && isFirst(section, text) && !most(section.parent))
    section = section.parent;
  if (section !== heading) return [section];
  return headings.has(heading.tag) ? followers(heading) : [];
}

function isFirst(element: Element, text: Int32Array): boolean {
  for (const sibling of element.parent?.children ?? []) {
    if (sibling === element) return true;
    if (typeof sibling === "string" ? sibling.trim() !== "" : (text[sibling.index] ?? 0) > 0) return false;
  }
  return false;
}

function followers(heading: Element): readonly Element[] {
  const siblings = heading.parent?.children ?? [];
  const found: Element[] = [heading];
  for (const sibling of siblings.slice(siblings.indexOf(heading) + 1)) {
    if (typeof sibling === "string") continue;
    if (headings.has(sibling.tag) && sibling.tag <= heading.tag) break;
    found.push(sibling);
  }
  return found;
}
