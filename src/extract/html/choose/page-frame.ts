/** What frames the content on pages whose tags, roles and names do not say so: a head or foot of links, cells with a menu. */

import { headingTags } from "../tree/tags.ts";
import { type Element, isInside, type Node, type Page } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import { isPlainTable } from "./table-kind.ts";
import { type Measures, unlinkedChars } from "./text-measures.ts";

const { minLinkShare, maxFrameShare, minMenuLinks, minFootLinks, maxFootChars, minMainCellShare } =
  htmlWeights.pageFrame;
const { maxLinkShare, minCharsPerLink } = htmlWeights.prune;

type ElementTest = (element: Element) => boolean;

/** Makes a test for the parts of a page that frame its content; `containsField` finds the search field of a head. */
export function createFrameTest(page: Page, measures: Measures, containsField: ElementTest): ElementTest {
  const mainCells = new Map<Element, Element | undefined>();
  const mainCellOf = (table: Element) => {
    if (!mainCells.has(table)) mainCells.set(table, findMainCell(table, page, measures));
    return mainCells.get(table);
  };
  return (element) => {
    if ((measures.text[element.index] ?? 0) === 0 || (measures.prose[element.index] ?? 0) > 0) return false;
    if (element.tag === "td") return isFrameCell(element, measures, mainCellOf);
    return element.parent?.tag === "body" && isHeadOrFoot(element, measures, containsField);
  };
}

/** The first part of the body, if it has a field and links, or the last one, if it has only links. */
function isHeadOrFoot(element: Element, measures: Measures, containsField: ElementTest): boolean {
  const [chars = 0, linkChars = 0] = [measures.text[element.index], measures.links[element.index]];
  if (linkChars < minLinkShare * chars || chars > maxFrameShare * (measures.text[0] ?? 0)) return false;
  if (isFoot(element, measures) && isAlone(element, measures, 1)) return !isHeaded(element);
  return containsField(element) && isAlone(element, measures, -1);
}

/** Whether an element has no sibling with text before it (-1) or after it (1), but has some on the other side. */
function isAlone(element: Element, { text }: Measures, direction: 1 | -1): boolean {
  const siblings = element.parent?.children ?? [];
  const at = siblings.indexOf(element);
  const hasText = (child: Element | string) =>
    typeof child === "string" ? child.trim() !== "" : (text[child.index] ?? 0) > 0;
  const [before, after] = [siblings.slice(0, at).some(hasText), siblings.slice(at + 1).some(hasText)];
  return direction === 1 ? before && !after : !before && after;
}

/** Whether a heading is directly before an element or in it: its links are a section of the page. */
function isHeaded(element: Element): boolean {
  const siblings = element.parent?.children ?? [];
  const before = siblings
    .slice(0, siblings.indexOf(element))
    .findLast((node) => typeof node !== "string" || node.trim() !== "");
  return isHeading(before) || element.children.some(isHeading);
}

function isHeading(node: Node | undefined): boolean {
  return typeof node === "object" && headingTags.has(node.tag);
}

function isFoot({ index }: Element, { text, anchors }: Measures): boolean {
  return (anchors[index] ?? 0) >= minFootLinks && (text[index] ?? 0) < maxFootChars;
}

/** A cell of a layout table beside the one with most of the text: a menu, or after it a few words with links. */
function isFrameCell(cell: Element, measures: Measures, mainCellOf: (table: Element) => Element | undefined): boolean {
  const table = findTable(cell);
  const main = table === null ? undefined : mainCellOf(table);
  if (main === undefined || main === cell) return false;
  return isMenu(cell, measures) || (cell.index >= main.end && isFoot(cell, measures));
}

function isMenu({ index }: Element, { text, links, anchors }: Measures): boolean {
  const [chars = 0, linkChars = 0, count = 0] = [text[index], links[index], anchors[index]];
  return count >= minMenuLinks && linkChars > maxLinkShare * chars && linkChars < minCharsPerLink * count;
}

function findTable({ parent }: Element): Element | null {
  let ancestor = parent;
  while (ancestor !== null && ancestor.tag !== "table") ancestor = ancestor.parent;
  return ancestor;
}

/** The cell with most of the text of a layout table. */
function findMainCell(table: Element, page: Page, measures: Measures): Element | undefined {
  if (isPlainTable(page, table) || isInside(table, "td")) return undefined;
  const minChars = minMainCellShare * unlinkedChars(measures, table);
  for (let index = table.index + 1; index < table.end; index += 1) {
    const element = page.elements[index];
    if (element?.tag === "td" && unlinkedChars(measures, element) > minChars) return element;
  }
  return undefined;
}
