/** Writes the chosen part of a page as Markdown or plain text in one walk, and records where its headings are. */

import type { LinkStyle, Mark } from "../../handler.ts";
import type { Choice } from "../choose/choose.ts";
import { classifyTable } from "../choose/table-kind.ts";
import { type Formula, isFormulaDrawing, readFormula } from "../math/formulas.ts";
import { isDiff } from "../tree/diffs.ts";
import { type Embed, findEmbed } from "../tree/embeds.ts";
import { type Footnotes, findFootnotes, isBackReference, isNoteLabel } from "../tree/footnotes.ts";
import { createResolver, type Resolver } from "../tree/links.ts";
import { headingTags, inlineTags } from "../tree/tags.ts";
import { collectText, type Element, listByTag, type Page } from "../tree/tree.ts";
import { BlockWriter } from "./block-writer.ts";
import { carriesCode, isCodeBlock, isLabelledCode, readCode } from "./code-blocks.ts";
import { findCodeLanguage } from "./code-language.ts";
import { DelimiterWriter } from "./delimiters.ts";
import { DuplicateDetector } from "./duplicates.ts";
import { escapeHeading, escapeLines, escapeText, MAX_LABEL_CHARS, toPlainLabel } from "./escape.ts";
import { FenceWriter, writeInlineCode } from "./fences.ts";
import { ImageWriter, isLabelledIcon } from "./images.ts";
import { formatInline, formatsByTag } from "./inline-format.ts";
import { LineBuilder } from "./line-builder.ts";
import { type LineLinks, LinkWriter } from "./link-writer.ts";
import { ListCounter } from "./list-items.ts";
import { findAtomCount } from "./superscripts.ts";
import { TableRows } from "./table-rows.ts";

/** A text, the headings in it, and how much was left out of it as duplicates. */
export type WrittenText = {
  readonly text: string;
  readonly marks: readonly Mark[];
  /** Characters of paragraphs that were not written a second time. */
  readonly duplicateChars: number;
};
export type WriteOptions = {
  readonly url?: string | undefined;
  readonly mode: "markdown" | "text";
  /** Inline if it is absent. */
  readonly links?: LinkStyle | undefined;
};

/** Writes the chosen part of a page. If most of it would be left out as duplicates, nothing is. */
export function writeMarkdown(page: Page, choice: Choice, options: WriteOptions): WrittenText {
  const writer = new PageWriter(page, choice, options);
  const firstTry = writer.write();
  if (!writer.isMostlyDuplicates) return firstTry;
  return new PageWriter(page, { ...choice, keepsRepeats: true }, options).write();
}

const preformattedTags = new Set(["pre", "xmp", "listing", "plaintext"]);
const skippedTags = new Set(["script", "style", "head", "title", "select", "textarea", "wbr", "rp", "colgroup"]);
const listTags = new Set(["ul", "ol", "menu"]);

/** The author of a comment is named within this many characters of it. */
const MAX_BYLINE_CHARS = 300;

/** An element whose children are being written, and the index of the next one. */
type Frame = { readonly element: Element; next: number };
/** A footnote that is being written, and the count of blocks before it. */
type OpenNote = { readonly element: Element; readonly label: string; readonly count: number };

/**
 * Walks the tree and turns every element into text. The methods named enter and add return whether the children of
 * the element are still to be written.
 */
class PageWriter {
  readonly #page: Page;
  readonly #choice: Choice;
  readonly #isMarkdown: boolean;
  readonly #resolve: Resolver;
  readonly #links: LinkWriter;
  readonly #footnotes: Footnotes;
  /** The first H1 of the page. */
  readonly #title: Element | undefined;
  readonly #blocks = new BlockWriter();
  readonly #line = new LineBuilder(
    (format, element, text, around) =>
      formatInline(format, element, text, {
        ...around,
        isMarkdown: this.#isMarkdown,
        isHeading: this.#headingLevel > 0,
        isTitle: this.#isTitle,
        resolve: this.#resolve,
        links: this.#links,
      }),
    (text) => (this.#isMarkdown ? escapeText(text) : text),
  );
  readonly #delimiters = new DelimiterWriter(this.#line);
  readonly #fences = new FenceWriter(this.#blocks);
  readonly #lists = new ListCounter();
  readonly #images: ImageWriter;
  readonly #duplicates = new DuplicateDetector();
  /** Whether a note is in the chosen part, for the notes that were looked up. */
  readonly #chosenNotes = new Map<Element, boolean>();
  /** The innermost element that is being written. */
  #current: Element;
  /** The level of the heading that is being written, else 0. */
  #headingLevel = 0;
  #isShortHeading = false;
  /** Whether the title is being written. */
  #isTitle = false;
  /** Text and addresses of the last heading; "" in forums, where each post repeats its headings. */
  #sectionHeading = "";
  #lastHeading: { readonly key: string; readonly level: number; readonly count: number } | undefined;
  /** Text and addresses of the last paragraph that begins with a link. */
  #lastLink: { readonly key: string; readonly count: number } | undefined;
  /** The last code block, and the count of blocks up to it. */
  #lastCode: { readonly text: string; readonly count: number } | undefined;
  #note: OpenNote | undefined;
  #table: TableRows | undefined;

  constructor(page: Page, choice: Choice, { url, mode, links = "inline" }: WriteOptions) {
    this.#page = page;
    this.#choice = choice;
    this.#current = choice.root;
    this.#isMarkdown = mode === "markdown";
    this.#resolve = createResolver(page, url, choice.isForum);
    const position = () => this.#blocks.chars + (this.#table?.chars ?? 0) + this.#line.chars;
    const kind = choice.isForum ? "thread" : choice.kind === "article" ? "article" : "other";
    this.#links = new LinkWriter({ style: links, kind, position });
    this.#images = new ImageWriter(page);
    this.#footnotes = findFootnotes(page);
    this.#title = listByTag(page, "h1")[0];
  }

  get isMostlyDuplicates(): boolean {
    return this.#duplicates.isMostlyDuplicates;
  }

  write(): WrittenText {
    const stack: Frame[] = [];
    if (this.#enter(this.#choice.root)) stack.push({ element: this.#choice.root, next: 0 });
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const child = frame.element.children[frame.next];
      frame.next += 1;
      this.#current = frame.element;
      if (child === undefined) {
        this.#leave(frame.element);
        stack.pop();
      } else if (typeof child === "string") this.#line.addText(child);
      else if (!this.#choice.dropped[child.index] && this.#enter(child)) stack.push({ element: child, next: 0 });
    }
    this.#flush();
    this.#writeLinkList();
    return { ...this.#blocks.finish(), duplicateChars: this.#duplicates.duplicateChars };
  }

  /** A section of its own, so that it can be read by its heading. */
  #writeLinkList(): void {
    const list = this.#links.list();
    if (list === "") return;
    this.#blocks.write("## Links", { label: "Links", level: 2 });
    this.#blocks.write(list);
  }

  #enter(element: Element): boolean {
    const { tag } = element;
    const formula = readFormula(element);
    if (formula !== undefined) return this.#addFormula(formula);
    if (skippedTags.has(tag) || isFormulaDrawing(element, this.#page) || this.#isNoteLabel(element)) return false;
    if (inlineTags.has(tag)) return this.#enterInline(element);
    if (preformattedTags.has(tag) || isLabelledCode(element)) return this.#addCode(element);
    if (tag === "table") return this.#enterTable(element);
    const embed = findEmbed(element);
    if (embed !== undefined) return this.#addEmbed(embed);
    if (this.#table !== undefined) return this.#enterInTable(element, this.#table);
    if (this.#isInsideHeading(tag)) return this.#addBlank();
    this.#flush();
    if (tag === "hr") return this.#addRule();
    this.#enterBlock(element);
    return true;
  }

  #leave(element: Element): void {
    const { tag } = element;
    if (inlineTags.has(tag)) this.#leaveInline(element);
    else if (this.#table !== undefined) this.#leaveInTable(element, this.#table);
    else if (this.#isInsideHeading(tag)) this.#addBlank();
    else {
      this.#flush();
      this.#leaveBlock(element);
    }
  }

  /** A block inside a heading stays on the heading's line. A long heading was never closed and contains the page. */
  #isInsideHeading(tag: string): boolean {
    return this.#isShortHeading && !headingTags.has(tag);
  }

  #addBlank(): boolean {
    this.#line.addBlank();
    return true;
  }

  // Inline elements

  #enterInline(element: Element): boolean {
    const { tag } = element;
    this.#line.beginElement(element);
    if (tag === "br") return this.#addBreak();
    if (tag === "img" || isLabelledIcon(element)) return this.#addImage(element);
    if (tag === "input") return this.#addCheckbox(element);
    const atoms = tag === "sub" ? findAtomCount(element, this.#line.lastFragment) : undefined;
    if (atoms !== undefined) return this.#addAtoms(atoms);
    if (this.#delimiters.isSideNoteNumber(element)) return false;
    const format = formatsByTag.get(tag);
    if (format === "code") return this.#enterCode(element);
    if ((format === "link" || tag === "sup") && this.#isFootnoteLink(element)) return false;
    if (format === "link" && this.#isLinkToRun(element)) return false;
    if (format === undefined) this.#delimiters.begin(element);
    else this.#line.beginFormat(element, format, format !== "link" && this.#delimiters.isInScript);
    return true;
  }

  #leaveInline(element: Element): void {
    if (!formatsByTag.has(element.tag)) this.#delimiters.end(element);
    else this.#line.endFormat();
    this.#line.endElement(element);
  }

  #enterCode(element: Element): boolean {
    const containsPre = element.children.some((child) => typeof child !== "string" && child.tag === "pre");
    if (!containsPre && this.#table === undefined && isCodeBlock(element)) return this.#addCode(element);
    this.#line.beginFormat(element, "code", containsPre);
    return true;
  }

  /** Whether a link directly after a code block runs that code. */
  #isLinkToRun(link: Element): boolean {
    const code = this.#lastCode;
    return code?.count === this.#blocks.count && this.#line.isEmpty && carriesCode(link, code.text);
  }

  #addBreak(): boolean {
    if (this.#headingLevel > 0) this.#line.addBlank();
    else this.#line.addBreak();
    return false;
  }

  #addImage(element: Element): boolean {
    if (!this.#isMarkdown) return false;
    const image = this.#images.write(element, {
      isInTable: this.#table !== undefined,
      isReference: this.#choice.keepsRepeats,
      resolve: this.#resolve,
    });
    if (image !== undefined) this.#line.add(image);
    return false;
  }

  #addAtoms(count: string): boolean {
    this.#line.add(count);
    return false;
  }

  #addCheckbox({ attributes, parent }: Element): boolean {
    if (attributes.type === "checkbox" && (parent?.tag === "li" || parent?.parent?.tag === "li")) {
      this.#line.add(attributes.checked === undefined ? "[ ] " : "[x] ");
    }
    return false;
  }

  #addFormula({ tex, isDisplay }: Formula): boolean {
    if (!isDisplay || this.#table !== undefined || this.#headingLevel > 0)
      this.#line.add(this.#isMarkdown ? `$${tex}$` : tex);
    else {
      this.#flush();
      this.#blocks.write(this.#isMarkdown ? `$$\n${tex}\n$$` : tex);
    }
    return false;
  }

  /** A link on a line of its own, if a reader can open its target. */
  #addEmbed({ label, src }: Embed): boolean {
    const target = this.#resolve(src);
    if (target === undefined || !this.#isMarkdown) return false;
    this.#line.addBreak();
    this.#line.add(this.#links.write(escapeText(label), target));
    this.#line.addBreak();
    if (this.#table === undefined) this.#flush();
    return false;
  }

  // Footnotes

  /** Whether an element is a reference to a note, which is written here, or a link back, which is left out. */
  #isFootnoteLink(element: Element): boolean {
    if (this.#note !== undefined && isBackReference(element)) return true;
    const reference = this.#isMarkdown ? this.#footnotes.references.get(element) : undefined;
    if (reference === undefined || !this.#isChosen(reference.note)) return false;
    this.#line.add(`[^${reference.label}]`);
    return true;
  }

  /** Whether an element is only the label of a note, at its start or next to it. */
  #isNoteLabel(element: Element): boolean {
    if (!this.#isMarkdown) return false;
    if (this.#note === undefined) return this.#footnotes.labels.has(element);
    const { label, count } = this.#note;
    const isFirst = this.#line.isEmpty && this.#blocks.count === count;
    return isFirst && inlineTags.has(element.tag) && isNoteLabel(element, label);
  }

  /** Whether a note is in the chosen part: a reference without its note is less useful than the link. */
  #isChosen(note: Element): boolean {
    const isChosen = this.#chosenNotes.get(note);
    if (isChosen !== undefined) return isChosen;
    let ancestor: Element | null = note;
    while (ancestor !== null && ancestor !== this.#choice.root && !this.#choice.dropped[ancestor.index])
      ancestor = ancestor.parent;
    this.#chosenNotes.set(note, ancestor === this.#choice.root);
    return ancestor === this.#choice.root;
  }

  #enterNote(element: Element, label: string): void {
    if (this.#note !== undefined) {
      if (element.tag === "li") this.#enterItem(element);
      return;
    }
    this.#note = { element, label, count: this.#blocks.count };
    this.#blocks.enter({ first: `[^${label}]: `, rest: "    " });
  }

  // Blocks

  #enterBlock(element: Element): void {
    const { tag, attributes } = element;
    const label = this.#isMarkdown ? this.#footnotes.notes.get(element) : undefined;
    this.#enterReply(element);
    if (label !== undefined) this.#enterNote(element, label);
    else if (headingTags.has(tag)) this.#enterHeading(element);
    else if (listTags.has(tag)) this.#lists.beginList(element);
    else if (tag === "li") this.#enterItem(element);
    else if (this.#isQuotation(element))
      this.#blocks.enter(this.#isMarkdown ? { first: "> ", rest: "> " } : { first: "", rest: "" });
    if (attributes["data-callout"] !== undefined && this.#isMarkdown)
      this.#line.add(`[!${attributes["data-callout"]}] `);
  }

  /** A reply is inside a quotation for each comment that it is below. */
  #enterReply(element: Element): void {
    const levels = this.#choice.replies.get(element) ?? 0;
    const mark = this.#isMarkdown ? "> " : "  ";
    for (let level = 0; level < levels; level += 1) this.#blocks.enter({ first: mark, rest: mark });
    const { author } = element.attributes;
    if (author === undefined || collectText(element, MAX_BYLINE_CHARS).includes(author)) return;
    this.#blocks.write(this.#isMarkdown ? `**${escapeText(author)}**` : author);
  }

  #leaveReply(element: Element): void {
    for (let level = this.#choice.replies.get(element) ?? 0; level > 0; level -= 1) this.#blocks.leave();
  }

  #leaveBlock(element: Element): void {
    const { tag } = element;
    if (element === this.#note?.element) {
      this.#note = undefined;
      this.#blocks.leave();
    } else if (headingTags.has(tag)) {
      this.#headingLevel = 0;
      this.#isShortHeading = false;
      this.#isTitle = false;
    } else if (listTags.has(tag)) this.#lists.endList();
    else if (tag === "li") this.#leaveItem();
    else if (this.#isQuotation(element)) this.#blocks.leave();
    this.#leaveReply(element);
  }

  #enterHeading(element: Element): void {
    this.#links.beginSection();
    this.#headingLevel = Number(element.tag[1]);
    this.#isTitle = element === this.#title;
    this.#isShortHeading = collectText(element, MAX_LABEL_CHARS).length < MAX_LABEL_CHARS;
  }

  /** Quotations, and asides and callouts, which Markdown writes as quotations; but not a box of footnotes. */
  #isQuotation({ tag, attributes, children }: Element): boolean {
    if (tag === "blockquote" || attributes["data-callout"] !== undefined) return true;
    return tag === "aside" && !children.some((child) => typeof child !== "string" && this.#footnotes.notes.has(child));
  }

  #enterItem(element: Element): void {
    const { marker, isTight } = this.#lists.beginItem(element, this.#blocks.count);
    if (isTight) this.#blocks.tighten();
    this.#blocks.enter({ first: marker, rest: " ".repeat(marker.length) });
  }

  #leaveItem(): void {
    this.#blocks.leave();
    this.#lists.endItem(this.#blocks.count);
    // What follows an item is not in the same card.
    this.#lastLink = undefined;
  }

  #addRule(): boolean {
    if (this.#isMarkdown) this.#blocks.write("---");
    return false;
  }

  /** Writes the line as a paragraph or a heading, and begins a new one. */
  #flush(): void {
    if (this.#line.isEmpty) return;
    const text = removeReferenceBrackets(this.#line.take());
    // Taking the line writes the links that are still open.
    const links = this.#links.takeLinks();
    if (text === "") return;
    if (this.#headingLevel > 0) this.#writeHeading(text.replaceAll("\n", " "), links);
    else if (!this.#isDuplicate(text, links)) {
      this.#blocks.write(this.#isMarkdown ? escapeLines(text) : text);
      this.#links.keep(links);
      if (text.startsWith("["))
        this.#lastLink = { key: headingKey(toPlainLabel(text), links), count: this.#blocks.count };
    }
  }

  /**
   * A heading directly after the same heading is a copy for another screen size. The same link directly before it is that
   * of the picture of a card.
   */
  #writeHeading(text: string, links: LineLinks): void {
    const line = this.#isMarkdown ? `${"#".repeat(this.#headingLevel)} ${escapeHeading(text)}` : text;
    const label = toPlainLabel(text);
    const [key, level] = [headingKey(label, links), this.#headingLevel];
    const last = this.#lastHeading;
    if (last?.key === key && last.level === level && last.count === this.#blocks.count) return;
    if (this.#lastLink?.key === key && this.#lastLink.count === this.#blocks.count) this.#blocks.retract();
    this.#sectionHeading = this.#choice.isForum ? "" : key;
    this.#blocks.write(line, { label, level });
    this.#links.keep(links);
    this.#lastHeading = { key, level, count: this.#blocks.count };
  }

  #isDuplicate(text: string, links: LineLinks): boolean {
    const paragraph = { text, links, heading: this.#sectionHeading };
    return !this.#choice.keepsRepeats && this.#duplicates.checkAndRecord(paragraph, this.#current);
  }

  // Code

  #addCode(element: Element): boolean {
    const text = readCode(element);
    if (text === "") return false;
    if (this.#table !== undefined) this.#addCellCode(text);
    else {
      const language = isDiff(element, this.#page) ? "diff" : findCodeLanguage(element);
      // A bar above the code with the name of its language repeats what the fence says.
      if (language !== "" && this.#isMarkdown && this.#line.label.toLowerCase() === language) this.#clearLine();
      this.#flush();
      if (this.#isMarkdown) this.#fences.write(element, language, text);
      else this.#blocks.write(text);
      this.#lastCode = { text, count: this.#blocks.count };
    }
    return false;
  }

  #clearLine(): void {
    this.#line.clear();
    this.#links.takeLinks();
  }

  /** A cell is one line of Markdown, so each line of the code becomes inline code. */
  #addCellCode(text: string): void {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    this.#line.addBreak();
    this.#line.add(this.#isMarkdown ? lines.map(writeInlineCode).join("\n") : text);
    this.#line.addBreak();
  }

  // Tables

  #enterTable(element: Element): boolean {
    const kind = this.#table === undefined ? classifyTable(this.#page, element) : "layout";
    if (kind === "code") return this.#addCode(element);
    if (this.#table !== undefined) this.#line.addBreak();
    else this.#flush();
    if (kind === "data") this.#table = new TableRows(element, this.#isMarkdown);
    return true;
  }

  #enterInTable({ tag }: Element, table: TableRows): boolean {
    if (tag === "tr") table.beginRow();
    else if (tag === "td" || tag === "th") this.#line.clear();
    else this.#line.addBreak();
    return true;
  }

  #leaveInTable(element: Element, table: TableRows): void {
    const { tag } = element;
    if (element === table.element) this.#leaveTable(table);
    else if (tag === "td" || tag === "th") table.addCell(this.#line.take(), element.attributes);
    else if (tag === "tr") table.endRow();
    else if (tag === "caption") this.#writeCaption();
    else this.#line.addBreak();
  }

  #leaveTable(table: TableRows): void {
    this.#table = undefined;
    this.#line.clear();
    const links = this.#links.takeLinks();
    const text = table.write();
    if (text === "") return;
    this.#blocks.write(text);
    this.#links.keep(links);
  }

  #writeCaption(): void {
    const text = this.#line.take();
    if (text !== "") this.#blocks.write(text);
  }
}

/** What makes two headings the same: their text and their addresses. */
function headingKey(label: string, { addresses }: LineLinks): string {
  return `${label} ${addresses}`;
}

/** References have brackets of their own: those that the page puts around them are removed. */
function removeReferenceBrackets(text: string): string {
  return text.includes("[[^") ? text.replace(/\[((?:\[\^[^\]]{1,9}\](?:[,;] ?)?)+)\]/g, "$1") : text;
}
