/** Builds one line of text: collapses blanks, and formats emphasis, code and links when their elements end. */
import { CUSTOM_INLINE_TAG } from "../tree/custom-elements.ts";
import type { Element } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import type { InlineFormat } from "./inline-format.ts";

/** Formats a text; if the same text is returned, the element is written without a format. */
type Formatter = (format: InlineFormat, element: Element, text: string) => string;

/** A format whose element has not ended; `start` is the index of its first fragment. */
type OpenFormat = { readonly element: Element; readonly format: InlineFormat; start: number; isDone: boolean };
/** The format that was written last: the number of fragments up to its end, and the text inside it. */
type ClosedFormat = { readonly format: InlineFormat; readonly end: number; readonly inner: string };

/** Joining ever longer texts would be quadratic. */
const MAX_JOINED_CHARS = 1_000;

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
    const adjacent = text.startsWith(inner) ? this.#adjacentFormat(open) : undefined;
    const joinedText = adjacent !== undefined && canJoin(adjacent) ? adjacent.inner : "";
    const formatted = this.#format(open.format, open.element, joinedText + inner);
    open.isDone = true;
    if (formatted === joinedText + inner) return;
    this.#removeFrom(joinedText === "" ? open.start : open.start - 1);
    const isSeparate = !text.startsWith(inner) || (adjacent !== undefined && joinedText === "");
    this.add((isSeparate ? " " : "") + formatted);
    this.#lastFormat = { format: open.format, end: this.#fragments.length, inner: joinedText + inner };
    if (!text.endsWith(inner)) this.addBlank();
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

/** Adjacent emphasis is joined; adjacent code elements are separate keys or names. */
function canJoin({ format, inner }: ClosedFormat): boolean {
  return format !== "code" && inner.length < MAX_JOINED_CHARS;
}
