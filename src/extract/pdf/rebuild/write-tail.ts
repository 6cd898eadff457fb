/** Writes what goes behind the bytes of a PDF: new objects, a cross-reference table and a trailer (ISO 32000-1, 7.5). */
import type { FoundObject } from "./find-objects.ts";
import { type Dictionary, writeValue } from "./syntax.ts";

export type TailOptions = {
  /** How many bytes come before. */
  readonly start: number;
  readonly objects: ReadonlyMap<number, FoundObject>;
  /** The trailer that the file had. */
  readonly trailer: Dictionary;
  /** The number of the catalog. */
  readonly catalog: number;
};

/** Ends a stream that is cut off; elsewhere readers skip it. */
const CLOSING = "\nendstream\nendobj\n";

/** The tail that makes these objects known, and no others. */
export function writeTail({ start, objects, trailer, catalog }: TailOptions): Buffer {
  const parts = [Buffer.from(CLOSING)];
  const entries = new Map<number, string>();
  let end = start + CLOSING.length;
  for (const [number, { place }] of objects) {
    entries.set(number, "body" in place ? toEntry(end, 0) : toEntry(place.offset, place.generation));
    if (!("body" in place)) continue;
    const written = Buffer.concat([Buffer.from(`${number} 0 obj\n`), place.body, Buffer.from("\nendobj\n")]);
    parts.push(written);
    end += written.length;
  }
  const ending = `${writeTable(entries)}${writeTrailer(entries, trailer, catalog)}startxref\n${end}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(ending, "latin1")]);
}

/** An entry has exactly 20 bytes. */
function toEntry(offset: number, generation: number): string {
  return `${String(offset).padStart(10, "0")} ${String(generation).padStart(5, "0")} n \n`;
}

/** One section for each run of numbers. */
function writeTable(entries: ReadonlyMap<number, string>): string {
  const sections: { readonly first: number; readonly lines: string[] }[] = [{ first: 0, lines: [FREE_ENTRY] }];
  for (const [number, entry] of [...entries].sort(([a], [b]) => a - b)) {
    const last = sections.at(-1);
    if (last && number === last.first + last.lines.length) last.lines.push(entry);
    else sections.push({ first: number, lines: [entry] });
  }
  return `xref\n${sections.map(({ first, lines }) => `${first} ${lines.length}\n${lines.join("")}`).join("")}`;
}

/** Object 0, which every table begins with. */
const FREE_ENTRY = "0000000000 65535 f \n";
/** Entries that stay valid: how the document is encrypted, its identity and its title. */
const KEPT_KEYS = ["Encrypt", "ID", "Info"];

function writeTrailer(entries: ReadonlyMap<number, string>, trailer: Dictionary, catalog: number): string {
  const size = [...entries.keys()].reduce((highest, number) => Math.max(highest, number), 0) + 1;
  const kept = KEPT_KEYS.flatMap((key) => {
    const value = trailer.get(key);
    return value === undefined ? [] : [`/${key} ${writeValue(value)}`];
  });
  return `trailer\n<< /Size ${size} /Root ${catalog} 0 R ${kept.join(" ")} >>\n`;
}
