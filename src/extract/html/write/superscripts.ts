/** Letters raised above the line and lowered below it: powers and indices are told from ordinals and marks of notes. */
import { type Element, flatText } from "../tree/tree.ts";

/** The signs around raised or lowered text, as one would type it: `x^2`, `a_(i+1)`. */
export type RaisedSigns = { readonly before: string; readonly after: string };

const longestChars = 24;
const oneWord = /^(?:[-+−]?[\p{L}\p{N}]+|\S)$/u;

/** The signs for a `sup` or `sub` after the end of its line so far, or undefined where it reads as well without. */
export function raisedSigns(element: Element, line: string): RaisedSigns | undefined {
  const before = line.replace(/\*+$/, "");
  const text = flatText(element, longestChars + 1).trim();
  if (text === "" || text.length > longestChars || !follows(element, text, before)) return undefined;
  if (element.tag === "sup" ? isLabel(element, text, before) : isCount(text, before)) return undefined;
  const sign = element.tag === "sup" ? "^" : "_";
  const isOne = oneWord.test(text) && element.children.length === 1;
  return isOne ? { before: sign, after: "" } : { before: `${sign}(`, after: ")" };
}

/** After a word or a sign of its formula; a number also after the end of a sentence, where it marks a note. */
function follows({ tag }: Element, text: string, before: string): boolean {
  return /[\p{L}\p{N})\]}|*_]$/u.test(before) || (tag === "sup" && /^\d+$/.test(text) && /[.,;:!?"”’»]$/.test(before));
}

/** Ordinals (`2nd`, `XIXe`), trade marks, and the marks and links of notes. */
function isLabel({ parent, children }: Element, text: string, before: string): boolean {
  if (parent?.tag === "a") return true;
  if (children.some((child) => typeof child !== "string" && child.tag === "a")) return true;
  if (/^[[(]|^[^\p{L}\p{N}+−-]+$/u.test(text)) return true;
  return /^\p{L}+$/u.test(text) && (/\p{L}{2}$/u.test(before) || (text.length > 1 && /\p{N}$/u.test(before)));
}

/** How many atoms there are: `CO2` and `H2O` are typed so. */
function isCount(text: string, before: string): boolean {
  return /^\d+$/.test(text) && /\p{Lu}\p{Ll}?$/u.test(before);
}
