/** Footnotes: little links in the text, and the notes they lead to in the same page. */
import { headings, inlineTags, tableTags } from "./tags.ts";
import { type Element, flatText, type Page } from "./tree.ts";

export type Footnotes = {
  /** By the link that refers to a note. */
  readonly references: ReadonlyMap<Element, { readonly label: string; readonly note: Element }>;
  /** Labels by the block that is a note. */
  readonly notes: ReadonlyMap<Element, string>;
  /** Blocks beside the notes that hold nothing but their labels. */
  readonly labels: ReadonlySet<Element>;
};

/** A label is one sign or number; blanks of the source may stand around it. */
const labelChars = 100;
const labelText = /^\[?\(?(\d{1,3}|[*†‡§]{1,3}|[ivx]{1,5}|[a-z])\)?\]?$/;

/** Finds the links whose text is a bare number or sign and whose target stands in a block further down the page. */
export function findFootnotes(page: Page): Footnotes {
  const references = new Map<Element, { label: string; note: Element }>();
  const notes = new Map<Element, string>();
  const labels = new Set<Element>();
  const targets = targetsOf(page);
  for (const element of page.elements) {
    const target = element.tag === "a" ? targets.get(fragmentOf(element)) : undefined;
    const label = target === undefined ? undefined : labelOf(element);
    const block = target === undefined || label === undefined ? undefined : blockOf(target);
    if (block === undefined || label === undefined || block.index <= element.index || headings.has(block.tag)) continue;
    const pair = labelAndNote(block, page);
    const note = pair?.[1] ?? block;
    if (pair === undefined && tableTags.has(block.tag)) continue;
    if (pair !== undefined) labels.add(pair[0]);
    const known = notes.get(note) ?? label;
    notes.set(note, known);
    references.set(element, { label: known, note });
  }
  return { references, notes, labels };
}

/** Whether the text of an element is a label of this name and nothing else. */
export function isLabel(element: Element, label: string): boolean {
  return labelOf(element) === label;
}

/** A term and its definition, or the two cells of a table of one row: the first is the label of the second. */
function labelAndNote(block: Element, page: Page): readonly [Element, Element] | undefined {
  const [label, note, ...others] = block.tag === "table" ? cellsIn(block, page) : [block, page.elements[block.end]];
  if (label === undefined || note === undefined || others.length > 0 || labelOf(label) === undefined) return undefined;
  if (note.parent !== label.parent || note.tag !== (block.tag === "table" ? "td" : "dd")) return undefined;
  return [label, note];
}

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

function labelOf(element: Element): string | undefined {
  const match = labelText.exec(flatText(element, labelChars).trim());
  return match?.[1];
}

function blockOf(target: Element): Element | undefined {
  let block: Element | null = target;
  while (block !== null && inlineTags.has(block.tag)) block = block.parent;
  return block === null || block.tag === "body" ? undefined : block;
}
