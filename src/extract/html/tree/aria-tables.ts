/** Tables that a page builds from other elements: their ARIA roles say what is a row and a cell. */
import type { Element } from "./tree.ts";

type Mutable = { -readonly [K in keyof Element]: Element[K] };

const tagsByRole: ReadonlyMap<string, string> = new Map([
  ["table", "table"],
  ["row", "tr"],
  ["cell", "td"],
  ["gridcell", "td"],
  ["columnheader", "th"],
  ["rowheader", "th"],
]);

/** Replaces the tags in such tables by those of HTML tables; a table without rows stays as it is. */
export function setTableTags(elements: readonly Element[]): void {
  for (let index = 0; index < elements.length; ) {
    const table = elements[index] as Element;
    const isTable = table.attributes.role === "table" && table.tag !== "table";
    if (isTable) setTags(elements.slice(table.index, table.end));
    index = isTable ? table.end : index + 1;
  }
}

function setTags(elements: readonly Element[]): void {
  const tableElements = elements.filter(({ attributes }) => isTableRole(attributes.role));
  if (tableElements.some(({ attributes }) => attributes.role === "row"))
    for (const element of tableElements) setTag(element, tagsByRole.get(element.attributes.role ?? "") ?? element.tag);
}

function isTableRole(role: string | undefined): boolean {
  return role !== undefined && tagsByRole.has(role);
}

function setTag(element: Mutable, tag: string): void {
  element.tag = tag;
}
