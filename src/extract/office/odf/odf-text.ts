/** Writes the text of an OpenDocument file as Markdown: paragraphs, lists, tables, notes, comments. */

import { MarkdownBlocks } from "../../markdown-blocks.ts";
import type { XmlEvents, XmlTag } from "../../xml/scan-xml.ts";
import { InlineText } from "../inline-text.ts";
import { toTable } from "../named-table.ts";
import type { OdfStyle, OdfStyles } from "./odf-styles.ts";

/** What the text refers to. */
export type OdfContext = {
  readonly styles: OdfStyles;
  /** The text of embedded objects, such as formulas and charts, by their path. */
  readonly objects: ReadonlyMap<string, string>;
};

type Paragraph = { readonly inline: InlineText; readonly heading: number | undefined; readonly isHidden: boolean };
type Table = { readonly rows: string[][]; cell: string[] | undefined; repeats: number };
type List = { readonly style: string; readonly id: string; count: number; isMarked: boolean };

/** A footnote or comment, whose paragraphs are gathered apart. */
type Aside = { readonly kind: "note" | "comment"; readonly lines: string[]; author: string };

/** Elements whose text is not part of the document: deleted text, and what other programs show instead. */
const hiddenElements = new Set([
  "tracked-changes",
  "note-citation",
  "date",
  "date-string",
  "binary-data",
  "forms",
  "event-listeners",
  "sequence-decls",
  "user-field-decls",
  "variable-decls",
  "ruby-text",
  "creator-initials",
]);

/** Copies of a cell are written so often; a sheet of empty cells repeats them a million times. */
const MAX_REPEATS = 64;
const MAX_CELLS = 1_000;

export class OdfText implements XmlEvents {
  readonly blocks = new MarkdownBlocks();
  /** Footnotes and endnotes in order. */
  readonly notes: string[] = [];
  readonly comments: string[] = [];
  readonly #context: OdfContext;
  readonly #paragraphs: Paragraph[] = [];
  readonly #spans: OdfStyle[] = [];
  readonly #tables: Table[] = [];
  readonly #lists: List[] = [];
  readonly #asides: Aside[] = [];
  /** Last numbers of ended lists, by style and by id, for lists that continue them. */
  readonly #counts = new Map<string, number>();
  /** Text of an element that is not a paragraph: the author of a comment, the description of a picture. */
  #label: { readonly element: string; text: string } | undefined;
  #hiddenDepth = 0;

  constructor(context: OdfContext) {
    this.#context = context;
  }

  open(name: string, tag: XmlTag): void {
    if (this.#hiddenDepth > 0 || hiddenElements.has(name) || isHiddenElement(name, tag)) this.#hiddenDepth++;
    else OdfText.#openers.get(name)?.(this, tag);
  }

  close(name: string): void {
    if (this.#hiddenDepth > 0) this.#hiddenDepth--;
    else OdfText.#closers.get(name)?.(this);
  }

  text(text: string): void {
    if (this.#hiddenDepth > 0) return;
    // Line ends of the XML are spaces; real ones are elements.
    const line = unevenSpace.test(text) ? text.replaceAll(/\s+/g, " ") : text;
    if (this.#label) this.#label.text += line;
    else this.#inline?.add(line);
  }

  get #inline(): InlineText | undefined {
    return this.#paragraphs.at(-1)?.inline;
  }

  static readonly #openers = toTable<(self: OdfText, tag: XmlTag) => void>({
    p: (self, tag) => self.#startParagraph(tag, undefined),
    h: (self, tag) => self.#startParagraph(tag, Number(tag.get("outline-level") ?? 1) || 1),
    span: (self, tag) => self.#startSpan(tag),
    s: (self, tag) => self.#inline?.add(" ".repeat(Math.min(Number(tag.get("c") ?? 1) || 1, 64))),
    tab: (self) => self.#inline?.add("\t"),
    "line-break": (self) => self.#inline?.add("\n"),
    a: (self, tag) => self.#startLink(tag.get("href") ?? ""),
    list: (self, tag) => self.#startList(tag),
    "list-item": (self, tag) => self.#startItem(tag),
    table: (self) => self.#tables.push({ rows: [], cell: undefined, repeats: 1 }),
    "table-row": (self) => self.#tables.at(-1)?.rows.push([]),
    "table-cell": (self, tag) => self.#startCell(tag),
    "covered-table-cell": (self, tag) => self.#startCell(tag),
    note: (self) => self.#asides.push({ kind: "note", lines: [], author: "" }),
    annotation: (self) => self.#asides.push({ kind: "comment", lines: [], author: "" }),
    creator: (self) => self.#startLabel("creator"),
    desc: (self) => self.#startLabel("desc"),
    object: (self, tag) => self.#addObject(tag.get("href") ?? ""),
  });

  static readonly #closers = toTable<(self: OdfText) => void>({
    p: (self) => self.#endParagraph(),
    h: (self) => self.#endParagraph(),
    span: (self) => self.#endSpan(),
    a: (self) => self.#inline?.closeLink(),
    list: (self) => self.#endList(),
    "table-cell": (self) => self.#endCell(),
    "covered-table-cell": (self) => self.#endCell(),
    table: (self) => self.#endTable(),
    note: (self) => self.#endNote(),
    annotation: (self) => self.#endComment(),
    creator: (self) => self.#endAuthor(),
    desc: (self) => self.#endDescription(),
  });

  #startParagraph(tag: XmlTag, heading: number | undefined): void {
    const { isHidden = false } = this.#context.styles.find(tag.get("style-name"));
    this.#paragraphs.push({ inline: new InlineText(), heading, isHidden });
  }

  #startSpan(tag: XmlTag): void {
    const outer = this.#spans.at(-1) ?? {};
    this.#spans.push({ ...outer, ...this.#context.styles.find(tag.get("style-name")) });
    this.#applySpan();
  }

  #endSpan(): void {
    this.#spans.pop();
    this.#applySpan();
  }

  #applySpan(): void {
    const { isBold = false, isItalic = false, isStrike = false, isHidden = false } = this.#spans.at(-1) ?? {};
    this.#inline?.startRun();
    this.#inline?.setFormat("bold", isBold);
    this.#inline?.setFormat("italic", isItalic);
    this.#inline?.setFormat("strike", isStrike);
    this.#inline?.setHidden(isHidden);
  }

  #startLink(target: string): void {
    this.#inline?.openLink(/^(https?|mailto):/i.test(target) ? target : undefined);
  }

  #startList(tag: XmlTag): void {
    const style = tag.get("style-name") ?? this.#lists.at(-1)?.style ?? "";
    const continued = tag.get("continue-list") ?? (tag.get("continue-numbering") === "true" ? style : "");
    const start = this.#context.styles.findStart(style, this.#lists.length + 1) - 1;
    const count = (continued === "" ? undefined : this.#counts.get(continued)) ?? start;
    this.#lists.push({ style, id: tag.get("id") ?? "", count, isMarked: false });
  }

  #endList(): void {
    const list = this.#lists.pop();
    if (list === undefined) return;
    for (const key of [list.style, list.id]) if (key !== "") this.#counts.set(key, list.count);
  }

  #startItem(tag: XmlTag): void {
    const list = this.#lists.at(-1);
    if (list === undefined) return;
    list.count = Number(tag.get("start-value")) || list.count + 1;
    list.isMarked = false;
  }

  #startCell(tag: XmlTag): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    table.cell = [];
    table.repeats = Math.min(Number(tag.get("number-columns-repeated") ?? 1) || 1, MAX_REPEATS);
  }

  #endCell(): void {
    const table = this.#tables.at(-1);
    if (table?.cell === undefined) return;
    const text = table.cell.join("\n");
    const row = table.rows.at(-1);
    for (let copy = 0; copy < table.repeats && row && row.length < MAX_CELLS; copy++) row.push(text);
    table.cell = undefined;
  }

  #endTable(): void {
    const table = this.#tables.pop();
    const outer = this.#tables.at(-1)?.cell;
    if (table === undefined) return;
    if (outer) outer.push(...table.rows.map((row) => row.filter((cell) => cell !== "").join("; ")));
    else this.blocks.table(table.rows);
  }

  #endNote(): void {
    const aside = this.#asides.pop();
    if (aside === undefined) return;
    this.notes.push(aside.lines.join(" "));
    this.#inline?.add(`[^${this.notes.length}]`);
  }

  #endComment(): void {
    const aside = this.#asides.pop();
    if (aside && aside.lines.length > 0) this.comments.push(`${aside.author || "Comment"}: ${aside.lines.join(" ")}`);
  }

  /** Descriptions and authors are not paragraphs. */
  #startLabel(element: string): void {
    this.#label = { element, text: "" };
  }

  #takeLabel(): string {
    const text = this.#label?.text.trim() ?? "";
    this.#label = undefined;
    return text;
  }

  #endAuthor(): void {
    const author = this.#takeLabel();
    const aside = this.#asides.at(-1);
    if (aside) aside.author = author;
    // Elsewhere it is a field in the text.
    else this.#inline?.add(author);
  }

  #endDescription(): void {
    const text = this.#takeLabel();
    if (text !== "") this.#addBlock(`[image: ${text}]`);
  }

  #addObject(path: string): void {
    const text = this.#context.objects.get(path.replace(/^(\.\/)+/, "").replace(/\/$/, ""));
    if (text === undefined) return;
    if (this.#inline && !text.includes("\n")) this.#inline.add(text);
    else this.#addBlock(text);
  }

  #endParagraph(): void {
    const paragraph = this.#paragraphs.pop();
    if (paragraph === undefined || paragraph.isHidden) return;
    const text = paragraph.inline.end();
    if (text.trim() === "") return;
    if (this.#addInside(text.trim())) return;
    const list = this.#lists.at(-1);
    if (paragraph.heading !== undefined) this.blocks.heading(paragraph.heading, text);
    else if (list) this.#writeItem(list, text);
    else this.blocks.paragraph(text);
  }

  /** Text that is not a paragraph of its own. */
  #addBlock(text: string): void {
    if (!this.#addInside(text)) this.blocks.paragraph(text);
  }

  /** Adds the text to the note, cell or paragraph that it is in. Returns whether there is one. */
  #addInside(text: string): boolean {
    const aside = this.#asides.at(-1);
    const cell = this.#tables.at(-1)?.cell;
    if (aside) aside.lines.push(text);
    else if (cell) cell.push(text);
    // A frame is inside a paragraph; its text follows where it is anchored.
    else if (this.#inline) this.#inline.add(`\n${text}\n`);
    else return false;
    return true;
  }

  #writeItem(list: List, text: string): void {
    const depth = this.#lists.length;
    if (list.isMarked) this.blocks.itemText(depth - 1, text);
    else this.blocks.item(depth - 1, this.#context.styles.makeMarker(list.style, depth, list.count), text);
    list.isMarked = true;
  }
}

const unevenSpace = /[^\S ]|\s\s/;

/** Parts that the author has hidden, with or without a condition that holds. */
function isHiddenElement(name: string, tag: XmlTag): boolean {
  if (name === "section") return tag.get("display") === "none";
  return (name === "hidden-text" || name === "hidden-paragraph") && tag.get("is-hidden") === "true";
}
