/** Formulas: pages carry the TeX source beside what a browser draws, or MathML that can be written as TeX. */

import { type Attributes, type Element, flatText, isFormula, type Page } from "../tree/tree.ts";
import { drawnTex } from "./mathjax.ts";
import { mathmlTex } from "./mathml.ts";
import { texOfPicture } from "./tex-images.ts";

export type Tex = { readonly tex: string; readonly isDisplay: boolean };

/** The TeX of an element that is a formula. */
export function mathTex(element: Element): Tex | undefined {
  const { tag, attributes } = element;
  if (tag === "math") return mathElementTex(element);
  if (tag === "mjx-container") return drawingTex(element);
  if (tag === "img") return pictureTex(attributes);
  if (tag === "script" && attributes.type?.startsWith("math/tex")) {
    return texOf(flatText(element), /mode\s*=\s*display/.test(attributes.type));
  }
  const told = attributes["data-latex"] ?? attributes["data-math"];
  if (told !== undefined && (tag === "span" || tag === "div")) return texOf(told, tag === "div");
  return undefined;
}

/** What MathJax drew, or shows until then, and the source in a script: one follows the other. */
const mostDrawings = 3;

/** Whether an element is a drawing of a formula whose source stands in a script right after it. */
export function isDrawing(element: Element, { elements }: Page): boolean {
  let next: Element | undefined = element;
  for (let count = 0; count < mostDrawings && next?.attributes.class?.includes("MathJax"); count += 1)
    next = elements[next.end];
  return next !== undefined && isFormula(next);
}

/** MathJax hides a copy in MathML beside its drawing. */
function drawingTex(container: Element): Tex | undefined {
  const isDisplay = container.attributes.display === "true";
  const copy = first(container, ({ tag }) => tag === "math");
  const told = copy === undefined ? undefined : mathElementTex(copy);
  return told === undefined
    ? texOf(drawnTex(container), isDisplay)
    : { ...told, isDisplay: told.isDisplay || isDisplay };
}

function pictureTex({ alt = "", class: className = "", "data-math": told }: Attributes): Tex | undefined {
  const tex = texOfPicture(alt.trim(), className) ?? told;
  return tex === undefined
    ? undefined
    : texOf(tex, /\\begin\{|display/.test(`${tex} ${className}`.replace("\\displaystyle", "")));
}

function mathElementTex(element: Element): Tex | undefined {
  const told = element.attributes.alttext || annotation(element) || mathmlTex(element);
  return texOf(told, element.attributes.display === "block");
}

function texOf(source: string, isDisplay: boolean): Tex | undefined {
  const tex = source
    .trim()
    .replace(/^\{\\displaystyle\s*([\s\S]*)\}$/, "$1")
    .trim();
  return tex === "" ? undefined : { tex, isDisplay };
}

function annotation(element: Element): string | undefined {
  const isSource = ({ tag, attributes }: Element) =>
    tag === "annotation" && attributes.encoding === "application/x-tex";
  const found = first(element, isSource);
  return found === undefined ? undefined : flatText(found);
}

/** An element of some kind under another. */
function first(element: Element, isWanted: (one: Element) => boolean): Element | undefined {
  const stack: Element[] = [element];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (isWanted(next)) return next;
    for (const child of next.children) if (typeof child !== "string") stack.push(child);
  }
  return undefined;
}
