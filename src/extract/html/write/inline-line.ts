/** One line of text while it is being put together: blanks collapsed, emphasis, code and links wrapped as they close. */
import type { Element } from "../tree/tree.ts";

export type WrapKind = "strong" | "emphasis" | "strike" | "code" | "link";

/** How a wrapped piece of a line is written; the same text back means that it is not wrapped. */
export type Wrapper = (kind: WrapKind, element: Element, text: string) => string;

/** What was wrapped last: up to which piece, and the text in it. */
type Wrapped = { readonly kind: WrapKind; readonly at: number; readonly inner: string };
type Wrap = { readonly element: Element; readonly kind: WrapKind; start: number; done: boolean };

/** Words of scripts that part them by blanks. */
const edgeOfLabel = /^(?:(?![\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])[\p{L}\p{N}]){2}/u;
const endOfLabel = /(?:(?![\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])[\p{L}\p{N}]){2}$/u;

const mostLabelPieces = 4;

/** Never parts of a word. */
const edgeOfWord = /^[\p{L}\p{N}]/u;
const apartTags = new Set(["label", "time"]);

export class Line {
  readonly #write: Wrapper;
  readonly #escaped: (text: string) => string;
  readonly #wraps: Wrap[] = [];
  readonly #inside = new Map<WrapKind, number>();
  #pieces: string[] = [];
  #endsBlank = true;
  /** The inline element whose end is the last thing on the line. */
  #closed: Element | undefined;
  /** How the next text begins if a blank belongs before it. */
  #edge: RegExp | undefined;
  #wrapped: Wrapped | undefined;

  constructor(write: Wrapper, escaped: (text: string) => string) {
    this.#write = write;
    this.#escaped = escaped;
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  /** The line so far, if that is a word or two; else "". */
  get label(): string {
    return this.#pieces.length > mostLabelPieces ? "" : this.#pieces.join("").trim();
  }

  /** The last piece of the line. */
  get end(): string {
    return this.#pieces.at(-1) ?? "";
  }

  addText(text: string): void {
    let collapsed = text.replace(/[ \t\n\r\f\u00a0]+/g, " ");
    if (this.#edge?.test(collapsed)) this.addBlank();
    if (this.#endsBlank && collapsed.startsWith(" ")) collapsed = collapsed.slice(1);
    if (collapsed !== "") this.add(this.isInside("code") ? collapsed : this.#escaped(collapsed));
    this.#edge = undefined;
    this.#closed = undefined;
  }

  /** Adds a piece that is written as it is. */
  add(piece: string): void {
    this.#pieces.push(piece);
    this.#edge = undefined;
    this.#endsBlank = piece.endsWith(" ") || piece.endsWith("\n");
  }

  addBlank(): void {
    if (!this.#endsBlank) this.add(" ");
  }

  addBreak(): void {
    this.add("\n");
  }

  /**
   * An inline element begins. Two of them with names of their own and no blank between are labels that a style sheet
   * keeps apart; the letters of one word never come so, except in code. Labels of fields and times are apart anyway.
   */
  meet(element: Element): void {
    const before = this.#closed;
    if (before === undefined || this.isInside("code")) return;
    const isApart = apartTags.has(element.tag) || apartTags.has(before.tag);
    const { class: name } = element.attributes;
    const areLabels = name !== undefined && before.attributes.class !== undefined && before.attributes.class !== name;
    const end = this.#wrapped?.at === this.#pieces.length ? this.#wrapped.inner : this.end;
    if (isApart) this.#edge = edgeOfWord;
    else this.#edge = areLabels && endOfLabel.test(end) ? edgeOfLabel : undefined;
  }

  part(element: Element): void {
    this.#closed = element;
  }

  isInside(kind: WrapKind): boolean {
    return (this.#inside.get(kind) ?? 0) > 0;
  }

  /** Inside code and inside another of its kind an element is not wrapped again. */
  open(element: Element, kind: WrapKind, plain = false): void {
    const done = plain || this.isInside(kind) || this.isInside("code");
    this.#wraps.push({ element, kind, start: this.#pieces.length, done });
    this.#count(kind, 1);
  }

  close(): void {
    const wrap = this.#wraps.pop();
    if (wrap !== undefined) this.#count(wrap.kind, -1);
    if (wrap !== undefined && !wrap.done) this.#wrapFrom(wrap);
  }

  /** Takes the line as it is. Of what is still open only a link is written, at the first of the blocks in it. */
  take(): string {
    for (const wrap of this.#wraps) {
      if (!wrap.done && wrap.kind === "link") this.#wrapFrom(wrap);
      wrap.done ||= this.#pieces.length > wrap.start;
      wrap.start = 0;
    }
    const text = this.#pieces.join("").trim();
    this.clear();
    return text;
  }

  clear(): void {
    this.#pieces = [];
    this.#endsBlank = true;
    this.#edge = undefined;
    this.#closed = undefined;
    this.#wrapped = undefined;
  }

  #count(kind: WrapKind, change: number): void {
    this.#inside.set(kind, (this.#inside.get(kind) ?? 0) + change);
  }

  #wrapFrom(wrap: Wrap): void {
    const text = this.#pieces.slice(wrap.start).join("");
    const inner = text.trim();
    if (inner === "") return;
    const touched = text.startsWith(inner) ? this.#touchedBy(wrap) : undefined;
    const joined = touched !== undefined && canJoin(touched) ? touched.inner : "";
    const written = this.#write(wrap.kind, wrap.element, joined + inner);
    wrap.done = true;
    if (written === joined + inner) return;
    this.#pieces.length = joined === "" ? wrap.start : wrap.start - 1;
    const isApart = !text.startsWith(inner) || (touched !== undefined && joined === "");
    this.add((isApart ? " " : "") + written);
    this.#wrapped = { kind: wrap.kind, at: this.#pieces.length, inner: joined + inner };
    if (!text.endsWith(inner)) this.addBlank();
  }

  /** What of the same kind ends where this begins: marks that touch would be read as others. */
  #touchedBy({ kind, start }: Wrap): Wrapped | undefined {
    const before = this.#wrapped;
    return kind !== "link" && before?.kind === kind && before.at === start ? before : undefined;
  }
}

/** Joining ever longer texts would be quadratic. */
const mostJoinedChars = 1_000;

/** Emphasis goes on; pieces of code are keys or names, each for itself. */
function canJoin({ kind, inner }: Wrapped): boolean {
  return kind !== "code" && inner.length < mostJoinedChars;
}
