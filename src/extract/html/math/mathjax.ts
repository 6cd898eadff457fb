/** Converts a MathJax 3 drawing (CHTML, one element per character) to TeX, for pages that carry nothing else. */
import { wordSet } from "../tree/tags.ts";
import type { Element } from "../tree/tree.ts";

/** The TeX of a drawing; "" if no character is drawn. */
export function convertMathJax(element: Element): string {
  return writeRow(element).replace(/\s+/g, " ").trim();
}

type Writer = (element: Element) => string;

const writers: Readonly<Record<string, Writer>> = {
  "mjx-c": writeCharacter,
  "mjx-mtext": (element) => `\\text{${writeRow(element)}}`,
  "mjx-mi": (element) => writeName(writeRow(element)),
  "mjx-mfrac": (element) => `\\frac{${writePart(element, "mjx-num")}}{${writePart(element, "mjx-den")}}`,
  "mjx-msqrt": (element) => `\\sqrt{${writePart(element, "mjx-box")}}`,
  "mjx-mroot": (element) => `\\sqrt[${writePart(element, "mjx-root", rootParts)}]{${writePart(element, "mjx-box")}}`,
  "mjx-msup": (element) => writeScript(element, "^"),
  "mjx-msub": (element) => writeScript(element, "_"),
  "mjx-msubsup": writeBothScripts,
  "mjx-munder": writeLimits,
  "mjx-mover": writeLimits,
  "mjx-munderover": writeLimits,
  "mjx-mtd": (element) => `${writeRow(element)} & `,
  "mjx-mtr": (element) => `${writeRow(element).replace(/ & $/, "")} \\\\ `,
  "mjx-mtable": (element) => `\\begin{matrix}${writeRow(element).replace(/ \\\\ $/, "")}\\end{matrix}`,
  "mjx-assistive-mml": () => "",
};

function write(element: Element): string {
  return (writers[element.tag] ?? writeRow)(element);
}

function writeRow(element: Element): string {
  return elementsIn(element).map(write).join("");
}

function elementsIn({ children }: Element): readonly Element[] {
  return children.filter((child) => typeof child !== "string");
}

/** A style sheet draws the character: its code point is in the class, and only sometimes in the text too. */
function writeCharacter({ attributes, children: [text] }: Element): string {
  const code = /\bmjx-c([\dA-F]{1,6})\b/.exec(attributes.class ?? "")?.[1];
  const ownText = typeof text === "string" ? text.trim() : "";
  const character = ownText === "" && code !== undefined ? characterOf(Number.parseInt(code, 16)) : ownText;
  return character
    .normalize("NFKC")
    .replace(/[\u2061-\u2064]/g, "")
    .replace(/[%#&$_{}]/g, "\\$&");
}

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

function writeName(name: string): string {
  return /^\p{L}{2,}$/u.test(name) ? `\\mathrm{${name}}` : name;
}

function writeScript(element: Element, sign: "^" | "_"): string {
  const [base, script] = elementsIn(element);
  return `${base === undefined ? "" : write(base)}${scriptTex(sign, script === undefined ? "" : write(script))}`;
}

/** A superscript and a subscript of one base; the superscript comes first in the drawing. */
function writeBothScripts(element: Element): string {
  const [base, script] = elementsIn(element);
  const scripts = script === undefined ? [] : elementsIn(script);
  const [over, under] = [scripts[0], scripts.slice(1).at(-1)].map((one) => (one === undefined ? "" : write(one)));
  return `${base === undefined ? "" : write(base)}${scriptTex("_", under)}${scriptTex("^", over)}`;
}

function writeLimits(element: Element): string {
  const [base, under, over] = ["mjx-base", "mjx-under", "mjx-over"].map((tag) => writePart(element, tag));
  return `${base}${scriptTex("_", under)}${scriptTex("^", over)} `;
}

function scriptTex(sign: "^" | "_", tex = ""): string {
  if (tex === "") return "";
  return [...tex].length === 1 ? sign + tex : `${sign}{${tex}}`;
}

/** A part of a formula is only a few boxes below it. */
const MAX_SEARCHED_ELEMENTS = 60;
const partTags = wordSet("mjx-num mjx-den mjx-root mjx-base mjx-under mjx-over");
const rootParts = wordSet("mjx-root mjx-box");

/** The TeX of an element's part with this tag. Does not search other parts: a formula inside them has its own. */
function writePart(element: Element, tag: string, borders = partTags): string {
  const queue = [...elementsIn(element)];
  for (let index = 0; index < Math.min(queue.length, MAX_SEARCHED_ELEMENTS); index += 1) {
    const candidate = queue[index] as Element;
    if (candidate.tag === tag) return writeRow(candidate);
    if (!borders.has(candidate.tag)) queue.push(...elementsIn(candidate).slice(0, MAX_SEARCHED_ELEMENTS));
  }
  return "";
}
