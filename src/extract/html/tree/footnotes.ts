/** Footnotes, in the two ways pages mark them: by links, and inside their own line. */

import { htmlWeights } from "../weights.ts";
import { headingTags, inlineTags, tableTags, wordSet } from "./tags.ts";
import { collectText, type Element, listByTag, type Page } from "./tree.ts";

/** The footnotes of a page whose text is a block of its own. */
export type Footnotes = {
  /** By the link in the text that refers to a note. */
  readonly references: ReadonlyMap<Element, Reference>;
  /** The label of each block that is a note. */
  readonly notes: ReadonlyMap<Element, string>;
  /** Blocks next to notes that contain only the label. */
  readonly labels: ReadonlySet<Element>;
};
type Reference = { readonly label: string; readonly note: Element };

/** Enough source text to contain a label: one sign or number, with the blanks around it. */
const MAX_LABEL_CHARS = 100;
/** Enough text around a link to find a letter in it. */
const MAX_SURROUNDING_CHARS = 200;
/** A table that is one note has few elements. */
const MAX_NOTE_TABLE_ELEMENTS = 100;

const footnotesByPage = new WeakMap<Page, Footnotes>();

/** Finds the footnotes of a page with their references. Computed once per page. */
export function findFootnotes(page: Page): Footnotes {
  const footnotes = footnotesByPage.get(page) ?? collectFootnotes(page);
  footnotesByPage.set(page, footnotes);
  return footnotes;
}

/** Whether the text of an element is this label and nothing else. */
export function isNoteLabel(element: Element, label: string): boolean {
  return labelText.exec(collectText(element, MAX_LABEL_CHARS).trim().replace(/\.$/, ""))?.[1] === label;
}

/** Whether a link inside a note leads back to the text. */
export function isBackReference(link: Element): boolean {
  if (!fragmentOf(link)) return false;
  const text = collectText(link, MAX_LABEL_CHARS).trim();
  return /^(?:[\s↩↑⤴⬆^↵⏎]|\ufe0e|\ufe0f)*$/u.test(text) || labelText.test(text.replace(/\.$/, ""));
}

/**
 * Whether an element is a note placed in the middle of its line, which a style sheet moves to the margin or unfolds.
 * The number that refers to such a note is not one.
 */
export function isSideNote({ tag, attributes: { class: className }, children }: Element): boolean {
  if (className === undefined || !sideNoteTags.has(tag) || !/note/i.test(className)) return false;
  if (!className.split(/\s+/).some((name) => sideNoteName.test(name))) return false;
  return children.length > 1 || startOf(children[0]).trim().length >= htmlWeights.footnotes.minSideNoteChars;
}

/** Whether an element at the start of a side note is only its number. */
export function isSideNoteNumber(element: Element): boolean {
  return /^[[(]?(?:\d{1,3}|[*†‡§])[\])]?[.:]?$/.test(
    collectText(element, htmlWeights.footnotes.minSideNoteChars).trim(),
  );
}

type MutableFootnotes = {
  readonly references: Map<Element, Reference>;
  readonly notes: Map<Element, string>;
  readonly labels: Set<Element>;
};
type Targets = ReadonlyMap<string, Element>;

function collectFootnotes(page: Page): Footnotes {
  const footnotes: MutableFootnotes = { references: new Map(), notes: new Map(), labels: new Set() };
  addLinkedNotes(page, footnotes);
  return footnotes;
}

// Linked footnotes: a link that is only a label, and the later block it leads to.

const labelText = /^\[?\(?(\d{1,3}|[*†‡§]{1,3}|[ivx]{1,5}|[a-z])\)?\]?$/;
const cellTags = wordSet("td");
const proseTags = wordSet("p div");
const definitionTags = wordSet("dd");

function addLinkedNotes(page: Page, footnotes: MutableFootnotes): void {
  let targets: Targets | undefined;
  for (const link of listByTag(page, "a")) {
    const fragment = fragmentOf(link);
    const label = fragment === "" ? undefined : labelOf(link);
    if (label === undefined) continue;
    targets ??= targetsByName(page);
    const target = targets.get(fragment);
    if (target !== undefined) addLinkedNote(link, label, target, page, footnotes);
  }
}

function addLinkedNote(link: Element, label: string, target: Element, page: Page, footnotes: MutableFootnotes): void {
  const block = blockOf(target);
  if (block === undefined || block.index <= link.index || isCount(link)) return;
  const pair = labelAndNote(block, page);
  if (pair === undefined && (tableTags.has(block.tag) || headingTags.has(block.tag))) return;
  const note = pair?.[1] ?? block;
  const noteLabel = footnotes.notes.get(note) ?? label;
  // Notes that share a block can only be distinguished by their links, so the links stay links.
  if (noteLabel !== label && target !== block) return;
  if (pair !== undefined) footnotes.labels.add(pair[0]);
  footnotes.notes.set(note, noteLabel);
  footnotes.references.set(link, { label: noteLabel, note });
}

/** A number with no words around it counts something, such as comments, unless it is raised like a reference. */
function isCount(link: Element): boolean {
  if (link.parent?.tag === "sup") return false;
  const block = blockOf(link);
  return block !== undefined && !/\p{L}/u.test(collectText(block, MAX_SURROUNDING_CHARS));
}

/** A term or heading and the block after it, or the two cells of a one-row table: the first is the second's label. */
function labelAndNote(block: Element, page: Page): readonly [Element, Element] | undefined {
  const [label, note, ...others] = block.tag === "table" ? cellsIn(block, page) : [block, page.elements[block.end]];
  if (label === undefined || note === undefined || others.length > 0 || labelOf(label) === undefined) return undefined;
  if (note.parent !== label.parent || !noteTagsAfter(block.tag).has(note.tag)) return undefined;
  return [label, note];
}

function noteTagsAfter(tag: string): ReadonlySet<string> {
  return tag === "table" ? cellTags : headingTags.has(tag) ? proseTags : definitionTags;
}

function cellsIn({ index, end }: Element, { elements }: Page): readonly Element[] {
  const descendants = elements.slice(index, Math.min(end, index + MAX_NOTE_TABLE_ELEMENTS));
  return descendants.filter(({ tag }) => tag === "td" || tag === "th");
}

/** The fragment of a link. After a path only one with a number counts: others name parts of other pages. */
function fragmentOf({ attributes }: Element): string {
  const href = attributes.href ?? "";
  const hash = href.indexOf("#");
  const fragment = hash < 0 ? "" : href.slice(hash + 1);
  return hash <= 0 || /\d/.test(fragment) ? fragment : "";
}

function targetsByName(page: Page): Targets {
  const targets = new Map<string, Element>();
  for (const element of page.elements) {
    const name = element.attributes.id ?? (element.tag === "a" ? element.attributes.name : undefined);
    if (name && !targets.has(name)) targets.set(name, element);
  }
  return targets;
}

function labelOf(element: Element): string | undefined {
  const match = labelText.exec(collectText(element, MAX_LABEL_CHARS).trim());
  return match?.[1];
}

function blockOf(target: Element): Element | undefined {
  let block: Element | null = target;
  while (block !== null && inlineTags.has(block.tag)) block = block.parent;
  return block === null || block.tag === "body" ? undefined : block;
}

// Side notes: the text of the note is inside the line it belongs to.

const sideNoteTags = wordSet("span small");
const sideNoteName = /^(?:side|margin|foot)[-_]?note(?:[-_]?(?:content|text|body))?$|^ltx_note_content$/i;

function startOf(node: Element | string | undefined): string {
  return typeof node === "object" ? collectText(node, htmlWeights.footnotes.minSideNoteChars) : (node ?? "");
}
