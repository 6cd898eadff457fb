/** Office equations (OMML) as TeX. */
import type { XmlTag } from "../xml/scan-xml.ts";
import { toTable } from "./named-table.ts";

type Node = { readonly name: string; readonly value: string; readonly children: Node[]; text: string };

/** An equation with more elements is written as its plain text. */
const MAX_NODES = 20_000;
const MAX_DEPTH = 100;

/** Builds one equation from the events inside `oMath`. */
export class EquationBuilder {
  readonly #root: Node = { name: "oMath", value: "", children: [], text: "" };
  readonly #path: Node[] = [this.#root];
  #nodes = 0;
  #plain = "";

  open(name: string, tag: XmlTag): void {
    const node: Node = { name, value: tag.get("val") ?? "", children: [], text: "" };
    if (++this.#nodes < MAX_NODES && this.#path.length < MAX_DEPTH) this.#path.at(-1)?.children.push(node);
    this.#path.push(node);
  }

  close(): void {
    if (this.#path.length > 1) this.#path.pop();
  }

  text(text: string): void {
    const node = this.#path.at(-1);
    if (node?.name !== "t") return;
    node.text += text;
    this.#plain += text;
  }

  /** The equation in TeX, without delimiters. */
  toTex(): string {
    const isWhole = this.#nodes < MAX_NODES;
    return (isWhole ? writeAll(this.#root.children) : this.#plain).replaceAll(/\s+/g, " ").trim();
  }
}

function writeAll(nodes: readonly Node[]): string {
  return nodes.map(write).join("");
}

function write(node: Node): string {
  if (node.name === "t") return escapeTex(node.text);
  if (node.name.endsWith("Pr")) return "";
  return (writers.get(node.name) ?? ((other: Node) => writeAll(other.children)))(node);
}

/** The content of the first child of this name. */
const part = (node: Node, name: string): string =>
  writeAll(node.children.find((child) => child.name === name)?.children ?? []);

/** A property of an element, such as the sign of a sum. */
function property(node: Node, name: string): string | undefined {
  const properties = node.children.find((child) => child.name.endsWith("Pr"));
  return properties?.children.find((child) => child.name === name)?.value;
}

const writers = toTable<(node: Node) => string>({
  f: (node) => `\\frac{${part(node, "num")}}{${part(node, "den")}}`,
  sSup: (node) => `${group(part(node, "e"))}^{${part(node, "sup")}}`,
  sSub: (node) => `${group(part(node, "e"))}_{${part(node, "sub")}}`,
  sSubSup: (node) => `${group(part(node, "e"))}_{${part(node, "sub")}}^{${part(node, "sup")}}`,
  sPre: (node) => `{}_{${part(node, "sub")}}^{${part(node, "sup")}}${group(part(node, "e"))}`,
  rad: (node) => `\\sqrt${part(node, "deg") === "" ? "" : `[${part(node, "deg")}]`}{${part(node, "e")}}`,
  nary: writeOperator,
  d: writeDelimited,
  func: (node) => `${writeFunction(part(node, "fName"))}{${part(node, "e")}}`,
  limLow: (node) => `${part(node, "e")}_{${part(node, "lim")}}`,
  limUpp: (node) => `${part(node, "e")}^{${part(node, "lim")}}`,
  acc: (node) => `${accents.get(property(node, "chr") ?? "̂") ?? "\\hat"}{${part(node, "e")}}`,
  bar: (node) => `${property(node, "pos") === "top" ? "\\overline" : "\\underline"}{${part(node, "e")}}`,
  m: (node) => `\\begin{matrix}${rowsOf(node, "mr").join(" \\\\ ")}\\end{matrix}`,
  eqArr: (node) => `\\begin{aligned}${cellsOf(node).join(" \\\\ ")}\\end{aligned}`,
});

function writeOperator(node: Node): string {
  const sign = property(node, "chr") ?? "∫";
  const [sub, sup] = [part(node, "sub"), part(node, "sup")];
  const limits = `${sub === "" ? "" : `_{${sub}}`}${sup === "" ? "" : `^{${sup}}`}`;
  return `${operators.get(sign) ?? sign}${limits}{${part(node, "e")}}`;
}

function writeDelimited(node: Node): string {
  const [open, close] = [property(node, "begChr") ?? "(", property(node, "endChr") ?? ")"];
  const inside = cellsOf(node).join(property(node, "sepChr") ?? "|");
  return `\\left${delimiter(open)}${inside}\\right${delimiter(close)}`;
}

const delimiter = (sign: string): string => (sign === "" ? "." : "{}".includes(sign) ? `\\${sign}` : sign);

const rowsOf = (node: Node, name: string): string[] =>
  node.children.filter((child) => child.name === name).map((row) => cellsOf(row).join(" & "));

const cellsOf = (node: Node): string[] =>
  node.children.filter((child) => child.name === "e").map((cell) => writeAll(cell.children));

const writeFunction = (name: string): string => (/^[a-z]{2,6}$/.test(name) ? `\\${name}` : name);

const group = (text: string): string => (text.length > 1 && !text.startsWith("\\") ? `{${text}}` : text);

/** Signs that TeX reads as commands. Letters of other alphabets stay: models and modern TeX read them. */
const escapeTex = (text: string): string => text.replaceAll(/[#%&_${}]/g, "\\$&");

const operators = toTable({
  "∑": "\\sum",
  "∏": "\\prod",
  "∫": "\\int",
  "∬": "\\iint",
  "∭": "\\iiint",
  "∮": "\\oint",
  "⋃": "\\bigcup",
  "⋂": "\\bigcap",
});

const accents = toTable({
  "̂": "\\hat",
  "̃": "\\tilde",
  "̅": "\\bar",
  "̄": "\\bar",
  "⃗": "\\vec",
  "̇": "\\dot",
  "̈": "\\ddot",
});
