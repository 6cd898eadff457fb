/** Cuts a text that arrives in pieces into passages: paragraphs, or parts of about a thousand characters of what has none. */

import { splitsPair } from "../fit/measure.ts";

/** A heading in a piece of text; `at` counts characters from the start of the piece. */
export type Heading = { readonly label: string; readonly at: number };

/** A piece of a longer text and where it stands there; pieces come in order. Lines count from 1. */
export type PlacedText = {
  readonly text: string;
  readonly offset: number;
  readonly line: number;
  readonly marks?: readonly Heading[];
};

/** Where a passage stands: characters [start, end) and lines, both ends included. */
export type Place = {
  readonly start: number;
  readonly end: number;
  readonly startLine: number;
  readonly endLine: number;
  /** The label of the nearest heading at or before the passage. */
  readonly heading: string | null;
};

/** A passage with its text: exactly the characters from `start` to `end`. */
export type Passage = Place & { readonly text: string };

/** Cuts the same passages wherever the pieces were cut, and holds no more than a few thousand characters between them. */
export interface Splitter {
  push(piece: PlacedText): Passage[];
  flush(): Passage[];
}

const passageChars = 1_000;
/** Under this a passage takes the next paragraph in, if both fit into `passageChars`. */
const smallChars = 300;
/** Under this, a title or a caption, it takes it in even so. */
const tinyChars = 100;
/** A line is cut inside only when it is longer than this. */
const longestLineChars = 1_500;
const longestPassageChars = 2_000;

/** Lines that belong together, as positions in the window. */
type Block = {
  readonly start: number;
  readonly startLine: number;
  readonly heading: string | null;
  end: number;
  endLine: number;
  /** Opens with a heading, so that it joins nothing before it but other headings. */
  readonly headed: boolean;
  onlyHeadings: boolean;
};

/** A splitter for one text. */
export function createSplitter(): Splitter {
  return new WindowSplitter();
}

/** Holds a window of the text from the first character not yet handed out to the last one seen. */
class WindowSplitter implements Splitter {
  #window = "";
  #offset = 0;
  /** Start of the line, or rest of a long line, that comes next. */
  #at = 0;
  #line = 1;
  #marks: Heading[] = [];
  #heading: string | null = null;
  /** The paragraph being read and the passage that may still take it in. */
  #block: Block | null = null;
  #pending: Block | null = null;
  #passages: Passage[] = [];

  push(piece: PlacedText): Passage[] {
    if (piece.offset !== this.#offset + this.#window.length) this.#restartAt(piece);
    const base = this.#offset + this.#window.length;
    this.#window += piece.text;
    for (const mark of piece.marks ?? []) this.#marks.push({ ...mark, at: mark.at + base });
    this.#readLines();
    this.#dropRead();
    return this.#take();
  }

  flush(): Passage[] {
    this.#addLine(this.#window.length);
    this.#closePassage();
    this.#at = this.#window.length;
    return this.#take();
  }

  /** Between two pages there is a gap that belongs to no piece; no passage reaches across it. */
  #restartAt({ offset, line }: PlacedText): void {
    this.#addLine(this.#window.length);
    this.#closePassage();
    this.#window = "";
    this.#offset = offset;
    this.#at = 0;
    this.#line = line;
  }

  /** Every whole line, and of an unfinished one what is certain to be cut off. */
  #readLines(): void {
    let lineEnd = this.#window.indexOf("\n", this.#at);
    for (; lineEnd !== -1; lineEnd = this.#window.indexOf("\n", this.#at)) {
      this.#addLongParts(lineEnd);
      this.#addLine(lineEnd);
      this.#at = lineEnd + 1;
      this.#line += 1;
    }
    this.#addLongParts(this.#window.length);
  }

  #addLongParts(lineEnd: number): void {
    while (lineEnd - this.#at > longestLineChars) {
      const end = wordEnd(this.#window, this.#at, this.#at + passageChars);
      this.#addLine(end);
      this.#at = end;
    }
  }

  #addLine(end: number): void {
    const headed = this.#passMarks(end);
    if (isBlank(this.#window, this.#at, end)) this.#closeParagraph(end);
    else if (this.#block === null || headed || end - this.#block.start > passageChars) this.#openBlock(end, headed);
    else {
      this.#block.end = end;
      this.#block.endLine = this.#line;
      this.#block.onlyHeadings = false;
    }
  }

  /** Whether a heading stands in the line that ends here; the last one counts from now on. */
  #passMarks(end: number): boolean {
    let passed = false;
    for (let next = this.#marks[0]; next !== undefined && next.at <= this.#offset + end; next = this.#marks[0]) {
      this.#heading = next.label;
      this.#marks.shift();
      passed = true;
    }
    return passed;
  }

  #openBlock(end: number, headed: boolean): void {
    this.#closeBlock();
    const place = { start: this.#at, startLine: this.#line, end, endLine: this.#line };
    this.#block = { ...place, heading: this.#heading, headed, onlyHeadings: headed };
  }

  #closeParagraph(end: number): void {
    this.#closeBlock();
    if (this.#pending !== null && end - this.#pending.start > longestPassageChars) this.#closePassage();
  }

  #closeBlock(): void {
    const block = this.#block;
    if (block === null) return;
    this.#block = null;
    if (this.#pending !== null && joins(this.#pending, block)) {
      this.#pending = { ...block, start: this.#pending.start, startLine: this.#pending.startLine };
    } else {
      this.#handOut();
      this.#pending = block;
    }
  }

  #closePassage(): void {
    this.#closeBlock();
    this.#handOut();
  }

  #handOut(): void {
    if (this.#pending === null) return;
    const { start, end, startLine, endLine, heading } = this.#pending;
    const text = this.#window.slice(start, end);
    this.#passages.push({ text, start: start + this.#offset, end: end + this.#offset, startLine, endLine, heading });
    this.#pending = null;
  }

  /** Forgets what no passage to come can hold. */
  #dropRead(): void {
    const keep = this.#pending?.start ?? this.#block?.start ?? this.#at;
    this.#window = this.#window.slice(keep);
    this.#offset += keep;
    this.#at -= keep;
    if (this.#block !== null) this.#block = moved(this.#block, keep);
    if (this.#pending !== null) this.#pending = moved(this.#pending, keep);
  }

  #take(): Passage[] {
    const passages = this.#passages;
    this.#passages = [];
    return passages;
  }
}

function joins(pending: Block, block: Block): boolean {
  if (block.headed && !pending.onlyHeadings) return false;
  const pendingChars = pending.end - pending.start;
  const joinedChars = block.end - pending.start;
  return pendingChars < smallChars && joinedChars <= (pendingChars < tinyChars ? longestPassageChars : passageChars);
}

function moved(block: Block, by: number): Block {
  return { ...block, start: block.start - by, end: block.end - by };
}

/** Nearly every line starts with a letter, a digit or a bracket, and then no copy is made. */
function isBlank(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start);
  return (start === end || first <= 0x20 || first > 0x7f) && text.slice(start, end).trim() === "";
}

/** The last place before `end` that cuts neither a word nor a code point, looking back over a fifth at most. */
function wordEnd(text: string, start: number, end: number): number {
  const whole = splitsPair(text, end) ? end - 1 : end;
  const from = Math.ceil(start + (end - start) * 0.8);
  const reach = /^.*[^\p{L}\p{M}\p{N}_]/su.exec(text.slice(from, whole));
  return reach === null ? whole : from + reach[0].length;
}
