/** The element that a page itself states to be the body of its article, in a vocabulary that search engines read. */

import type { Element, Page } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import type { Measures } from "./text-measures.ts";

/** Finds the stated body under an element; undefined if much of the prose is elsewhere. */
export function findStatedBody({ elements }: Page, { prose }: Measures, main: Element): Element | undefined {
  let best: Element | undefined;
  for (let index = main.index; index < main.end; index += 1) {
    const element = elements[index] as Element;
    if (isStatedBody(element) && (best === undefined || (prose[index] ?? 0) > (prose[best.index] ?? 0))) best = element;
  }
  const minChars = htmlWeights.choose.minStatedShare * (prose[main.index] ?? 0);
  return best !== undefined && (prose[best.index] ?? 0) > minChars ? best : undefined;
}

/** schema.org's microdata, and the classes of microformats. */
function isStatedBody({ attributes: { itemprop, class: className } }: Element): boolean {
  if (itemprop !== undefined && /\barticleBody\b/i.test(itemprop)) return true;
  return className !== undefined && /(?:^|\s)(?:entry-content|e-content)(?:\s|$)/.test(className);
}
