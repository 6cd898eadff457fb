/** Formulas as MathJax draws them in HTML, one element for each sign, where nothing but the drawing is left of them. */
import { wordSet } from "../tree/tags.ts";
import type { Element } from "../tree/tree.ts";

/** The TeX of what MathJax drew, or "" where there is no sign in it. */
export function drawnTex(element: Element): string {
  return writeRow(element).replace(/\s+/g, " ").trim();
}

type Writer = (element: Element) => string;

const writers: Readonly<Record<string, Writer>> = {
  "mjx-c": sign,
  "mjx-mtext": (element) => `\\text{${writeRow(element)}}`,
  "mjx-mi": (element) => named(writeRow(element)),
  "mjx-mfrac": (element) => `\\frac{${find(element, "mjx-num")}}{${find(element, "mjx-den")}}`,
  "mjx-msqrt": (element) => `\\sqrt{${find(element, "mjx-box")}}`,
  "mjx-mroot": (element) => `\\sqrt[${find(element, "mjx-root", rootParts)}]{${find(element, "mjx-box")}}`,
  "mjx-msup": (element) => raised(element, "^"),
  "mjx-msub": (element) => raised(element, "_"),
  "mjx-msubsup": writeBoth,
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

/** Styles draw the signs: their code points stand in the class, and only sometimes in the text too. */
function sign({ attributes, children: [text] }: Element): string {
  const code = /\bmjx-c([\dA-F]{1,6})\b/.exec(attributes.class ?? "")?.[1];
  const told = typeof text === "string" ? text.trim() : "";
  const drawn = told === "" && code !== undefined ? fromCode(Number.parseInt(code, 16)) : told;
  return drawn
    .normalize("NFKC")
    .replace(/[\u2061-\u2064]/g, "")
    .replace(/[%#&$_{}]/g, "\\$&");
}

function fromCode(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

function named(name: string): string {
  return /^\p{L}{2,}$/u.test(name) ? `\\mathrm{${name}}` : name;
}

function raised(element: Element, mark: "^" | "_"): string {
  const [base, script] = elementsIn(element);
  return `${base === undefined ? "" : write(base)}${marked(mark, script === undefined ? "" : write(script))}`;
}

/** The two stand above each other, the upper one first. */
function writeBoth(element: Element): string {
  const [base, script] = elementsIn(element);
  const parts = script === undefined ? [] : elementsIn(script);
  const [over, under] = [parts[0], parts.slice(1).at(-1)].map((part) => (part === undefined ? "" : write(part)));
  return `${base === undefined ? "" : write(base)}${marked("_", under)}${marked("^", over)}`;
}

function writeLimits(element: Element): string {
  const [base, under, over] = ["mjx-base", "mjx-under", "mjx-over"].map((tag) => find(element, tag));
  return `${base}${marked("_", under)}${marked("^", over)} `;
}

function marked(mark: "^" | "_", tex = ""): string {
  if (tex === "") return "";
  return [...tex].length === 1 ? mark + tex : `${mark}{${tex}}`;
}

/** A part stands a few boxes down. */
const mostLooked = 60;
const partTags = wordSet("mjx-num mjx-den mjx-root mjx-base mjx-under mjx-over");
const rootParts = wordSet("mjx-root mjx-box");

/** The TeX of the part of this tag in an element; parts of formulas inside its parts are theirs. */
function find(element: Element, tag: string, borders = partTags): string {
  const queue = [...elementsIn(element)];
  for (let at = 0; at < Math.min(queue.length, mostLooked); at += 1) {
    const one = queue[at] as Element;
    if (one.tag === tag) return writeRow(one);
    if (!borders.has(one.tag)) queue.push(...elementsIn(one).slice(0, mostLooked));
  }
  return "";
}
