/** Formulas as TeX: from the source that a page carries beside its drawing, else from MathML. */

import { findTexInAlt, findTexInUrl } from "../tree/tex-images.ts";
import { type Attributes, collectText, type Element, isFormulaScript, type Page } from "../tree/tree.ts";
import { convertMathml } from "./mathml.ts";

/** A formula; a display formula is a block of its own. */
export type Formula = { readonly tex: string; readonly isDisplay: boolean };

/** Reads an element that is a formula; undefined for every other element. */
export function readFormula(element: Element): Formula | undefined {
  const { tag, attributes } = element;
  if (tag === "math") return readMathElement(element);
  if (tag === "mjx-container") return readMathJaxContainer(element);
  if (tag === "img") return readImage(attributes);
  if (tag === "script" && attributes.type?.startsWith("math/tex")) {
    return toFormula(collectText(element), /mode\s*=\s*display/.test(attributes.type));
  }
  const source = attributes["data-latex"];
  if (source !== undefined && (tag === "span" || tag === "div")) return toFormula(source, tag === "div");
  return undefined;
}

/** MathJax 2 leaves a preview, its drawing and the script with the source, one after the other. */
const MAX_DRAWINGS = 3;

/** Whether an element is the drawing of a formula whose source is in a script directly after it. */
export function isFormulaDrawing(element: Element, { elements }: Page): boolean {
  let next: Element | undefined = element;
  for (let count = 0; count < MAX_DRAWINGS && next?.attributes.class?.includes("MathJax"); count += 1)
    next = elements[next.end];
  return next !== undefined && isFormulaScript(next);
}

/** MathJax 3 hides a copy in MathML beside its drawing. */
function readMathJaxContainer(container: Element): Formula | undefined {
  const copy = findElement(container, ({ tag }) => tag === "math");
  const formula = copy === undefined ? undefined : readMathElement(copy);
  return formula && { ...formula, isDisplay: formula.isDisplay || container.attributes.display === "true" };
}

function readImage({ alt = "", class: className = "", src = "" }: Attributes): Formula | undefined {
  const tex = findTexInAlt(alt.trim(), className) ?? findTexInUrl(src);
  return tex === undefined
    ? undefined
    : toFormula(tex, /\\begin\{|display/.test(`${tex} ${className}`.replace("\\displaystyle", "")));
}

function readMathElement(element: Element): Formula | undefined {
  const source = element.attributes.alttext || texAnnotation(element) || convertMathml(element);
  return toFormula(source, element.attributes.display === "block");
}

function toFormula(source: string, isDisplay: boolean): Formula | undefined {
  const tex = source
    .trim()
    .replace(/^\{\\displaystyle\s*([\s\S]*)\}$/, "$1")
    .trim();
  return tex === "" ? undefined : { tex, isDisplay };
}

function texAnnotation(element: Element): string | undefined {
  const isSource = ({ tag, attributes }: Element) =>
    tag === "annotation" && attributes.encoding === "application/x-tex";
  const annotation = findElement(element, isSource);
  return annotation === undefined ? undefined : collectText(annotation);
}

/** An element itself or one below it; later siblings are searched first. */
function findElement(element: Element, isWanted: (one: Element) => boolean): Element | undefined {
  const stack: Element[] = [element];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (isWanted(next)) return next;
    for (const child of next.children) if (typeof child !== "string") stack.push(child);
  }
  return undefined;
}
