/** What a browser would not show, and what of it a reader can unfold. */
import type { Element } from "./tree.ts";

const foldedName = /accord|collaps|callout|faq|answer|expand|toggle/i;
const panelName = /tab|panel|content|desc|detail/i;
const coverName = /nav|menu|modal/i;

/** Folded parts (accordions, tabs, questions and answers) are hidden only until a reader asks for them. */
export function isHidden(element: Element): boolean {
  if (!element.hidden) return false;
  const { class: className = "", id = "", role } = element.attributes;
  const name = `${className} ${id}`;
  if (role === "tabpanel") return false;
  if ((role !== undefined && role !== "region") || coverName.test(name)) return true;
  return (
    !foldedName.test(name) && !(panelName.test(name) && (isInside(element, "main") || isInside(element, "article")))
  );
}

export function isInside(element: Element, tag: string): boolean {
  for (let one = element.parent; one !== null; one = one.parent) if (one.tag === tag) return true;
  return false;
}
