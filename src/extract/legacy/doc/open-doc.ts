/** Opens a Word document: finds its text, in which order it is stored, and the properties of its paragraphs. */
import { u8, u16le, u32le } from "../../../detect/bytes.ts";
import type { Body } from "../../../detect/kind.ts";
import { type CompoundFile, openCompoundFile } from "../../compound-file/open-compound-file.ts";
import { FailureError } from "../../failure-error.ts";
import { type ParagraphStyles, readParagraphStyles } from "./paragraph-styles.ts";

/** Character positions, `end` excluded. */
export type Story = { readonly start: number; readonly end: number };

/** Characters that are stored together. */
export type Piece = {
  readonly start: number;
  readonly end: number;
  /** Where the bytes are. */
  readonly at: number;
  /** Two bytes a character, or one in the document's code page. */
  readonly isWide: boolean;
};

export type WordFile = {
  readonly compound: CompoundFile | undefined;
  readonly pieces: readonly Piece[];
  readonly stories: Readonly<Record<"main" | "footnotes" | "headers" | "comments" | "endnotes" | "textBoxes", Story>>;
  readonly styles: ParagraphStyles;
  /** Positions of references to endnotes; all others lead to footnotes. */
  readonly endnoteReferences: ReadonlySet<number>;
  /** Bytes of the main stream. */
  read(start: number, end: number): Promise<Uint8Array>;
};

const HEADER_BYTES = 1_024;
const FIRST_WORD_97_VERSION = 0xc1;
const IS_ENCRYPTED = 0x0100;
const USES_SECOND_TABLE = 0x0200;
const MAX_TABLE_BYTES = 16 * 1024 * 1024;

/** Offsets in the header: the lengths of the stories, and pairs of offset and length in the table stream. */
const LENGTHS_AT = 76;
const ENDNOTE_REFERENCES_AT = 0x20a;
const PIECES_AT = 0x1a2;
const PARAGRAPHS_AT = 0x102;

export async function openDoc(body: Body): Promise<WordFile> {
  const start = await body.read(0, 4);
  // Word 2 and older have no container.
  if (u16le(start, 0) === 0xa5db || u16le(start, 0) === 0xa59c) return openOldDoc((a, b) => body.read(a, b), undefined);
  const compound = await openCompoundFile(body);
  const main = compound.find("WordDocument");
  if (main === undefined) throw new FailureError("corrupt", "the file has no Word document in it");
  const read = (from: number, to: number) => compound.read(main, from, to);
  const header = await read(0, HEADER_BYTES);
  const flags = u16le(header, 10);
  if ((flags & IS_ENCRYPTED) !== 0)
    throw new FailureError("encrypted", "the document is encrypted, and old Word documents are not decrypted");
  if (u16le(header, 2) < FIRST_WORD_97_VERSION) return openOldDoc(read, compound);
  const table = compound.find((flags & USES_SECOND_TABLE) === 0 ? "0Table" : "1Table");
  const readTable = async (at: number): Promise<Uint8Array> => {
    const [from, length] = [u32le(header, at), Math.min(u32le(header, at + 4), MAX_TABLE_BYTES)];
    return table === undefined ? new Uint8Array() : compound.read(table, from, from + length);
  };
  const stories = readStories(header);
  const pieces = readPieces(await readTable(PIECES_AT));
  if (pieces.length === 0 && stories.main.end > 0)
    throw new FailureError("corrupt", "the table that says where the text is stored is missing");
  const styles = await readParagraphStyles(await readTable(PARAGRAPHS_AT), read);
  const references = await readTable(ENDNOTE_REFERENCES_AT);
  return { compound, pieces, stories, styles, endnoteReferences: readPositions(references, 2), read };
}

/** The stories follow each other in one sequence of characters. */
function readStories(header: Uint8Array): WordFile["stories"] {
  let position = 0;
  const next = (index: number): Story => {
    const start = position;
    position += Math.min(u32le(header, LENGTHS_AT + index * 4), 0x7fffffff);
    return { start, end: position };
  };
  const [main, footnotes, headers] = [next(0), next(1), next(2)];
  next(3);
  return { main, footnotes, headers, comments: next(4), endnotes: next(5), textBoxes: next(6) };
}

/** The piece table, after formats that some pieces share. */
function readPieces(bytes: Uint8Array): Piece[] {
  let at = 0;
  while (at < bytes.length && u8(bytes, at) === 1) at += 3 + u16le(bytes, at + 1);
  if (u8(bytes, at) !== 2) return [];
  const count = Math.floor((Math.min(u32le(bytes, at + 1), bytes.length - at - 5) - 4) / 12);
  const pieces: Piece[] = [];
  for (let index = 0; index < count; index++) {
    const [start, end] = [u32le(bytes, at + 5 + index * 4), u32le(bytes, at + 9 + index * 4)];
    const place = u32le(bytes, at + 5 + (count + 1) * 4 + index * 8 + 2);
    const isWide = (place & 0x40000000) === 0;
    const offset = place & 0x3fffffff;
    if (end > start) pieces.push({ start, end, at: isWide ? offset : offset / 2, isWide });
  }
  return pieces;
}

/** Positions at the beginning of a table whose rows have so many bytes of data each. */
function readPositions(bytes: Uint8Array, dataBytes: number): Set<number> {
  const count = Math.max(0, Math.floor((bytes.length - 4) / (4 + dataBytes)));
  return new Set(Array.from({ length: count }, (_, index) => u32le(bytes, index * 4)));
}

/** Word 6, Word 95 and older: the text in one piece, a byte for each character. */
async function openOldDoc(read: WordFile["read"], compound: CompoundFile | undefined): Promise<WordFile> {
  const header = await read(0, HEADER_BYTES);
  if ((u16le(header, 10) & IS_ENCRYPTED) !== 0)
    throw new FailureError("encrypted", "the document is encrypted, and old Word documents are not decrypted");
  const [first, last] = [u32le(header, 24), u32le(header, 28)];
  const length = Math.max(0, last - first);
  const main = { start: 0, end: Math.min(u32le(header, 52), length) || length };
  const none = { start: length, end: length };
  return {
    compound,
    pieces: [{ start: 0, end: length, at: first, isWide: false }],
    stories: { main, footnotes: none, headers: none, comments: none, endnotes: none, textBoxes: none },
    styles: { find: () => undefined },
    endnoteReferences: new Set(),
    read,
  };
}
