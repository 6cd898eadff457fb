/** What a browser would not show, and what of it a reader can unfold. */
import { weights } from "../weights.ts";
import { isSideNote } from "../write/sidenotes.ts";
import type { Element } from "./tree.ts";

const foldedName = /accord|collaps|callout|faq|answer|expand|toggle/i;
const panelName = /tab|panel|content|desc|detail/i;
const coverName = /nav|menu|modal/i;

/** Looking at the siblings of each of very many hidden elements would be quadratic. */
const mostSiblings = 400;
const controls = new Set(["button", "summary", "dt", "label", "a", "h1", "h2", "h3", "h4", "h5", "h6"]);

/** Folded parts (accordions, tabs, questions and answers) are hidden only until a reader asks for them. */
export function isHidden(element: Element): boolean {
  if (!element.hidden) return false;
  const { role } = element.attributes;
  const name = nameOf(element);
  if (role === "tabpanel" || isSideNote(element)) return false;
  if ((role !== undefined && role !== "region") || isCover(element)) return true;
  const isFolded =
    foldedName.test(name) || (panelName.test(name) && (isInside(element, "main") || isInside(element, "article")));
  return !isFolded || !hasControl(element);
}

/** Whether an element is called like what opens over a page. */
export function isCover(element: Element): boolean {
  return element.tag === "nav" || coverName.test(nameOf(element));
}

function nameOf({ attributes: { class: className = "", id = "" } }: Element): string {
  return `${className} ${id}`;
}

/** Whether something stands before it, or before what holds it, that a reader could press to unfold it. */
function hasControl(element: Element): boolean {
  const { parent } = element;
  if (parent?.attributes["data-callout"] !== undefined) return true;
  return isControlled(element) || (parent !== null && isControlled(parent));
}

function isControlled(element: Element): boolean {
  const siblings = element.parent?.children ?? [];
  if (siblings.length > mostSiblings) return false;
  const before = siblings.slice(0, siblings.indexOf(element)).filter((sibling) => typeof sibling !== "string");
  // Panels of tabs stand one after the other.
  const control = before.findLast(({ hidden, attributes }) => !hidden && !panelName.test(attributes.class ?? ""));
  return control !== undefined && holdsControl(control);
}

function holdsControl(
  { tag, attributes, children }: Element,
  levels: number = weights.visibility.maxControlLevels,
): boolean {
  if (controls.has(tag) || attributes.role === "button" || attributes.role === "tab") return true;
  return (
    levels > 0 &&
    children.length < mostSiblings &&
    children.some((child) => typeof child !== "string" && holdsControl(child, levels - 1))
  );
}

export function isInside(element: Element, tag: string): boolean {
  for (let one = element.parent; one !== null; one = one.parent) if (one.tag === tag) return true;
  return false;
}
