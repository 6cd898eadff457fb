/** Splits a text that arrives in order into passages: paragraphs, or about a thousand characters where there are none. */

import { splitsPair } from "../fit/measure.ts";

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
    this.#line = line;
  }

  /** Reads every complete line, and splits an incomplete one that is already too long. */
  #readLines(): void {
    let lineEnd = this.#window.indexOf("\n", this.#position);
    for (; lineEnd !== -1; lineEnd = this.#window.indexOf("\n", this.#position)) {
      this.#splitLongLine(lineEnd);
      this.#addLine(lineEnd);
      this.#position = lineEnd + 1;
      this.#line += 1;
    }
    this.#splitLongLine(this.#window.length);
  }

  #splitLongLine(lineEnd: number): void {
    while (lineEnd - this.#position > MAX_LINE_CHARS) {
      const end = findWordEnd(this.#window, this.#position, this.#position + TARGET_PASSAGE_CHARS);
      this.#addLine(end);
      this.#position = end;
    }
  }

  #addLine(end: number): void {
    const startsWithHeading = this.#updateHeading(end);
    if (isBlank(this.#window, this.#position, end)) this.#closeParagraph(end);
    else if (this.#group === null || startsWithHeading || end - this.#group.start > TARGET_PASSAGE_CHARS)
      this.#startGroup(end, startsWithHeading);
    else {
      this.#group.end = end;
      this.#group.endLine = this.#line;
      this.#group.hasOnlyHeadings = false;
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

  #startGroup(end: number, startsWithHeading: boolean): void {
    this.#closeGroup();
    const place = { start: this.#position, startLine: this.#line, end, endLine: this.#line };
    this.#group = { ...place, heading: this.#heading, startsWithHeading, hasOnlyHeadings: startsWithHeading };
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
  return { ...group, start: group.start - chars, end: group.end - chars };
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
