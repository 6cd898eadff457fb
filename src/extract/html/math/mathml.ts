/** Formulas that pages give as MathML alone, written as TeX; signs stay the characters they are. */
import { wordSet } from "../tree/tags.ts";
import { type Element, flatText } from "../tree/tree.ts";

/** The TeX of a MathML element, or "" where nothing is shown. Nested no deeper than a page's tree is. */
export function mathmlTex(element: Element): string {
  return writeRow(element).replace(/\s+/g, " ").trim();
}

type Writer = (element: Element) => string;

const writers: Readonly<Record<string, Writer>> = {
  mi: writeName,
  mn: writeToken,
  mo: writeToken,
  ms: writeWords,
  mtext: writeWords,
  mspace: () => " ",
  mphantom: () => "",
  annotation: () => "",
  "annotation-xml": () => "",
  mfrac: (element) => `\\frac{${part(element, 0)}}{${part(element, 1)}}`,
  msqrt: (element) => `\\sqrt{${writeRow(element).trim()}}`,
  mroot: (element) => `\\sqrt[${part(element, 1)}]{${part(element, 0)}}`,
  msup: (element) => `${base(element)}^${grouped(part(element, 1))}`,
  msub: (element) => `${base(element)}_${grouped(part(element, 1))}`,
  msubsup: (element) => `${base(element)}_${grouped(part(element, 1))}^${grouped(part(element, 2))}`,
  mover: (element) => writeStacked(element, "", part(element, 1)),
  munder: (element) => writeStacked(element, part(element, 1), ""),
  munderover: (element) => writeStacked(element, part(element, 1), part(element, 2)),
  mfenced: (element) => `(${childrenOf(element).map(write).join(", ")})`,
  mtable: (element) => `\\begin{matrix}${childrenOf(element).map(writeTableRow).join(" \\\\ ")}\\end{matrix}`,
};

function write(element: Element): string {
  return (writers[element.tag] ?? writeRow)(element);
}

/** Text that stands between the tags is layout of the source, unless nothing else is there. */
function writeRow(element: Element): string {
  const children = childrenOf(element);
  return children.length === 0 ? writeToken(element) : children.map(write).join("");
}

function childrenOf({ children }: Element): readonly Element[] {
  return children.filter((child) => typeof child !== "string");
}

function part(element: Element, at: number): string {
  const child = childrenOf(element)[at];
  return child === undefined ? "" : write(child).trim();
}

function base(element: Element): string {
  const written = part(element, 0);
  return /[\s+^_]/.test(written) && !written.startsWith("\\") ? `{${written}}` : written;
}

function grouped(tex: string): string {
  return [...tex].length === 1 ? tex : `{${tex}}`;
}

const functions = wordSet(
  "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln exp lim max min sup inf det dim ker gcd",
);

function writeName(element: Element): string {
  const name = writeToken(element);
  if (functions.has(name)) return `\\${name} `;
  return /^\p{L}{2,}$/u.test(name) ? `\\mathrm{${name}}` : name;
}

/** Signs that nobody sees (application, times, plus) are not written; those of TeX are escaped. */
function writeToken(element: Element): string {
  return flatText(element)
    .trim()
    .replace(/[\u2061-\u2064]/g, "")
    .replace(/[%#&$_{}]/g, "\\$&");
}

function writeWords(element: Element): string {
  return `\\text{${flatText(element).replace(/\s+/g, " ").replace(/[{}]/g, "\\$&")}}`;
}

const accents: Readonly<Record<string, string>> = {
  "¯": "\\overline",
  "‾": "\\overline",
  "―": "\\overline",
  "^": "\\hat",
  ˆ: "\\hat",
  "~": "\\tilde",
  "˜": "\\tilde",
  "→": "\\vec",
  "˙": "\\dot",
  "¨": "\\ddot",
};

/** Limits of an operator, an accent, or something else above or below. */
function writeStacked(element: Element, under: string, over: string): string {
  const written = part(element, 0);
  const accent = under === "" ? accents[over] : undefined;
  if (accent !== undefined) return `${accent}{${written}}`;
  if (/^[∑∏∐∫∬∭∮⋃⋂⋁⋀⨁⨂⨆]$|^\\[a-z]+$/u.test(written))
    return `${written}${under && `_${grouped(under)}`}${over && `^${grouped(over)}`} `;
  const below = under === "" ? written : `\\underset{${under}}{${written}}`;
  return over === "" ? below : `\\overset{${over}}{${below}}`;
}

function writeTableRow(row: Element): string {
  return childrenOf(row)
    .map((cell) => writeRow(cell).trim())
    .join(" & ");
}
