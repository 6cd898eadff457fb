/** Builds one line of text: collapses blanks, and formats emphasis, code and links when their elements end. */
import { CUSTOM_INLINE_TAG } from "../tree/custom-elements.ts";
import type { Element } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import type { Around } from "./emphasis-edges.ts";
import type { InlineFormat } from "./inline-format.ts";

/** Formats a text between others; if the same text is returned, the element is written without a format. */
type Formatter = (format: InlineFormat, element: Element, text: string, around: Around) => string;

/** A format whose element has not ended; `start` is the index of its first fragment. */
type OpenFormat = { readonly element: Element; readonly format: InlineFormat; start: number; isDone: boolean };
/**
 * The format that was written last: the number of fragments up to its end, the text inside it, and what is before it: the
 * blank in its own fragment, or else the end of the fragment before.
 */
type ClosedFormat = {
  readonly element: Element;
  readonly format: InlineFormat;
  readonly end: number;
  readonly inner: string;
  readonly blank: "" | " ";
  readonly before: string;
  /** Other emphasis that is all there is inside. */
  readonly nested: ClosedFormat | undefined;
};

/** Joining ever longer texts would be quadratic. */
const MAX_JOINED_CHARS = 1_000;
/** Enough of a text's end to see its last character, and marks after it. */
const MAX_BEFORE_CHARS = 6;

/** All but single spaces: a long text has millions of those, and each one replaced takes memory. */
const blanksToCollapse = /[ \t\n\r\f\u00a0]{2,}|[\t\n\r\f\u00a0]/g;
const wordStart = /^[\p{L}\p{N}]/u;
/** Two letters of a script that separates words with blanks, at the start and at the end of a label. */
const labelStart = /^(?:(?![\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])[\p{L}\p{N}]){2}/u;
const labelEnd = /(?:(?![\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])[\p{L}\p{N}]){2}$/u;
const colonEnd = /\p{L}:$/u;
/** The scheme of a URL, the prefix of a name, or a drive: what follows belongs to it. */
const prefix = /^(?:[a-z][a-z\d+.-]*|\p{L}):$/u;
const labelTags = new Set(["b", "strong", "label"]);
/** Elements that are never part of a word. */
const separateTags = new Set(["label", "time", CUSTOM_INLINE_TAG]);

/** The line being built, as a list of fragments. */
export class LineBuilder {
  readonly #format: Formatter;
  readonly #escape: (text: string) => string;
  readonly #openFormats: OpenFormat[] = [];
  readonly #openCounts = new Map<InlineFormat, number>();
  #fragments: string[] = [];
  #chars = 0;
  #endsWithBlank = true;
  /** The inline element that ended last, with nothing after it on the line. */
  #lastElement: Element | undefined;
  /** If the next text matches this, a blank belongs before it. */
  #blankBefore: RegExp | undefined;
  #lastFormat: ClosedFormat | undefined;

  constructor(format: Formatter, escapeText: (text: string) => string) {
    this.#format = format;
    this.#escape = escapeText;
  }

  get isEmpty(): boolean {
    return this.#fragments.length === 0;
  }

  /** How many characters the line has so far. */
  get chars(): number {
    return this.#chars;
  }

  /** The line so far if it is a word or two, else "". */
  get label(): string {
    return this.#fragments.length > htmlWeights.writing.maxLabelFragments ? "" : this.#fragments.join("").trim();
  }

  get lastFragment(): string {
    return this.#fragments.at(-1) ?? "";
  }

  /** Adds text of the page: blanks are collapsed and Markdown's characters escaped, except in code. */
  addText(text: string): void {
    let collapsed = text.replace(blanksToCollapse, " ");
    if (this.#blankBefore?.test(collapsed)) this.addBlank();
    if (this.#endsWithBlank && collapsed.startsWith(" ")) collapsed = collapsed.slice(1);
    if (collapsed !== "") this.add(this.isInside("code") ? collapsed : this.#escape(collapsed));
    this.#blankBefore = undefined;
    this.#lastElement = undefined;
  }

  /** Adds a fragment exactly as it is. */
  add(fragment: string): void {
    if (this.#lastFormat?.end === this.#fragments.length) this.#adaptLast(this.#lastFormat, fragment);
    this.#fragments.push(fragment);
    this.#chars += fragment.length;
    this.#blankBefore = undefined;
    this.#endsWithBlank = fragment.endsWith(" ") || fragment.endsWith("\n");
  }

  addBlank(): void {
    if (!this.#endsWithBlank) this.add(" ");
  }

  addBreak(): void {
    this.add("\n");
  }

  /**
   * An inline element begins. Two adjacent elements with different class names are labels that a style sheet separates;
   * the letters of one word are not marked up like this, except in code. Form labels and times are always separate.
   */
  beginElement(element: Element): void {
    const previous = this.#lastElement;
    if (previous === undefined || this.#blankBefore === wordStart || this.isInside("code")) return;
    const isSeparate = separateTags.has(element.tag) || separateTags.has(previous.tag);
    const { class: name } = element.attributes;
    const areLabels =
      name !== undefined && previous.attributes.class !== undefined && previous.attributes.class !== name;
    if (isSeparate) this.#blankBefore = wordStart;
    else this.#blankBefore = areLabels && labelEnd.test(this.#lastText) ? labelStart : undefined;
  }

  /** An inline element ends. One that ends with a colon is a label of what follows. */
  endElement(element: Element): void {
    this.#lastElement = element;
    if (element.children.length > 0 && this.#endsWithLabel(element) && !this.isInside("code"))
      this.#blankBefore = wordStart;
  }

  /** Whether a word with a colon is a label. One that may be a prefix is a label only if it looks different. */
  #endsWithLabel({ tag, attributes }: Element): boolean {
    const text = this.#lastText;
    if (!colonEnd.test(text)) return false;
    return labelTags.has(tag) || attributes.class !== undefined || !prefix.test(text);
  }

  /** The text that was added last, without its format. */
  get #lastText(): string {
    return this.#lastFormat?.end === this.#fragments.length ? this.#lastFormat.inner : this.lastFragment;
  }

  isInside(format: InlineFormat): boolean {
    return (this.#openCounts.get(format) ?? 0) > 0;
  }

  /** Begins a format. Inside code, and inside the same format, an element is not formatted again. */
  beginFormat(element: Element, format: InlineFormat, isPlain = false): void {
    const isDone = isPlain || this.isInside(format) || this.isInside("code");
    this.#openFormats.push({ element, format, start: this.#fragments.length, isDone });
    this.#count(format, 1);
  }

  /** Ends the innermost format and writes it. */
  endFormat(): void {
    const open = this.#openFormats.pop();
    if (open !== undefined) this.#count(open.format, -1);
    if (open !== undefined && !open.isDone) this.#formatFrom(open);
  }

  /** Returns the line and begins a new one. Of the open formats only a link is written, around its first block. */
  take(): string {
    for (const open of this.#openFormats) {
      if (!open.isDone && open.format === "link") this.#formatFrom(open);
      open.isDone ||= this.#fragments.length > open.start;
      open.start = 0;
    }
    const text = this.#fragments.join("").trim();
    this.clear();
    return text;
  }

  clear(): void {
    this.#fragments = [];
    this.#chars = 0;
    this.#endsWithBlank = true;
    this.#blankBefore = undefined;
    this.#lastElement = undefined;
    this.#lastFormat = undefined;
  }

  #count(format: InlineFormat, change: number): void {
    this.#openCounts.set(format, (this.#openCounts.get(format) ?? 0) + change);
  }

  /** Replaces the fragments of a format by its formatted text; blanks at its edges move outside. */
  #formatFrom(open: OpenFormat): void {
    const text = this.#fragments.slice(open.start).join("");
    const inner = text.trim();
    if (inner === "") return;
    const closed = this.#closeFormat(open, inner, text.startsWith(inner));
    const { element, format, before } = closed;
    const formatted = this.#format(format, element, closed.inner, { before, after: "" });
    open.isDone = true;
    if (formatted === closed.inner) return;
    this.#removeFrom(closed.end - 1);
    this.#lastFormat = undefined;
    this.add(closed.blank + formatted);
    this.#lastFormat = closed;
    if (!text.endsWith(inner)) this.addBlank();
  }

  /** A format that ends. The same one directly before it is joined with it, or separated from it. */
  #closeFormat(open: OpenFormat, inner: string, isDirect: boolean): ClosedFormat {
    const { element, format, start } = open;
    const adjacent = isDirect ? this.#adjacentFormat(open) : undefined;
    if (adjacent !== undefined && canJoin(adjacent))
      return { ...adjacent, element, inner: adjacent.inner + inner, nested: undefined };
    const blank = isDirect && adjacent === undefined ? "" : " ";
    const before = blank || (this.#fragments[start - 1] ?? "").slice(-MAX_BEFORE_CHARS);
    const last = this.#lastFormat;
    const isNested = last !== undefined && last.end === start + 1 && last.end === this.#fragments.length;
    const nested = isNested && isEmphasis(last) ? last : undefined;
    return { element, format, end: start + 1, inner, blank, before, nested };
  }

  /** Writes emphasis again now that it is known what follows: text, or a sign that begins a link or code. */
  #adaptLast(last: ClosedFormat, after: string): void {
    const { end, blank } = last;
    if (!isEmphasis(last) || this.#hasSignAt(end)) return;
    const index = end - 1;
    const adapted = blank + this.#formatBefore(last, after);
    this.#chars += adapted.length - (this.#fragments[index]?.length ?? 0);
    this.#fragments[index] = adapted;
  }

  /** Whether a bracket or a backtick will be written there. Before code that is emphasized too, it is marks. */
  #hasSignAt(index: number): boolean {
    const opens = this.#openFormats.filter(({ start, isDone }) => start === index && !isDone);
    return opens[0]?.format === "code" || opens.some(({ format }) => format === "link");
  }

  /** Emphasis before a text, and emphasis that ends with it. */
  #formatBefore({ element, format, inner, before, nested }: ClosedFormat, after: string): string {
    const text = nested === undefined ? inner : this.#formatBefore(nested, after);
    return this.#format(format, element, text, { before, after });
  }

  #removeFrom(index: number): void {
    for (const fragment of this.#fragments.splice(index)) this.#chars -= fragment.length;
  }

  /** The same format, if it ends directly before: `*a**b*` would be read as something else. */
  #adjacentFormat({ format, start }: OpenFormat): ClosedFormat | undefined {
    const last = this.#lastFormat;
    return format !== "link" && last?.format === format && last.end === start ? last : undefined;
  }
}

function isEmphasis({ format }: ClosedFormat): boolean {
  return format !== "link" && format !== "code";
}

/** Adjacent emphasis is joined; adjacent code elements are separate keys or names. */
function canJoin({ format, inner }: ClosedFormat): boolean {
  return format !== "code" && inner.length < MAX_JOINED_CHARS;
}
