/** Superscripts and subscripts: powers and indices get a sign, ordinals, trade marks and note references do not. */
import { collectText, type Element } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";

/** What is written around an inline element. */
export type Delimiters = { readonly before: string; readonly after: string };

const singleWord = /^(?:[-+−]?[\p{L}\p{N}]+|\S)$/u;

/**
 * The signs around a `sup` or `sub`, as people type them: `x^2`, `a_(i+1)`. Undefined where none is needed.
 * `line` is the end of the line before the element.
 */
export function findScriptSigns(element: Element, line: string): Delimiters | undefined {
  const { maxSuperscriptChars } = htmlWeights.writing;
  const before = line.replace(/\*+$/, "");
  const text = collectText(element, maxSuperscriptChars + 1).trim();
  if (text === "" || text.length > maxSuperscriptChars || !hasBase(element, text, before)) return undefined;
  if (element.tag === "sup" && isOrdinalOrNote(element, text, before)) return undefined;
  const sign = element.tag === "sup" ? "^" : "_";
  const isSingleWord = singleWord.test(text) && element.children.length === 1;
  return isSingleWord ? { before: sign, after: "" } : { before: `${sign}(`, after: ")" };
}

/** After a word or a symbol of its formula; a number also after the end of a sentence, where it refers to a note. */
function hasBase({ tag }: Element, text: string, before: string): boolean {
  return /[\p{L}\p{N})\]}|*_]$/u.test(before) || (tag === "sup" && /^\d+$/.test(text) && /[.,;:!?"”’»]$/.test(before));
}

/** Ordinals (`2nd`, `XIXe`), trade marks, and the references and links of notes. */
function isOrdinalOrNote({ parent, children }: Element, text: string, before: string): boolean {
  if (parent?.tag === "a") return true;
  if (children.some((child) => typeof child !== "string" && child.tag === "a")) return true;
  if (/^[[(]|^[^\p{L}\p{N}+−-]+$/u.test(text)) return true;
  return /^\p{L}+$/u.test(text) && (/\p{L}{2}$/u.test(before) || (text.length > 1 && /\p{N}$/u.test(before)));
}

/** The number of atoms in a formula of chemistry, in small digits (`H₂O`); undefined for every other element. */
export function findAtomCount({ tag, children: [text, ...others] }: Element, line: string): string | undefined {
  if (tag !== "sub" || typeof text !== "string" || others.length > 0) return undefined;
  const isCount = /^\d{1,3}$/.test(text) && /(?:\p{Lu}\p{Ll}?|\(\p{Lu}[\p{L}\p{N}]*\))$/u.test(line);
  return isCount ? text.replace(/\d/g, (digit) => String.fromCodePoint(FIRST_SMALL_DIGIT + Number(digit))) : undefined;
}
/** U+2080, a small zero. */
const FIRST_SMALL_DIGIT = 0x2080;
