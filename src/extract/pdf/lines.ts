/** Turns the characters of a page into lines with places: whole characters, words apart, nothing from off the page. */
import { type Box, type Glyphs, lineEndHyphen } from "./glyphs.ts";

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
  const lines = collectLines(glyphs, page, backwardTurns, (owner) => owner === 0);
  // PDFium sorts the text of a field into the page's own line where both stand in one row.
  if (glyphs.owners.some((owner) => owner !== 0)) {
    lines.push(...collectLines(glyphs, page, backwardTurns, (owner) => owner !== 0));
  }
  return sortRows(lines, backwardTurns);
}

function collectLines(glyphs: Glyphs, page: Box, backwardTurns: number, isWanted: (owner: number) => boolean): Line[] {
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
    if (!isWanted(glyphs.owners[index] ?? 0)) continue;
    const code = glyphs.codes[index] ?? 0;
    if (code === lineEndHyphen || isBreak(code)) finish(code === lineEndHyphen);
    else if (isSpace(code)) spaced = true;
    else if (isText(code) && isOnPage(glyphs.boxes, index, page)) {
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
type OpenLine = Place & { text: string; readonly turns: number; readonly owner: number; readonly last: Place };

function isBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0xa0 || code === 0x09 || code === 0x3000;
}

/** Control characters, and the non-characters PDFium uses as marks, are no text. */
function isText(code: number): boolean {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
  return (code & 0xfffe) !== 0xfffe && code <= 0x10ffff;
}

/** Text is off the page when nothing of it is on it: a character cut by the edge is still seen. */
function isOnPage(boxes: Float32Array, index: number, page: Box): boolean {
  const at = index * 4;
  if (at + 3 >= boxes.length) return true;
  const overlapsAcross = (boxes[at + 2] as number) >= page.left && (boxes[at] as number) <= page.right;
  return overlapsAcross && (boxes[at + 1] as number) >= page.bottom && (boxes[at + 3] as number) <= page.top;
}

/** Takes the next character, its box turned so that its line runs from left to right. */
function setNext(next: NextChar, { codes, turns, owners, boxes }: Glyphs, index: number): void {
  next.code = codes[index] ?? 0;
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
  if (next.turns === backwardTurns && next.end <= last.start) return true;
  const height = Math.min(heightOf(last), heightOf(next));
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
  return { text: "", turns, owner, start, end, top, bottom, last: { start, end, top, bottom } };
}

function close({ text, turns, owner, start, end, top, bottom }: OpenLine, hyphenated: boolean): Line {
  return { text, turns, owner, start, end, top, bottom, hyphenated };
}

function append(line: OpenLine, place: NextChar, spaced: boolean): void {
  const char = String.fromCodePoint(place.code);
  const accented = isAbove(line.last, place) ? compose(line.text, char) : null;
  if (accented !== null) line.text = accented;
  else line.text += gapBefore(line, place, spaced) + char;
  line.start = Math.min(line.start, place.start);
  line.end = Math.max(line.end, place.end);
  line.top = Math.max(line.top, place.top);
  line.bottom = Math.min(line.bottom, place.bottom);
  assign(line.last, place.start, place.end, place.top, place.bottom);
}

/** Gaps, in line heights, that separate words even where PDFium sees none, and cells of a table. */
export const wordGap = 0.15;
export const cellGap = 1.5;

function gapBefore(line: OpenLine, place: Place, spaced: boolean): string {
  if (line.text === "") return "";
  const gap = (place.start - line.last.end) / heightOf(place);
  if (!spaced && gap < wordGap) return "";
  return gap > cellGap ? "\t" : " ";
}

function isAbove(last: Place, place: Place): boolean {
  const shared = Math.min(last.end, place.end) - Math.max(last.start, place.start);
  return shared > 0.6 * Math.min(last.end - last.start, place.end - place.start);
}

/** Accents that stand alone, as older type-setting programs draw them over letters, and what they are on a letter. */
const accents: ReadonlyMap<string, string> = new Map([
  ["\u0060", "\u0300"],
  ["\u00b4", "\u0301"],
  ["\u02c6", "\u0302"],
  ["\u005e", "\u0302"],
  ["\u02dc", "\u0303"],
  ["\u02c9", "\u0304"],
  ["\u00af", "\u0304"],
  ["\u02d8", "\u0306"],
  ["\u02d9", "\u0307"],
  ["\u00a8", "\u0308"],
  ["\u02da", "\u030a"],
  ["\u02dd", "\u030b"],
  ["\u02c7", "\u030c"],
  ["\u00b8", "\u0327"],
  ["\u02db", "\u0328"],
]);

/** The text with an accent and its letter made one, whichever was drawn first; null when it is not such a pair. */
function compose(text: string, char: string): string | null {
  const last = text.slice(-1);
  const mark = accents.get(char) ?? accents.get(last);
  if (mark === undefined) return null;
  const letter = accents.has(char) ? last : char;
  if (!/^\p{L}$/u.test(letter)) return null;
  const base = letter === "\u0131" ? "i" : letter;
  return text.slice(0, -1) + (base + mark).normalize("NFC");
}

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
