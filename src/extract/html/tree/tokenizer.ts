/**
 * Splits a whole source into tags, attributes and texts, in linear time. As the whole source is known, this one searches
 * for the next mark instead of looking at each character. The tokens are those of htmlparser2's tokenizer for streams but
 * for what that one reads unlike browsers: there are no CDATA sections in HTML, end tags may have attributes, comments in
 * a script may contain its end tag, and the end of a `noscript` ends what is in it. An unfinished tag at the end of the
 * source is dropped whole, and a comment that never ends is none: it would hide the rest of the page.
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
  #isInNoscript = false;
  /** A comment, or a script in a comment of a script, that has no end: looking for one again would be quadratic. */
  #hasUnclosedComment = false;
  #hasUnclosedScript = false;

  constructor(source: string, isXml: boolean, receiver: TokenReceiver) {
    this.#source = source;
    this.#isXml = isXml;
    this.#receiver = receiver;
  }

  read(): void {
    const source = this.#source;
    while (this.#position < source.length && this.#receiver.isComplete) {
      const start = this.#position;
      const open = findMarkup(source, start);
      if (open > start) this.#receiver.addText(decodeHTML(source.slice(start, open)));
      this.#position = open;
      if (open < source.length) this.#readMarkup(open);
    }
  }

  #readMarkup(open: number): void {
    const next = this.#source.charCodeAt(open + 1);
    if (next === SLASH) this.#readEndTag(open + 2);
    else if (next === EXCLAMATION) this.#readDeclaration(open);
    else if (next === QUESTION) this.#skipPast(">", open + 2);
    else this.#readStartTag(open + 1);
  }

  #skipPast(mark: string, from: number): void {
    this.#position = indexOrEnd(this.#source, mark, from) + mark.length;
  }

  #readEndTag(start: number): void {
    const source = this.#source;
    if (start === source.length) this.#receiver.addText("</");
    // What is not a name is a comment.
    if (!isLetter(source.charCodeAt(start))) {
      this.#skipPast(">", start);
      return;
    }
    const nameEnd = findNameEnd(source, start);
    if (nameEnd < source.length) this.#close(this.#readName(start, nameEnd));
    this.#position = nameEnd;
    this.#readAttributes(false);
    this.#position += 1;
  }

  #close(tag: string): void {
    if (tag === "noscript") this.#isInNoscript = false;
    this.#receiver.close(tag);
  }

  /** Reads a comment, a CDATA section or a declaration. */
  #readDeclaration(open: number): void {
    const source = this.#source;
    if (source.startsWith("--", open + 2) && !this.#hasUnclosedComment) this.#skipComment(open + 4);
    else if (this.#isXml && source.startsWith("[CDATA[", open + 2)) {
      const start = open + "<![CDATA[".length;
      const end = indexOrEnd(source, "]]>", start);
      if (end < source.length) this.#receiver.addText(source.slice(start, end));
      this.#position = end + 3;
    } else this.#skipPast(">", open + 2);
  }

  #skipComment(start: number): void {
    const end = findCommentEnd(this.#source, start);
    this.#hasUnclosedComment = end < 0;
    this.#position = end < 0 ? start : end;
  }

  #readStartTag(start: number): void {
    const source = this.#source;
    const nameEnd = findNameEnd(source, start);
    const tag = this.#readName(start, nameEnd);
    const hasRawText = !this.#receiver.isForeign && (rawTextTags.has(tag) || entityTextTags.has(tag));
    this.#receiver.beginTag(tag);
    this.#position = nameEnd;
    const isSelfClosing = this.#readAttributes(true);
    if (this.#position >= source.length) return;
    this.#position += 1;
    this.#receiver.open(isSelfClosing);
    if (tag === "noscript") this.#isInNoscript = true;
    if (hasRawText && !(isSelfClosing && this.#isXml)) this.#readRawText(tag);
  }

  /** Reads up to the end of a tag and returns whether there is a slash before it. Those of an end tag mean nothing. */
  #readAttributes(isStartTag: boolean): boolean {
    const source = this.#source;
    let isSelfClosing = false;
    while (this.#position < source.length) {
      const code = source.charCodeAt(this.#position);
      if (code === GREATER) break;
      if (code === SLASH) isSelfClosing = true;
      if (code === SLASH || isBlank(code)) this.#position += 1;
      else {
        isSelfClosing = false;
        this.#readAttribute(this.#position, isStartTag);
      }
    }
    return isSelfClosing;
  }

  #readAttribute(start: number, isStartTag: boolean): void {
    const source = this.#source;
    const nameEnd = findAttributeNameEnd(source, start + 1);
    const name = this.#readName(start, nameEnd);
    const isUsed = isStartTag && this.#receiver.usesAttribute(name);
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
    const end = this.#findRawTextEnd(tag, start);
    const text = source.slice(start, end);
    if (text !== "") this.#receiver.addText(entityTextTags.has(tag) ? decodeHTML(text) : text);
    this.#position = end;
    // Another end tag ends the element too, and is read next.
    if (end < source.length && !isEndTag(source, tag, end)) this.#receiver.close(tag);
  }

  /**
   * Where the text of an element ends. Browsers with scripts do not read what is in a `noscript`, so an element that is
   * not closed is not noticed there, such as an `<iframe ... />`; its text would be the rest of the page.
   */
  #findRawTextEnd(tag: string, start: number): number {
    const source = this.#source;
    if (tag === "plaintext") return source.length;
    const end = findEndTag(source, this.#isInNoscript ? [tag, "noscript"] : [tag], start);
    if (tag !== "script" || this.#hasUnclosedScript || !source.slice(start, end).includes("<!--")) return end;
    const endAfterComment = findScriptEnd(source, start);
    this.#hasUnclosedScript = endAfterComment < 0;
    return endAfterComment < 0 ? end : endAfterComment;
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

/** Where an angle bracket opens something: a name or a sign follows. */
function findMarkup(source: string, from: number): number {
  let open = source.indexOf("<", from);
  while (open >= 0 && !opensMarkup(source.charCodeAt(open + 1))) open = source.indexOf("<", open + 1);
  return open < 0 ? source.length : open;
}

function opensMarkup(next: number): boolean {
  return isLetter(next) || next === SLASH || next === EXCLAMATION || next === QUESTION;
}

/** Where the first end tag of one of some elements begins, or the end of the source. */
function findEndTag(source: string, tags: readonly string[], from: number): number {
  for (let index = source.indexOf("</", from); index >= 0; index = source.indexOf("</", index + 2))
    if (tags.some((tag) => isEndTag(source, tag, index))) return index;
  return source.length;
}

function isEndTag(source: string, tag: string, index: number): boolean {
  const nameEnd = index + 2 + tag.length;
  if (nameEnd >= source.length || !endsName(source.charCodeAt(nameEnd))) return false;
  return source.slice(index + 2, nameEnd).toLowerCase() === tag;
}

/**
 * Where the end tag of a script begins, -1 if there is none. Inside a comment there may be a script with its end tag.
 * https://html.spec.whatwg.org/multipage/parsing.html#script-data-double-escaped-state
 */
function findScriptEnd(source: string, from: number): number {
  const marks = /<!(?=--)|-->|<\/?script(?=[ \n\t\f\r/>])/gi;
  marks.lastIndex = from;
  let state: "script" | "comment" | "script in comment" = "script";
  for (let mark = marks.exec(source); mark !== null; mark = marks.exec(source)) {
    if (mark[0] === "-->") state = "script";
    else if (mark[0] === "<!") state = state === "script" ? "comment" : state;
    else if (mark[0][1] !== "/") state = state === "script" ? state : "script in comment";
    else if (state === "script in comment") state = "comment";
    else return mark.index;
  }
  return -1;
}

/** The end of a comment, -1 if it has none: `-->` or `--!>`, and directly after its start also `>` or `->`. */
function findCommentEnd(source: string, start: number): number {
  if (source.startsWith(">", start)) return start + 1;
  if (source.startsWith("->", start)) return start + 2;
  for (let index = source.indexOf("--", start); index >= 0; index = source.indexOf("--", index + 1)) {
    if (source.startsWith(">", index + 2)) return index + 3;
    if (source.startsWith("!>", index + 2)) return index + 4;
  }
  return -1;
}
