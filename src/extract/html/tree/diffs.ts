/** Diffs that pages show as tables: which cells are their lines, and the sign before each. */
import { wordSet } from "./tags.ts";
import type { Element, Page } from "./tree.ts";

/** Class names of the cells that hold the lines of a diff. */
const lineClasses = wordSet("blob-code line_content diff-text-cell lines-code");
/** Class names of the cells beside them: numbers of lines, and controls that show more lines. */
const gutterClasses = wordSet(
  "blob-num diff-line-num old_line new_line diff-line-number lines-num lines-escape diff-line-expand",
);
const addedClasses = wordSet("blob-code-addition new add-code addition");
const removedClasses = wordSet("blob-code-deletion old del-code deletion");

/** Whether an element is a line of a diff. */
export function isDiffLine(element: Element): boolean {
  if (markerOf(element) !== undefined) return true;
  return element.tag === "td" && hasOneOf(element, lineClasses);
}

/** Whether an element is a cell beside the lines of a diff. */
export function isDiffGutter(element: Element): boolean {
  return element.tag === "td" && hasOneOf(element, gutterClasses) && !hasOneOf(element, lineClasses);
}

/** The sign that a style sheet shows before a line: in an attribute, or named by a class of the line; "" if none is. */
export function findDiffSign(element: Element, text: string): string {
  const marker = markerOf(element);
  if (marker !== undefined) return marker;
  if (element.tag !== "td" || !hasOneOf(element, lineClasses) || /^[-+ @]/.test(text)) return "";
  if (hasMarkerInside(element)) return "";
  if (hasOneOf(element, addedClasses)) return "+";
  return hasOneOf(element, removedClasses) ? "-" : " ";
}

/** Whether a block is a diff with signs. */
export function isDiff(block: Element, { elements }: Pick<Page, "elements">): boolean {
  return block.tag === "table" && elements.slice(block.index + 1, block.end).some(isDiffLine);
}

function markerOf({ attributes }: Element): string | undefined {
  return attributes["data-code-marker"] ?? attributes["data-type-marker"];
}

/** GitHub puts the sign on an element inside the cell. */
function hasMarkerInside({ children }: Element): boolean {
  return children.some(
    (child) => typeof child !== "string" && (markerOf(child) !== undefined || hasMarkerInside(child)),
  );
}

function hasOneOf({ attributes: { class: className } }: Element, names: ReadonlySet<string>): boolean {
  return className?.split(/\s+/).some((name) => names.has(name)) === true;
}
