/** Formulas that pages show as images: the TeX is in the alternative text. */

import type { Attributes } from "./tree.ts";

/** Class names of images that are formulas. */
const texName = /(?:^|[\s_-])(?:tex|latex|math|equation|formula)(?:$|[\s_-])/i;
/** A TeX command with its argument. File paths have backslashes too, but no braces. */
const texCommand = /\\[a-zA-Z]+\s*[{_^]|\\(?:frac|sqrt|sum|int|prod|infty|partial)\b/;

/** The TeX in an image's alternative text; undefined if the text is words. */
export function findTexInAlt(alt: string, className: string): string | undefined {
  const tex = /^(\$\$?)(?!\s)([^$]+)\1$/.exec(alt)?.[2] ?? alt;
  const isTex = texCommand.test(tex) || tex !== alt || (texName.test(className) && /[\\^_=+]|^\S{1,3}$/.test(tex));
  return isTex ? tex : undefined;
}

/** Whether an image is a formula. Wikipedia hides such images from screen readers, and the MathML beside them from sight. */
export function isFormulaImage(tag: string, attributes: Attributes | undefined): boolean {
  return tag === "img" && findTexInAlt(attributes?.alt?.trim() ?? "", attributes?.class ?? "") !== undefined;
}
