/** What the sheets of a workbook share: their names, the strings, and the formats of numbers. */
import { decodeEntities } from "../../xml/scan-xml.ts";
import type { Zip } from "../../zip/open-zip.ts";
import { findMainPart, findTarget, type Relation, readRelations, scanPart } from "../package-parts.ts";
import { makeNumberWriter, type NumberWriter, writeGeneral } from "./number-format.ts";
import { readPersons } from "./sheet-extras.ts";

export type Sheet = { readonly name: string; readonly part: string; readonly isHidden: boolean };

export type Workbook = {
  readonly sheets: readonly Sheet[];
  readonly strings: readonly string[];
  /** Writers by the index of a cell's style. */
  readonly writers: readonly NumberWriter[];
  /** Authors of threaded comments by id. */
  readonly persons: ReadonlyMap<string, string>;
};

/** Strings kept in memory; more than this would not fit a child process. */
const MAX_STRING_CHARS = 48 * 1024 * 1024;
const MAX_SHEETS = 10_000;
/** Formats that a workbook may have. */
const MAX_STYLES = 65_490;
const MAX_STRINGS = 4_000_000;

/** Reads everything but the cells. */
export async function readWorkbook(zip: Zip): Promise<Workbook> {
  const main = await findMainPart(zip, "xl/workbook.xml");
  const relations = await readRelations(zip, main);
  const sheets: Sheet[] = [];
  let is1904 = false;
  await scanPart(zip, main, {
    skips: new Set(["definedNames", "extLst"]),
    open(name, tag) {
      if (name === "workbookPr") is1904 = /^(1|true)$/.test(tag.get("date1904") ?? "");
      if (name !== "sheet" || sheets.length >= MAX_SHEETS) return;
      const part = findSheetPart(zip, relations, tag.getAll("id"), sheets.length + 1);
      sheets.push({ name: tag.get("name") ?? "", part, isHidden: /hidden/i.test(tag.get("state") ?? "") });
    },
    close: () => undefined,
  });
  const folder = main.slice(0, main.lastIndexOf("/") + 1);
  const strings = await readStrings(zip, findTarget(relations, "sharedStrings") ?? `${folder}sharedStrings.xml`);
  const writers = await readWriters(zip, findTarget(relations, "styles") ?? `${folder}styles.xml`, is1904);
  return { sheets, strings, writers, persons: await readPersons(zip, relations) };
}

/** The part of a sheet: where its relation leads, else where most writers put it. */
function findSheetPart(zip: Zip, relations: ReadonlyMap<string, Relation>, ids: readonly string[], number: number) {
  const targets = ids.flatMap((id) => relations.get(id)?.target ?? []);
  return targets.find((target) => zip.find(target)) ?? `xl/worksheets/sheet${number}.xml`;
}

/** The shared strings by index; the runs of a formatted string are joined, and readings of characters left out. */
async function readStrings(zip: Zip, part: string | undefined): Promise<string[]> {
  const strings: string[] = [];
  const shareShort = makeSharer();
  let current: string | undefined;
  let isText = false;
  let phoneticDepth = 0;
  let chars = 0;

  function add(string: string): void {
    chars += string.length;
    const text = chars > MAX_STRING_CHARS ? "" : decodeEscapes(string);
    // A program writes each string once; a file that repeats them must not fill the memory.
    if (strings.length < MAX_STRINGS) strings.push(strings.length < MAX_UNSHARED ? text : shareShort(text));
  }

  await scanPart(zip, part, {
    readElement(text, at) {
      PLAIN_STRING.lastIndex = at;
      const [whole, string] = PLAIN_STRING.exec(text) ?? [];
      if (whole === undefined || string === undefined) return -1;
      add(string.includes("&") ? decodeEntities(string) : string);
      return at + whole.length;
    },
    open(name) {
      if (name === "si") current = "";
      if (name === "rPh") phoneticDepth++;
      isText = name === "t" && phoneticDepth === 0;
    },
    close(name) {
      if (name === "t") isText = false;
      if (name === "rPh") phoneticDepth--;
      if (name !== "si" || current === undefined) return;
      add(current);
      current = undefined;
    },
    text(text) {
      if (isText && current !== undefined) current += text;
    },
  });
  return strings;
}

/** A string without formats, as most are written: read at once, it costs a third. */
const PLAIN_STRING = /<si><t(?: xml:space="preserve")?>([^<]*)<\/t><\/si>/y;

/** Returns the same string for short texts that are equal: millions of them would fill the memory. */
function makeSharer(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    if (text.length > MAX_SHORT_CHARS) return text;
    const same = known.get(text);
    if (same === undefined && known.size < MAX_SHARED) known.set(text, text);
    return same ?? text;
  };
}

const MAX_UNSHARED = 200_000;
const MAX_SHORT_CHARS = 32;
const MAX_SHARED = 10_000;

/** `_x000D_` is how a control character is written; it is cleaned with all others. */
export function decodeEscapes(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replaceAll(/_x([0-9a-f]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Elements that say how cells look, in everything but their numbers. */
const skippedElements: ReadonlySet<string> = new Set([
  "fonts",
  "fills",
  "borders",
  "cellStyleXfs",
  "cellStyles",
  "dxfs",
  "tableStyles",
  "extLst",
]);

async function readWriters(zip: Zip, part: string | undefined, is1904: boolean): Promise<NumberWriter[]> {
  const codes = new Map<number, string>();
  const writers: NumberWriter[] = [];
  /** Most styles differ in colours and share a few formats. */
  const known = new Map<number, NumberWriter>();
  let isInCells = false;
  await scanPart(zip, part, {
    skips: skippedElements,
    open(name, tag) {
      if (name === "cellXfs") isInCells = true;
      if (name !== "numFmt" && (name !== "xf" || !isInCells || writers.length >= MAX_STYLES)) return;
      const id = Number(tag.get("numFmtId") ?? 0);
      if (name === "numFmt") codes.set(id, tag.get("formatCode") ?? "");
      else
        writers.push(
          known.get(id) ?? known.set(id, makeNumberWriter(id, codes.get(id), is1904)).get(id) ?? writeGeneral,
        );
    },
    close(name) {
      if (name === "cellXfs") isInCells = false;
    },
  });
  return writers;
}
