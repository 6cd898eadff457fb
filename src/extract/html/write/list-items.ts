/** Items of lists: which are numbered how, and which are no items. */
import { headings } from "../tree/tags.ts";
import type { Element, Node } from "../tree/tree.ts";

/** How far down a heading may stand. */
const mostWrappers = 4;

/** An item that begins with a heading: lists of parts of a page are lists to programs only. */
export function isSection(item: Element): boolean {
  let first: Node | undefined = item;
  for (let level = 0; level <= mostWrappers && typeof first === "object"; level += 1) {
    if (headings.has(first.tag)) return true;
    first = first.children.find((child) => typeof child !== "string" || child.trim() !== "");
  }
  return false;
}

/** A number that Markdown takes for one of a list: at most nine digits. */
export function itemNumber(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : undefined;
}
