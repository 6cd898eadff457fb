/** Reads the text of RTF: paragraphs, tables, lists and notes, in any code page. Formats and pictures are skipped. */
import { MarkdownBlocks } from "../office/markdown-blocks.ts";

/** Groups that hold no text of the document. Every group that begins with `\*` is skipped too, but for these uses. */
const skippedDestinations = new Set([
  "fonttbl",
  "colortbl",
  "stylesheet",
  "listtable",
  "listoverridetable",
  "info",
  "pict",
  "object",
  "objdata",
  "themedata",
  "colorschememapping",
  "datastore",
  "latentstyles",
  "rsidtbl",
  "generator",
  "fldinst",
  "xe",
  "tc",
  "filetbl",
  "revtbl",
  "mmathPr",
  "pgdsctbl",
  "nonshppict",
  "pntext",
  "listtext",
  "bkmkstart",
  "bkmkend",
]);

/** Control words that stand for a character. */
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

type Group = { isSkipped: boolean; unicodeSkip: number; isHidden: boolean; charset: string };

/** Deeper groups are skipped: no writer nests so far. */
const MAX_DEPTH = 1_000;

/** Words, symbols, escaped bytes and text. */
const TOKEN = /\\([a-z]+)(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z'])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\/giy;

/** Scans RTF from chunks of bytes decoded as Latin 1. */
export class RtfText {
  readonly blocks = new MarkdownBlocks();
  #groups: Group[] = [];
  #group: Group = { isSkipped: false, unicodeSkip: 1, isHidden: false, charset: "windows-1252" };
  #isDestination = false;
  #skipNext = 0;
  #bytes: number[] = [];
  #paragraph = "";
  #cells: string[] = [];
  #rows: string[][] = [];
  #isInTable = false;
  #isItem = false;
  #heading: number | undefined;
  readonly #fontCharsets = new Map<number, string>();
  #fontNumber = 0;
  #isFontTable = false;
  #rest = "";

  write(chunk: string): void {
    const text = this.#rest + chunk;
    // The last word may go on in the next chunk.
    const end = Math.max(text.lastIndexOf("\\"), 0);
    const isOpen = text.length - end < 64;
    this.#scan(isOpen ? text.slice(0, end) : text);
    this.#rest = isOpen ? text.slice(end) : "";
  }

  end(): string {
    this.#scan(this.#rest);
    this.#endParagraph();
    this.#endTable();
    return this.blocks.end();
  }

  #scan(text: string): void {
    TOKEN.lastIndex = 0;
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
    }
    this.#flushBytes();
  }

  #brace(brace: string): void {
    if (brace === "{") {
      if (this.#groups.length < MAX_DEPTH) this.#groups.push({ ...this.#group });
      this.#isDestination = true;
      return;
    }
    const outer = this.#groups.pop();
    if (outer) this.#group = outer;
    if (this.#groups.length < 2) this.#isFontTable = false;
    this.#isDestination = false;
  }

  #symbol(symbol: string): void {
    if (symbol === "*") this.#group.isSkipped = true;
    else if (symbol === "~") this.#add(" ");
    else if (symbol === "_") this.#add("-");
    else if (symbol === "\n" || symbol === "\r") this.#endParagraph();
    else if ("\\{}".includes(symbol)) this.#add(symbol);
  }

  #control(word: string, number: number | undefined): void {
    const isFirst = this.#isDestination;
    this.#isDestination = false;
    if (word === "fonttbl") this.#isFontTable = true;
    if (isFirst && skippedDestinations.has(word)) this.#group.isSkipped = true;
    const character = characters[word];
    if (character !== undefined) this.#add(character);
    else this.#words[word]?.(number);
  }

  readonly #words: Readonly<Record<string, (number: number | undefined) => void>> = {
    par: () => this.#endParagraph(),
    sect: () => this.#endParagraph(),
    page: () => this.#endParagraph(),
    pard: () => {
      [this.#isInTable, this.#isItem, this.#heading] = [false, false, undefined];
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
    },
    ls: () => {
      this.#isItem = true;
    },
    outlinelevel: (level) => {
      this.#heading = level === undefined || level > 8 ? undefined : level + 1;
    },
    v: (value) => {
      this.#group.isHidden = value !== 0;
    },
    u: (value) => this.#addUnicode(value ?? 0),
    uc: (value) => {
      this.#group.unicodeSkip = Math.min(value ?? 1, 16);
    },
    bin: (value) => {
      this.#skipNext = Math.max(value ?? 0, 0);
    },
    ansicpg: (value) => {
      this.#group.charset = charsetOf(value ?? 1252);
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
    footnote: () => this.#add(" (note) "),
  };

  #addPlain(text: string): void {
    this.#isDestination = false;
    const skipped = Math.min(this.#skipNext, text.length);
    this.#skipNext -= skipped;
    // Bytes above ASCII that were not escaped are in the code page, too.
    const rest = text.slice(skipped);
    if (/^[\0-\x7f]*$/.test(rest)) this.#add(rest);
    else this.#add(this.#decode(Buffer.from(rest, "latin1")));
  }

  #addByte(byte: number): void {
    if (this.#skipNext > 0) this.#skipNext--;
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
    this.#skipNext = this.#group.unicodeSkip;
  }

  #add(text: string): void {
    if (!this.#group.isSkipped && !this.#group.isHidden) this.#paragraph += text;
  }

  #endParagraph(): void {
    const text = this.#paragraph.trim();
    if (this.#isInTable) {
      this.#paragraph += text === "" ? "" : "\n";
      return;
    }
    this.#paragraph = "";
    this.#endTable();
    if (text === "") return;
    if (this.#heading !== undefined) this.blocks.heading(this.#heading, text);
    else if (this.#isItem) this.blocks.item(0, "-", text);
    else this.blocks.paragraph(text);
  }

  #endTable(): void {
    if (this.#rows.length === 0) return;
    this.blocks.table(this.#rows);
    this.#rows = [];
  }
}

const charsetOf = (codePage: number): string =>
  ({ 932: "shift_jis", 936: "gbk", 949: "euc-kr", 950: "big5", 10000: "macintosh", 65001: "utf-8", 866: "ibm866" })[
    codePage
  ] ?? (codePage >= 1250 && codePage <= 1258 ? `windows-${codePage}` : "windows-1252");

/** The charsets of fonts, by Windows' numbers. */
const fontCharsets: Readonly<Record<number, string>> = {
  0: "windows-1252",
  77: "macintosh",
  128: "shift_jis",
  129: "euc-kr",
  134: "gbk",
  136: "big5",
  161: "windows-1253",
  162: "windows-1254",
  163: "windows-1258",
  177: "windows-1255",
  178: "windows-1256",
  186: "windows-1257",
  204: "windows-1251",
  222: "windows-874",
  238: "windows-1250",
};
