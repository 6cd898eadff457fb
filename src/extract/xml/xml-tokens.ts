/** Cuts XML that arrives in chunks into tags and texts. */
import { decodeEntities, MAX_ENTITY_CHARS } from "./entities.ts";
import { findTagName, type TagName } from "./tag-names.ts";

/** The start tag just scanned; valid until the next token. */
export type XmlTag = {
  /** The namespace prefix as written; "" if there is none. */
  readonly prefix: string;
  readonly isEmpty: boolean;
  /** An attribute's value, by its name without prefix. Undefined if there is none. */
  get(name: string): string | undefined;
  /** All values of attributes of this name; they differ in their prefixes. */
  getAll(name: string): string[];
  /** All attributes in order, with their prefixes. */
  list(): (readonly [name: string, value: string])[];
};

/** Thrown where a document would take unbounded work. */
export class XmlLimitError extends Error {}

/** Deeper than any document made by an office program. */
const MAX_DEPTH = 2_000;

/** A tag, comment or CDATA section that has not ended after this many characters. */
const MAX_TOKEN_CHARS = 4 * 1024 * 1024;

/** An end tag of an element that is passed over, with white space. */
const MAX_SKIPPED_END_CHARS = 128;

/** To the end of a tag; a ">" inside an attribute's value does not end it. */
const TAG_END = /[^"'>]*(?:"[^"]*"[^"'>]*|'[^']*'[^"'>]*)*>/y;

const NO_NAME: TagName = { written: "", prefix: "", local: "" };

export class XmlTokens implements XmlTag {
  /** The text that is scanned. */
  buffer = "";
  isEmpty = false;
  #tag: TagName = NO_NAME;
  /** Where the token begins and ends in the buffer; of a start tag, also where its attributes are. */
  #startAt = 0;
  #endAt = 0;
  #attributesAt = 0;
  #attributes: string | undefined;
  /** Where an entity may be; it is looked for once, not in each text. */
  #ampersandAt = 0;
  #isCdata = false;
  /** What comes next in the buffer. */
  #at = 0;
  /** Characters before the buffer. */
  #offset = 0;
  #isLast = false;
  /** The elements that are open. An end tag nearly always has the name of the last. */
  readonly #open: TagName[] = [];
  readonly #skips: ReadonlySet<string>;
  /** The element that is being passed over. */
  #skipped: TagName | undefined;

  constructor(skips: ReadonlySet<string> = new Set()) {
    this.#skips = skips;
  }

  add(chunk: string): void {
    this.buffer = this.buffer === "" ? chunk : this.buffer + chunk;
    this.#ampersandAt = 0;
    if (this.#skipped) this.#passOver(this.#skipped);
  }

  /** Nothing follows: a text at the end is complete. */
  finish(): void {
    this.#isLast = true;
    this.#ampersandAt = 0;
  }

  /** Forgets the text that was read. */
  dropRead(): void {
    this.#offset += this.#at;
    this.buffer = this.buffer.slice(this.#at);
    this.#at = 0;
    if (this.buffer.length > MAX_TOKEN_CHARS) throw new XmlLimitError("One tag is too long.");
  }

  /** The name of the tag without its prefix. */
  get name(): string {
    return this.#tag.local;
  }

  get prefix(): string {
    return this.#tag.prefix;
  }

  /** Offset of the token in the whole text, and of what follows it. */
  get start(): number {
    return this.#offset + this.#startAt;
  }

  get end(): number {
    return this.#offset + this.#endAt;
  }

  /** The text of the token, with its entities decoded. */
  get text(): string {
    const text = this.buffer.slice(this.#startAt, this.#endAt);
    if (this.#isCdata) return text;
    if (this.#ampersandAt < this.#startAt) this.#ampersandAt = this.#findAmpersand();
    return this.#ampersandAt < this.#endAt ? decodeEntities(text) : text;
  }

  #findAmpersand(): number {
    const at = this.buffer.indexOf("&", this.#startAt);
    return at === -1 ? this.buffer.length : at;
  }

  /** Where the next tag begins in the buffer, if nothing is before it; otherwise -1. */
  get rest(): number {
    const { buffer } = this;
    const isTag = this.#at < buffer.length && buffer.charCodeAt(this.#at) === LESS_THAN;
    return isTag && this.#skipped === undefined ? this.#at : -1;
  }

  /** Continues at an offset of the buffer. */
  moveTo(offset: number): void {
    this.#at = offset;
  }

  /** Scans the next token. Undefined if it has not ended, or if there is none. */
  next(): "open" | "close" | "text" | undefined {
    while (this.#skipped === undefined) {
      const token = this.#scanToken(this.#at);
      if (token !== "nothing") return token;
    }
    return undefined;
  }

  #scanToken(at: number): "open" | "close" | "text" | "nothing" | undefined {
    const { buffer } = this;
    // Reading past the end of a string is slow, here and below: compiled code is discarded for it.
    if (at >= buffer.length) return undefined;
    if (buffer.charCodeAt(at) !== LESS_THAN) return this.#scanText(at);
    if (at + 1 === buffer.length) return undefined;
    const second = buffer.charCodeAt(at + 1);
    if (second === SLASH) return this.#scanClose(at);
    if (second === QUESTION) return this.#skipPast("?>", at);
    return second === EXCLAMATION ? this.#scanDeclaration(at) : this.#scanOpen(at);
  }

  /** Text to the next tag. At the end of a chunk, text up to an entity that may not have ended. */
  #scanText(at: number): "text" | undefined {
    const { buffer } = this;
    let end = buffer.indexOf("<", at);
    if (end === -1) {
      const last = this.#isLast ? -1 : buffer.lastIndexOf("&");
      end = last > buffer.length - MAX_ENTITY_CHARS && last >= at ? last : buffer.length;
    }
    if (end === at) return undefined;
    this.#isCdata = false;
    this.#startAt = at;
    this.#endAt = end;
    this.#at = end;
    return "text";
  }

  #scanClose(at: number): "close" | undefined {
    const { buffer } = this;
    const last = this.#open.at(-1) ?? NO_NAME;
    const nameEnd = at + 2 + last.written.length;
    if (
      nameEnd < buffer.length &&
      buffer.charCodeAt(nameEnd) === GREATER_THAN &&
      buffer.startsWith(last.written, at + 2)
    ) {
      this.#tag = last;
      this.#endAt = nameEnd + 1;
    } else {
      const end = buffer.indexOf(">", at);
      if (end === -1) return undefined;
      const written = buffer.slice(at + 2, end).trimEnd();
      this.#tag = findTagName(written, 0, written.length, 0);
      this.#endAt = end + 1;
    }
    this.#open.pop();
    this.#at = this.#endAt;
    return "close";
  }

  #scanOpen(at: number): "open" | "nothing" | undefined {
    const { buffer } = this;
    let nameEnd = at + 1;
    let hash = 0;
    for (; nameEnd < buffer.length; nameEnd++) {
      const code = buffer.charCodeAt(nameEnd);
      if (code <= SPACE || code === GREATER_THAN || code === SLASH) break;
      hash = (hash * 31 + code) | 0;
    }
    const end = this.#findTagEnd(nameEnd);
    if (end === -1) return undefined;
    this.#tag = findTagName(buffer, at + 1, nameEnd, hash);
    this.#startAt = at;
    this.#endAt = end + 1;
    this.#attributesAt = nameEnd;
    this.#attributes = end - nameEnd < MIN_ATTRIBUTE_CHARS ? "" : undefined;
    this.isEmpty = end > nameEnd && buffer.charCodeAt(end - 1) === SLASH;
    this.#at = this.#endAt;
    return this.#enter(this.#tag);
  }

  #enter(tag: TagName): "open" | "nothing" {
    if (this.#open.length >= MAX_DEPTH) throw new XmlLimitError("The elements are nested too deep.");
    if (!this.#skips.has(tag.local)) {
      if (!this.isEmpty) this.#open.push(tag);
      return "open";
    }
    if (!this.isEmpty) this.#passOver(tag);
    return "nothing";
  }

  /** Continues after the end tag. If it is in a later chunk, the rest of this one is passed over. */
  #passOver(tag: TagName): void {
    const { buffer } = this;
    const pattern = `</${tag.written}`;
    this.#skipped = undefined;
    for (let at = buffer.indexOf(pattern, this.#at); at !== -1; at = buffer.indexOf(pattern, at + 1)) {
      const end = skipSpace(buffer, at + pattern.length);
      if (end < buffer.length && buffer.charCodeAt(end) === GREATER_THAN) {
        this.#at = end + 1;
        return;
      }
    }
    this.#skipped = tag;
    this.#at = Math.max(this.#at, buffer.length - MAX_SKIPPED_END_CHARS);
  }

  #findTagEnd(from: number): number {
    if (from < this.buffer.length && this.buffer.charCodeAt(from) === GREATER_THAN) return from;
    TAG_END.lastIndex = from;
    return TAG_END.test(this.buffer) ? TAG_END.lastIndex - 1 : -1;
  }

  /** Comments and document types are skipped; CDATA is text. */
  #scanDeclaration(at: number): "text" | "nothing" | undefined {
    const { buffer } = this;
    if (buffer.length < at + CDATA.length) return undefined;
    if (buffer.startsWith("<!--", at)) return this.#skipPast("-->", at + 4);
    if (buffer.startsWith(CDATA, at)) return this.#scanCdata(at);
    const subset = buffer.indexOf("[", at);
    const end = buffer.indexOf(">", at);
    return subset !== -1 && subset < end ? this.#skipPast("]>", subset) : this.#skipPast(">", at);
  }

  #scanCdata(at: number): "text" | undefined {
    const end = this.buffer.indexOf("]]>", at);
    if (end === -1) return undefined;
    this.#isCdata = true;
    this.#startAt = at + CDATA.length;
    this.#endAt = end;
    this.#at = end + 3;
    return "text";
  }

  #skipPast(pattern: string, from: number): "nothing" | undefined {
    const end = this.buffer.indexOf(pattern, from);
    if (end === -1) return undefined;
    this.#at = end + pattern.length;
    return "nothing";
  }

  get(name: string): string | undefined {
    const attributes = this.#takeAttributes();
    const at = findValue(attributes, name, 0);
    return at === -1 ? undefined : readValue(attributes, at);
  }

  getAll(name: string): string[] {
    const attributes = this.#takeAttributes();
    const values: string[] = [];
    for (let at = findValue(attributes, name, 0); at !== -1; at = findValue(attributes, name, at))
      values.push(readValue(attributes, at));
    return values;
  }

  list(): (readonly [name: string, value: string])[] {
    const matches = this.#takeAttributes().matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
    return Array.from(matches, ([, name = "", quoted, singleQuoted = ""]) => [
      name,
      decodeEntities(quoted ?? singleQuoted),
    ]);
  }

  #takeAttributes(): string {
    this.#attributes ??= this.buffer.slice(this.#attributesAt, this.#endAt - (this.isEmpty ? 2 : 1));
    return this.#attributes;
  }
}

/** ` a=""`, the shortest attribute. */
const MIN_ATTRIBUTE_CHARS = 5;

/** The offset of the value of the next attribute of this name, at its quote, or -1. */
function findValue(attributes: string, name: string, from: number): number {
  for (let at = attributes.indexOf(name, from); at !== -1; at = attributes.indexOf(name, at + 1)) {
    const before = at === 0 ? SPACE : attributes.charCodeAt(at - 1);
    if (before > SPACE && before !== COLON) continue;
    const equals = skipSpace(attributes, at + name.length);
    if (equals >= attributes.length || attributes.charCodeAt(equals) !== EQUALS) continue;
    const quote = skipSpace(attributes, equals + 1);
    const code = quote < attributes.length ? attributes.charCodeAt(quote) : SPACE;
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) return quote;
  }
  return -1;
}

function readValue(attributes: string, quoteAt: number): string {
  const quote = attributes.charCodeAt(quoteAt) === DOUBLE_QUOTE ? '"' : "'";
  const end = attributes.indexOf(quote, quoteAt + 1);
  return decodeEntities(attributes.slice(quoteAt + 1, end === -1 ? undefined : end));
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= SPACE) at++;
  return at;
}

const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;
const SLASH = 0x2f;
const EXCLAMATION = 0x21;
const QUESTION = 0x3f;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const SPACE = 0x20;
const EQUALS = 0x3d;
const COLON = 0x3a;
const CDATA = "<![CDATA[";
