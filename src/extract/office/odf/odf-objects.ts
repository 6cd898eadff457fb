/** Reads the objects embedded in an OpenDocument file: formulas as TeX, charts by their titles and tables. */

import { convertMathml } from "../../html/math/mathml.ts";
import type { Element } from "../../html/tree/tree.ts";
import type { XmlEvents, XmlTag } from "../../xml/scan-xml.ts";
import type { Zip } from "../../zip/open-zip.ts";
import { scanPart } from "../package-parts.ts";
import { OdfStyles } from "./odf-styles.ts";
import { OdfText } from "./odf-text.ts";

const MAX_OBJECTS = 500;
const MAX_OBJECT_BYTES = 1024 * 1024;

/** The text of each object by its path in the package. */
export async function readObjects(zip: Zip): Promise<ReadonlyMap<string, string>> {
  const objects = new Map<string, string>();
  for (const { name, sizeBytes } of zip.members) {
    const path = /^(.+)\/content\.xml$/.exec(name)?.[1];
    if (path === undefined || sizeBytes > MAX_OBJECT_BYTES || objects.size >= MAX_OBJECTS) continue;
    const text = await readObject(zip, name);
    if (text !== "") objects.set(path, text);
  }
  return objects;
}

async function readObject(zip: Zip, part: string): Promise<string> {
  const formula = new FormulaBuilder();
  const other = new OdfText({ styles: new OdfStyles(), objects: new Map() });
  await scanPart(zip, part, {
    open(name, tag) {
      formula.open(name);
      other.open(name, tag);
    },
    close(name) {
      formula.close();
      other.close(name);
    },
    text(text) {
      formula.text(text);
      other.text(text);
    },
  } satisfies XmlEvents & { open(name: string, tag: XmlTag): void });
  const tex = formula.toTex();
  return tex === "" ? other.blocks.end().trim() : `$${tex}$`;
}

/** Elements beyond these bounds are left out; the conversion recurses. */
const MAX_DEPTH = 100;
const MAX_ELEMENTS = 20_000;

type TreeElement = Element & { readonly children: (Element | string)[] };

/** Builds the tree of a formula from events, in the form that formulas of web pages have. */
class FormulaBuilder {
  #root: TreeElement | undefined;
  readonly #path: (TreeElement | undefined)[] = [];
  #count = 0;

  open(name: string): void {
    const parent = this.#path.at(-1);
    const isInside = parent !== undefined && this.#path.length < MAX_DEPTH && this.#count < MAX_ELEMENTS;
    const isRoot = name === "math" && this.#root === undefined;
    const element = isInside || isRoot ? this.#makeElement(name, parent ?? null) : undefined;
    if (isRoot) this.#root = element;
    else if (element) parent?.children.push(element);
    this.#path.push(element);
  }

  close(): void {
    this.#path.pop();
  }

  text(text: string): void {
    this.#path.at(-1)?.children.push(text);
  }

  toTex(): string {
    return this.#root === undefined ? "" : convertMathml(this.#root);
  }

  #makeElement(tag: string, parent: Element | null): TreeElement {
    const index = this.#count++;
    return { index, end: index + 1, tag, parent, children: [], attributes: {}, hidden: false };
  }
}
