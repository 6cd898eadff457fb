/** The styles of an OpenDocument file: what is bold or hidden, and how lists are numbered. */
import type { XmlTag } from "../../xml/scan-xml.ts";
import { formatListNumber } from "../list-numbers.ts";
import { toTable } from "../named-table.ts";

export type OdfStyle = { isBold?: boolean; isItalic?: boolean; isStrike?: boolean; isHidden?: boolean };

type ListLevel = { readonly format: string; readonly prefix: string; readonly suffix: string; readonly start: number };

const MAX_STYLES = 100_000;

/** Elements of styles that say how something looks. */
export const skippedStyleElements: ReadonlySet<string> = new Set([
  "font-face-decls",
  "default-style",
  "paragraph-properties",
  "graphic-properties",
  "page-layout",
  "outline-style",
  "list-level-properties",
  "number-style",
  "currency-style",
  "percentage-style",
  "date-style",
  "time-style",
  "boolean-style",
  "text-style",
]);

/** Collects styles from the events of `styles.xml` and of the head of `content.xml`. */
export class OdfStyles {
  readonly skips = skippedStyleElements;
  readonly #styles = new Map<string, OdfStyle>();
  readonly #lists = new Map<string, Map<number, ListLevel>>();
  #style: OdfStyle | undefined;
  #list: Map<number, ListLevel> | undefined;

  find(name: string | undefined): OdfStyle {
    return this.#styles.get(name ?? "") ?? {};
  }

  /** The marker of an item: `-`, or its number as shown. */
  makeMarker(listStyle: string, depth: number, count: number): string {
    const level = this.#lists.get(listStyle)?.get(depth);
    if (level === undefined || level.format === "") return "-";
    const format = formatNames.get(level.format) ?? "decimal";
    return `${level.prefix}${formatListNumber(count, format)}${level.suffix || "."}`;
  }

  /** The number of the first item of a list. */
  findStart(listStyle: string, depth: number): number {
    return this.#lists.get(listStyle)?.get(depth)?.start ?? 1;
  }

  open(name: string, tag: XmlTag): void {
    if (name === "style") this.#startStyle(tag.get("name"));
    else if (name === "list-style") this.#startList(tag.get("name"));
    else if (name === "list-level-style-number") this.#addLevel(tag);
    else if (name === "text-properties" && this.#style) readTextProperties(tag, this.#style);
    else if (name === "drawing-page-properties" && tag.get("visibility") === "hidden" && this.#style)
      this.#style.isHidden = true;
    else if (name === "section-properties" && tag.get("display") === "none" && this.#style) this.#style.isHidden = true;
  }

  close(name: string): void {
    if (name === "style") this.#style = undefined;
    if (name === "list-style") this.#list = undefined;
  }

  #startStyle(name: string | undefined): void {
    if (name === undefined || this.#styles.size >= MAX_STYLES) return;
    this.#style = {};
    this.#styles.set(name, this.#style);
  }

  #startList(name: string | undefined): void {
    if (name === undefined || this.#lists.size >= MAX_STYLES) return;
    this.#list = new Map();
    this.#lists.set(name, this.#list);
  }

  #addLevel(tag: XmlTag): void {
    this.#list?.set(Number(tag.get("level") ?? 1), {
      format: tag.get("num-format") ?? "",
      prefix: tag.get("num-prefix") ?? "",
      suffix: tag.get("num-suffix") ?? "",
      start: Number(tag.get("start-value") ?? 1) || 1,
    });
  }
}

const formatNames = toTable({
  a: "lowerLetter",
  A: "upperLetter",
  i: "lowerRoman",
  I: "upperRoman",
});

function readTextProperties(tag: XmlTag, style: OdfStyle): void {
  const weight = tag.get("font-weight");
  if (weight !== undefined) style.isBold = weight === "bold" || Number(weight) >= 600;
  if (tag.get("font-style") === "italic") style.isItalic = true;
  if ((tag.get("text-line-through-style") ?? "none") !== "none") style.isStrike = true;
  if (tag.get("display") === "none") style.isHidden = true;
}
