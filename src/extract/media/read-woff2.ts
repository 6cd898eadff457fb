/** Unpacks the tables of WOFF2 fonts that say what a font is: https://www.w3.org/TR/WOFF2/ */
import { brotliDecompressSync } from "node:zlib";
import { decodeLatin1, hasAt, u8, u16be, u32be } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";

const HEADER_BYTES = 48;
const MAX_TABLES = 100;

/** A font that is larger is described by its header alone. */
const MAX_PACKED_BYTES = 8 * 1024 * 1024;
const MAX_BYTES = 16 * 1024 * 1024;

/** Indexes of tags in the format's own list; 63 says that the tag follows. */
const tags: Readonly<Record<number, string>> = { 4: "maxp", 5: "name", 10: "glyf", 11: "loca", 47: "fvar" };
const OTHER_TAG = 63;

/** The tables by name; none if the font is too large or damaged. */
export async function readWoff2Tables(body: Body, start: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>> {
  const directory = hasAt(start, 4, "ttcf") ? undefined : readDirectory(start);
  const packedBytes = u32be(start, 20);
  if (directory === undefined || packedBytes > MAX_PACKED_BYTES) return new Map();
  const packed = await body.read(directory.end, directory.end + packedBytes);
  try {
    const bytes = brotliDecompressSync(packed, { maxOutputLength: MAX_BYTES });
    return new Map(directory.tables.map(({ tag, at, length }) => [tag, bytes.subarray(at, at + length)]));
  } catch {
    return new Map(); // Damaged, or larger than is read: the header says what is known.
  }
}

type PackedTable = { readonly tag: string; readonly at: number; readonly length: number };

/** The tables follow each other in the packed data, in the order of the directory. */
function readDirectory(bytes: Uint8Array): { readonly tables: readonly PackedTable[]; readonly end: number } {
  const count = Math.min(u16be(bytes, 12), MAX_TABLES);
  const tables: PackedTable[] = [];
  let at = 0;
  let end = HEADER_BYTES;
  for (let index = 0; index < count; index++) {
    const flags = u8(bytes, end);
    const isOther = (flags & OTHER_TAG) === OTHER_TAG;
    const tag = isOther ? decodeLatin1(bytes, end + 1, end + 5) : (tags[flags & OTHER_TAG] ?? "");
    const original = readNumber(bytes, end + (isOther ? 5 : 1));
    const packed = isTransformed(tag, flags >> 6) ? readNumber(bytes, original.end) : original;
    tables.push({ tag, at, length: packed.value });
    at += packed.value;
    end = packed.end;
  }
  return { tables, end };
}

/** Outlines are transformed unless the version says otherwise, other tables only if it says so. */
const isTransformed = (tag: string, version: number): boolean =>
  tag === "glyf" || tag === "loca" ? version !== 3 : version !== 0;

/** Seven bits of each byte, of at most five; the highest bit says that another follows. */
function readNumber(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let end = start; end < start + 5; end++) {
    value = value * 128 + (u8(bytes, end) & 0x7f);
    if (u8(bytes, end) < 0x80) return { value, end: end + 1 };
  }
  return { value, end: start + 5 };
}
