/** Footnotes: little links in the text, and the notes they lead to in the same page. */

import { headings, inlineTags, tableTags, wordSet } from "../tree/tags.ts";
import { type Element, flatText, type Page } from "../tree/tree.ts";
import { findLooseNotes } from "./unlinked-footnotes.ts";

export type Footnotes = {
  /** By the link, or the raised number, that refers to a note. */
  readonly references: ReadonlyMap<Element, { readonly label: string; readonly note: Element }>;
  /** Labels by the block that is a note. */
  readonly notes: ReadonlyMap<Element, string>;
  /** Blocks beside the notes that hold nothing but their labels. */
  readonly labels: ReadonlySet<Element>;
};

/** A label is one sign or number; blanks of the source may stand around it. */
const labelChars = 100;
const labelText = /^\[?\(?(\d{1,3}|[*†‡§]{1,3}|[ivx]{1,5}|[a-z])\)?\]?$/;

const known = new WeakMap<Page, Footnotes>();

/** Finds the marks of notes: links of a bare number or sign to a block further down, and numbers that a block takes up. */
export function findFootnotes(page: Page): Footnotes {
  const found = known.get(page) ?? readFootnotes(page);
  known.set(page, found);
  return found;
}

type Found = {
  readonly references: Map<Element, { readonly label: string; readonly note: Element }>;
  readonly notes: Map<Element, string>;
  readonly labels: Set<Element>;
};

function readFootnotes(page: Page): Footnotes {
  const found: Found = { references: new Map(), notes: new Map(), labels: new Set() };
  const targets = targetsOf(page);
  for (const element of page.elements) {
    const target = element.tag === "a" ? targets.get(fragmentOf(element)) : undefined;
    const label = target === undefined ? undefined : labelOf(element);
    if (target !== undefined && label !== undefined) addLinked(element, label, target, page, found);
  }
  addLoose(page, targets, found);
  return found;
}

function addLinked(link: Element, label: string, target: Element, page: Page, found: Found): void {
  const block = blockOf(target);
  if (block === undefined || block.index <= link.index || standsAlone(link)) return;
  const pair = labelAndNote(block, page);
  if (pair === undefined && (tableTags.has(block.tag) || headings.has(block.tag))) return;
  const note = pair?.[1] ?? block;
  const first = found.notes.get(note) ?? label;
  // Notes that share a block are told apart by their links alone.
  if (first !== label && target !== block) return;
  if (pair !== undefined) found.labels.add(pair[0]);
  found.notes.set(note, first);
  found.references.set(link, { label: first, note });
}

/** A number with no words around it counts something, such as comments. */
function standsAlone(link: Element): boolean {
  const around = blockOf(link);
  return around !== undefined && !/\p{L}/u.test(flatText(around, wordsChars));
}
const wordsChars = 200;

function addLoose(page: Page, targets: ReadonlyMap<string, Element>, { references, notes }: Found): void {
  const leadsSomewhere = (link: Element) => link.tag === "a" && targets.has(fragmentOf(link));
  for (const { mark, label, note } of findLooseNotes(page, leadsSomewhere)) {
    if ((notes.get(note) ?? label) !== label) continue;
    notes.set(note, label);
    references.set(mark, { label, note });
  }
}

/** Whether the text of an element is a label of this name and nothing else. */
export function isLabel(element: Element, label: string): boolean {
  return labelText.exec(flatText(element, labelChars).trim().replace(/\.$/, ""))?.[1] === label;
}

/** A term or a heading and what follows, or the two cells of a table of one row: the first is the label of the second. */
function labelAndNote(block: Element, page: Page): readonly [Element, Element] | undefined {
  const [label, note, ...others] = block.tag === "table" ? cellsIn(block, page) : [block, page.elements[block.end]];
  if (label === undefined || note === undefined || others.length > 0 || labelOf(label) === undefined) return undefined;
  if (note.parent !== label.parent || !followingTags(block.tag).has(note.tag)) return undefined;
  return [label, note];
}

function followingTags(tag: string): ReadonlySet<string> {
  return tag === "table" ? cellTags : headings.has(tag) ? proseTags : definitionTags;
}
const cellTags = wordSet("td");
const proseTags = wordSet("p div");
const definitionTags = wordSet("dd");

function cellsIn({ index, end }: Element, { elements }: Page): readonly Element[] {
  const inside = elements.slice(index, Math.min(end, index + mostTableElements));
  return inside.filter(({ tag }) => tag === "td" || tag === "th");
}
const mostTableElements = 100;

/** Whether a link inside a note leads back to the text. */
export function isBackReference(link: Element): boolean {
  if (!fragmentOf(link)) return false;
  const text = flatText(link, labelChars).trim();
  return /^(?:[\s↩↑⤴⬆^↵⏎]|\ufe0e|\ufe0f)*$/u.test(text) || labelText.test(text.replace(/\.$/, ""));
}

/** The place in a page that a link leads to; with an address before it only a numbered one, others are of other pages. */
function fragmentOf({ attributes }: Element): string {
  const href = attributes.href ?? "";
  const hash = href.indexOf("#");
  const fragment = hash < 0 ? "" : href.slice(hash + 1);
  return hash <= 0 || /\d/.test(fragment) ? fragment : "";
}

function targetsOf(page: Page): ReadonlyMap<string, Element> {
  const targets = new Map<string, Element>();
  for (const element of page.elements) {
    const name = element.attributes.id ?? (element.tag === "a" ? element.attributes.name : undefined);
    if (name && !targets.has(name)) targets.set(name, element);
  }
  return targets;
}

function labelOf(element: Element): string | undefined {
  const match = labelText.exec(flatText(element, labelChars).trim());
  return match?.[1];
}

function blockOf(target: Element): Element | undefined {
  let block: Element | null = target;
  while (block !== null && inlineTags.has(block.tag)) block = block.parent;
  return block === null || block.tag === "body" ? undefined : block;
}
