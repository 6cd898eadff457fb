/** Writes the text of an OpenDocument file as Markdown: paragraphs, lists, tables, notes, slides. */
import type { XmlEvents, XmlTag } from "../../xml/scan-xml.ts";
import { MarkdownBlocks } from "../markdown-blocks.ts";

type Table = { readonly rows: string[][]; cell: string[] | undefined; repeats: number };
type List = { readonly isNumbered: (depth: number) => boolean; count: number };

/** Elements whose text is not part of the document: deleted text, and what other programs show instead. */
const hiddenElements = new Set([
  "tracked-changes",
  "note-citation",
  "creator",
  "date",
  "binary-data",
  "forms",
  "event-listeners",
  "sequence-decls",
  "user-field-decls",
  "variable-decls",
  "ruby-text",
]);

/** Copies of a cell are written so often; a sheet of empty cells repeats them a million times. */
const MAX_REPEATS = 64;

export class OdfText implements XmlEvents {
  readonly blocks = new MarkdownBlocks();
  /** Footnotes and endnotes in order. */
  readonly notes: string[] = [];
  readonly comments: string[] = [];
  readonly #numberedStyles = new Map<string, Set<number>>();
  readonly #paragraphs: string[] = [];
  readonly #tables: Table[] = [];
  readonly #lists: List[] = [];
  readonly #headings: number[] = [];
  readonly #links: { readonly target: string; readonly at: number }[] = [];
  /** Notes and comments whose paragraphs are gathered apart. */
  readonly #asides: { readonly kind: "note" | "comment"; readonly lines: string[] }[] = [];
  #listStyle = "";
  #hiddenDepth = 0;

  open(name: string, tag: XmlTag): void {
    if (this.#hiddenDepth > 0 || hiddenElements.has(name)) this.#hiddenDepth++;
    else this.#openers[name]?.(tag);
  }

  close(name: string): void {
    if (this.#hiddenDepth > 0) this.#hiddenDepth--;
    else this.#closers[name]?.();
  }

  text(text: string): void {
    // Line ends of the XML are spaces; real ones are elements.
    if (this.#hiddenDepth === 0) this.#add(text.replaceAll(/\s+/g, " "));
  }

  readonly #openers: Readonly<Record<string, (tag: XmlTag) => void>> = {
    "list-style": (tag) => {
      this.#listStyle = tag.get("name") ?? "";
      this.#numberedStyles.set(this.#listStyle, new Set());
    },
    "list-level-style-number": (tag) => {
      this.#numberedStyles.get(this.#listStyle)?.add(Number(tag.get("level") ?? 1));
    },
    p: () => this.#paragraphs.push(""),
    h: (tag) => {
      this.#paragraphs.push("");
      this.#headings.push(Number(tag.get("outline-level") ?? 1) || 1);
    },
    s: (tag) => this.#add(" ".repeat(Math.min(Number(tag.get("c") ?? 1) || 1, 64))),
    tab: () => this.#add("\t"),
    "line-break": () => this.#add("\n"),
    a: (tag) => this.#links.push({ target: tag.get("href") ?? "", at: this.#paragraphs.at(-1)?.length ?? 0 }),
    list: (tag) => this.#startList(tag.get("style-name")),
    "list-item": () => this.#countItem(),
    table: () => this.#tables.push({ rows: [], cell: undefined, repeats: 1 }),
    "table-row": () => this.#tables.at(-1)?.rows.push([]),
    "table-cell": (tag) => this.#startCell(tag),
    "covered-table-cell": (tag) => this.#startCell(tag),
    note: () => this.#asides.push({ kind: "note", lines: [] }),
    annotation: () => this.#asides.push({ kind: "comment", lines: [] }),
    desc: () => this.#paragraphs.push(""),
  };

  readonly #closers: Readonly<Record<string, () => void>> = {
    "list-style": () => {
      this.#listStyle = "";
    },
    p: () => this.#endParagraph(undefined),
    h: () => this.#endParagraph(this.#headings.pop()),
    a: () => this.#endLink(),
    list: () => {
      this.#lists.pop();
    },
    "table-cell": () => this.#endCell(),
    "covered-table-cell": () => this.#endCell(),
    table: () => this.#endTable(),
    note: () => this.#endNote(),
    annotation: () => this.#endComment(),
    desc: () => {
      const text = this.#paragraphs.pop()?.trim();
      if (text) this.#write(`[image: ${text}]`, undefined);
    },
  };

  #add(text: string): void {
    const last = this.#paragraphs.length - 1;
    if (last >= 0) this.#paragraphs[last] += text;
  }

  #startList(styleName: string | undefined): void {
    const numbered = this.#numberedStyles.get(styleName ?? "");
    const outer = this.#lists.at(-1);
    const isNumbered =
      styleName === undefined && outer ? outer.isNumbered : (depth: number) => numbered?.has(depth) ?? false;
    this.#lists.push({ isNumbered, count: 0 });
  }

  #countItem(): void {
    const list = this.#lists.at(-1);
    if (list) list.count++;
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
    for (let copy = 0; copy < table.repeats; copy++) table.rows.at(-1)?.push(text);
    table.cell = undefined;
  }

  #endTable(): void {
    const table = this.#tables.pop();
    const outer = this.#tables.at(-1)?.cell;
    if (table === undefined) return;
    if (outer) outer.push(...table.rows.map((row) => row.filter((cell) => cell !== "").join("; ")));
    else this.blocks.table(table.rows);
  }

  #endLink(): void {
    const link = this.#links.pop();
    const last = this.#paragraphs.length - 1;
    const paragraph = this.#paragraphs[last];
    if (link === undefined || paragraph === undefined || !/^(https?|mailto):/i.test(link.target)) return;
    const label = paragraph.slice(link.at).trim();
    if (label !== "" && label !== link.target)
      this.#paragraphs[last] = `${paragraph.slice(0, link.at)}[${label}](${link.target})`;
  }

  #endNote(): void {
    const aside = this.#asides.pop();
    if (aside === undefined) return;
    this.notes.push(aside.lines.join(" "));
    this.#add(`[^${this.notes.length}]`);
  }

  #endComment(): void {
    const aside = this.#asides.pop();
    if (aside && aside.lines.length > 0) this.comments.push(aside.lines.join(" "));
  }

  #endParagraph(heading: number | undefined): void {
    const text = this.#paragraphs.pop();
    if (text !== undefined && text.trim() !== "") this.#write(text, heading);
  }

  #write(text: string, heading: number | undefined): void {
    const aside = this.#asides.at(-1);
    const cell = this.#tables.at(-1)?.cell;
    const outer = this.#paragraphs.length - 1;
    const list = this.#lists.at(-1);
    if (aside) aside.lines.push(text.trim());
    else if (cell) cell.push(text.trim());
    // A frame is inside a paragraph; its text follows where it is anchored.
    else if (outer >= 0) this.#paragraphs[outer] += `\n${text.trim()}\n`;
    else if (heading !== undefined) this.blocks.heading(heading, text);
    else if (list) {
      const depth = this.#lists.length;
      this.blocks.item(depth - 1, list.isNumbered(depth) ? `${Math.max(list.count, 1)}.` : "-", text);
    } else this.blocks.paragraph(text);
  }
}
