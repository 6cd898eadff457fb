/** Writes the body of a Word document, or of its headers and notes, as Markdown. */

import { MarkdownBlocks } from "../../markdown-blocks.ts";
import type { XmlEvents, XmlTag } from "../../xml/scan-xml.ts";
import { EquationBuilder } from "../equations.ts";
import { InlineText } from "../inline-text.ts";
import { toTable } from "../named-table.ts";
import type { Relation } from "../package-parts.ts";
import type { Numbering } from "./numbering.ts";
import { isOn, type TextStyle } from "./styles.ts";

/** What the body refers to in other parts. */
export type DocxContext = {
  readonly styles: ReadonlyMap<string, TextStyle>;
  readonly numbering: Numbering;
  readonly relations: ReadonlyMap<string, Relation>;
  /** Begins the labels of notes, so that those of included documents differ. */
  readonly notePrefix: string;
};

type Paragraph = {
  readonly inline: InlineText;
  style: TextStyle;
  outline?: number;
  listId?: string;
  level?: number;
};

type Table = { readonly rows: string[][]; cell: string[] | undefined; span: number };

/** Elements whose content is not shown: deleted text, field codes, and fallbacks for older programs. */
const hiddenElements = new Set([
  "del",
  "moveFrom",
  "delText",
  "delInstrText",
  "instrText",
  "Fallback",
  "pPrChange",
  "rPrChange",
  "tblPrChange",
  "trPrChange",
  "tcPrChange",
  "sectPrChange",
  "rubyPr",
  "rt",
  "binData",
]);

/** Elements without text: how tables and pictures look, and the codes of fields. */
const skippedElements: ReadonlySet<string> = new Set([
  "tblPr",
  "tblGrid",
  "pBdr",
  "spPr",
  "blipFill",
  "delText",
  "instrText",
  "binData",
  "pPrChange",
  "rPrChange",
]);

export class DocxBody implements XmlEvents {
  readonly skips = skippedElements;
  readonly blocks = new MarkdownBlocks();
  /** Footnotes, endnotes and comments that the text refers to, in order. */
  readonly notes: { readonly kind: "footnote" | "endnote" | "comment"; readonly id: string }[] = [];
  /** Parts with charts and diagrams. */
  readonly references: string[] = [];
  readonly #context: DocxContext;
  #markCount = 0;
  readonly #paragraphs: Paragraph[] = [];
  readonly #tables: Table[] = [];
  #hiddenDepth = 0;
  #equation: { readonly builder: EquationBuilder; depth: number } | undefined;
  #isInTextElement = false;

  constructor(context: DocxContext) {
    this.#context = context;
  }

  open(name: string, tag: XmlTag): void {
    if (this.#hiddenDepth > 0 || hiddenElements.has(name)) {
      this.#hiddenDepth++;
      return;
    }
    if (this.#equation) {
      this.#equation.depth++;
      this.#equation.builder.open(name, tag);
      return;
    }
    DocxBody.#openers.get(name)?.(this, tag);
  }

  close(name: string): void {
    if (this.#hiddenDepth > 0) {
      this.#hiddenDepth--;
      return;
    }
    if (this.#equation) {
      this.#closeInEquation();
      return;
    }
    DocxBody.#closers.get(name)?.(this);
  }

  text(text: string): void {
    if (this.#hiddenDepth > 0) return;
    if (this.#equation) this.#equation.builder.text(text);
    else if (this.#isInTextElement) this.#inline?.add(text);
  }

  get #paragraph(): Paragraph | undefined {
    return this.#paragraphs.at(-1);
  }

  get #inline(): InlineText | undefined {
    return this.#paragraph?.inline;
  }

  static readonly #openers = toTable<(self: DocxBody, tag: XmlTag) => void>({
    p: (self) => self.#paragraphs.push({ inline: new InlineText(), style: {} }),
    pStyle: (self, tag) => self.#setParagraph({ style: self.#findStyle(tag) }),
    outlineLvl: (self, tag) => self.#setParagraph({ outline: Number(tag.get("val")) }),
    numId: (self, tag) => self.#setParagraph({ listId: tag.get("val") ?? "0" }),
    ilvl: (self, tag) => self.#setParagraph({ level: Number(tag.get("val")) || 0 }),
    r: (self) => self.#inline?.startRun(),
    b: (self, tag) => self.#inline?.setFormat("bold", isOn(tag)),
    i: (self, tag) => self.#inline?.setFormat("italic", isOn(tag)),
    strike: (self, tag) => self.#inline?.setFormat("strike", isOn(tag)),
    vanish: (self, tag) => self.#inline?.setHidden(isOn(tag)),
    rStyle: (self, tag) => {
      if (self.#findStyle(tag).isHidden) self.#inline?.setHidden(true);
    },
    vertAlign: (self, tag) => self.#inline?.setScript(tag.get("val") ?? ""),
    t: (self) => {
      self.#isInTextElement = true;
    },
    tab: (self) => self.#inline?.add("\t"),
    ptab: (self) => self.#inline?.add("\t"),
    br: (self, tag) => self.#inline?.add(tag.get("type") === "page" ? "\n\n" : "\n"),
    cr: (self) => self.#inline?.add("\n"),
    noBreakHyphen: (self) => self.#inline?.add("-"),
    sym: (self, tag) => self.#inline?.add(readSymbol(tag)),
    hyperlink: (self, tag) => self.#inline?.openLink(self.#findLink(tag)),
    footnoteReference: (self, tag) => self.#refer("footnote", tag),
    endnoteReference: (self, tag) => self.#refer("endnote", tag),
    commentReference: (self, tag) => self.#refer("comment", tag),
    docPr: (self, tag) => self.#describePicture(tag),
    chart: (self, tag) => self.#referTo(tag.get("id")),
    relIds: (self, tag) => self.#referTo(tag.get("dm")),
    oMath: (self) => {
      self.#equation = { builder: new EquationBuilder(), depth: 0 };
    },
    tbl: (self) => self.#tables.push({ rows: [], cell: undefined, span: 1 }),
    tr: (self) => self.#tables.at(-1)?.rows.push([]),
    tc: (self) => self.#setCell([]),
    gridSpan: (self, tag) => {
      const table = self.#tables.at(-1);
      if (table) table.span = Math.min(Math.max(Number(tag.get("val")) || 1, 1), MAX_SPAN);
    },
  });

  static readonly #closers = toTable<(self: DocxBody) => void>({
    p: (self) => self.#endParagraph(),
    t: (self) => {
      self.#isInTextElement = false;
    },
    r: (self) => self.#inline?.endRun(),
    hyperlink: (self) => self.#inline?.closeLink(),
    tc: (self) => self.#endCell(),
    tbl: (self) => self.#endTable(),
  });

  #setParagraph(change: Partial<Paragraph>): void {
    if (this.#paragraph) Object.assign(this.#paragraph, change);
  }

  /** Only links to other documents: bookmarks of this one mean nothing outside it. */
  #findLink(tag: XmlTag): string | undefined {
    const relation = this.#context.relations.get(tag.get("id") ?? "");
    return relation?.isExternal && /^(https?|mailto):/i.test(relation.target) ? relation.target : undefined;
  }

  #refer(kind: "footnote" | "endnote" | "comment", tag: XmlTag): void {
    const id = tag.get("id");
    if (id === undefined || this.#inline === undefined || this.notes.length >= MAX_NOTES) return;
    this.notes.push({ kind, id });
    if (kind !== "comment") this.#inline.add(`[^${this.#context.notePrefix}${++this.#markCount}]`);
  }

  #findStyle(tag: XmlTag): TextStyle {
    return this.#context.styles.get(tag.get("val") ?? "") ?? {};
  }

  #referTo(id: string | undefined): void {
    const relation = this.#context.relations.get(id ?? "");
    if (relation && !relation.isExternal && this.references.length < MAX_REFERENCES)
      this.references.push(relation.target);
  }

  #describePicture(tag: XmlTag): void {
    const description = tag.get("descr")?.trim().replaceAll(/\s+/g, " ");
    if (description) this.#inline?.add(`[image: ${description}]`);
  }

  #closeInEquation(): void {
    if (this.#equation === undefined) return;
    if (this.#equation.depth === 0) {
      const tex = this.#equation.builder.toTex();
      this.#equation = undefined;
      if (tex !== "") this.#inline?.add(`$${tex}$`);
      return;
    }
    this.#equation.depth--;
    this.#equation.builder.close();
  }

  #endParagraph(): void {
    const paragraph = this.#paragraphs.pop();
    if (paragraph === undefined) return;
    const text = paragraph.inline.end();
    const outer = this.#paragraphs.at(-1);
    const cell = this.#tables.at(-1)?.cell;
    // A text box is inside a paragraph; its text follows where it is anchored.
    if (outer !== undefined) outer.inline.add(text.trim() === "" ? "" : `\n${text}\n`);
    else if (cell !== undefined) cell.push(this.#mark(paragraph, text));
    else this.#writeParagraph(paragraph, text);
  }

  #writeParagraph(paragraph: Paragraph, text: string): void {
    const { style, outline } = paragraph;
    const heading = style.heading ?? (outline !== undefined && outline < 9 ? outline + 1 : undefined);
    if (text.trim() === "" || style.isHidden) return;
    const marker = this.#nextMarker(paragraph);
    if (style.isCode) this.blocks.code(text);
    else if (heading !== undefined) this.blocks.heading(heading, marker && marker !== "-" ? `${marker} ${text}` : text);
    else if (marker === undefined) this.blocks.paragraph(text);
    else this.blocks.item(paragraph.level ?? style.numberingLevel ?? 0, marker, text);
  }

  /** The text of a paragraph in a cell, with its list marker. */
  #mark(paragraph: Paragraph, text: string): string {
    const marker = text.trim() === "" ? undefined : this.#nextMarker(paragraph);
    return marker === undefined ? text : `${marker} ${text}`;
  }

  #nextMarker({ style, listId, level }: Paragraph): string | undefined {
    const list = listId ?? style.numberingId;
    return list === undefined ? undefined : this.#context.numbering.next(list, level ?? style.numberingLevel ?? 0);
  }

  #setCell(cell: string[]): void {
    const table = this.#tables.at(-1);
    if (table) [table.cell, table.span] = [cell, 1];
  }

  #endCell(): void {
    const table = this.#tables.at(-1);
    if (table?.cell === undefined) return;
    const text = table.cell.filter((line) => line.trim() !== "").join("\n");
    const row = table.rows.at(-1);
    if (row && row.length < MAX_CELLS) row.push(text, ...Array.from({ length: table.span - 1 }, () => ""));
    table.cell = undefined;
  }

  #endTable(): void {
    const table = this.#tables.pop();
    const outer = this.#tables.at(-1)?.cell;
    if (table === undefined) return;
    // A table inside a cell becomes lines of that cell: Markdown has no nested tables.
    if (outer) outer.push(...table.rows.map((row) => row.filter((cell) => cell !== "").join("; ")));
    else this.blocks.table(table.rows);
  }
}

const MAX_SPAN = 64;
const MAX_CELLS = 1_000;
const MAX_REFERENCES = 500;
const MAX_NOTES = 100_000;

/** A character of a symbol font. Fonts with their own alphabet (Wingdings) have no Unicode: bullets are most common. */
function readSymbol(tag: XmlTag): string {
  const code = Number.parseInt(tag.get("char") ?? "", 16);
  if (!Number.isFinite(code)) return "";
  return code >= 0xf000 && code <= 0xf0ff ? "•" : String.fromCodePoint(Math.min(code, 0x10ffff));
}
