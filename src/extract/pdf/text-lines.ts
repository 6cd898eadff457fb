/** Turns the characters of a page into lines with places: whole characters, words apart, nothing from off the page. */
import { composeAccent } from "./accents.ts";
import { type Box, type Glyphs, isControl, lineEndHyphen } from "./glyphs.ts";

/**
 * One line of text. The numbers are in the line's own frame: `start` and `end` along the direction of writing, `top`
 * and `bottom` across it, growing upwards as the reader of that line sees it.
 */
export type Line = Extent & {
  readonly text: string;
  readonly turns: number;
  /** Number of the annotation or form field the line comes from; 0 is the page itself. */
  readonly owner: number;
  /** Ends in the middle of a word; the hyphen is not part of the text. */
  readonly hyphenated: boolean;
};

export type Extent = { readonly start: number; readonly end: number; readonly top: number; readonly bottom: number };

/**
 * The lines of a page in PDFium's order, which is that of the content with each row sorted from left to right. Of lines
 * with `backwardTurns`, which a viewer sees upside down, PDFium gives the words in the wrong order.
 */
export function readLines(glyphs: Glyphs, page: Box, backwardTurns: number): Line[] {
  const lines = collectLines(glyphs, page, backwardTurns, false);
  // PDFium sorts the text of a field into the page's own line where both stand in one row.
  if (glyphs.hasFields) lines.push(...collectLines(glyphs, page, backwardTurns, true));
  return sortRows(lines, backwardTurns);
}

function collectLines(glyphs: Glyphs, page: Box, backwardTurns: number, ofFields: boolean): Line[] {
  const lines: Line[] = [];
  const next: NextChar = { code: 0, turns: 0, owner: 0, start: 0, end: 0, top: 0, bottom: 0 };
  let line: OpenLine | null = null;
  let spaced = false;
  const finish = (hyphenated: boolean): void => {
    if (line !== null) lines.push(close(line, hyphenated));
    line = null;
    spaced = false;
  };
  for (let index = 0; index < glyphs.count; index += 1) {
    if ((glyphs.owners[index] !== 0) !== ofFields) continue;
    const code = glyphs.codes[index] ?? 0;
    if (code === lineEndHyphen || isBreak(code)) finish(code === lineEndHyphen);
    else if (isSpace(code) || glyphs.blank[index] === 1) spaced = true;
    else if (!isMark(code) && isOnPage(glyphs.boxes, index, page)) {
      setNext(next, glyphs, index);
      if (line !== null && leaves(line, next, backwardTurns)) finish(false);
      line ??= open(next);
      append(line, next, spaced);
      spaced = false;
    }
  }
  finish(false);
  return lines;
}

type Place = { start: number; end: number; top: number; bottom: number };
/** One object for all characters of a page, since there are thousands of them. */
type NextChar = Place & { code: number; turns: number; owner: number };
type OpenLine = Place & { codes: number[]; readonly turns: number; readonly owner: number; readonly last: Place };

function isBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0xa0 || code === 0x09 || code === 0x3000;
}

/** The non-characters are marks of PDFium and no text. */
function isMark(code: number): boolean {
  return (code & 0xfffe) === 0xfffe || code > 0x10ffff;
}

/** Text is off the page when nothing of it is on it: a character cut by the edge is still seen. */
function isOnPage(boxes: Float32Array, index: number, page: Box): boolean {
  const at = index * 4;
  const isBeside = (boxes[at + 2] ?? 0) < page.left || (boxes[at] ?? 0) > page.right;
  return !isBeside && (boxes[at + 1] ?? 0) >= page.bottom && (boxes[at + 3] ?? 0) <= page.top;
}

/** Stands for what was drawn but cannot be named, so that nobody takes the rest of a word for the whole. */
const replacement = 0xfffd;

/** Takes the next character, its box turned so that its line runs from left to right. */
function setNext(next: NextChar, { codes, turns, owners, boxes }: Glyphs, index: number): void {
  const code = codes[index] ?? 0;
  next.code = isControl(code) ? replacement : code;
  next.turns = turns[index] ?? 0;
  next.owner = owners[index] ?? 0;
  const at = index * 4;
  const left = boxes[at] ?? 0;
  const top = boxes[at + 1] ?? 0;
  const right = boxes[at + 2] ?? 0;
  const bottom = boxes[at + 3] ?? 0;
  if (next.turns === 0) assign(next, left, right, top, bottom);
  else if (next.turns === 1) assign(next, bottom, top, -left, -right);
  else if (next.turns === 2) assign(next, -right, -left, -bottom, -top);
  else assign(next, -top, -bottom, right, left);
}

function assign(place: Place, start: number, end: number, top: number, bottom: number): void {
  place.start = start;
  place.end = end;
  place.top = top;
  place.bottom = bottom;
}

/** True where a character belongs to another line although PDFium reports no line end. */
function leaves(line: OpenLine, next: NextChar, backwardTurns: number): boolean {
  if (line.turns !== next.turns || line.owner !== next.owner) return true;
  const { last } = line;
  const height = Math.min(heightOf(last), heightOf(next));
  if (next.turns === backwardTurns && next.end <= last.start + 0.2 * height) return true;
  const shared = Math.min(last.top, next.top) - Math.max(last.bottom, next.bottom);
  return shared < 0.1 * height && !followsDownwards(last, next, isStacked(next.code) ? 0.5 * height : 0.02 * height);
}

/** The scripts that are often written in columns. */
function isStacked(code: number): boolean {
  return code >= 0x2e80 && code < 0xfb00;
}

/** Vertical writing: the next character stands right below the last one, letters of other scripts without any gap. */
function followsDownwards(last: Place, place: Place, widestGap: number): boolean {
  const gap = last.bottom - place.top;
  const shift = Math.abs(last.start + last.end - place.start - place.end) / 2;
  return gap <= widestGap && place.bottom < last.bottom && shift < 0.5 * heightOf(place);
}

function open({ turns, owner, start, end, top, bottom }: NextChar): OpenLine {
  return { codes: [], turns, owner, start, end, top, bottom, last: { start, end, top, bottom } };
}

function close({ codes, turns, owner, start, end, top, bottom }: OpenLine, hyphenated: boolean): Line {
  return { text: textOf(codes), turns, owner, start, end, top, bottom, hyphenated };
}

/** More arguments than this may not fit on the stack. */
const mostArguments = 4_096;

function textOf(codes: readonly number[]): string {
  if (codes.length <= mostArguments) return String.fromCodePoint(...codes);
  return textOf(codes.slice(0, mostArguments)) + textOf(codes.slice(mostArguments));
}

function append(line: OpenLine, next: NextChar, spaced: boolean): void {
  const accented = isAbove(line.last, next) ? composeAccent(line.codes.at(-1) ?? 0, next.code) : null;
  if (accented === null) appendApart(line, next, spaced);
  else line.codes.splice(-1, 1, ...Array.from(accented, (char) => char.codePointAt(0) ?? 0));
  line.start = Math.min(line.start, next.start);
  line.end = Math.max(line.end, next.end);
  line.top = Math.max(line.top, next.top);
  line.bottom = Math.min(line.bottom, next.bottom);
  assign(line.last, next.start, next.end, next.top, next.bottom);
}

/** Gaps, in line heights, that separate words even where PDFium sees none, and cells of a table. */
export const wordGap = 0.15;
export const cellGap = 1.5;

function appendApart(line: OpenLine, next: NextChar, spaced: boolean): void {
  const gap = (next.start - line.last.end) / heightOf(next);
  if (line.codes.length > 0 && (spaced || gap >= wordGap)) line.codes.push(gap > cellGap ? tab : space);
  line.codes.push(next.code);
}

const tab = 0x09;
const space = 0x20;

/** True where two characters are drawn one over the other. */
function isAbove(last: Place, place: Place): boolean {
  const shared = Math.min(last.end, place.end) - Math.max(last.start, place.start);
  return shared > 0.6 * Math.min(last.end - last.start, place.end - place.start);
}

/** The rows that PDFium gives from the wrong end, word by word, put right. */
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

/** True when two lines of one direction stand side by side. */
export function sharesRow(a: Extent, b: Extent): boolean {
  const shared = Math.min(a.top, b.top) - Math.max(a.bottom, b.bottom);
  return shared > 0.5 * Math.min(heightOf(a), heightOf(b));
}

/** Never 0, since heights are divided by. */
export function heightOf({ top, bottom }: Extent): number {
  return Math.max(top - bottom, 0.1);
}
