/** Writes delimiters around inline elements that a browser shows by position or with characters it adds. */

import { isSideNote, isSideNoteNumber } from "../tree/footnotes.ts";
import { collectText, type Element } from "../tree/tree.ts";
import type { LineBuilder } from "./line-builder.ts";
import { type Delimiters, findScriptSigns } from "./superscripts.ts";

/** Pandoc's syntax for a note inside its line. */
const sideNoteDelimiters: Delimiters = { before: " ^[", after: "]" };
const rubyDelimiters: Delimiters = { before: "(", after: ")" };
const quoteDelimiters: Delimiters = { before: "“", after: "”" };
const innerQuoteDelimiters: Delimiters = { before: "‘", after: "’" };

/** Writes the delimiters of superscripts, ruby, quotations and side notes while their elements are open. */
export class DelimiterWriter {
  readonly #line: LineBuilder;
  /** The open elements that have delimiters, innermost last. */
  readonly #open: { readonly element: Element; readonly after: string }[] = [];

  constructor(line: LineBuilder) {
    this.#line = line;
  }

  /** Inside a superscript or subscript, where letters are not emphasized again. */
  get isInScript(): boolean {
    const tag = this.#open.at(-1)?.element.tag;
    return tag === "sup" || tag === "sub";
  }

  /** Whether an element is the number at the start of a side note; the brackets of the note replace it. */
  isSideNoteNumber(element: Element): boolean {
    return this.#line.lastFragment === sideNoteDelimiters.before && isSideNoteNumber(element);
  }

  begin(element: Element): void {
    const delimiters = this.#find(element);
    if (delimiters === undefined) return;
    this.#line.add(delimiters.before);
    this.#open.push({ element, after: delimiters.after });
  }

  end(element: Element): void {
    const innermost = this.#open.at(-1);
    if (innermost?.element !== element) return;
    this.#open.pop();
    if (innermost.after !== "") this.#line.add(innermost.after);
  }

  #find(element: Element): Delimiters | undefined {
    const { tag } = element;
    if (tag === "sup" || tag === "sub") return findScriptSigns(element, this.#line.lastFragment);
    if (tag === "rt") return collectText(element, 1) === "" ? undefined : rubyDelimiters;
    if (!this.#line.isEmpty && isSideNote(element)) return sideNoteDelimiters;
    if (tag !== "q") return undefined;
    const isNested = this.#open.some(({ after }) => after === quoteDelimiters.after);
    return isNested ? innerQuoteDelimiters : quoteDelimiters;
  }
}
