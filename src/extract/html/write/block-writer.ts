/** Collects the blocks of the text, each indented by the lists and quotations it is in, and records the headings. */
import type { Mark } from "../../handler.ts";

/** A list item, quotation or note: what is written before its first line and before the others. */
type Container = { readonly first: string; readonly rest: string };

/** Deeper lists are not indented further: the text would grow with the square of the depth. */
const MAX_INDENTS = 12;
const MAX_INDENT_CHARS = 24;

/** The text so far, block by block. */
export class BlockWriter {
  /** Separators and blocks in turn. */
  readonly #output: string[] = [];
  readonly #containers: (Container & { isBegun: boolean })[] = [];
  readonly #marks: Mark[] = [];
  #chars = 0;
  /** The indent of the open containers, and whether each of them has begun; undefined until it is needed. */
  #indent: { readonly rest: string; readonly isBegun: boolean } | undefined;
  /** Newlines before the next block: two, or one between the items of a list. */
  #gap = 2;
  /** The state before the last block: its newlines, and the containers that began with it. */
  #last: { readonly gap: number; readonly begun: readonly { isBegun: boolean }[] } | undefined;

  /** Grows with every block; the same count means that nothing was written in between. */
  get count(): number {
    return this.#output.length;
  }

  /** How many characters are written. */
  get chars(): number {
    return this.#chars;
  }

  enter(container: Container): void {
    const isDeep = this.#containers.length >= MAX_INDENTS || this.#restIndent().length >= MAX_INDENT_CHARS;
    this.#indent = undefined;
    this.#containers.push({ first: container.first, rest: isDeep ? "" : container.rest, isBegun: false });
  }

  leave(): void {
    this.#containers.pop();
    this.#indent = undefined;
    this.#gap = 2;
  }

  /** Writes the next block without an empty line before it. */
  tighten(): void {
    this.#gap = 1;
  }

  write(text: string, heading?: Omit<Mark, "at">): void {
    this.#last = { gap: this.#gap, begun: this.#containers.filter(({ isBegun }) => !isBegun) };
    this.#push(this.#separator());
    const first = this.#firstIndent();
    if (heading !== undefined && heading.label !== "") this.#marks.push({ ...heading, at: this.#chars });
    this.#push(first + indent(text, this.#restIndent()));
    this.#gap = 2;
  }

  /** Removes the last block, as if it had not been written. */
  retract(): void {
    this.#chars -= (this.#output.pop()?.length ?? 0) + (this.#output.pop()?.length ?? 0);
    this.#gap = this.#last?.gap ?? 2;
    for (const container of this.#last?.begun ?? []) container.isBegun = false;
    this.#indent = undefined;
  }

  finish(): { readonly text: string; readonly marks: readonly Mark[] } {
    return { text: this.#output.join(""), marks: this.#marks };
  }

  #separator(): string {
    if (this.#output.length === 0) return "";
    if (this.#gap === 1) return "\n";
    return `\n${this.#blankLineIndent().trimEnd()}\n`;
  }

  /** What is written before every line of a block but the first. */
  #restIndent(): string {
    this.#indent ??= { rest: this.#containers.map(({ rest }) => rest).join(""), isBegun: false };
    return this.#indent.rest;
  }

  /** What is written on the empty line before a block: nothing for the containers that begin with it. */
  #blankLineIndent(): string {
    if (this.#indent?.isBegun) return this.#indent.rest;
    return this.#containers.map(({ isBegun, rest }) => (isBegun ? rest : "")).join("");
  }

  /** What is written before the first line of a block. Begins all open containers. */
  #firstIndent(): string {
    const rest = this.#restIndent();
    if (this.#indent?.isBegun) return rest;
    this.#indent = { rest, isBegun: true };
    let first = "";
    for (const container of this.#containers) {
      first += container.isBegun ? container.rest : container.first;
      container.isBegun = true;
    }
    return first;
  }

  #push(text: string): void {
    this.#output.push(text);
    this.#chars += text.length;
  }
}

/** Indents all lines but the first; empty lines without blanks at their end. */
function indent(text: string, rest: string): string {
  if (rest === "" || !text.includes("\n")) return text;
  const blank = rest.trimEnd();
  return text.replace(/\n(\n?)/g, (_, next: string) => (next === "" ? `\n${rest}` : `\n${blank}\n${rest}`));
}
