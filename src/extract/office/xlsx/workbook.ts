/** What the sheets of a workbook share: their names, the strings, and the formats of numbers. */
import type { Zip } from "../../zip/open-zip.ts";
import { findTarget, readRelations, scanPart } from "../package-parts.ts";
import { makeNumberWriter, type NumberWriter } from "./number-format.ts";

export type Sheet = { readonly name: string; readonly part: string; readonly isHidden: boolean };

export type Workbook = {
  readonly sheets: readonly Sheet[];
  readonly strings: readonly string[];
  /** Writers by the index of a cell's style. */
  readonly writers: readonly NumberWriter[];
};

/** Strings kept in memory; more than this would not fit a child process. */
const MAX_STRING_CHARS = 48 * 1024 * 1024;
const MAX_SHEETS = 10_000;

/** Reads everything but the cells. */
export async function readWorkbook(zip: Zip): Promise<Workbook> {
  const main = findTarget(await readRelations(zip, ""), "officeDocument") ?? "xl/workbook.xml";
  const relations = await readRelations(zip, main);
  const sheets: Sheet[] = [];
  let is1904 = false;
  await scanPart(zip, main, {
    open(name, tag) {
      if (name === "workbookPr") is1904 = /^(1|true)$/.test(tag.get("date1904") ?? "");
      if (name !== "sheet" || sheets.length >= MAX_SHEETS) return;
      const relation = tag
        .getAll("id")
        .map((id) => relations.get(id))
        .find((target) => target !== undefined);
      const isHidden = /hidden/i.test(tag.get("state") ?? "");
      if (relation) sheets.push({ name: tag.get("name") ?? "", part: relation.target, isHidden });
    },
    close: () => undefined,
  });
  const strings = await readStrings(zip, findTarget(relations, "sharedStrings"));
  const writers = await readWriters(zip, findTarget(relations, "styles"), is1904);
  return { sheets, strings, writers };
}

/** The shared strings by index; the runs of a formatted string are joined, and readings of characters left out. */
async function readStrings(zip: Zip, part: string | undefined): Promise<string[]> {
  const strings: string[] = [];
  let current: string | undefined;
  let isText = false;
  let phoneticDepth = 0;
  let chars = 0;
  await scanPart(zip, part, {
    open(name) {
      if (name === "si") current = "";
      if (name === "rPh") phoneticDepth++;
      isText = name === "t" && phoneticDepth === 0;
    },
    close(name) {
      if (name === "t") isText = false;
      if (name === "rPh") phoneticDepth--;
      if (name !== "si" || current === undefined) return;
      chars += current.length;
      strings.push(chars > MAX_STRING_CHARS ? "" : decodeEscapes(current));
      current = undefined;
    },
    text(text) {
      if (isText && current !== undefined) current += text;
    },
  });
  return strings;
}

/** `_x000D_` is how a control character is written; it is cleaned with all others. */
export function decodeEscapes(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replaceAll(/_x([0-9a-f]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

async function readWriters(zip: Zip, part: string | undefined, is1904: boolean): Promise<NumberWriter[]> {
  const codes = new Map<number, string>();
  const writers: NumberWriter[] = [];
  let isInCells = false;
  await scanPart(zip, part, {
    open(name, tag) {
      if (name === "cellXfs") isInCells = true;
      const id = Number(tag.get("numFmtId") ?? 0);
      if (name === "numFmt") codes.set(id, tag.get("formatCode") ?? "");
      if (name === "xf" && isInCells) writers.push(makeNumberWriter(id, codes.get(id), is1904));
    },
    close(name) {
      if (name === "cellXfs") isInCells = false;
    },
  });
  return writers;
}
