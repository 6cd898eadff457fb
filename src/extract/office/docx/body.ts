/** Writes the body of a Word document, or of its headers and notes, as Markdown. */
import type { XmlEvents, XmlTag } from "../../xml/scan-xml.ts";
import { EquationBuilder } from "../equations.ts";
import { InlineText } from "../inline-text.ts";
import { MarkdownBlocks } from "../markdown-blocks.ts";
import { toTable } from "../named-table.ts";
import type { Relation } from "../package-parts.ts";
import type { Numbering } from "./numbering.ts";
import { isOn, type TextStyle } from "./styles.ts";

/** What the body refers to in other parts. */
export type DocxContext = {
  readonly styles: ReadonlyMap<string, TextStyle>;
  readonly numbering: Numbering;
  readonly relations: ReadonlyMap<string, Relation>;
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

export class DocxBody implements XmlEvents {
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
    this.#openers.get(name)?.(tag);
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
    this.#closers.get(name)?.();
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

  readonly #openers = toTable<(tag: XmlTag) => void>({
    p: () => this.#paragraphs.push({ inline: new InlineText(), style: {} }),
    pStyle: (tag) => this.#setParagraph({ style: this.#findStyle(tag) }),
    outlineLvl: (tag) => this.#setParagraph({ outline: Number(tag.get("val")) }),
    numId: (tag) => this.#setParagraph({ listId: tag.get("val") ?? "0" }),
    ilvl: (tag) => this.#setParagraph({ level: Number(tag.get("val")) || 0 }),
    r: () => this.#inline?.startRun(),
    b: (tag) => this.#inline?.setFormat("bold", isOn(tag)),
    i: (tag) => this.#inline?.setFormat("italic", isOn(tag)),
    strike: (tag) => this.#inline?.setFormat("strike", isOn(tag)),
    vanish: (tag) => this.#inline?.setHidden(isOn(tag)),
    rStyle: (tag) => {
      if (this.#findStyle(tag).isHidden) this.#inline?.setHidden(true);
    },
    vertAlign: (tag) => this.#inline?.setScript(tag.get("val") ?? ""),
    t: () => {
      this.#isInTextElement = true;
    },
    tab: () => this.#inline?.add("\t"),
    ptab: () => this.#inline?.add("\t"),
    br: (tag) => this.#inline?.add(tag.get("type") === "page" ? "\n\n" : "\n"),
    cr: () => this.#inline?.add("\n"),
    noBreakHyphen: () => this.#inline?.add("-"),
    sym: (tag) => this.#inline?.add(readSymbol(tag)),
    hyperlink: (tag) => this.#inline?.openLink(this.#findLink(tag)),
    footnoteReference: (tag) => this.#refer("footnote", tag),
    endnoteReference: (tag) => this.#refer("endnote", tag),
    commentReference: (tag) => this.#refer("comment", tag),
    docPr: (tag) => this.#describePicture(tag),
    chart: (tag) => this.#referTo(tag.get("id")),
    relIds: (tag) => this.#referTo(tag.get("dm")),
    oMath: () => {
      this.#equation = { builder: new EquationBuilder(), depth: 0 };
    },
    tbl: () => this.#tables.push({ rows: [], cell: undefined, span: 1 }),
    tr: () => this.#tables.at(-1)?.rows.push([]),
    tc: () => this.#setCell([]),
    gridSpan: (tag) => {
      const table = this.#tables.at(-1);
      if (table) table.span = Math.min(Math.max(Number(tag.get("val")) || 1, 1), MAX_SPAN);
    },
  });

  readonly #closers = toTable<() => void>({
    p: () => this.#endParagraph(),
    t: () => {
      this.#isInTextElement = false;
    },
    r: () => this.#inline?.endRun(),
    hyperlink: () => this.#inline?.closeLink(),
    tc: () => this.#endCell(),
    tbl: () => this.#endTable(),
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
    if (kind !== "comment") this.#inline.add(`[^${++this.#markCount}]`);
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
