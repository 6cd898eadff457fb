/** Finds out which paragraphs are headings, list items and parts of tables. */
import { u8, u16le, u32le } from "../../../detect/bytes.ts";

export type ParagraphStyle = {
  /** 1 to 9 for headings. */
  readonly headingLevel: number | undefined;
  readonly isItem: boolean;
  readonly itemDepth: number;
  readonly isInTable: boolean;
  readonly isRowEnd: boolean;
};

export type ParagraphStyles = {
  /** The style of the paragraph whose last character is stored at this offset. */
  find(offset: number): ParagraphStyle | undefined;
};

type StyledRange = { readonly start: number; readonly end: number; readonly style: ParagraphStyle };

const PAGE_BYTES = 512;
const MAX_PAGES = 50_000;

/** The table lists pages of the main stream, each with the styles of some paragraphs. */
export async function readParagraphStyles(
  table: Uint8Array,
  read: (start: number, end: number) => Promise<Uint8Array>,
): Promise<ParagraphStyles> {
  const count = Math.min(Math.floor((table.length - 4) / 8), MAX_PAGES);
  const ranges: StyledRange[] = [];
  for (let index = 0; index < count; index++) {
    const page = u32le(table, (count + 1) * 4 + index * 4) & 0x3fffff;
    ranges.push(...readPage(await read(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)));
  }
  ranges.sort((one, other) => one.start - other.start);
  return { find: (offset) => findRange(ranges, offset)?.style };
}

function readPage(page: Uint8Array): StyledRange[] {
  const count = u8(page, PAGE_BYTES - 1);
  return Array.from({ length: count }, (_, index) => ({
    start: u32le(page, index * 4),
    end: u32le(page, index * 4 + 4),
    style: readStyle(page, u8(page, (count + 1) * 4 + index * 13) * 2),
  }));
}

/** Properties that say what a paragraph is, by their codes. */
const IN_TABLE = 0x2416;
const ROW_END = 0x2417;
const ITEM_DEPTH = 0x260a;
const LIST_NUMBER = 0x460b;

function readStyle(page: Uint8Array, at: number): ParagraphStyle {
  const words = at === 0 ? 0 : u8(page, at);
  const start = words === 0 ? at + 2 : at + 1;
  const end = Math.min(start + (words === 0 ? u8(page, at + 1) * 2 : words * 2 - 1), PAGE_BYTES - 1);
  const style = at === 0 ? 0 : u16le(page, start);
  const values = at === 0 ? new Map<number, number>() : readProperties(page, start + 2, end);
  return {
    headingLevel: style >= 1 && style <= 9 ? style : undefined,
    isItem: (values.get(LIST_NUMBER) ?? 0) !== 0,
    itemDepth: values.get(ITEM_DEPTH) ?? 0,
    isInTable: values.get(IN_TABLE) === 1,
    isRowEnd: values.get(ROW_END) === 1,
  };
}

/** The size of a value is part of its code; 6 means that the value says it. */
const valueBytes = [1, 1, 2, 4, 2, 2, 0, 3];

function readProperties(bytes: Uint8Array, start: number, end: number): Map<number, number> {
  const values = new Map<number, number>();
  for (let at = start; at + 2 < end; ) {
    const code = u16le(bytes, at);
    const size = valueBytes[code >> 13] || u8(bytes, at + 2) + 1;
    values.set(code, size === 1 ? u8(bytes, at + 2) : u16le(bytes, at + 2));
    at += 2 + size;
  }
  return values;
}

function findRange(ranges: readonly StyledRange[], offset: number): StyledRange | undefined {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low];
  return range !== undefined && range.start <= offset ? range : undefined;
}
