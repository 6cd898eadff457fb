/** Finds the texts of documents of Apple's programs before 2013, which are XML. */
import type { XmlEvents, XmlTag } from "../xml/scan-xml.ts";

/** Templates, styles and what other programs need. */
const skippedElements: ReadonlySet<string> = new Set(["theme-list", "stylesheet", "metadata", "version-history"]);

export class OldTexts implements XmlEvents {
  readonly skips = skippedElements;
  #lines: string[] = [];
  #line: string | undefined;

  /** The lines found since the last call. */
  take(): string[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  open(name: string, tag: XmlTag): void {
    if (name === "p") this.#line = "";
    else if (name === "slide") this.#lines.push(SLIDE);
    else if (name === "br" || name === "lnbr") this.text("\n");
    else if (name === "tab") this.text("\t");
    // The text of a cell.
    else if (name === "ct") this.#add(tag.get("s"));
  }

  close(name: string): void {
    if (name !== "p") return;
    this.#add(this.#line);
    this.#line = undefined;
  }

  text(text: string): void {
    if (this.#line !== undefined) this.#line += text;
  }

  #add(line: string | undefined): void {
    if (line !== undefined && line.trim() !== "") this.#lines.push(line.trim());
  }
}

/** Stands for the beginning of a slide. */
export const SLIDE = "\0slide";
