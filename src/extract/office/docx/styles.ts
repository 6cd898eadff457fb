/** What the styles of a Word document mean: headings, titles, lists and code. */

import type { XmlTag } from "../../xml/scan-xml.ts";
import type { Zip } from "../../zip/open-zip.ts";
import { scanPart } from "../package-parts.ts";

/** What a style says about its paragraphs, or about its runs. */
export type TextStyle = {
  /** Level of a heading, from 1. */
  readonly heading?: number;
  readonly isCode?: boolean;
  /** Its text is not shown. */
  readonly isHidden?: boolean;
  readonly numberingId?: string;
  readonly numberingLevel?: number;
};

type StyleRow = {
  name: string;
  basedOn?: string;
  isHidden?: boolean;
  outline?: number;
  numberingId?: string;
  numberingLevel?: number;
};

/** A chain of styles is longer only if it is a circle. */
const MAX_CHAIN = 12;

/** More than any program offers. */
const MAX_STYLES = 20_000;

/** The styles by id, each with what it inherits. */
export async function readStyles(zip: Zip, part: string | undefined): Promise<ReadonlyMap<string, TextStyle>> {
  const rows = new Map<string, StyleRow>();
  let row: StyleRow | undefined;
  await scanPart(zip, part, {
    skips: skippedElements,
    open(name, tag) {
      const value = tag.get("val");
      if (name === "style" && rows.size < MAX_STYLES) {
        row = { name: "" };
        rows.set(tag.get("styleId") ?? "", row);
      } else if (row === undefined) return;
      else if (name === "vanish") row.isHidden = isOn(tag);
      else if (value === undefined) return;
      else if (name === "name") row.name = value;
      else if (name === "basedOn") row.basedOn = value;
      else if (name === "outlineLvl") row.outline = Number(value);
      else if (name === "numId") row.numberingId = value;
      else if (name === "ilvl") row.numberingLevel = Number(value);
    },
    close(name) {
      if (name === "style") row = undefined;
    },
  });
  return new Map([...rows.keys()].map((id) => [id, resolveStyle(id, rows)]));
}

/** Styles of tables by position, and the names of styles that the document does not have. */
const skippedElements: ReadonlySet<string> = new Set(["latentStyles", "docDefaults", "tblPr", "tblStylePr"]);

/** A switch is on unless it says that it is off. */
export const isOn = (tag: XmlTag): boolean => !/^(0|false|none|off)$/.test(tag.get("val") ?? "");

function resolveStyle(id: string, rows: ReadonlyMap<string, StyleRow>): TextStyle {
  const chain: StyleRow[] = [];
  for (let next = rows.get(id); next && chain.length < MAX_CHAIN; next = rows.get(next.basedOn ?? "")) chain.push(next);
  const heading = chain.map(findHeading).find((level) => level !== undefined);
  const isHidden = chain.find((row) => row.isHidden !== undefined)?.isHidden;
  const numbered = chain.find(({ numberingId }) => numberingId !== undefined);
  return {
    ...(heading === undefined ? {} : { heading }),
    ...(isHidden ? { isHidden } : {}),
    ...(chain.some(({ name }) => /\b(code|source|preformatted|macro)\b/i.test(name)) ? { isCode: true } : {}),
    ...(numbered?.numberingId === undefined ? {} : { numberingId: numbered.numberingId }),
    ...(numbered?.numberingLevel === undefined ? {} : { numberingLevel: numbered.numberingLevel }),
  };
}

/** Word's own names of styles are English in every language; the outline level says the same for other styles. */
function findHeading({ name, outline }: StyleRow): number | undefined {
  const level = /^heading ([1-9])$/i.exec(name)?.[1];
  if (level !== undefined) return Number(level);
  if (/^title$/i.test(name)) return 1;
  return outline !== undefined && outline < 9 ? outline + 1 : undefined;
}
