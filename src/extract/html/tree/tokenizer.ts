/**
 * Splits a whole source into tags, attributes and texts, in linear time. The tokens are those of htmlparser2's tokenizer
 * for streams; as the whole source is known, this one searches for the next mark instead of looking at each character.
 */
import { decodeHTML, decodeHTMLAttribute } from "entities/decode";

/** Receives what a source contains, in its order: names in lower case, entities decoded. */
export type TokenReceiver = {
  /** Once it is false, the rest of the source is not read. */
  readonly isComplete: boolean;
  /** Whether the position is inside a drawing, where every element contains markup. */
  readonly isForeign: boolean;
  addText(text: string): void;
  beginTag(tag: string): void;
  /** Whether the value of an attribute of the tag that began is needed. */
  usesAttribute(name: string): boolean;
  addAttribute(name: string, value: string): void;
  /** Opens the tag that began; one without an end is never opened. */
  open(isSelfClosing: boolean): void;
  close(tag: string): void;
};

/** Reads a source. In XML there are CDATA sections, and any tag may be self-closing. */
export function tokenize(source: string, isXml: boolean, receiver: TokenReceiver): void {
  new Tokenizer(source, isXml, receiver).read();
}

/** Elements whose text is not markup up to their end tag; in `plaintext` it is all the rest. */
const rawTextTags = new Set(["iframe", "noembed", "noframes", "plaintext", "script", "style", "xmp"]);
/** The same, but with entities. */
const entityTextTags = new Set(["title", "textarea"]);

class Tokenizer {
  readonly #source: string;
  readonly #isXml: boolean;
  readonly #receiver: TokenReceiver;
  /** The names of tags and attributes in lower case, by how they are written; a page repeats a few. */
  readonly #names = new Map<string, string>();
  #position = 0;

  constructor(source: string, isXml: boolean, receiver: TokenReceiver) {
    this.#source = source;
    this.#isXml = isXml;
    this.#receiver = receiver;
  }

  read(): void {
    const source = this.#source;
    while (this.#position < source.length && this.#receiver.isComplete) {
      const start = this.#position;
      const open = indexOrEnd(source, "<", start);
      if (open > start) this.#receiver.addText(decodeHTML(source.slice(start, open)));
      this.#position = open;
      if (open < source.length) this.#readMarkup(open);
    }
  }

  /** Reads what an angle bracket opens. Before anything but a name or a sign it is text. */
  #readMarkup(open: number): void {
    const next = this.#source.charCodeAt(open + 1);
    if (isLetter(next)) this.#readStartTag(open + 1);
    else if (next === SLASH) this.#readEndTag(open + 2);
    else if (next === EXCLAMATION) this.#readDeclaration(open);
    else if (next === QUESTION) this.#skipPast(">", open + 2);
    else {
      this.#receiver.addText("<");
      this.#position = open + 1;
    }
  }

  #skipPast(mark: string, from: number): void {
    this.#position = indexOrEnd(this.#source, mark, from) + mark.length;
  }

  #readEndTag(start: number): void {
    const source = this.#source;
    if (start === source.length) this.#receiver.addText("</");
    const nameEnd = isLetter(source.charCodeAt(start)) ? findNameEnd(source, start) : start;
    // What is not a name is a comment.
    if (nameEnd > start && nameEnd < source.length) this.#receiver.close(this.#readName(start, nameEnd));
    this.#skipPast(">", nameEnd);
  }

  /** Reads a comment, a CDATA section or a declaration. */
  #readDeclaration(open: number): void {
    const source = this.#source;
    if (source.startsWith("--", open + 2)) this.#position = findCommentEnd(source, open + 4);
    else if (this.#isXml && source.startsWith("[CDATA[", open + 2)) {
      const start = open + "<![CDATA[".length;
      const end = indexOrEnd(source, "]]>", start);
      if (end < source.length) this.#receiver.addText(source.slice(start, end));
      this.#position = end + 3;
    } else this.#skipPast(">", open + 2);
  }

  #readStartTag(start: number): void {
    const source = this.#source;
    const nameEnd = findNameEnd(source, start);
    const tag = this.#readName(start, nameEnd);
    const hasRawText = !this.#receiver.isForeign && (rawTextTags.has(tag) || entityTextTags.has(tag));
    this.#receiver.beginTag(tag);
    this.#position = nameEnd;
    const isSelfClosing = this.#readAttributes();
    if (this.#position >= source.length) return;
    this.#position += 1;
    this.#receiver.open(isSelfClosing);
    if (!hasRawText || (isSelfClosing && this.#isXml)) return;
    if (tag === "iframe" && endsNoscript(source, this.#position)) this.#receiver.close(tag);
    else this.#readRawText(tag);
  }

  /** Reads up to the end of the tag and returns whether there is a slash before it. */
  #readAttributes(): boolean {
    const source = this.#source;
    let isSelfClosing = false;
    while (this.#position < source.length) {
      const code = source.charCodeAt(this.#position);
      if (code === GREATER) break;
      if (code === SLASH) isSelfClosing = true;
      if (code === SLASH || isBlank(code)) this.#position += 1;
      else {
        isSelfClosing = false;
        this.#readAttribute(this.#position);
      }
    }
    return isSelfClosing;
  }

  #readAttribute(start: number): void {
    const source = this.#source;
    const nameEnd = findAttributeNameEnd(source, start + 1);
    const name = this.#readName(start, nameEnd);
    const isUsed = this.#receiver.usesAttribute(name);
    const equals = skipBlanks(source, nameEnd);
    if (source.charCodeAt(equals) !== EQUALS) {
      this.#position = equals;
      if (isUsed) this.#receiver.addAttribute(name, "");
      return;
    }
    const valueStart = skipBlanks(source, equals + 1);
    const first = source.charCodeAt(valueStart);
    const quote = first === DOUBLE_QUOTE ? '"' : first === SINGLE_QUOTE ? "'" : "";
    const from = valueStart + quote.length;
    const end = quote === "" ? findUnquotedEnd(source, from) : indexOrEnd(source, quote, from);
    this.#position = end + quote.length;
    if (isUsed) this.#receiver.addAttribute(name, decodeHTMLAttribute(source.slice(from, end)));
  }

  #readRawText(tag: string): void {
    const source = this.#source;
    const start = this.#position;
    const end = tag === "plaintext" ? source.length : findEndTag(source, tag, start);
    const text = source.slice(start, end);
    if (text !== "") this.#receiver.addText(entityTextTags.has(tag) ? decodeHTML(text) : text);
    this.#position = end;
    if (end === source.length) return;
    this.#receiver.close(tag);
    this.#skipPast(">", end + 2 + tag.length);
  }

  #readName(start: number, end: number): string {
    const written = this.#source.slice(start, end);
    let name = this.#names.get(written);
    if (name === undefined) {
      name = written.toLowerCase();
      this.#names.set(written, name);
    }
    return name;
  }
}

const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const EXCLAMATION = 0x21;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const QUESTION = 0x3f;

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Space, line feed, tab, form feed, carriage return. */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0c || code === 0x0d;
}

/** The index of a mark, or the end of the source. */
function indexOrEnd(source: string, mark: string, from: number): number {
  const index = source.indexOf(mark, from);
  return index < 0 ? source.length : index;
}

function skipBlanks(source: string, from: number): number {
  let index = from;
  while (isBlank(source.charCodeAt(index))) index += 1;
  return index;
}

function endsName(code: number): boolean {
  return code === GREATER || code === SLASH || isBlank(code);
}

function findNameEnd(source: string, from: number): number {
  let index = from;
  while (index < source.length && !endsName(source.charCodeAt(index))) index += 1;
  return index;
}

function findAttributeNameEnd(source: string, from: number): number {
  let index = from;
  for (; index < source.length; index += 1) {
    const code = source.charCodeAt(index);
    if (code === EQUALS || endsName(code)) break;
  }
  return index;
}

function findUnquotedEnd(source: string, from: number): number {
  let index = from;
  for (; index < source.length; index += 1) {
    const code = source.charCodeAt(index);
    if (code === GREATER || isBlank(code)) break;
  }
  return index;
}

/**
 * Whether a `noscript` ends here. Browsers with scripts do not read what is in it, so a last `<iframe ... />` that is not
 * closed is not noticed there; its text would be the rest of the page.
 */
function endsNoscript(source: string, from: number): boolean {
  return source.startsWith("</noscript", skipBlanks(source, from));
}

/** Where the end tag of an element begins. */
function findEndTag(source: string, tag: string, from: number): number {
  for (let index = source.indexOf("</", from); index >= 0; index = source.indexOf("</", index + 2)) {
    const nameEnd = index + 2 + tag.length;
    const isEnd = nameEnd < source.length && endsName(source.charCodeAt(nameEnd));
    if (isEnd && source.slice(index + 2, nameEnd).toLowerCase() === tag) return index;
  }
  return source.length;
}

/** The end of a comment: `-->` or `--!>`, and directly after its start also `>` or `->`. */
function findCommentEnd(source: string, start: number): number {
  if (source.startsWith(">", start)) return start + 1;
  if (source.startsWith("->", start)) return start + 2;
  for (let index = source.indexOf("--", start); index >= 0; index = source.indexOf("--", index + 1)) {
    if (source.startsWith(">", index + 2)) return index + 3;
    if (source.startsWith("!>", index + 2)) return index + 4;
  }
  return source.length;
}
