/** Groups the characters of a page into lines: composes accents, separates words, drops what is off the page. */
import { composeAccent } from "./accents.ts";
import { isRightToLeft, repairBrackets } from "./direction/brackets.ts";
import { orderRows } from "./direction/order-rows.ts";
import { type Box, type Glyphs, isControl, LINE_END_HYPHEN } from "./glyphs.ts";
import { closeLetterGaps } from "./letter-spacing.ts";
import { isSpace, type LineBox, measureHeight } from "./line-box.ts";
import { type CharStore, createCharStore, type LineChars, pushChar, sliceChars, writeCodes } from "./line-chars.ts";
import { FIRST_OBLIQUE_TURN, turnBox } from "./oblique-text.ts";
import { dropRepeatedLines } from "./repeated-text.ts";
import type { TextStyle } from "./text-styles.ts";
import { REPLACEMENT_CHARACTER } from "./unknown-glyphs.ts";

/**
 * One line of text. Coordinates are relative to the line's direction: `start` and `end` along the direction of writing,
 * `top` and `bottom` across it, growing upwards for the reader of that line.
 */
export type Line = LineBox & {
  readonly text: string;
  readonly turns: number;
  /** Number of the annotation or form field the line comes from; 0 is the page itself. */
  readonly owner: number;
  /** Ends in the middle of a word; the hyphen is not part of the text. */
  readonly endsWithHyphen: boolean;
  /** How most of its characters are set; bold only if all of them are. */
  readonly style: TextStyle;
  /** Number of the tagged block it belongs to; 0 is none. */
  readonly block: number;
  /** The code points of the text, and where each of them starts and ends. */
  readonly chars: LineChars;
};

/**
 * The lines of a page in PDFium's order: that of the content, with each row sorted from left to right. Lines with
 * `backwardTurns` are upside down for a viewer; PDFium reports their words in reverse order.
 */
export function readTextLines(drawn: Glyphs, page: Box, backwardTurns: number): Line[] {
  const glyphs = orderRows(drawn);
  const lines = collectLines(glyphs, page, backwardTurns, false);
  // PDFium mixes the text of a field into the line of the page in the same row.
  if (glyphs.hasFields) lines.push(...collectLines(glyphs, page, backwardTurns, true));
  return sortRows(dropRepeatedLines(lines), backwardTurns);
}

function collectLines(glyphs: Glyphs, page: Box, backwardTurns: number, fromFields: boolean): Line[] {
  const lines: Line[] = [];
  // Most spaces between words are characters of the page too.
  const store = createCharStore(glyphs.count);
  const next: NextChar = {
    code: 0,
    turns: 0,
    owner: 0,
    block: 0,
    style: 0,
    size: 0,
    isBold: false,
    isMono: false,
    object: -1,
    start: 0,
    end: 0,
    top: 0,
    bottom: 0,
  };
  let line: OpenLine | null = null;
  let space: Space = "none";
  const finish = (endsWithHyphen: boolean): void => {
    if (line !== null) lines.push(closeLine(line, endsWithHyphen, glyphs.styleList));
    line = null;
    space = "none";
  };
  for (let index = 0; index < glyphs.count; index += 1) {
    if (glyphs.hasFields && (glyphs.owners[index] !== 0) !== fromFields) continue;
    const code = glyphs.codes[index] ?? 0;
    // PDFium ends a line after most letters of oblique text, and moves its spaces; the gaps are right.
    if ((isLineEnd(code) || isSpace(code)) && (glyphs.turns[index] ?? 0) >= FIRST_OBLIQUE_TURN) continue;
    if (code === LINE_END_HYPHEN || isLineEnd(code)) finish(code === LINE_END_HYPHEN);
    else if (isSpace(code) || glyphs.blank[index] === 1)
      space = space === "drawn" || glyphs.inserted[index] === 0 ? "drawn" : "inserted";
    else if (!isNonCharacter(code) && isOnPage(glyphs.boxes, index, page)) {
      setNext(next, glyphs, index);
      if (line !== null && startsNewLine(line, next, backwardTurns)) finish(false);
      line ??= openLine(next, store);
      appendChar(line, next, space);
      space = "none";
    }
  }
  finish(false);
  return lines;
}

type MutableBox = { start: number; end: number; top: number; bottom: number };
/** One object is reused for all characters of a page, because there are thousands. */
type NextChar = MutableBox & {
  code: number;
  turns: number;
  owner: number;
  block: number;
  style: number;
  size: number;
  isBold: boolean;
  isMono: boolean;
  object: number;
};
type OpenLine = MutableBox & {
  /** Its characters are the last ones of the store, from this index on. */
  readonly store: CharStore;
  readonly from: number;
  readonly turns: number;
  readonly owner: number;
  readonly block: number;
  readonly last: MutableBox;
  lastObject: number;
  /** Indexes of spaces that are only gaps, in the store. */
  readonly inserted: number[];
  /** Indexes of superscripts, in the line. */
  readonly raised: number[];
  /** The last character that is neither raised nor smaller than others. */
  readonly base: { size: number; top: number; bottom: number };
  /** The style of most characters, and how far ahead it is of the others. */
  style: number;
  styleLead: number;
  boldChars: number;
  monoChars: number;
};

function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}

/** PDFium uses non-characters as markers; they are not text. */
function isNonCharacter(code: number): boolean {
  return (code & 0xfffe) === 0xfffe || code > 0x10ffff;
}

/** Whether any part of a character is on the page: one cut by the edge is still visible. */
function isOnPage(boxes: Float32Array, index: number, page: Box): boolean {
  const offset = index * 4;
  const isBeside = (boxes[offset + 2] ?? 0) < page.left || (boxes[offset] ?? 0) > page.right;
  return !isBeside && (boxes[offset + 1] ?? 0) >= page.bottom && (boxes[offset + 3] ?? 0) <= page.top;
}

/** Sets the next character, with its box rotated so that its line runs from left to right. */
function setNext(next: NextChar, glyphs: Glyphs, index: number): void {
  const code = glyphs.codes[index] ?? 0;
  next.code = isControl(code) ? REPLACEMENT_CHARACTER : code;
  // Most characters are of the same text object as the one before.
  if (glyphs.objects[index] !== next.object) setObject(next, glyphs, index);
  const { boxes } = glyphs;
  const offset = index * 4;
  const left = boxes[offset] ?? 0;
  const top = boxes[offset + 1] ?? 0;
  const right = boxes[offset + 2] ?? 0;
  const bottom = boxes[offset + 3] ?? 0;
  if (next.turns === 0) assign(next, left, right, top, bottom);
  else if (next.turns >= FIRST_OBLIQUE_TURN) {
    const angle = glyphs.angles[next.turns - FIRST_OBLIQUE_TURN] ?? 0;
    Object.assign(next, turnBox({ left, top, right, bottom }, angle, Math.max(next.size, 0.1)));
  } else if (next.turns === 1) assign(next, bottom, top, -left, -right);
  else if (next.turns === 2) assign(next, -right, -left, -bottom, -top);
  else assign(next, -top, -bottom, right, left);
}

/** Sets what all characters of a text object share. */
function setObject(next: NextChar, { objects, turns, owners, blocks, styles, styleList }: Glyphs, index: number): void {
  next.object = objects[index] ?? 0;
  next.turns = turns[index] ?? 0;
  next.owner = owners[index] ?? 0;
  next.block = blocks[index] ?? 0;
  next.style = styles[index] ?? 0;
  const style = styleList[next.style];
  next.size = style?.size ?? 0;
  next.isBold = style?.isBold ?? false;
  next.isMono = style?.isMono ?? false;
}

function assign(box: MutableBox, start: number, end: number, top: number, bottom: number): void {
  box.start = start;
  box.end = end;
  box.top = top;
  box.bottom = bottom;
}

/** Whether a character belongs to another line although PDFium reports no line end. */
function startsNewLine(line: OpenLine, next: NextChar, backwardTurns: number): boolean {
  if (line.turns !== next.turns || line.owner !== next.owner || line.block !== next.block) return true;
  const { last } = line;
  const height = Math.min(measureHeight(last), measureHeight(next));
  // Characters without a height, such as those of type 3 fonts without a box.
  if (height < MIN_HEIGHT_POINTS) return Math.abs(last.bottom - next.bottom) > MIN_HEIGHT_POINTS;
  if (next.turns === backwardTurns && next.end <= last.start + 0.2 * height) return true;
  if (startsAgain(line, next, height)) return true;
  const shared = Math.min(last.top, next.top) - Math.max(last.bottom, next.bottom);
  return (
    shared < 0.1 * height && !followsDownwards(last, next, isColumnScript(next.code) ? 0.5 * height : 0.02 * height)
  );
}

const MIN_HEIGHT_POINTS = 0.5;

/** Whether text returns to where the line began, as when it is drawn over itself. Right-to-left text always does. */
function startsAgain(line: OpenLine, next: NextChar, height: number): boolean {
  if (countChars(line) < 3 || next.end >= line.end || Math.abs(next.start - line.start) >= 0.2 * height) return false;
  const { store, from } = line;
  return !isRightToLeft(next.code) && !store.codes.subarray(from, store.length).some(isRightToLeft);
}

/** Whether a character is of a script that is often written in columns. */
function isColumnScript(code: number): boolean {
  return code >= 0x2e80 && code < 0xfb00;
}

/** Vertical writing: the next character is directly below the last one, in other scripts without any gap. */
function followsDownwards(last: MutableBox, box: MutableBox, maxGap: number): boolean {
  const gap = last.bottom - box.top;
  const shift = Math.abs(last.start + last.end - box.start - box.end) / 2;
  return gap <= maxGap && box.bottom < last.bottom && shift < 0.5 * measureHeight(box);
}

function countChars({ store, from }: OpenLine): number {
  return store.length - from;
}

function openLine({ turns, owner, block, style, size, start, end, top, bottom }: NextChar, store: CharStore): OpenLine {
  return {
    store,
    from: store.length,
    inserted: [],
    raised: [],
    base: { size, top, bottom },
    turns,
    owner,
    block,
    style,
    start,
    end,
    top,
    bottom,
    last: { start, end, top, bottom },
    styleLead: 0,
    lastObject: 0,
    boldChars: 0,
    monoChars: 0,
  };
}

function closeLine(line: OpenLine, endsWithHyphen: boolean, styles: readonly TextStyle[]): Line {
  const { store, from, raised, turns, owner, block, start, end, top, bottom } = line;
  const charCount = countChars(line);
  closeLetterGaps(line);
  // Letters that are set apart are a heading; their indexes are wrong now.
  if (countChars(line) < charCount) raised.length = 0;
  const chars = { ...sliceChars(store, from, store.length), raised };
  const drawnChars = countDrawn(chars.codes);
  const style = {
    size: styles[line.style]?.size ?? 0,
    isBold: line.boldChars >= drawnChars,
    isMono: line.monoChars >= MIN_MONO_SHARE * drawnChars,
  };
  return {
    text: repairBrackets(writeCodes(chars.codes)),
    turns,
    owner,
    block,
    style,
    chars,
    start,
    end,
    top,
    bottom,
    endsWithHyphen,
  };
}

function countDrawn(codes: Uint32Array): number {
  let drawn = 0;
  for (let index = 0; index < codes.length; index += 1) if (!isSpace(codes[index] ?? 0)) drawn += 1;
  return drawn;
}

/** Signs that the monospaced font lacks are drawn in another. */
const MIN_MONO_SHARE = 0.8;

/** A part of a line from one code point to another, without the spaces around it; null if nothing is left. */
export function sliceLine(line: Line, from: number, to: number): Line | null {
  const { codes } = line.chars;
  while (from < to && isSpace(codes[from] ?? 0)) from += 1;
  while (to > from && isSpace(codes[to - 1] ?? 0)) to -= 1;
  if (from === to) return null;
  if (from === 0 && to === codes.length) return line;
  const raised = line.chars.raised.filter((index) => index >= from && index < to).map((index) => index - from);
  return {
    ...withChars(line, { ...sliceChars(line.chars, from, to), raised }),
    endsWithHyphen: line.endsWithHyphen && to === codes.length,
  };
}

/** The line with other characters. */
export function withChars(line: Line, chars: LineChars): Line {
  const [start = line.start, end = line.end] = [chars.starts[0], chars.ends.at(-1)];
  return { ...line, text: repairBrackets(writeCodes(chars.codes)), chars, start, end };
}

/** A space of the text, one that PDFium takes a gap for, or none. */
type Space = "drawn" | "inserted" | "none";

function appendChar(line: OpenLine, next: NextChar, space: Space): void {
  const isOver = countChars(line) > 0 && isDrawnOver(line.last, next);
  // Drawn twice to look bold. The letters of a ligature are at one place too, but belong to one text object.
  if (isOver && lastCode(line) === next.code && line.lastObject !== next.object) {
    line.last.end = Math.max(line.last.end, next.end);
    return;
  }
  const accented = isOver ? composeAccent(lastCode(line), next.code) : null;
  if (accented === null) {
    appendSeparate(line, next, space);
    noteRise(line, next);
  } else appendAccented(line, accented);
  countStyle(line, next);
  line.lastObject = next.object;
  if (next.start < line.start) line.start = next.start;
  if (next.end > line.end) line.end = next.end;
  if (next.top > line.top) line.top = next.top;
  if (next.bottom < line.bottom) line.bottom = next.bottom;
  assign(line.last, next.start, next.end, next.top, next.bottom);
}

function lastCode({ store }: OpenLine): number {
  return store.codes[store.length - 1] ?? 0;
}

/** Gaps in line heights that separate words (even if PDFium reports no space), and cells of a table. */
export const WORD_GAP = 0.15;
export const CELL_GAP = 1.5;

function appendSeparate(line: OpenLine, next: NextChar, space: Space): void {
  const { store, last } = line;
  const gap = (next.start - last.end) / measureHeight(next);
  if (countChars(line) > 0 && (space !== "none" || gap >= WORD_GAP)) {
    if (space !== "drawn") line.inserted.push(store.length);
    pushChar(store, gap > CELL_GAP ? TAB : SPACE, last.end, next.start);
  }
  pushChar(store, next.code, next.start, next.end);
}

/** A superscript is smaller than the text around it and above its bottom, in heights of that text. */
const MAX_RAISED_SIZE = 0.87;
const MIN_RISE = 0.12;
/** More characters at the start of a line are not one superscript. */
const MAX_RAISED_CHARS = 4;

/** Notes whether the last character is a superscript, or those before it, if the line begins with them. */
function noteRise(line: OpenLine, { size, top, bottom }: NextChar): void {
  const { base, raised } = line;
  const charCount = countChars(line);
  if (size < MAX_RAISED_SIZE * base.size) {
    if (bottom > base.bottom + MIN_RISE * measureHeight(base)) raised.push(charCount - 1);
    return;
  }
  const isFirst = charCount > 1 && charCount <= MAX_RAISED_CHARS && raised.length === 0;
  if (isFirst && base.size < MAX_RAISED_SIZE * size && base.bottom > bottom + MIN_RISE * (top - bottom))
    for (let index = 0; index < charCount - 1; index += 1) raised.push(index);
  base.size = size;
  base.top = top;
  base.bottom = bottom;
}

/** Replaces the last letter by the same letter with its accent, which may be two code points. */
function appendAccented({ store }: OpenLine, accented: string): void {
  store.length -= 1;
  const [start = 0, end = 0] = [store.starts[store.length], store.ends[store.length]];
  for (const char of accented) pushChar(store, char.codePointAt(0) ?? 0, start, end);
}

/** Finds the style of the majority in one pass. */
function countStyle(line: OpenLine, { style, isBold, isMono }: NextChar): void {
  if (isBold) line.boldChars += 1;
  if (isMono) line.monoChars += 1;
  if (line.style === style) line.styleLead += 1;
  else if (line.styleLead > 0) line.styleLead -= 1;
  else [line.style, line.styleLead] = [style, 1];
}

const TAB = 0x09;
const SPACE = 0x20;

/** Whether two characters are drawn over each other. */
function isDrawnOver(last: MutableBox, box: MutableBox): boolean {
  const shared = Math.min(last.end, box.end) - Math.max(last.start, box.start);
  return shared > 0.6 * Math.min(last.end - last.start, box.end - box.start);
}

/** Restores the order of rows that PDFium reports in reverse, word by word. */
function sortRows(lines: Line[], backwardTurns: number): Line[] {
  if (!lines.some(({ turns }) => turns === backwardTurns)) return lines;
  const rows: Line[][] = [];
  for (const line of lines) {
    const row = rows.at(-1);
    const before = row?.at(-1);
    const isNext = before !== undefined && line.turns === backwardTurns && before.turns === backwardTurns;
    if (isNext && sharesRow(before, line)) row?.push(line);
    else rows.push([line]);
  }
  return rows.flatMap((row) => row.sort((a, b) => a.start - b.start));
}

/** Whether two lines of the same direction are in one row. */
export function sharesRow(a: LineBox, b: LineBox): boolean {
  const shared = Math.min(a.top, b.top) - Math.max(a.bottom, b.bottom);
  return shared > 0.5 * Math.min(measureHeight(a), measureHeight(b));
}
