/** Makes documents of old office formats for tests. */
import { utils, write } from "@e965/xlsx";
import { makeCompoundFile } from "./compound-file.ts";

const u16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
};
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
};

/** Styles of the paragraphs of a Word document: `heading` level, list item, cell or end of a row. */
type DocParagraph = {
  /** The text with the mark that ends it. */
  readonly text: string;
  readonly heading?: number;
  readonly isItem?: boolean;
  readonly isInTable?: boolean;
  readonly isRowEnd?: boolean;
};

export type DocOptions = { readonly footnotes?: string; readonly headers?: string; readonly isEncrypted?: boolean };

const TEXT_AT = 1_536;

/** A Word document: half of its text with one byte a character, half with two. */
export function makeDoc(paragraphs: readonly DocParagraph[], options: DocOptions = {}): Buffer {
  const { footnotes = "", headers = "", isEncrypted = false } = options;
  const main = paragraphs.map(({ text }) => text).join("");
  const narrowChars = [...main].findIndex((character) => character > "\u007f");
  const split = narrowChars === -1 ? main.length : narrowChars;
  const all = main + footnotes + headers;
  const narrow = Buffer.from(all.slice(0, split), "latin1");
  const wide = Buffer.from(all.slice(split), "utf16le");
  const wideAt = TEXT_AT + narrow.length + (narrow.length % 2);
  const fileOffset = (position: number) => (position <= split ? TEXT_AT + position : wideAt + (position - split) * 2);

  const header = Buffer.alloc(TEXT_AT);
  header.writeUInt16LE(0xa5ec, 0);
  header.writeUInt16LE(0xc1, 2);
  header.writeUInt16LE(0x0200 | (isEncrypted ? 0x0100 : 0), 10);
  for (const [index, length] of [main.length, footnotes.length, headers.length].entries())
    header.writeUInt32LE(length, 76 + index * 4);

  const pieces = Buffer.concat([
    ...[0, split, all.length].map(u32),
    Buffer.concat([u16(0), u32((TEXT_AT * 2) | 0x40000000), u16(0)]),
    Buffer.concat([u16(0), u32(wideAt), u16(0)]),
  ]);
  const pieceTable = Buffer.concat([Buffer.from([2]), u32(pieces.length), pieces]);
  header.writeUInt32LE(0, 0x1a2);
  header.writeUInt32LE(pieceTable.length, 0x1a6);

  header.set(makeStylePage(paragraphs, fileOffset), 1_024);
  const styleTable = Buffer.concat([u32(TEXT_AT), u32(wideAt + wide.length), u32(2)]);
  header.writeUInt32LE(pieceTable.length, 0x102);
  header.writeUInt32LE(styleTable.length, 0x106);
  const gap = Buffer.alloc(wideAt - TEXT_AT - narrow.length);
  return makeCompoundFile({
    // Small streams are stored elsewhere; ours must be large enough to have sectors of its own.
    WordDocument: Buffer.concat([header, narrow, gap, wide, Buffer.alloc(4_096)]),
    "1Table": Buffer.concat([pieceTable, styleTable]),
    "\u0005SummaryInformation": makeSummary("Quay works", "Ada Weir"),
  });
}

/** One page with the styles of all paragraphs. */
function makeStylePage(paragraphs: readonly DocParagraph[], fileOffset: (position: number) => number): Buffer {
  const page = Buffer.alloc(512);
  let position = 0;
  let dataAt = 510;
  page.writeUInt32LE(fileOffset(0), 0);
  for (const [index, { text, heading = 0, isItem, isInTable, isRowEnd }] of paragraphs.entries()) {
    position += text.length;
    page.writeUInt32LE(fileOffset(position), (index + 1) * 4);
    const properties = Buffer.concat([
      u16(heading),
      ...(isItem ? [u16(0x460b), u16(1)] : []),
      ...(isInTable || isRowEnd ? [u16(0x2416), Buffer.from([1])] : []),
      ...(isRowEnd ? [u16(0x2417), Buffer.from([1])] : []),
    ]);
    const words = Math.ceil((properties.length + 1) / 2);
    dataAt -= words * 2 + 2;
    dataAt -= dataAt % 2;
    page[dataAt] = words;
    page.set(properties, dataAt + 1);
    page[(paragraphs.length + 1) * 4 + index * 13] = dataAt / 2;
  }
  page[511] = paragraphs.length;
  return page;
}

/** Title and author as old office files state them. */
function makeSummary(title: string, author: string): Buffer {
  const text = (value: string) => {
    const bytes = Buffer.from(`${value}\0`, "latin1");
    return Buffer.concat([u32(30), u32(bytes.length), bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
  };
  const values = [Buffer.concat([u32(2), u32(1252)]), text(title), text(author)];
  let at = 8 + values.length * 8;
  const rows = [1, 2, 4].map((id, index) => {
    const row = Buffer.concat([u32(id), u32(at)]);
    at += values[index]?.length ?? 0;
    return row;
  });
  const section = Buffer.concat([u32(at), u32(values.length), ...rows, ...values]);
  return Buffer.concat([u16(0xfffe), u16(0), Buffer.alloc(20), u32(1), Buffer.alloc(16), u32(48), section]);
}

/** A record of PowerPoint: a container of records, or an atom of bytes. */
function record(type: number, content: Uint8Array | readonly Uint8Array[], instance = 0): Buffer {
  const isContainer = Array.isArray(content);
  const data = isContainer ? Buffer.concat(content as Uint8Array[]) : Buffer.from(content as Uint8Array);
  return Buffer.concat([u16((instance << 4) | (isContainer ? 0xf : 0)), u16(type), u32(data.length), data]);
}

const textAtoms = (kind: number, text: string): Buffer[] => [
  record(3_999, u32(kind)),
  /^[\0-\x7f]*$/.test(text) ? record(4_008, Buffer.from(text, "latin1")) : record(4_000, Buffer.from(text, "utf16le")),
];

/** A presentation with two slides, the second stored first, and notes to the first. */
export function makePpt(options: { readonly isEncrypted?: boolean } = {}): Buffer {
  const slideAtom = (notesId: number) => record(1_007, Buffer.concat([Buffer.alloc(16), u32(notesId), u32(0)]));
  const drawing = (...atoms: Buffer[]) => record(1_036, [record(0xf002, [record(0xf00d, atoms)])]);
  const second = record(1_006, [slideAtom(0), drawing(...textAtoms(4, "In a box\r*"))]);
  const first = record(1_006, [slideAtom(256), drawing(...textAtoms(4, "Größe 3 m"))]);
  const notes = record(1_008, [drawing(...textAtoms(2, "Say it slowly."))]);
  const persist = (persistId: number, slideId: number) =>
    record(1_011, Buffer.concat([u32(persistId), u32(0), u32(0), u32(slideId), u32(0)]));
  const slideList = record(
    4_080,
    [
      persist(2, 300),
      ...textAtoms(0, "Welcome"),
      ...textAtoms(1, "One\rTwo"),
      persist(3, 301),
      ...textAtoms(6, "Tides"),
    ],
    0,
  );
  const notesList = record(4_080, [persist(4, 256)], 2);
  const document = record(1_000, [slideList, notesList]);
  const objects = [document, first, second, notes];
  // In the file the second slide comes before the first, and an abandoned copy before all.
  const abandoned = record(1_006, [slideAtom(0), drawing(...textAtoms(4, "An old version"))]);
  const stored = [abandoned, second, notes, document, first];
  const offsetOf = (object: Buffer) =>
    stored.slice(0, stored.indexOf(object)).reduce((sum, { length }) => sum + length, 0);
  const body = Buffer.concat(stored);
  const directory = record(
    6_002,
    Buffer.concat([u32(1 | (objects.length << 20)), ...objects.map((object) => u32(offsetOf(object)))]),
  );
  const edit = record(4_085, Buffer.concat([u32(300), u32(0), u32(0), u32(body.length), u32(1), u32(5), u32(0)]));
  const stream = Buffer.concat([body, directory, edit, Buffer.alloc(4_096)]);
  const token = options.isEncrypted ? 0xf3d1c4df : 0xe391c05f;
  const user = Buffer.concat([
    u16(0),
    u16(4_086),
    u32(24),
    u32(20),
    u32(token),
    u32(body.length + directory.length),
    u32(0),
  ]);
  return makeCompoundFile({
    "PowerPoint Document": stream,
    "Current User": user,
    "\u0005SummaryInformation": makeSummary("Harbour talk", "Ben Quay"),
  });
}

/** A workbook of the old or of the binary format: two sheets, the second hidden. */
export function makeOldWorkbook(bookType: "biff8" | "xlsb"): Buffer {
  const book = utils.book_new();
  const ships = utils.aoa_to_sheet([
    ["Ship", "Draught", "Arrival"],
    ["Heron", 3.25, { t: "n", v: 46_150, z: "yyyy-mm-dd" }],
    ["Möwe", { t: "n", v: 0.5, z: "0%" }, ""],
  ]);
  utils.book_append_sheet(book, ships, "Ships");
  utils.book_append_sheet(book, utils.aoa_to_sheet([["secret"]]), "Notes");
  book.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 1 }] };
  return Buffer.from(write(book, { type: "buffer", bookType }));
}

/** A message of Outlook with an attachment and an attached message. */
export function makeOutlookMessage(
  body: Readonly<Record<string, Uint8Array>> = textBody("The plan is attached."),
): Buffer {
  const unicode = (text: string) => Buffer.from(text, "utf16le");
  const submitted = Buffer.alloc(16);
  submitted.writeUInt16LE(0x40, 0);
  submitted.writeUInt16LE(0x39, 2);
  submitted.writeBigUInt64LE((BigInt(Date.UTC(2026, 4, 8)) + 11_644_473_600_000n) * 10_000n, 8);
  const attachment = "__attach_version1.0_#00000000/";
  const embedded = "__attach_version1.0_#00000001/__substg1.0_3701000D/";
  return makeCompoundFile({
    "__properties_version1.0": Buffer.concat([Buffer.alloc(32), submitted]),
    "__substg1.0_0037001F": unicode("Plan of the quay"),
    "__substg1.0_0C1A001F": unicode("Zoë Quay"),
    "__substg1.0_5D01001F": unicode("zoe@example.org"),
    "__substg1.0_0E04001F": unicode("Ada; Ben"),
    ...body,
    [`${attachment}__substg1.0_3707001F`]: unicode("plan.csv"),
    [`${attachment}__substg1.0_370E001F`]: unicode("text/csv"),
    [`${attachment}__substg1.0_37010102`]: Buffer.from("berth,ship\n1,Heron\n"),
    [`${embedded}__properties_version1.0`]: Buffer.alloc(24),
    [`${embedded}__substg1.0_0037001F`]: unicode("An earlier mail"),
    [`${embedded}__substg1.0_1000001F`]: unicode("Where is the plan?"),
  });
}

export const textBody = (text: string) => ({ "__substg1.0_1000001F": Buffer.from(text, "utf16le") });

/** RTF as Outlook stores it: every byte as it is, then a reference that marks the end. */
export function rtfBody(rtf: string): Record<string, Uint8Array> {
  const PREFIX_CHARS = 207;
  const runs: Buffer[] = [];
  for (let at = 0; at <= rtf.length; at += 8) {
    const part = Buffer.from(rtf.slice(at, at + 8), "latin1");
    const end =
      part.length < 8 ? [1 << part.length, ...part, ...endReference(PREFIX_CHARS + rtf.length)] : [0, ...part];
    runs.push(Buffer.from(end));
  }
  const data = Buffer.concat(runs);
  return {
    "__substg1.0_10090102": Buffer.concat([u32(data.length + 12), u32(rtf.length), u32(0x75465a4c), u32(0), data]),
  };
}

const endReference = (written: number): number[] => {
  const word = (written % 4_096) << 4;
  return [word >> 8, word & 0xff];
};
