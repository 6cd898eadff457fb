/** Which comments answer others: they are written as quotations, one level for each comment they are below. */
import { wordSet } from "../tree/tags.ts";
import type { Element, Page } from "../tree/tree.ts";

/** Deeper replies are written at this level. */
const MAX_LEVELS = 10;

/** The levels of quotation that begin at an element. */
export type Replies = ReadonlyMap<Element, number>;

/** Finds the replies of a thread, by comments inside of comments or by the depth that they state. */
export function findReplies({ elements }: Page): Replies {
  const levels = new Map<Element, number>();
  for (const element of elements) {
    const indent = element.tag === "td" ? parseDepth(element.attributes.indent) : 0;
    const row = indent > 0 ? findRow(element) : null;
    if (row !== null) levels.set(row, indent);
    else if (isComment(element) && hasOuterComment(element)) levels.set(element, 1);
    else if (element.tag.endsWith("-comment")) setDepth(element, levels);
  }
  return levels;
}

/** A custom element may state its depth while it is not inside the comment that it answers. */
function setDepth(element: Element, levels: Map<Element, number>): void {
  const depth = parseDepth(element.attributes.depth);
  if (depth > 0 && !hasOuterComment(element)) levels.set(element, depth);
}

function parseDepth(depth: string | undefined): number {
  return depth !== undefined && /^\d{1,3}$/.test(depth) ? Math.min(MAX_LEVELS, Number(depth)) : 0;
}

/** The row of a comment whose indent is a cell of a table inside it. */
function findRow({ parent }: Element): Element | null {
  let row = parent;
  while (row !== null && !(row.tag === "tr" && hasName(row, rowNames))) row = row.parent;
  return row;
}
const rowNames = wordSet("comtr");

const commentNames = wordSet("comment Comment reply-comment comment-item");

/** Lists of comments show the depth by themselves. */
function isComment(element: Element): boolean {
  return element.tag !== "li" && (element.tag.endsWith("-comment") || hasName(element, commentNames));
}

function hasName({ attributes: { class: className } }: Element, names: ReadonlySet<string>): boolean {
  return className?.split(/\s+/).some((name) => names.has(name)) === true;
}

/** Whether an element is inside a comment of the same kind, not only inside the box of its own. */
function hasOuterComment(element: Element): boolean {
  for (let ancestor = element.parent; ancestor !== null; ancestor = ancestor.parent)
    if (ancestor.tag === element.tag && isComment(ancestor)) return areAlike(element, ancestor);
  return false;
}

/** The same names, or two of them; the others are ids and states. */
function areAlike({ attributes: one }: Element, { attributes: other }: Element): boolean {
  if (one.class === other.class) return true;
  const names = new Set(one.class?.split(/\s+/));
  const shared = (other.class ?? "").split(/\s+/).filter((name) => name !== "" && names.has(name));
  return shared.length >= 2;
}
