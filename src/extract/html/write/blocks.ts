/** The blocks of the text in order, each indented by the lists and quotations it stands in, with the headings' places. */

/** A heading; `at` counts characters from the start of the text. */
export type Mark = { readonly label: string; readonly level: number; readonly at: number };

/** A place that indents what stands in it: a list item, a quotation, a note. */
export type Container = { readonly first: string; readonly rest: string };

/** Deeper lists are not indented further: the text would grow with the square of the depth. */
const maxIndents = 12;
const maxIndentChars = 24;

export class Blocks {
  readonly #pieces: string[] = [];
  readonly #containers: (Container & { used: boolean })[] = [];
  readonly #marks: Mark[] = [];
  #chars = 0;
  /** The indent of where we are, and whether each place in it has begun. */
  #indent: { readonly rest: string; readonly isUsed: boolean } | undefined;
  /** Newlines before the next block: two, or one between the items of a list. */
  #gap = 2;

  get count(): number {
    return this.#pieces.length;
  }

  enter(container: Container): void {
    const isDeep = this.#containers.length >= maxIndents || this.#rest().length >= maxIndentChars;
    this.#indent = undefined;
    this.#containers.push({ first: container.first, rest: isDeep ? "" : container.rest, used: false });
  }

  leave(): void {
    this.#containers.pop();
    this.#indent = undefined;
    this.#gap = 2;
  }

  /** The next block follows the last one without a blank line. */
  tighten(): void {
    this.#gap = 1;
  }

  write(text: string, heading?: { readonly label: string; readonly level: number }): void {
    this.#push(this.#separator());
    const first = this.#prefix();
    if (heading !== undefined && heading.label !== "") this.#marks.push({ ...heading, at: this.#chars });
    this.#push(first + indented(text, this.#rest()));
    this.#gap = 2;
  }

  /** Takes the last block back, as if it had not been written. */
  retract(): void {
    this.#chars -= (this.#pieces.pop()?.length ?? 0) + (this.#pieces.pop()?.length ?? 0);
  }

  finish(): { readonly text: string; readonly marks: readonly Mark[] } {
    return { text: this.#pieces.join(""), marks: this.#marks };
  }

  #separator(): string {
    if (this.#pieces.length === 0) return "";
    if (this.#gap === 1) return "\n";
    return `\n${this.#between().trimEnd()}\n`;
  }

  /** What stands before every line but the first of a block. */
  #rest(): string {
    this.#indent ??= { rest: this.#containers.map(({ rest }) => rest).join(""), isUsed: false };
    return this.#indent.rest;
  }

  /** What stands on the empty line before a block: nothing of the places that begin with it. */
  #between(): string {
    if (this.#indent?.isUsed) return this.#indent.rest;
    return this.#containers.map((container) => (container.used ? container.rest : "")).join("");
  }

  #prefix(): string {
    const rest = this.#rest();
    if (this.#indent?.isUsed) return rest;
    this.#indent = { rest, isUsed: true };
    let prefix = "";
    for (const container of this.#containers) {
      prefix += container.used ? container.rest : container.first;
      container.used = true;
    }
    return prefix;
  }

  #push(piece: string): void {
    this.#pieces.push(piece);
    this.#chars += piece.length;
  }
}

/** Empty lines are only indented by what can be seen there. */
function indented(text: string, rest: string): string {
  if (rest === "" || !text.includes("\n")) return text;
  const blank = rest.trimEnd();
  return text.replace(/\n(\n?)/g, (_, next: string) => (next === "" ? `\n${rest}` : `\n${blank}\n${rest}`));
}
