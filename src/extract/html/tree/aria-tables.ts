/** Tables that a page builds from other elements: their roles say what is a row and a cell. */
import type { Element } from "./tree.ts";

type Renamed = { -readonly [K in keyof Element]: Element[K] };

const tagsByRole: Readonly<Record<string, string>> = {
  table: "table",
  row: "tr",
  cell: "td",
  gridcell: "td",
  columnheader: "th",
  rowheader: "th",
};

/** Gives the parts of such tables the tags that they stand for; what holds no rows stays as it is. */
export function nameTables(elements: readonly Element[]): void {
  for (let at = 0; at < elements.length; ) {
    const table = elements[at] as Element;
    const isTable = table.attributes.role === "table" && table.tag !== "table";
    if (isTable) nameParts(elements.slice(table.index, table.end));
    at = isTable ? table.end : at + 1;
  }
}

function nameParts(elements: readonly Element[]): void {
  const parts = elements.filter(({ attributes }) => isPart(attributes.role));
  if (parts.some(({ attributes }) => attributes.role === "row"))
    for (const part of parts) rename(part, tagsByRole[part.attributes.role ?? ""] ?? part.tag);
}

function isPart(role: string | undefined): boolean {
  return role !== undefined && role in tagsByRole;
}

function rename(element: Renamed, tag: string): void {
  element.tag = tag;
}
