/** Writes the body of an old Word document as Markdown. */
import { MarkdownBlocks } from "../../markdown-blocks.ts";
import type { WordFile } from "./open-doc.ts";
import type { ParagraphStyle } from "./paragraph-styles.ts";
import type { TextRun } from "./pieces.ts";

/** Characters that end or mean something else than themselves. */
const SPECIAL = /[\u0001-\u0008\u000b-\u000d\u0013-\u0015\u001e\u001f]/g;
const NOTE = "\u0002";
const CELL_END = "\u0007";
const LINE_BREAK = "\u000b";
const FIELD_START = "\u0013";
const FIELD_RESULT = "\u0014";
const FIELD_END = "\u0015";
const HYPHEN = "\u001e";

const MAX_PARAGRAPH_CHARS = 1024 * 1024;
const MAX_TABLE_ROWS = 5_000;
const MAX_FIELD_DEPTH = 100;

/** Takes runs of characters in order. */
export class DocText {
  readonly blocks = new MarkdownBlocks();
  readonly #word: Pick<WordFile, "styles" | "endnoteReferences">;
  #paragraph = "";
  #cells: string[] = [];
  #rows: string[][] = [];
  /** For each open field, whether its result has begun; its instructions are not text. */
  #fields: boolean[] = [];
  #footnotes = 0;
  #endnotes = 0;

  constructor(word: Pick<WordFile, "styles" | "endnoteReferences">) {
    this.#word = word;
  }

  write(run: TextRun): void {
    let from = 0;
    for (const { index } of run.text.matchAll(SPECIAL)) {
      this.#add(run.text.slice(from, index));
      this.#special(run.text.charAt(index), index, run);
      from = index + 1;
    }
    this.#add(run.text.slice(from));
  }

  end(): string {
    this.#endParagraph(undefined);
    this.#endTable();
    return this.blocks.end();
  }

  #add(text: string): void {
    if (this.#fields.every((hasResult) => hasResult)) this.#paragraph += text;
    if (this.#paragraph.length > MAX_PARAGRAPH_CHARS) this.#endParagraph(undefined);
  }

  #special(character: string, index: number, { at, charBytes, start }: TextRun): void {
    const findStyle = () => this.#word.styles.find(at + index * charBytes);
    if (character === "\r" || character === "\f") this.#endParagraph(findStyle());
    else if (character === CELL_END) this.#endCell(findStyle());
    else if (character === NOTE) this.#refer(start + index);
    else if (character === LINE_BREAK) this.#add("\n");
    else if (character === HYPHEN) this.#add("-");
    else if (character === FIELD_START && this.#fields.length < MAX_FIELD_DEPTH) this.#fields.push(false);
    else if (character === FIELD_RESULT && this.#fields.length > 0) this.#fields[this.#fields.length - 1] = true;
    else if (character === FIELD_END) this.#fields.pop();
  }

  #refer(position: number): void {
    if (this.#word.endnoteReferences.has(position)) this.#add(`[^e${++this.#endnotes}]`);
    else this.#add(`[^${++this.#footnotes}]`);
  }

  /** A cell mark ends a cell or, where its style says so, a row. */
  #endCell(style: ParagraphStyle | undefined): void {
    const isRowEnd = style === undefined ? this.#paragraph === "" && this.#cells.length > 0 : style.isRowEnd;
    if (!isRowEnd) {
      this.#cells.push(this.#paragraph.trim());
    } else if (this.#cells.length > 0) {
      this.#rows.push(this.#cells);
      this.#cells = [];
    }
    this.#paragraph = "";
    if (this.#rows.length >= MAX_TABLE_ROWS) this.#endTable();
  }

  #endParagraph(style: ParagraphStyle | undefined): void {
    if (style?.isInTable || this.#cells.length > 0) {
      this.#paragraph += "\n";
      return;
    }
    const text = this.#paragraph.trim();
    this.#paragraph = "";
    this.#endTable();
    if (text === "") return;
    if (style?.headingLevel !== undefined) this.blocks.heading(style.headingLevel, text);
    else if (style?.isItem) this.blocks.item(style.itemDepth, "-", text);
    else this.blocks.paragraph(text);
  }

  #endTable(): void {
    if (this.#cells.length > 0) this.#rows.push(this.#cells);
    this.#cells = [];
    if (this.#rows.length === 0) return;
    this.blocks.table(this.#rows);
    this.#rows = [];
  }
}
