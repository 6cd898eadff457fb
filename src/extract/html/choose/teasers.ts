/** Cards that lead to other stories: similar boxes in a row, each with a linked heading and a few words. */

import { headingTags } from "../tree/tags.ts";
import type { Element, Page } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import { tagAndClass } from "./class-names.ts";
import type { Measures } from "./text-measures.ts";

const { minCards, maxLevels, minArticleProseChars, minProseShareBefore } = htmlWeights.teasers;

/** Makes a test for the cards below an article. If any are in the middle of its text, none is a teaser. */
export function createTeaserTest(page: Page, measures: Measures): (element: Element) => boolean {
  const cards = findCards(page, measures);
  if (cards.size === 0) return () => false;
  const articleEnd = findArticleEnd(page, measures, cards);
  const isInArticle = ({ index }: Element) => index < articleEnd && (measures.prose[index] ?? 0) > 0;
  return [...cards].some(isInArticle) ? () => false : (element) => element.index >= articleEnd && cards.has(element);
}

/** The index before which nearly all prose outside of cards is; the end of the page if there is little prose. */
function findArticleEnd({ elements }: Page, { prose }: Measures, cards: ReadonlySet<Element>): number {
  const ownProse = Int32Array.from(prose);
  for (const { parent, index } of elements)
    if (parent !== null) ownProse[parent.index] = (ownProse[parent.index] ?? 0) - (prose[index] ?? 0);
  const cardProse = [...cards].reduce((sum, { index }) => sum + (prose[index] ?? 0), 0);
  const articleProse = (prose[0] ?? 0) - cardProse;
  let proseBefore = 0;
  for (let index = 0; index < elements.length && articleProse >= minArticleProseChars; ) {
    const element = elements[index] as Element;
    const isCard = cards.has(element);
    if (!isCard) proseBefore += ownProse[index] ?? 0;
    index = isCard ? element.end : index + 1;
    if (proseBefore >= minProseShareBefore * articleProse) return index;
  }
  return elements.length;
}

function findCards({ elements }: Page, measures: Measures): ReadonlySet<Element> {
  const rowOf = createRowLookup();
  const cardsByRow = new Map<Row, Set<Element>>();
  for (const element of elements) {
    if (!headingTags.has(element.tag) || !isLinked(element, measures)) continue;
    const [card, row] = findCard(element, rowOf) ?? [];
    if (card !== undefined && row !== undefined) cardsByRow.set(row, (cardsByRow.get(row) ?? new Set()).add(card));
  }
  const cards = [...cardsByRow.values()].filter((row) => isRowOfCards(row, measures));
  return new Set(cards.flatMap((row) => [...row]));
}

/** All of its text is in links, or it is inside a link. */
function isLinked({ index, parent }: Element, { text, links }: Measures): boolean {
  const chars = text[index] ?? 0;
  if (chars === 0 || chars === links[index]) return chars > 0;
  let ancestor = parent;
  for (let level = 0; level < maxLevels && ancestor !== null && ancestor.tag !== "a"; level += 1)
    ancestor = ancestor.parent;
  return ancestor?.tag === "a";
}

/** Children of one parent with the same tag and class. */
type Row = { count: number };

/** The innermost box around a heading that has enough similar siblings, and their row. */
function findCard(heading: Element, rowOf: (element: Element) => Row): readonly [Element, Row] | undefined {
  let box = heading.parent;
  for (let level = 0; level < maxLevels && box !== null; level += 1, box = box.parent)
    if (rowOf(box).count >= minCards) return [box, rowOf(box)];
  return undefined;
}

/** Looks up the row of an element; the children of each parent are counted once. */
function createRowLookup(): (element: Element) => Row {
  const rowsByParent = new Map<Element | null, ReadonlyMap<string, Row>>();
  return (element) => {
    const rows = rowsByParent.get(element.parent) ?? countRows(element.parent?.children ?? []);
    rowsByParent.set(element.parent, rows);
    return rows.get(tagAndClass(element)) ?? { count: 0 };
  };
}

function countRows(children: Element["children"]): ReadonlyMap<string, Row> {
  const rows = new Map<string, Row>();
  for (const child of children) {
    if (typeof child === "string") continue;
    const row = rows.get(tagAndClass(child)) ?? { count: 0 };
    row.count += 1;
    rows.set(tagAndClass(child), row);
  }
  return rows;
}

/** Together they have a link for every few words. */
function isRowOfCards(row: ReadonlySet<Element>, { text, anchors }: Measures): boolean {
  const sum = (numbers: Int32Array) => [...row].reduce((total, { index }) => total + (numbers[index] ?? 0), 0);
  return row.size >= minCards && sum(text) < htmlWeights.measure.cardCharsPerLink * sum(anchors);
}
