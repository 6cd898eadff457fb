/** Reads fonts: names, number of glyphs, axes that can vary. */
import { inflateSync } from "node:zlib";
import { decodeLatin1, hasAt, u16be, u32be } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";
import { type FileFacts, listFacts, toWords } from "./file-facts.ts";
import { readWoff2Tables } from "./read-woff2.ts";

const MAX_TABLES = 100;
const MAX_TABLE_BYTES = 256 * 1024;
const MAX_NAMES = 500;

type Table = { readonly at: number; readonly length: number; readonly packedLength: number };

export async function readFont(body: Body, start: Uint8Array): Promise<FileFacts> {
  if (hasAt(start, 0, "wOF2")) {
    const tables = await readWoff2Tables(body, start);
    const names = readNames((tag) => tables.get(tag) ?? new Uint8Array());
    return describe({ Format: "WOFF2", Tables: u16be(start, 12), ...names });
  }
  if (hasAt(start, 0, "ttcf")) {
    const first = await body.read(u32be(start, 12), u32be(start, 12) + 4_096);
    return describe({
      Format: "Font collection",
      Fonts: u32be(start, 8),
      ...(await readFacts(body, listTables(first, 12, 16))),
    });
  }
  if (hasAt(start, 0, "wOFF"))
    return describe({ Format: "WOFF", ...(await readFacts(body, listTables(start, 44, 20))) });
  const format = hasAt(start, 0, "OTTO") ? "OpenType" : "TrueType";
  return describe({ Format: format, ...(await readFacts(body, listTables(start, 12, 16))) });
}

type FontFacts = Readonly<Record<string, string | number | undefined>> & {
  readonly glyphs?: number | undefined;
  readonly title?: string;
  readonly author?: string | undefined;
};

function describe({ glyphs, title, author, ...facts }: FontFacts): FileFacts {
  return {
    extent: glyphs === undefined ? "" : `glyphs ${glyphs}`,
    facts: listFacts({ ...facts, Glyphs: glyphs }),
    words: toWords({ title, author }),
  };
}

/** WOFF has the packed length before the length. */
function listTables(bytes: Uint8Array, at: number, rowBytes: number): Map<string, Table> {
  const count = Math.min(u16be(bytes, rowBytes === 20 ? 12 : 4), MAX_TABLES);
  const rows = Array.from({ length: count }, (_, index) => at + index * rowBytes);
  return new Map(
    rows.map((row) => {
      const isPacked = rowBytes === 20;
      const [offset, packedLength, length] = isPacked
        ? [u32be(bytes, row + 4), u32be(bytes, row + 8), u32be(bytes, row + 12)]
        : [u32be(bytes, row + 8), u32be(bytes, row + 12), u32be(bytes, row + 12)];
      return [decodeLatin1(bytes, row, row + 4), { at: offset, length, packedLength }];
    }),
  );
}

async function readTable(body: Body, table: Table | undefined): Promise<Uint8Array> {
  if (table === undefined) return new Uint8Array();
  const bytes = await body.read(table.at, table.at + Math.min(table.packedLength, MAX_TABLE_BYTES));
  if (table.packedLength >= table.length) return bytes;
  try {
    return inflateSync(bytes, { maxOutputLength: MAX_TABLE_BYTES });
  } catch {
    return new Uint8Array(); // A damaged table says nothing.
  }
}

const nameKinds: Readonly<Record<number, string>> = { 1: "family", 2: "style", 9: "designer" };
const [WINDOWS, UNICODE] = [3, 0];

async function readFacts(body: Body, tables: ReadonlyMap<string, Table>) {
  const read = new Map<string, Uint8Array>();
  for (const tag of ["name", "maxp", "fvar"]) read.set(tag, await readTable(body, tables.get(tag)));
  return readNames((tag) => read.get(tag) ?? new Uint8Array());
}

function readNames(takeTable: (tag: string) => Uint8Array) {
  const bytes = takeTable("name");
  const names: Record<string, string> = {};
  const [count, textAt] = [Math.min(u16be(bytes, 2), MAX_NAMES), u16be(bytes, 4)];
  for (let row = 6; row < 6 + count * 12; row += 12) {
    const name = nameKinds[u16be(bytes, row + 6)];
    if (name === undefined || names[name] !== undefined) continue;
    const at = textAt + u16be(bytes, row + 10);
    const text = bytes.subarray(at, at + u16be(bytes, row + 8));
    const isWide = [WINDOWS, UNICODE].includes(u16be(bytes, row));
    names[name] = new TextDecoder(isWide ? "utf-16be" : "latin1").decode(text);
  }
  const [profile, variations] = [takeTable("maxp"), takeTable("fvar")];
  const axes = u16be(variations, 8);
  return {
    title: joinWords(names.family, names.style),
    author: names.designer,
    glyphs: profile.length === 0 ? undefined : u16be(profile, 4),
    Axes: axes === 0 ? undefined : axes,
  };
}

const joinWords = (...words: readonly (string | undefined)[]): string => words.filter(Boolean).join(" ");
