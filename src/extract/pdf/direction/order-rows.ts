/**
 * Puts the characters of pages with right-to-left text into the order of reading. PDFium reverses every word by itself,
 * so that names and numbers inside such a row change places.
 */
import { type Glyphs, LINE_END_HYPHEN } from "../glyphs.ts";
import { isSpace } from "../line-box.ts";
import { isRightToLeft } from "./brackets.ts";
import { findLogicalOrder } from "./logical-order.ts";

/** The glyphs in the order of reading; the same object if no character is of a right-to-left script. */
export function orderRows(glyphs: Glyphs): Glyphs {
  const share = measureRightToLeftShare(glyphs.codes);
  if (share === 0) return glyphs;
  const order: number[] = [];
  for (const row of collectRows(glyphs)) {
    const hasRightToLeft = row.chars.some((index) => isRightToLeft(glyphs.codes[index] ?? 0));
    const isUpright = row.chars.length > 0 && row.chars.length <= MAX_ROW_CHARS;
    order.push(
      ...(isUpright && (hasRightToLeft || share > MIN_PAGE_SHARE) ? orderRow(glyphs, row.chars, share) : row.all),
      ...row.ends,
    );
  }
  return pickGlyphs(glyphs, order);
}

/** A longer row is not text; its characters stay as they are. */
const MAX_ROW_CHARS = 2_000;
/** Above this share of its letters a page is right-to-left, and so are its rows of numbers. */
const MIN_PAGE_SHARE = 0.3;

function measureRightToLeftShare(codes: Uint32Array): number {
  let rightToLeft = 0;
  let letters = 0;
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (code > 0x40) letters += 1;
    if (code >= 0x590 && isRightToLeft(code)) rightToLeft += 1;
  }
  return letters === 0 ? 0 : rightToLeft / letters;
}

/** One row: its drawn characters, these with what PDFium inserted, and the line ends behind it. */
type Row = { readonly chars: number[]; readonly all: number[]; readonly ends: number[] };

/** PDFium's lines. A sign that it sets apart from the end of its row is joined with it. */
function collectRows(glyphs: Glyphs): Row[] {
  const { codes, turns, owners, blocks, inserted, count } = glyphs;
  const rows: Row[] = [];
  let row: Row | undefined;
  const open = (): Row => {
    const next: Row = { chars: [], all: [], ends: [] };
    rows.push(next);
    return next;
  };
  for (let index = 0; index < count; index += 1) {
    const code = codes[index] ?? 0;
    if (code === 0x0a || code === 0x0d || code === LINE_END_HYPHEN) {
      row ??= open();
      row.ends.push(index);
      continue;
    }
    const last: number | undefined = row?.all.at(-1);
    const isSameText =
      last === undefined ||
      (turns[last] === turns[index] && owners[last] === owners[index] && blocks[last] === blocks[index]);
    if (row === undefined || !isSameText || (row.ends.length > 0 && !continuesRow(glyphs, row, index))) row = open();
    row.ends.length = 0;
    row.all.push(index);
    if (turns[index] === 0 && inserted[index] === 0) row.chars.push(index);
  }
  return rows;
}

/** Gaps between the parts of one row, and how far they may be above each other, in heights of a character. */
const MAX_PART_GAP = 0.5;
const MAX_SHIFT = 0.2;

function continuesRow({ boxes, turns, codes }: Glyphs, row: Row, index: number): boolean {
  const last = row.chars.at(-1);
  if (last === undefined || row.chars.length > MAX_ROW_CHARS || turns[index] !== 0) return false;
  if (row.ends.some((end) => codes[end] === LINE_END_HYPHEN)) return false;
  const edge = (at: number, side: number): number => boxes[at * 4 + side] ?? 0;
  const height = edge(index, TOP) - edge(index, BOTTOM);
  const shift = Math.abs(edge(last, BOTTOM) - edge(index, BOTTOM));
  if (height <= 0 || shift > MAX_SHIFT * height || !row.chars.some((at) => isRightToLeft(codes[at] ?? 0))) return false;
  const left = Math.min(...row.chars.map((at) => edge(at, LEFT)));
  const right = Math.max(...row.chars.map((at) => edge(at, RIGHT)));
  const gap = Math.max(left - edge(index, RIGHT), edge(index, LEFT) - right);
  return Math.abs(gap) < MAX_PART_GAP * height;
}

const [LEFT, TOP, RIGHT, BOTTOM] = [0, 1, 2, 3];

/** Characters that are at one place: a letter with its points, or lam and alef. */
type Cluster = {
  readonly indexes: readonly number[];
  readonly code: number;
  readonly left: number;
  readonly right: number;
};

/** Stands for a space between two characters that are apart. */
const INSERTED_SPACE = -1;
const SPACE = 0x20;
/** A gap that separates words, in font sizes; a smaller one does so only where PDFium sees one too. */
const MIN_WORD_GAP = 0.6;
const MIN_CONFIRMED_GAP = 0.1;

function orderRow(glyphs: Glyphs, chars: readonly number[], pageShare: number): number[] {
  const seen = withGaps(glyphs, collectClusters(glyphs, chars));
  const codes = seen.map(({ code }) => code);
  const rightToLeft = codes.filter(isRightToLeft).length;
  const leftToRight = codes.filter((code) => !isRightToLeft(code) && /\p{L}/u.test(String.fromCodePoint(code))).length;
  const isRightToLeftRow =
    rightToLeft > 0 && (rightToLeft > leftToRight || (pageShare > MIN_PAGE_SHARE && !endsAtRight(codes)));
  return findLogicalOrder(codes, isRightToLeftRow).flatMap((at) => seen[at]?.indexes ?? []);
}

/** Whether a row has the sign that ends its sentence at the right, so that it is read from the left. */
function endsAtRight(codes: readonly number[]): boolean {
  const signs = codes.filter((code) => !isSpace(code));
  const isEnd = (code: number | undefined): boolean =>
    code !== undefined && ".,:;?!".includes(String.fromCodePoint(code));
  return isEnd(signs.at(-1)) && !isEnd(signs[0]);
}

const LAM = 0x644;
const alefs: ReadonlySet<number> = new Set([0x622, 0x623, 0x625, 0x627]);

function collectClusters({ codes, boxes }: Glyphs, chars: readonly number[]): Cluster[] {
  const clusters: Cluster[] = [];
  for (const index of chars) {
    const code = codes[index] ?? 0;
    const [left, right] = [boxes[index * 4 + LEFT] ?? 0, boxes[index * 4 + RIGHT] ?? 0];
    const last = clusters.at(-1);
    const isSamePlace = last?.left === left && last.right === right && isRightToLeft(code) && isRightToLeft(last.code);
    const isMark = last !== undefined && isOver(last, left, right) && /\p{M}/u.test(String.fromCodePoint(code));
    // PDFium reverses this ligature, unless its font uses the presentation form.
    const isReversed = isSamePlace && code === LAM && alefs.has(last.code);
    if (isReversed) clusters.splice(-1, 1, { ...last, indexes: [index, ...last.indexes] });
    else if (isSamePlace || isMark) clusters.splice(-1, 1, { ...last, indexes: [...last.indexes, index] });
    else clusters.push({ indexes: [index], code, left, right });
  }
  return clusters;
}

function isOver(cluster: Cluster, left: number, right: number): boolean {
  const middle = (left + right) / 2;
  return middle >= cluster.left && middle <= cluster.right;
}

/** The clusters as they are seen from left to right, with a space where two of them are apart. */
function withGaps(glyphs: Glyphs, clusters: readonly Cluster[]): Cluster[] {
  const seen: Cluster[] = [];
  for (const cluster of clusters.toSorted((a, b) => a.left + a.right - b.left - b.right)) {
    const last = seen.at(-1);
    const index = cluster.indexes[0] ?? 0;
    const size = glyphs.styleList[glyphs.styles[index] ?? 0]?.size ?? 0;
    const hasSpace = last !== undefined && isSpaceBetween(glyphs, last, cluster);
    const minGap = (hasSpace ? MIN_CONFIRMED_GAP : MIN_WORD_GAP) * size;
    const isApart = last !== undefined && cluster.left - last.right > minGap;
    if (isApart && !isSpace(last.code) && !isSpace(cluster.code))
      seen.push({ indexes: [INSERTED_SPACE], code: SPACE, left: last.right, right: cluster.left });
    seen.push(cluster);
  }
  return seen;
}

/** A number is not longer; its digits are between a word and the space before it. */
const MAX_NUMBER_CHARS = 20;

/** Whether PDFium inserted a space between the two. */
function isSpaceBetween({ codes, inserted }: Glyphs, a: Cluster, b: Cluster): boolean {
  const [first, last] = [Math.min(...a.indexes, ...b.indexes), Math.max(...a.indexes, ...b.indexes)];
  if (last - first > MAX_NUMBER_CHARS) return false;
  for (let index = first + 1; index < last; index += 1)
    if (inserted[index] === 1 && isSpace(codes[index] ?? 0)) return true;
  return false;
}

function pickGlyphs(glyphs: Glyphs, order: readonly number[]): Glyphs {
  const pick = (values: Uint8Array | Uint16Array | Uint32Array, forSpace: number): number[] =>
    order.map((index) => (index === INSERTED_SPACE ? forSpace : (values[index] ?? 0)));
  const boxes = new Float32Array(order.length * 4);
  for (const [at, index] of order.entries())
    if (index !== INSERTED_SPACE) boxes.set(glyphs.boxes.subarray(index * 4, index * 4 + 4), at * 4);
  return {
    ...glyphs,
    count: order.length,
    boxes,
    codes: Uint32Array.from(pick(glyphs.codes, SPACE)),
    unmapped: Uint8Array.from(pick(glyphs.unmapped, 0)),
    blank: Uint8Array.from(pick(glyphs.blank, 0)),
    turns: Uint8Array.from(pick(glyphs.turns, 0)),
    objects: Uint32Array.from(pick(glyphs.objects, 0)),
    inserted: Uint8Array.from(pick(glyphs.inserted, 1)),
    owners: Uint16Array.from(pick(glyphs.owners, 0)),
    invisible: Uint8Array.from(pick(glyphs.invisible, 0)),
    styles: Uint16Array.from(pick(glyphs.styles, 0)),
    blocks: Uint16Array.from(pick(glyphs.blocks, 0)),
  };
}
