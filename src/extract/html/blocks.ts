/** The blocks of the text in order, each indented by the lists and quotations it stands in, with the headings' places. */

/** A heading; `at` counts characters from the start of the text. */
export type Mark = { readonly label: string; readonly level: number; readonly at: number };

/** A place that indents what stands in it: a list item, a quotation, a note. */
export type Container = { readonly first: string; readonly rest: string };

/** Deeper lists are not indented further: the text would grow with the square of the depth. */
const maxIndents = 12;

export class Blocks {
  readonly #pieces: string[] = [];
  readonly #containers: (Container & { used: boolean })[] = [];
  readonly #marks: Mark[] = [];
  #chars = 0;
  /** Newlines before the next block: two, or one between the items of a list. */
  #gap = 2;

  get count(): number {
    return this.#pieces.length;
  }

  enter(container: Container): void {
    const isDeep = this.#containers.length >= maxIndents;
    this.#containers.push({ first: container.first, rest: isDeep ? "" : container.rest, used: false });
  }

  leave(): void {
    this.#containers.pop();
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
    const rest = this.#containers.map((container) => container.rest).join("");
    this.#push(first + (rest === "" ? text : text.replaceAll("\n", `\n${rest}`)));
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
    const between = this.#containers.map((container) => (container.used ? container.rest : "")).join("");
    return `\n${between.trimEnd()}\n`;
  }

  #prefix(): string {
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
