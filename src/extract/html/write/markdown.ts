/** Writes the chosen part of a page as Markdown, or as plain text, in one walk, and notes where its headings stand. */

import type { Choice } from "../choose/choose.ts";
import { type Formula, isFormulaDrawing, readFormula } from "../math/formulas.ts";
import { type Embed, embedOf } from "../tree/embeds.ts";
import { createResolver, isAnchorSign, isSkipLink, type Resolver } from "../tree/links.ts";
import { headings, inlineTags } from "../tree/tags.ts";
import { type Element, flatText, type Page } from "../tree/tree.ts";
import { Blocks, type Mark } from "./blocks.ts";
import { codeText, isCodeBlock, isCodeHolder } from "./code-blocks.ts";
import { codeLanguage } from "./code-language.ts";
import { Copies } from "./duplicates.ts";
import { escapeHeading, escapeLineStarts, escapeLinkText, escapeText, labelChars, plainLabel } from "./escape.ts";
import { continued, continues, fenced, inlineCode, type Listing } from "./fences.ts";
import {
  type Footnotes,
  findFootnotes,
  isBackReference,
  isNoteLabel,
  isSideNote,
  isSideNoteNumber,
} from "./footnotes.ts";
import { Line, type WrapKind } from "./inline-line.ts";
import { isSection, itemNumber } from "./list-items.ts";
import { type RaisedSigns, raisedSigns } from "./superscripts.ts";
import { tableKind } from "./table-kind.ts";
import { TableRows } from "./table-rows.ts";

export type Written = {
  readonly text: string;
  readonly marks: readonly Mark[];
  /** Characters of paragraphs that were not written a second time. */
  readonly copiedChars: number;
};
export type WriteOptions = { readonly url?: string | undefined; readonly mode: "markdown" | "text" };

/** The text of a page's chosen part. */
export function writeMarkdown(page: Page, choice: Choice, options: WriteOptions): Written {
  const walk = new Walk(page, choice, options);
  const written = walk.write();
  return walk.leftOutMost ? new Walk(page, { ...choice, keepsRepeats: true }, options).write() : written;
}

const wrapKinds: Readonly<Record<string, WrapKind>> = {
  strong: "strong",
  b: "strong",
  em: "emphasis",
  i: "emphasis",
  del: "strike",
  s: "strike",
  strike: "strike",
  code: "code",
  kbd: "code",
  samp: "code",
  tt: "code",
  a: "link",
};
const preformatted = new Set(["pre", "xmp", "listing", "plaintext"]);
const unwritten = new Set(["script", "style", "head", "title", "select", "textarea", "wbr", "rp", "colgroup"]);
const lists = new Set(["ul", "ol", "menu"]);

const leastNameChars = 20;

/** As Pandoc writes a note in its line. */
const sideNote: RaisedSigns = { before: " ^[", after: "]" };

type Frame = { readonly element: Element; next: number };
type List = { readonly isOrdered: boolean; number: number; items: number };
/** A footnote, and how many blocks stand before it. */
type Note = { readonly element: Element; readonly label: string; readonly count: number };

class Walk {
  readonly #page: Page;
  readonly #choice: Choice;
  readonly #isMarkdown: boolean;
  readonly #resolve: Resolver;
  readonly #footnotes: Footnotes;
  readonly #blocks = new Blocks();
  readonly #line = new Line(
    (kind, element, text) => this.#wrapped(kind, element, text),
    (text) => (this.#isMarkdown ? escapeText(text) : text),
  );
  readonly #lists: List[] = [];
  /** Inline elements that end with a sign, innermost last. */
  readonly #endings: { readonly element: Element; readonly after: string }[] = [];
  readonly #keptNotes = new Map<Element, boolean>();
  readonly #copies = new Copies();
  readonly #pictures = new Set<string>();
  /** The innermost element that is being written. */
  #at: Element;
  #heading = 0;
  #isShortHeading = false;
  #underHeading = "";
  #lastHeading: { readonly line: string; readonly count: number } | undefined;
  #note: Note | undefined;
  #table: TableRows | undefined;
  #listing: Listing | undefined;

  constructor(page: Page, choice: Choice, { url, mode }: WriteOptions) {
    this.#page = page;
    this.#choice = choice;
    this.#at = choice.root;
    this.#isMarkdown = mode === "markdown";
    this.#resolve = createResolver(page, url);
    this.#footnotes = findFootnotes(page);
  }

  get leftOutMost(): boolean {
    return this.#copies.areMost;
  }

  write(): Written {
    const stack: Frame[] = [];
    if (this.#enter(this.#choice.root)) stack.push({ element: this.#choice.root, next: 0 });
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const child = frame.element.children[frame.next];
      frame.next += 1;
      this.#at = frame.element;
      if (child === undefined) {
        this.#leave(frame.element);
        stack.pop();
      } else if (typeof child === "string") this.#line.addText(child);
      else if (!this.#choice.dropped[child.index] && this.#enter(child)) stack.push({ element: child, next: 0 });
    }
    this.#flush();
    return { ...this.#blocks.finish(), copiedChars: this.#copies.chars };
  }

  /** Begins an element; false when it is written already or has nothing to say. */
  #enter(element: Element): boolean {
    const { tag } = element;
    const tex = readFormula(element);
    if (tex !== undefined) return this.#addTex(tex);
    if (unwritten.has(tag) || isFormulaDrawing(element, this.#page) || this.#isNoteLabel(element)) return false;
    if (inlineTags.has(tag)) return this.#enterInline(element);
    if (preformatted.has(tag) || isCodeHolder(element)) return this.#addCode(element);
    if (tag === "table") return this.#enterTable(element);
    const embed = embedOf(element);
    if (embed !== undefined) return this.#addEmbed(embed);
    if (this.#table !== undefined) return this.#enterInTable(element, this.#table);
    if (this.#isOneLine(tag)) return this.#addBlank();
    this.#flush();
    if (tag === "hr") return this.#addRule();
    this.#enterBlock(element);
    return true;
  }

  #leave(element: Element): void {
    const { tag } = element;
    if (inlineTags.has(tag)) this.#leaveInline(element);
    else if (this.#table !== undefined) this.#leaveInTable(element, this.#table);
    else if (this.#isOneLine(tag)) this.#addBlank();
    else {
      this.#flush();
      this.#leaveBlock(element);
    }
  }

  /** What stands in a heading is one heading, however it is laid out; in one that nobody closed stands the page. */
  #isOneLine(tag: string): boolean {
    return this.#isShortHeading && !headings.has(tag);
  }

  #addBlank(): boolean {
    this.#line.addBlank();
    return true;
  }

  // Inline elements

  #enterInline(element: Element): boolean {
    const { tag } = element;
    this.#line.meet(element);
    if (tag === "br") return this.#addBreak();
    if (tag === "img") return this.#addImage(element);
    if (tag === "input") return this.#addCheckbox(element);
    if (this.#line.end === sideNote.before && isSideNoteNumber(element)) return false;
    const kind = wrapKinds[tag];
    if (kind === "code") return this.#enterCode(element);
    if ((kind === "link" || tag === "sup") && this.#isFootnoteMark(element)) return false;
    if (kind !== undefined) this.#line.open(element, kind, kind !== "link" && this.#isRaised);
    else this.#enterSigned(element);
    return true;
  }

  #leaveInline(element: Element): void {
    if (wrapKinds[element.tag] !== undefined) this.#line.close();
    else this.#leaveSigned(element);
    this.#line.part(element);
  }

  /** Text that a browser sets apart by its place or by signs of its own. */
  #enterSigned(element: Element): void {
    const signs = this.#signsOf(element);
    if (signs === undefined) return;
    this.#line.add(signs.before);
    this.#endings.push({ element, after: signs.after });
  }

  #leaveSigned(element: Element): void {
    const ending = this.#endings.at(-1);
    if (ending?.element !== element) return;
    this.#endings.pop();
    if (ending.after !== "") this.#line.add(ending.after);
  }

  /** The letters of a power are not emphasized once more. */
  get #isRaised(): boolean {
    const tag = this.#endings.at(-1)?.element.tag;
    return tag === "sup" || tag === "sub";
  }

  #signsOf(element: Element): RaisedSigns | undefined {
    const { tag } = element;
    if (tag === "sup" || tag === "sub") return raisedSigns(element, this.#line.end);
    if (tag === "rt") return flatText(element, 1) === "" ? undefined : { before: "(", after: ")" };
    if (!this.#line.isEmpty && isSideNote(element)) return sideNote;
    if (tag !== "q") return undefined;
    const isNested = this.#endings.some(({ after }) => after === "”");
    return isNested ? { before: "‘", after: "’" } : { before: "“", after: "”" };
  }

  #enterCode(element: Element): boolean {
    const holdsPre = element.children.some((child) => typeof child !== "string" && child.tag === "pre");
    if (!holdsPre && this.#table === undefined && isCodeBlock(element)) return this.#addCode(element);
    this.#line.open(element, "code", holdsPre);
    return true;
  }

  #isFootnoteMark(mark: Element): boolean {
    if (this.#note !== undefined && isBackReference(mark)) return true;
    const reference = this.#isMarkdown ? this.#footnotes.references.get(mark) : undefined;
    if (reference === undefined || !this.#isKept(reference.note)) return false;
    this.#line.add(`[^${reference.label}]`);
    return true;
  }

  /** What stands at the start of a note, or beside it, and says only which one it is. */
  #isNoteLabel(element: Element): boolean {
    if (!this.#isMarkdown) return false;
    if (this.#note === undefined) return this.#footnotes.labels.has(element);
    const { label, count } = this.#note;
    const isFirst = this.#line.isEmpty && this.#blocks.count === count;
    return isFirst && inlineTags.has(element.tag) && isNoteLabel(element, label);
  }

  /** Whether a note stands in what is written; a label that leads nowhere says less than the link. */
  #isKept(note: Element): boolean {
    const known = this.#keptNotes.get(note);
    if (known !== undefined) return known;
    let one: Element | null = note;
    while (one !== null && one !== this.#choice.root && !this.#choice.dropped[one.index]) one = one.parent;
    this.#keptNotes.set(note, one === this.#choice.root);
    return one === this.#choice.root;
  }

  #wrapped(kind: WrapKind, element: Element, text: string): string {
    if (!this.#isMarkdown) return kind === "link" && isAnchorSign(text) ? "" : text;
    if (kind === "link") return this.#linked(element, text);
    if (kind === "code") return inlineCode(text);
    if (text.includes("\n") || this.#heading > 0) return text;
    if (kind === "strong") return `**${text}**`;
    return kind === "emphasis" ? `*${text}*` : `~~${text}~~`;
  }

  #linked({ attributes }: Element, text: string): string {
    if (isAnchorSign(text) || isSkipLink(attributes.href, text)) return "";
    // A heading that links to itself is only a heading.
    if (attributes.href === undefined || (this.#heading > 0 && attributes.href.startsWith("#"))) return text;
    const target = this.#resolve(attributes.href);
    return target === undefined ? text : `[${escapeLinkText(text.replaceAll("\n", " "))}](${target})`;
  }

  #addBreak(): boolean {
    if (this.#heading > 0) this.#line.addBlank();
    else this.#line.addBreak();
    return false;
  }

  #addImage({ attributes }: Element): boolean {
    const alt = (attributes.alt ?? "").replace(/\s+/g, " ").trim();
    if (alt === "" || isFileName(alt) || !this.#isMarkdown || this.#isShownBefore(alt)) return false;
    this.#line.add(`![${alt.replaceAll("[", "(").replaceAll("]", ")")}]()`);
    return false;
  }

  /** Galleries show one thing from all sides under one name; short names are signs, which say the same again and again. */
  #isShownBefore(alt: string): boolean {
    if (alt.length < leastNameChars || this.#table !== undefined) return false;
    const isKnown = this.#pictures.has(alt);
    this.#pictures.add(alt);
    return isKnown;
  }

  #addCheckbox({ attributes, parent }: Element): boolean {
    if (attributes.type === "checkbox" && (parent?.tag === "li" || parent?.parent?.tag === "li")) {
      this.#line.add(attributes.checked === undefined ? "[ ] " : "[x] ");
    }
    return false;
  }

  #addTex({ tex, isDisplay }: Formula): boolean {
    if (!isDisplay || this.#table !== undefined || this.#heading > 0)
      this.#line.add(this.#isMarkdown ? `$${tex}$` : tex);
    else {
      this.#flush();
      this.#blocks.write(this.#isMarkdown ? `$$\n${tex}\n$$` : tex);
    }
    return false;
  }

  /** A link on a line of its own; only to where a reader can go. */
  #addEmbed({ label, src }: Embed): boolean {
    const target = this.#resolve(src);
    if (target === undefined || !this.#isMarkdown) return false;
    this.#line.addBreak();
    this.#line.add(`[${escapeLinkText(escapeText(label))}](${target})`);
    this.#line.addBreak();
    if (this.#table === undefined) this.#flush();
    return false;
  }

  // Blocks

  #enterBlock(element: Element): void {
    const { tag, attributes } = element;
    const label = this.#isMarkdown ? this.#footnotes.notes.get(element) : undefined;
    if (label !== undefined) this.#enterNote(element, label);
    else if (headings.has(tag)) this.#enterHeading(element);
    else if (lists.has(tag)) this.#enterList(element);
    else if (tag === "li") this.#enterItem(element);
    else if (this.#isQuotation(element))
      this.#blocks.enter(this.#isMarkdown ? { first: "> ", rest: "> " } : { first: "", rest: "" });
    if (attributes["data-callout"] !== undefined && this.#isMarkdown)
      this.#line.add(`[!${attributes["data-callout"]}] `);
  }

  #enterHeading(element: Element): void {
    this.#heading = Number(element.tag[1]);
    this.#isShortHeading = flatText(element, labelChars).length < labelChars;
  }

  #leaveBlock(element: Element): void {
    const { tag } = element;
    if (element === this.#note?.element) {
      this.#note = undefined;
      this.#blocks.leave();
    } else if (headings.has(tag)) {
      this.#heading = 0;
      this.#isShortHeading = false;
    } else if (lists.has(tag)) this.#lists.pop();
    else if (tag === "li" || this.#isQuotation(element)) this.#blocks.leave();
  }

  /** Quotations, and remarks and callouts, which Markdown writes as quotations with a type; not a box of notes. */
  #isQuotation({ tag, attributes, children }: Element): boolean {
    if (tag === "blockquote" || attributes["data-callout"] !== undefined) return true;
    return tag === "aside" && !children.some((child) => typeof child !== "string" && this.#footnotes.notes.has(child));
  }

  #enterNote(element: Element, label: string): void {
    if (this.#note !== undefined) {
      if (element.tag === "li") this.#enterItem(element);
      return;
    }
    this.#note = { element, label, count: this.#blocks.count };
    this.#blocks.enter({ first: `[^${label}]: `, rest: "    " });
  }

  #enterList({ tag, attributes }: Element): void {
    const number = itemNumber(attributes.start) ?? 1;
    this.#lists.push({ isOrdered: tag === "ol", number, items: 0 });
  }

  #enterItem(element: Element): void {
    const list = this.#lists.at(-1);
    const number = itemNumber(element.attributes.value) ?? list?.number ?? 1;
    const marker = list?.isOrdered ? `${number}. ` : isSection(element) ? "" : "- ";
    if (list !== undefined) {
      if (marker !== "" && (list.items > 0 || this.#lists.length > 1)) this.#blocks.tighten();
      list.number = number + 1;
      list.items += 1;
    }
    this.#blocks.enter({ first: marker, rest: " ".repeat(marker.length) });
  }

  #addRule(): boolean {
    if (this.#isMarkdown) this.#blocks.write("---");
    return false;
  }

  #flush(): void {
    if (this.#line.isEmpty) return;
    const text = withoutOuterBrackets(this.#line.take());
    if (text === "") return;
    if (this.#heading > 0) this.#writeHeading(text.replaceAll("\n", " "));
    else if (!this.#isRepeated(text)) this.#blocks.write(this.#isMarkdown ? escapeLineStarts(text) : text);
  }

  /** A heading right after the same one is a copy for another screen. */
  #writeHeading(text: string): void {
    const line = this.#isMarkdown ? `${"#".repeat(this.#heading)} ${escapeHeading(text)}` : text;
    if (this.#lastHeading?.line === line && this.#lastHeading.count === this.#blocks.count) return;
    this.#underHeading = this.#choice.isForum ? "" : text;
    this.#blocks.write(line, { label: plainLabel(text), level: this.#heading });
    this.#lastHeading = { line, count: this.#blocks.count };
  }

  #isRepeated(text: string): boolean {
    return !this.#choice.keepsRepeats && this.#copies.isCopy(text, this.#underHeading, this.#at);
  }

  // Code

  #addCode(element: Element): boolean {
    const text = codeText(element);
    if (text === "") return false;
    if (this.#table !== undefined) this.#addCellCode(text);
    else {
      const language = codeLanguage(element);
      // A bar above the code that names its language: the fence does.
      if (language !== "" && this.#isMarkdown && this.#line.label.toLowerCase() === language) this.#line.clear();
      this.#flush();
      if (this.#isMarkdown) this.#writeListing(element, language, text);
      else this.#blocks.write(text);
    }
    return false;
  }

  /** A cell is one line: each line of the code is written for itself. */
  #addCellCode(text: string): void {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    this.#line.addBreak();
    this.#line.add(this.#isMarkdown ? lines.map(inlineCode).join("\n") : text);
    this.#line.addBreak();
  }

  #writeListing(element: Element, language: string, text: string): void {
    const listing = this.#listing;
    const merges =
      listing !== undefined && listing.count === this.#blocks.count && continues(listing, element, language);
    if (merges) this.#blocks.retract();
    const whole = merges ? continued(listing, text) : text;
    this.#blocks.write(fenced(whole, language));
    this.#listing = { element, language, text: whole, count: this.#blocks.count };
  }

  // Tables

  #enterTable(element: Element): boolean {
    const kind = this.#table === undefined ? tableKind(this.#page, element) : "layout";
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
    const text = table.write();
    if (text !== "") this.#blocks.write(text);
  }

  #writeCaption(): void {
    const text = this.#line.take();
    if (text !== "") this.#blocks.write(text);
  }
}

/** Footnotes have brackets of their own. */
function withoutOuterBrackets(text: string): string {
  return text.includes("[[^") ? text.replace(/\[((?:\[\^[^\]]{1,9}\](?:[,;] ?)?)+)\]/g, "$1") : text;
}

function isFileName(alt: string): boolean {
  return /^[^ ]+\.(?:jpe?g|png|gif|webp|svg|avif)$/i.test(alt);
}
