/** Footnotes without links that work: a raised number in the text, and a later block that begins with it or is called by it. */
import { headings, inlineTags, tableTags, wordSet } from "../tree/tags.ts";
import { type Element, flatText, type Page } from "../tree/tree.ts";

/** A mark in the text and its note, with the number of both. */
export type LooseNote = { readonly mark: Element; readonly label: string; readonly note: Element };
type Mark = Omit<LooseNote, "note">;

const numberText = /^[[(]?(\d{1,3})[\])]?\.?$/;
const numberChars = 20;
const mostInside = 4;
/** The ids that pages give to notes. */
const noteId = /(?:note|fn|ftn)[-_.:]?(\d{1,3})$/i;
const noteTags = wordSet("li p div");
const openingTags = wordSet("sup strong b a");

/** Finds them, leaving alone the links that lead somewhere. */
export function findLooseNotes(page: Page, leadsSomewhere: (link: Element) => boolean): readonly LooseNote[] {
  if (!page.elements.some(({ tag }) => tag === "sup")) return [];
  const marks: Mark[] = [];
  const notes = new Map<string, Element>();
  for (const element of page.elements) {
    const called = noteTags.has(element.tag) ? noteId.exec(element.attributes.id ?? "")?.[1] : undefined;
    if (called !== undefined) notes.set(called, element);
    const label = openingTags.has(element.tag) ? numberOf(element) : undefined;
    if (label === undefined || leadsSomewhere(element)) continue;
    const block = openedBlock(element);
    if (block !== undefined) notes.set(label, block);
    else if (isMark(element)) marks.push({ mark: element, label });
  }
  return areVerses(marks) ? [] : marks.flatMap((mark) => paired(mark, notes));
}

/** Looks into small elements only: most links and bold words are no numbers. */
function numberOf(element: Element): string | undefined {
  const isSmall = element.end - element.index <= mostInside && element.children.length <= mostInside;
  const isShort = element.children.every((child) => typeof child !== "string" || child.length < numberChars);
  if (!isSmall || !isShort) return undefined;
  return numberText.exec(flatText(element, numberChars).trim())?.[1];
}

function paired({ mark, label }: Mark, notes: ReadonlyMap<string, Element>): readonly LooseNote[] {
  const note = notes.get(label);
  return note === undefined || note.index < mark.index ? [] : [{ mark, label, note }];
}

/** The paragraph or item that an element is the first word of. */
function openedBlock(element: Element): Element | undefined {
  let one = element;
  while (one.parent !== null && inlineTags.has(one.tag)) {
    if (one.parent.children.find(isFilled) !== one) return undefined;
    one = one.parent;
  }
  const isLong = flatText(one, 2 * numberChars).trim().length > numberChars / 2;
  return noteTags.has(one.tag) && isLong ? one : undefined;
}

function isFilled(node: Element | string): boolean {
  return typeof node !== "string" || node.trim() !== "";
}

/** Looking for the place of each of very many marks would be quadratic. */
const mostSiblings = 1000;
/** After a word or the end of a sentence; after a digit or a single letter it is a power. */
const standsAfterWords = /(?:\p{L}{2}|[.,;:!?"”’»\]])\s*$/u;

/** A raised number, or a link in place of one, in running text. */
function isMark(element: Element): boolean {
  const { tag, parent } = element;
  if (parent === null || headings.has(parent.tag) || tableTags.has(parent.tag)) return false;
  if (tag === "a") return parent.tag === "sup";
  if (tag !== "sup" || element.children.some(isLink)) return false;
  return standsAfterWords.test(wordsBefore(element) || (inlineTags.has(parent.tag) ? wordsBefore(parent) : ""));
}

/** The end of what stands right before an element in its parent. */
function wordsBefore(element: Element): string {
  const siblings = element.parent?.children ?? [];
  const before = siblings.length > mostSiblings ? undefined : siblings[siblings.indexOf(element) - 1];
  return (typeof before === "object" ? flatText(before) : (before ?? "")).trim().slice(-numberChars);
}

function isLink(node: Element | string): boolean {
  return typeof node !== "string" && node.tag === "a";
}

/** Verses are numbered anew in each chapter. */
function areVerses(marks: readonly Mark[]): boolean {
  return marks.length > 1.5 * new Set(marks.map(({ label }) => label)).size;
}
