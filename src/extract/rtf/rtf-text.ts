/** Reads the text of RTF: headings, paragraphs, tables, lists and notes, in any code page. Pictures are skipped. */
import type { DocumentFacts } from "../handler.ts";
import { MarkdownBlocks } from "../markdown-blocks.ts";
import { findCharset, fontCharsets } from "./rtf-charsets.ts";

/** Groups that hold no text of the document. Groups that begin with `\*` are skipped too. */
const skippedGroups = new Set(
  (
    "fonttbl colortbl listtable list listlevel leveltext levelnumbers listname listoverridetable listoverride " +
    "info pict object objdata themedata colorschememapping datastore latentstyles rsidtbl generator fldinst xe tc " +
    "filetbl revtbl mmathPr pgdsctbl nonshppict bkmkstart bkmkend"
  ).split(" "),
);

/** Groups whose text belongs somewhere else than where it is written. */
const capturedGroups: Readonly<Record<string, CaptureKind>> = {
  footnote: "note",
  header: "header",
  headerl: "header",
  headerr: "header",
  headerf: "header",
  footer: "footer",
  footerl: "footer",
  footerr: "footer",
  footerf: "footer",
};

/** Control words that mean a character. */
const characters: Readonly<Record<string, string>> = {
  tab: "\t",
  line: "\n",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  bullet: "•",
  endash: "–",
  emdash: "—",
  emspace: " ",
  enspace: " ",
  qmspace: " ",
};

type CaptureKind = "note" | "header" | "footer";

/** What text inside a group becomes. */
type Use = "text" | "nothing" | "style" | "title" | "author";

type Group = { use: Use; unicodeSkip: number; isHidden: boolean; charset: string };

/** A group whose text is collected apart, and the paragraph that it interrupts. */
type Capture = { readonly kind: CaptureKind; readonly depth: number; readonly interrupted: string };

/** Deeper groups are not nested: no writer goes so far. */
const MAX_DEPTH = 1_000;

/** Longer paragraphs and tables are written in pieces, so that memory stays small. */
const MAX_PARAGRAPH_CHARS = 1024 * 1024;
const MAX_TABLE_ROWS = 5_000;
const MAX_NOTES = 10_000;

/** Words, symbols, escaped bytes and text. */
const TOKEN = /\\([a-z]+)(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z'])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\/giy;

/** The number or bullet that writers put in front of an item, for readers that know no lists. */
const ITEM_MARKER = /^\s*(?:([•·▪◦‣–\uf0a7\uf0b7o-])|(\w{1,5}[.)]))\t\s*/u;

/** Scans RTF from chunks of bytes decoded as Latin 1. */
export class RtfText {
  readonly blocks = new MarkdownBlocks();
  #groups: Group[] = [];
  #group: Group = { use: "text", unicodeSkip: 1, isHidden: false, charset: "windows-1252" };
  #isGroupStart = false;
  #skipChars = 0;
  #binaryBytes = 0;
  #bytes: number[] = [];
  #paragraph = "";
  #cells: string[] = [];
  #rows: string[][] = [];
  #isInTable = false;
  #isItem = false;
  #itemDepth = 0;
  #heading: number | undefined;
  #style = { number: 0, name: "", level: undefined as number | undefined };
  readonly #headingStyles = new Map<number, number>();
  #captures: Capture[] = [];
  readonly #notes: string[] = [];
  readonly #headers = new Set<string>();
  readonly #footers = new Set<string>();
  #facts = { title: "", author: "" };
  readonly #fontCharsets = new Map<number, string>();
  #fontNumber = 0;
  #isFontTable = false;
  #rest = "";

  write(chunk: string): void {
    const text = this.#rest + chunk;
    // The last word may continue in the next chunk.
    const end = Math.max(text.lastIndexOf("\\"), 0);
    const isOpen = text.length - end < 64;
    this.#scan(isOpen ? text.slice(0, end) : text);
    this.#rest = isOpen ? text.slice(end) : "";
  }

  /** The rest of the text: the last paragraph, footers and notes. */
  end(): string {
    this.#scan(this.#rest);
    this.#flushBytes();
    while (this.#captures.length > 0) this.#endCapture();
    this.#endParagraph();
    this.#endTable();
    for (const footer of this.#footers) this.blocks.paragraph(footer);
    for (const [index, note] of this.#notes.entries()) this.blocks.paragraph(`[^${index + 1}]: ${note}`);
    return this.blocks.end();
  }

  get facts(): DocumentFacts {
    const [title, author] = [this.#facts.title.trim(), this.#facts.author.trim()];
    return { ...(title !== "" && { title }), ...(author !== "" && { author }) };
  }

  #scan(text: string): void {
    TOKEN.lastIndex = this.#skipBinary(text, 0);
    for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
      const [, word, number, hex, symbol, brace, plain] = match;
      if (hex !== undefined) this.#addByte(Number.parseInt(hex, 16));
      else {
        this.#flushBytes();
        if (word !== undefined) this.#control(word, number === undefined ? undefined : Number(number));
        else if (brace !== undefined) this.#brace(brace);
        else if (symbol !== undefined) this.#symbol(symbol);
        else if (plain !== undefined) this.#addPlain(plain);
      }
      TOKEN.lastIndex = this.#skipBinary(text, TOKEN.lastIndex);
    }
  }

  /** Binary data may contain braces and backslashes. Returns where the text continues. */
  #skipBinary(text: string, at: number): number {
    const skipped = Math.min(this.#binaryBytes, text.length - at);
    this.#binaryBytes -= skipped;
    return at + skipped;
  }

  #brace(brace: string): void {
    if (brace === "{") {
      if (this.#groups.length < MAX_DEPTH) this.#groups.push({ ...this.#group });
      this.#isGroupStart = true;
      return;
    }
    if (this.#captures.at(-1)?.depth === this.#groups.length) this.#endCapture();
    if (this.#group.use === "style") this.#endStyle();
    const outer = this.#groups.pop();
    if (outer) this.#group = outer;
    if (this.#groups.length < 2) this.#isFontTable = false;
    this.#isGroupStart = false;
  }

  #symbol(symbol: string): void {
    if (symbol === "*") this.#group.use = "nothing";
    else if (symbol === "~") this.#add(" ");
    else if (symbol === "_") this.#add("-");
    else if (symbol === "\n" || symbol === "\r") this.#endParagraph();
    else if ("\\{}".includes(symbol)) this.#add(symbol);
  }

  #control(word: string, number: number | undefined): void {
    if (this.#isGroupStart) this.#startGroup(word);
    this.#isGroupStart = false;
    const character = characters[word];
    if (character !== undefined) this.#add(character);
    else if (Object.hasOwn(this.#words, word)) this.#words[word]?.(number);
  }

  #startGroup(word: string): void {
    if (word === "fonttbl") this.#isFontTable = true;
    if (word === "stylesheet") this.#group.use = "style";
    else if (skippedGroups.has(word)) this.#group.use = "nothing";
    else if (word === "title" || word === "author") {
      this.#group.use = word;
      this.#facts[word] = "";
    }
    const capture = Object.hasOwn(capturedGroups, word) ? capturedGroups[word] : undefined;
    if (capture === undefined || this.#group.use !== "text") return;
    this.#captures.push({ kind: capture, depth: this.#groups.length, interrupted: this.#paragraph });
    this.#paragraph = "";
  }

  readonly #words: Readonly<Record<string, (number: number | undefined) => void>> = {
    par: () => this.#endParagraph(),
    sect: () => this.#endParagraph(),
    page: () => this.#endParagraph(),
    pard: () => {
      [this.#isInTable, this.#isItem, this.#itemDepth, this.#heading] = [false, false, 0, undefined];
    },
    plain: () => {
      this.#group.isHidden = false;
    },
    intbl: () => {
      this.#isInTable = true;
    },
    cell: () => {
      this.#cells.push(this.#paragraph);
      this.#paragraph = "";
    },
    nestcell: () => this.#add(" "),
    row: () => {
      if (this.#cells.length > 0) this.#rows.push(this.#cells);
      this.#cells = [];
      if (this.#rows.length >= MAX_TABLE_ROWS) this.#endTable();
    },
    ls: (value) => {
      this.#isItem = value !== 0;
    },
    ilvl: (value) => {
      this.#itemDepth = value ?? 0;
    },
    s: (value) => {
      if (this.#group.use === "style") this.#style.number = value ?? 0;
      else this.#heading = this.#headingStyles.get(value ?? 0);
    },
    outlinelevel: (value) => {
      const level = value === undefined || value > 8 ? undefined : value + 1;
      if (this.#group.use === "style") this.#style.level = level;
      else this.#heading = level;
    },
    v: (value) => {
      this.#group.isHidden = value !== 0;
    },
    u: (value) => this.#addUnicode(value ?? 0),
    uc: (value) => {
      this.#group.unicodeSkip = Math.min(value ?? 1, 16);
    },
    bin: (value) => {
      this.#binaryBytes = Math.max(value ?? 0, 0);
    },
    ansicpg: (value) => {
      this.#group.charset = findCharset(value ?? 1252);
    },
    mac: () => {
      this.#group.charset = "macintosh";
    },
    f: (value) => {
      this.#fontNumber = value ?? 0;
      const charset = this.#fontCharsets.get(this.#fontNumber);
      if (charset !== undefined && !this.#isFontTable) this.#group.charset = charset;
    },
    fcharset: (value) => {
      const charset = fontCharsets[value ?? 0];
      if (charset !== undefined) this.#fontCharsets.set(this.#fontNumber, charset);
    },
  };

  #addPlain(text: string): void {
    this.#isGroupStart = false;
    const skipped = Math.min(this.#skipChars, text.length);
    this.#skipChars -= skipped;
    const rest = text.slice(skipped);
    // Bytes above ASCII that were not escaped are in the code page, too.
    if (/^[\0-\x7f]*$/.test(rest)) this.#add(rest);
    else this.#add(this.#decode(Buffer.from(rest, "latin1")));
  }

  #addByte(byte: number): void {
    if (this.#skipChars > 0) this.#skipChars--;
    else this.#bytes.push(byte);
  }

  /** Bytes in a row are decoded together: a character may have two. */
  #flushBytes(): void {
    if (this.#bytes.length === 0) return;
    const bytes = Buffer.from(this.#bytes);
    this.#bytes = [];
    this.#add(this.#decode(bytes));
  }

  #decode(bytes: Uint8Array): string {
    return new TextDecoder(this.#group.charset).decode(bytes);
  }

  #addUnicode(value: number): void {
    this.#add(String.fromCharCode(value & 0xffff));
    this.#skipChars = this.#group.unicodeSkip;
  }

  #add(text: string): void {
    const { use, isHidden } = this.#group;
    if (use === "style") this.#style.name += text;
    else if (use === "title" || use === "author") this.#facts[use] += text;
    else if (use === "text" && !isHidden) this.#paragraph += text;
    if (this.#paragraph.length > MAX_PARAGRAPH_CHARS) this.#endParagraph();
  }

  /** The stylesheet names styles such as `heading 2;`, which paragraphs refer to by number. */
  #endStyle(): void {
    const { number, name, level } = this.#style;
    const named = /^\s*heading (\d)/i.exec(name)?.[1];
    const headingLevel = named === undefined ? level : Number(named);
    if (headingLevel !== undefined) this.#headingStyles.set(number, headingLevel);
    this.#style = { number: 0, name: "", level: undefined };
  }

  #endCapture(): void {
    const capture = this.#captures.pop();
    if (capture === undefined) return;
    const text = this.#paragraph.trim().replaceAll(/[ \t]*\n\s*/g, "\n");
    this.#paragraph = capture.interrupted;
    if (capture.kind === "note") this.#addNote(text.replaceAll(/\s+/g, " "));
    // A bare page number is not text.
    else if (!/\p{L}/u.test(text)) return;
    else if (capture.kind === "footer") this.#footers.add(text);
    else if (!this.#headers.has(text)) {
      this.#headers.add(text);
      this.blocks.paragraph(text);
    }
  }

  #addNote(text: string): void {
    if (text === "" || this.#notes.length >= MAX_NOTES) return;
    this.#notes.push(text);
    this.#paragraph += `[^${this.#notes.length}]`;
  }

  #endParagraph(): void {
    const text = this.#paragraph.trim();
    if (this.#isInTable || this.#captures.length > 0) {
      this.#paragraph += text === "" ? "" : "\n";
      return;
    }
    const marker = ITEM_MARKER.exec(this.#paragraph);
    this.#paragraph = "";
    this.#endTable();
    if (text === "") return;
    if (this.#heading !== undefined) this.blocks.heading(this.#heading, text);
    else if (marker !== null || this.#isItem) this.#writeItem(text, marker);
    else this.blocks.paragraph(text);
  }

  #writeItem(text: string, marker: RegExpExecArray | null): void {
    const content = marker === null ? text : text.slice(marker[0].trimStart().length);
    this.blocks.item(this.#itemDepth, marker?.[2] ?? "-", content);
  }

  #endTable(): void {
    if (this.#rows.length === 0) return;
    this.blocks.table(this.#rows);
    this.#rows = [];
  }
}
