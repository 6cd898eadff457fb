/** Footnotes: little links in the text, and the notes they lead to in the same page. */
import { inlineTags } from "./tags.ts";
import { type Element, flatText, type Page } from "./tree.ts";

export type Footnotes = {
  /** By the link that refers to a note. */
  readonly references: ReadonlyMap<Element, { readonly label: string; readonly note: Element }>;
  /** Labels by the block that is a note. */
  readonly notes: ReadonlyMap<Element, string>;
};

/** A label is one sign or number; blanks of the source may stand around it. */
const labelChars = 100;
const labelText = /^\[?\(?(\d{1,3}|[*†‡§]{1,3}|[ivx]{1,5}|[a-z])\)?\]?$/;

/** Finds the links whose text is a bare number or sign and whose target stands in a block further down the page. */
export function findFootnotes(page: Page): Footnotes {
  const references = new Map<Element, { label: string; note: Element }>();
  const notes = new Map<Element, string>();
  const targets = targetsOf(page);
  for (const element of page.elements) {
    const target = element.tag === "a" ? targets.get(fragmentOf(element)) : undefined;
    const label = target === undefined ? undefined : labelOf(element);
    const note = target === undefined || label === undefined ? undefined : blockOf(target);
    if (note === undefined || label === undefined || note.index <= element.index || isHeading(note)) continue;
    const known = notes.get(note) ?? label;
    notes.set(note, known);
    references.set(element, { label: known, note });
  }
  return { references, notes };
}

/** Whether a link inside a note leads back to the text. */
export function isBackReference(link: Element): boolean {
  if (!fragmentOf(link)) return false;
  const text = flatText(link, labelChars).trim();
  return /^(?:[\s↩↑⤴⬆^↵⏎]|\ufe0e|\ufe0f)*$/u.test(text) || labelText.test(text.replace(/\.$/, ""));
}

function fragmentOf({ attributes }: Element): string {
  const href = attributes.href ?? "";
  const hash = href.indexOf("#");
  return hash < 0 ? "" : href.slice(hash + 1);
}

function targetsOf(page: Page): ReadonlyMap<string, Element> {
  const targets = new Map<string, Element>();
  for (const element of page.elements) {
    const name = element.attributes.id ?? (element.tag === "a" ? element.attributes.name : undefined);
    if (name && !targets.has(name)) targets.set(name, element);
  }
  return targets;
}

function labelOf(link: Element): string | undefined {
  const match = labelText.exec(flatText(link, labelChars).trim());
  return match?.[1];
}

function blockOf(target: Element): Element | undefined {
  let block: Element | null = target;
  while (block !== null && inlineTags.has(block.tag)) block = block.parent;
  return block === null || block.tag === "body" || block.tag === "td" || block.tag === "table" ? undefined : block;
}

function isHeading({ tag }: Element): boolean {
  return /^h[1-6]$/.test(tag);
}
