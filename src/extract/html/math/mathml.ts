/** Converts MathML to TeX, for pages that do not carry the source. Symbols stay Unicode characters. */
import { wordSet } from "../tree/tags.ts";
import { collectText, type Element } from "../tree/tree.ts";

/** The TeX of a MathML element; "" if it shows nothing. Recursion is bounded by the depth limit of the tree. */
export function convertMathml(element: Element): string {
  return writeRow(element).replace(/\s+/g, " ").trim();
}

type Writer = (element: Element) => string;

const writers: Readonly<Record<string, Writer>> = {
  mi: writeName,
  mn: writeCharacters,
  mo: writeCharacters,
  ms: writeWords,
  mtext: writeWords,
  mspace: () => " ",
  mphantom: () => "",
  annotation: () => "",
  "annotation-xml": () => "",
  mfrac: (element) => `\\frac{${writeChild(element, 0)}}{${writeChild(element, 1)}}`,
  msqrt: (element) => `\\sqrt{${writeRow(element).trim()}}`,
  mroot: (element) => `\\sqrt[${writeChild(element, 1)}]{${writeChild(element, 0)}}`,
  msup: (element) => `${writeBase(element)}^${groupTex(writeChild(element, 1))}`,
  msub: (element) => `${writeBase(element)}_${groupTex(writeChild(element, 1))}`,
  msubsup: (element) => `${writeBase(element)}_${groupTex(writeChild(element, 1))}^${groupTex(writeChild(element, 2))}`,
  mover: (element) => writeStacked(element, "", writeChild(element, 1)),
  munder: (element) => writeStacked(element, writeChild(element, 1), ""),
  munderover: (element) => writeStacked(element, writeChild(element, 1), writeChild(element, 2)),
  mfenced: (element) => `(${childrenOf(element).map(write).join(", ")})`,
  mtable: (element) => `\\begin{matrix}${childrenOf(element).map(writeTableRow).join(" \\\\ ")}\\end{matrix}`,
};

function write(element: Element): string {
  return (writers[element.tag] ?? writeRow)(element);
}

/** Text between child elements is layout of the source; without child elements it is the content. */
function writeRow(element: Element): string {
  const children = childrenOf(element);
  return children.length === 0 ? writeCharacters(element) : children.map(write).join("");
}

function childrenOf({ children }: Element): readonly Element[] {
  return children.filter((child) => typeof child !== "string");
}

function writeChild(element: Element, index: number): string {
  const child = childrenOf(element)[index];
  return child === undefined ? "" : write(child).trim();
}

function writeBase(element: Element): string {
  const tex = writeChild(element, 0);
  return /[\s+^_]/.test(tex) && !tex.startsWith("\\") ? `{${tex}}` : tex;
}

function groupTex(tex: string): string {
  return [...tex].length === 1 ? tex : `{${tex}}`;
}

const functionNames = wordSet(
  "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln exp lim max min sup inf det dim ker gcd",
);

function writeName(element: Element): string {
  const name = writeCharacters(element);
  if (functionNames.has(name)) return `\\${name} `;
  return /^\p{L}{2,}$/u.test(name) ? `\\mathrm{${name}}` : name;
}

/** Drops the invisible operators (application, times, separator, plus) and escapes what TeX would read. */
function writeCharacters(element: Element): string {
  return collectText(element)
    .trim()
    .replace(/[\u2061-\u2064]/g, "")
    .replace(/[%#&$_{}]/g, "\\$&");
}

function writeWords(element: Element): string {
  return `\\text{${collectText(element).replace(/\s+/g, " ").replace(/[{}]/g, "\\$&")}}`;
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

/** An accent, the limits of an operator, or anything else above or below a base. */
function writeStacked(element: Element, under: string, over: string): string {
  const base = writeChild(element, 0);
  const accent = under === "" ? accents[over] : undefined;
  if (accent !== undefined) return `${accent}{${base}}`;
  if (/^[∑∏∐∫∬∭∮⋃⋂⋁⋀⨁⨂⨆]$|^\\[a-z]+$/u.test(base))
    return `${base}${under && `_${groupTex(under)}`}${over && `^${groupTex(over)}`} `;
  const withUnder = under === "" ? base : `\\underset{${under}}{${base}}`;
  return over === "" ? withUnder : `\\overset{${over}}{${withUnder}}`;
}

function writeTableRow(row: Element): string {
  return childrenOf(row)
    .map((cell) => writeRow(cell).trim())
    .join(" & ");
}
