/** Splits a text that arrives in order into passages: paragraphs, or about a thousand characters where there are none. */

import { splitsPair } from "../fit/measure.ts";
import { findItemEnds, type JsonState, scanJson } from "../system/json-items.ts";

/** A heading in a text; `at` counts characters from the start of that text. */
type HeadingMark = { readonly label: string; readonly at: number };

/** A range of a longer text, with its offset and first line there (from 1). Ranges arrive in order. */
export type PlacedText = {
  readonly text: string;
  readonly offset: number;
  readonly line: number;
  readonly marks?: readonly HeadingMark[];
  /** The name of the page that the range is. Passages do not cross its end. */
  readonly label?: string;
};

/** The place of a passage: characters [start, end), and lines with both ends included. */
export type Place = {
  readonly start: number;
  readonly end: number;
  readonly startLine: number;
  readonly endLine: number;
  /** The name of its page; null where there are no pages. */
  readonly label: string | null;
  /** The label of the nearest heading at or before the passage. */
  readonly heading: string | null;
};

/** A passage with its text: exactly the characters from `start` to `end`. */
export type Passage = Place & { readonly text: string };

/** Finds the same passages however the text arrives, and buffers a few thousand characters at most. */
interface Splitter {
  push(range: PlacedText): Passage[];
  flush(): Passage[];
}

const TARGET_PASSAGE_CHARS = 1_000;
/** A shorter passage is joined with the next paragraph if both fit into `TARGET_PASSAGE_CHARS`. */
const SMALL_PASSAGE_CHARS = 300;
/** A shorter one, a title or a caption, is joined if both fit into `MAX_PASSAGE_CHARS`. */
const TINY_PASSAGE_CHARS = 100;
/** Only a longer line is split. */
const MAX_LINE_CHARS = 1_500;
const MAX_PASSAGE_CHARS = 2_000;

/** Consecutive lines that belong together, as positions in the window. */
type LineGroup = {
  readonly start: number;
  readonly startLine: number;
  readonly heading: string | null;
  end: number;
  endLine: number;
  /** Starts with a heading, so it can only be joined to other headings before it. */
  readonly startsWithHeading: boolean;
  hasOnlyHeadings: boolean;
  /** How far its first line is indented, if that begins an item of JSON. */
  readonly itemIndent: number | null;
  /** The last item in it that is indented least: the place to split JSON in many lines. */
  lastItem: ItemStart | null;
};

/** A line that begins an item of JSON, and where the item before it ends. */
type ItemStart = {
  readonly position: number;
  readonly line: number;
  readonly endBefore: number;
  readonly indent: number;
};

/** A splitter for one text. */
export function createSplitter(): Splitter {
  return new WindowSplitter();
}

/** Buffers a window of the text: from the first character of no finished passage to the last one received. */
class WindowSplitter implements Splitter {
  #window = "";
  #offset = 0;
  /** Start of the next line, or of the rest of a long line. */
  #position = 0;
  #line = 1;
  #marks: HeadingMark[] = [];
  #heading: string | null = null;
  #label: string | null = null;
  /** The paragraph being read, and the passage that it may still be joined to. */
  #group: LineGroup | null = null;
  #pending: LineGroup | null = null;
  #passages: Passage[] = [];
  /** Whether a line begins at the position, or only the rest of one. */
  #isLineStart = true;
  /** Whether the line is JSON, which is split between its items. */
  #isJson = false;
  #isInString = false;

  push(range: PlacedText): Passage[] {
    if (range.offset !== this.#offset + this.#window.length) this.#restartAt(range);
    this.#label = range.label ?? null;
    const base = this.#offset + this.#window.length;
    this.#window += range.text;
    for (const mark of range.marks ?? []) this.#marks.push({ ...mark, at: mark.at + base });
    this.#readLines();
    this.#dropConsumed();
    return this.#takePassages();
  }

  flush(): Passage[] {
    this.#addLine(this.#window.length);
    this.#closePassage();
    this.#position = this.#window.length;
    return this.#takePassages();
  }

  /** A gap between two ranges, as between two pages, ends a passage. */
  #restartAt({ offset, line }: PlacedText): void {
    this.#addLine(this.#window.length);
    this.#closePassage();
    this.#window = "";
    this.#offset = offset;
    this.#position = 0;
    this.#isLineStart = true;
    this.#line = line;
  }

  /** Reads every complete line, and splits an incomplete one that is already too long. */
  #readLines(): void {
    let lineEnd = this.#window.indexOf("\n", this.#position);
    for (; lineEnd !== -1; lineEnd = this.#window.indexOf("\n", this.#position)) {
      this.#splitLongLine(lineEnd);
      this.#addLine(lineEnd);
      this.#position = lineEnd + 1;
      this.#isLineStart = true;
      this.#line += 1;
    }
    this.#splitLongLine(this.#window.length);
  }

  #splitLongLine(lineEnd: number): void {
    if (lineEnd - this.#position <= MAX_LINE_CHARS) return;
    if (this.#isLineStart) this.#isJson = JSON_START.test(this.#window.slice(this.#position, this.#position + 100));
    while (lineEnd - this.#position > (this.#isJson ? MAX_PASSAGE_CHARS : MAX_LINE_CHARS)) {
      const wordEnd = () => findWordEnd(this.#window, this.#position, this.#position + TARGET_PASSAGE_CHARS);
      this.#splitAt(this.#isJson ? this.#findJsonEnd() : wordEnd());
    }
  }

  #splitAt(end: number): void {
    this.#addLine(end);
    this.#position = end;
    this.#isLineStart = false;
  }

  /** The end of the last item that fits; of an item that is too large, that of the last one inside it. */
  #findJsonEnd(): number {
    const start = this.#position;
    const isInString = !this.#isLineStart && this.#isInString;
    const itemEnd = findItemEnd(this.#window, start, isInString);
    const end = itemEnd ?? findWordEnd(this.#window, start, start + TARGET_PASSAGE_CHARS);
    const state: JsonState = { depth: 0, isInString };
    scanJson(this.#window, start, end, state, () => undefined);
    this.#isInString = state.isInString;
    return end;
  }

  #addLine(end: number): void {
    const startsWithHeading = this.#updateHeading(end);
    const item = this.#isLineStart ? findItemStart(this.#window, this.#position, this.#line) : null;
    if (isBlank(this.#window, this.#position, end)) this.#closeParagraph(end);
    else if (this.#group === null || startsWithHeading) this.#startGroup(end, startsWithHeading, item);
    else if (end - this.#group.start > TARGET_PASSAGE_CHARS) this.#splitGroup(this.#group, end, item);
    else this.#extendGroup(this.#group, end, item);
  }

  #extendGroup(group: LineGroup, end: number, item: ItemStart | null): void {
    group.end = end;
    group.endLine = this.#line;
    group.hasOnlyHeadings = false;
    if (item !== null && item.indent <= (group.lastItem?.indent ?? Infinity)) group.lastItem = item;
  }

  /** A group that is full ends before this line or, in JSON, after its last whole item. One item may be larger. */
  #splitGroup(group: LineGroup, end: number, item: ItemStart | null): void {
    const { itemIndent, lastItem } = group;
    const indent = Math.min(itemIndent ?? Infinity, lastItem?.indent ?? Infinity);
    const isNextItem = item !== null && item.indent <= indent;
    const isOneItem = itemIndent !== null && (lastItem === null || lastItem.indent > itemIndent);
    if (!isNextItem && isOneItem && end - group.start <= MAX_PASSAGE_CHARS) this.#extendGroup(group, end, item);
    else if (isNextItem || lastItem === null) this.#startGroup(end, false, item);
    else {
      group.end = lastItem.endBefore;
      group.endLine = lastItem.line - 1;
      this.#startGroup(end, false, lastItem);
    }
  }

  /** Makes the last heading in the line that ends here the current one. Returns whether there is one. */
  #updateHeading(end: number): boolean {
    let hasHeading = false;
    for (let mark = this.#marks[0]; mark !== undefined && mark.at <= this.#offset + end; mark = this.#marks[0]) {
      this.#heading = mark.label;
      this.#marks.shift();
      hasHeading = true;
    }
    return hasHeading;
  }

  /** Starts a group with this line, or with an earlier one that begins an item. */
  #startGroup(end: number, startsWithHeading: boolean, item: ItemStart | null): void {
    this.#closeGroup();
    const { position: start, line: startLine } = item ?? { position: this.#position, line: this.#line };
    const place = { start, startLine, end, endLine: this.#line };
    const json = { itemIndent: item?.indent ?? null, lastItem: null };
    this.#group = { ...place, ...json, heading: this.#heading, startsWithHeading, hasOnlyHeadings: startsWithHeading };
  }

  #closeParagraph(end: number): void {
    this.#closeGroup();
    if (this.#pending !== null && end - this.#pending.start > MAX_PASSAGE_CHARS) this.#closePassage();
  }

  #closeGroup(): void {
    const group = this.#group;
    if (group === null) return;
    this.#group = null;
    if (this.#pending !== null && canJoin(this.#pending, group)) {
      this.#pending = { ...group, start: this.#pending.start, startLine: this.#pending.startLine };
    } else {
      this.#emitPassage();
      this.#pending = group;
    }
  }

  #closePassage(): void {
    this.#closeGroup();
    this.#emitPassage();
  }

  #emitPassage(): void {
    if (this.#pending === null) return;
    const { start, end, startLine, endLine, heading } = this.#pending;
    const text = this.#window.slice(start, end);
    const place = { start: start + this.#offset, end: end + this.#offset, startLine, endLine };
    this.#passages.push({ text, ...place, label: this.#label, heading });
    this.#pending = null;
  }

  /** Drops text that belongs to finished passages. */
  #dropConsumed(): void {
    const keepFrom = this.#pending?.start ?? this.#group?.start ?? this.#position;
    this.#window = this.#window.slice(keepFrom);
    this.#offset += keepFrom;
    this.#position -= keepFrom;
    if (this.#group !== null) this.#group = shift(this.#group, keepFrom);
    if (this.#pending !== null) this.#pending = shift(this.#pending, keepFrom);
  }

  #takePassages(): Passage[] {
    const passages = this.#passages;
    this.#passages = [];
    return passages;
  }
}

function canJoin(pending: LineGroup, group: LineGroup): boolean {
  if (group.startsWithHeading && !pending.hasOnlyHeadings) return false;
  const pendingChars = pending.end - pending.start;
  const joinedChars = group.end - pending.start;
  return (
    pendingChars < SMALL_PASSAGE_CHARS &&
    joinedChars <= (pendingChars < TINY_PASSAGE_CHARS ? MAX_PASSAGE_CHARS : TARGET_PASSAGE_CHARS)
  );
}

function shift(group: LineGroup, chars: number): LineGroup {
  const { lastItem } = group;
  const shifted = lastItem && {
    ...lastItem,
    position: lastItem.position - chars,
    endBefore: lastItem.endBefore - chars,
  };
  return { ...group, start: group.start - chars, end: group.end - chars, lastItem: shifted };
}

/** Nearly every line starts with a letter, a digit or a bracket; only the others are copied. */
function isBlank(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start);
  return (start === end || first <= 0x20 || first > 0x7f) && text.slice(start, end).trim() === "";
}

/** The last position before `end` that splits neither a word nor a code point, within the last fifth. */
function findWordEnd(text: string, start: number, end: number): number {
  const codePointEnd = splitsPair(text, end) ? end - 1 : end;
  const searchStart = Math.ceil(start + (end - start) * 0.8);
  const match = /^.*[^\p{L}\p{M}\p{N}_]/su.exec(text.slice(searchStart, codePointEnd));
  return match === null ? codePointEnd : searchStart + match[0].length;
}

/** A line that may be JSON. */
const JSON_START = /^\s*[[{]/;

/** A passage of whole items is at least this long. */
const MIN_ITEMS_CHARS = 300;

/** Of the outermost items: the end of the last one within the target, or of the one that crosses it. */
function findItemEnd(text: string, start: number, isInString: boolean): number | undefined {
  const ends = findItemEnds(text, start, start + MAX_PASSAGE_CHARS, isInString);
  const depths = [...new Set(ends.map(({ depth }) => depth))].sort((one, other) => one - other);
  for (const depth of depths) {
    const own = ends.filter((each) => each.depth === depth && each.end >= start + MIN_ITEMS_CHARS);
    const best = own.findLast(({ end }) => end <= start + TARGET_PASSAGE_CHARS) ?? own[0];
    if (best !== undefined) return best.end;
  }
  return undefined;
}

/** The line at a position, if it begins an item after another one, as in `},` and a brace on the next line. */
function findItemStart(text: string, position: number, line: number): ItemStart | null {
  const start = skipIndent(text, position);
  if (text[start] !== "{" && text[start] !== "[") return null;
  let endBefore = position - 1;
  while (endBefore > 0 && (text[endBefore - 1] === "\r" || text[endBefore - 1] === " ")) endBefore -= 1;
  const isAfterItem = text[endBefore - 1] === "," && (text[endBefore - 2] === "}" || text[endBefore - 2] === "]");
  return isAfterItem ? { position, line, endBefore, indent: start - position } : null;
}

function skipIndent(text: string, position: number): number {
  let start = position;
  while (text[start] === " " || text[start] === "\t") start += 1;
  return start;
}
