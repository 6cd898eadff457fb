/** Cards that lead to other stories: alike boxes in a row, each with a heading that is a link and a few words. */

import { headings } from "../tree/tags.ts";
import type { Element, Page } from "../tree/tree.ts";
import { weights } from "../weights.ts";
import type { Measures } from "./text-measures.ts";

const { minCards, maxLevels, minArticleProseChars, minProseShareBefore } = weights.teasers;

/** Tells the cards below an article. Those in the middle of its text, and others like them, are what it is about. */
export function createTeaserJudge(page: Page, measures: Measures): (element: Element) => boolean {
  const cards = cardsIn(page, measures);
  if (cards.size === 0) return () => false;
  const end = endOfText(page, measures, cards);
  const isInText = ({ index }: Element) => index < end && (measures.prose[index] ?? 0) > 0;
  return [...cards].some(isInText) ? () => false : (element) => element.index >= end && cards.has(element);
}

/** The place in document order before which nearly all sentences outside of cards stand; behind the page if they are few. */
function endOfText({ elements }: Page, { prose }: Measures, cards: ReadonlySet<Element>): number {
  const own = Int32Array.from(prose);
  for (const { parent, index } of elements)
    if (parent !== null) own[parent.index] = (own[parent.index] ?? 0) - (prose[index] ?? 0);
  const inCards = [...cards].reduce((sum, { index }) => sum + (prose[index] ?? 0), 0);
  const all = (prose[0] ?? 0) - inCards;
  let before = 0;
  for (let at = 0; at < elements.length && all >= minArticleProseChars; ) {
    const element = elements[at] as Element;
    const isCard = cards.has(element);
    if (!isCard) before += own[at] ?? 0;
    at = isCard ? element.end : at + 1;
    if (before >= minProseShareBefore * all) return at;
  }
  return elements.length;
}

function cardsIn({ elements }: Page, measures: Measures): ReadonlySet<Element> {
  const rowOf = createRows();
  const found = new Map<Row, Set<Element>>();
  for (const element of elements) {
    if (!headings.has(element.tag) || !isLinked(element, measures)) continue;
    const [card, row] = cardOf(element, rowOf) ?? [];
    if (card !== undefined && row !== undefined) found.set(row, (found.get(row) ?? new Set()).add(card));
  }
  const cards = [...found.values()].filter((row) => isRowOfCards(row, measures));
  return new Set(cards.flatMap((row) => [...row]));
}

function isLinked({ index, parent }: Element, { text, links }: Measures): boolean {
  const chars = text[index] ?? 0;
  if (chars === 0 || chars === links[index]) return chars > 0;
  let one = parent;
  for (let level = 0; level < maxLevels && one !== null && one.tag !== "a"; level += 1) one = one.parent;
  return one?.tag === "a";
}

/** Alike children of one parent. */
type Row = { count: number };

/** The innermost box around a heading that stands beside enough alike ones, and their row. */
function cardOf(heading: Element, rowOf: (element: Element) => Row): readonly [Element, Row] | undefined {
  let box = heading.parent;
  for (let level = 0; level < maxLevels && box !== null; level += 1, box = box.parent)
    if (rowOf(box).count >= minCards) return [box, rowOf(box)];
  return undefined;
}

/** Finds the row of an element; the children of each parent are counted once. */
function createRows(): (element: Element) => Row {
  const known = new Map<Element | null, ReadonlyMap<string, Row>>();
  return (element) => {
    const rows = known.get(element.parent) ?? rowsIn(element.parent?.children ?? []);
    known.set(element.parent, rows);
    return rows.get(likeness(element)) ?? { count: 0 };
  };
}

function rowsIn(children: Element["children"]): ReadonlyMap<string, Row> {
  const rows = new Map<string, Row>();
  for (const child of children) {
    if (typeof child === "string") continue;
    const row = rows.get(likeness(child)) ?? { count: 0 };
    row.count += 1;
    rows.set(likeness(child), row);
  }
  return rows;
}

function likeness({ tag, attributes }: Element): string {
  return `${tag} ${attributes.class ?? ""}`;
}

/** Each has a link for every few words. */
function isRowOfCards(row: ReadonlySet<Element>, { text, anchors }: Measures): boolean {
  const sum = (numbers: Int32Array) => [...row].reduce((total, { index }) => total + (numbers[index] ?? 0), 0);
  return row.size >= minCards && sum(text) < weights.measure.cardCharsPerLink * sum(anchors);
}
