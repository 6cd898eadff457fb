/**
 * Scans JSON that arrives in parts and holds none of it. It is lenient: comments, trailing commas and several values
 * in a row are read too. Two to three times slower than JSON.parse, but the text may have any length.
 */
import { MAX_TREE_DEPTH, MAX_VALUE_CHARS, TreeDepthError, type TreeEvents, type TreeScanner } from "./tree-events.ts";

/** A scanner of one JSON text, or of one value a line. */
export function scanJson(events: TreeEvents): TreeScanner {
  const scanner = new JsonScanner(events);
  return { write: (text) => scanner.write(text), end: () => scanner.end() };
}

const code = (character: string): number => character.charCodeAt(0);
const [QUOTE, BACKSLASH, COMMA, COLON, SLASH, STAR, LINE_END] = [
  code('"'),
  code("\\"),
  code(","),
  code(":"),
  code("/"),
  code("*"),
  code("\n"),
];
const [OBJECT_START, OBJECT_END, ARRAY_START, ARRAY_END] = [code("{"), code("}"), code("["), code("]")];
const SPACE = 0x20;

/** What the scanner is inside of. */
type Token = "string" | "literal" | "slash" | "lineComment" | "blockComment" | null;

class JsonScanner {
  readonly #events: TreeEvents;
  /** For each open object or array, whether it is an object. */
  readonly #isObject: boolean[] = [];
  /** Whether the next string is a key. */
  #expectsKey = false;
  #token: Token = null;
  #tokenText = "";
  #tokenStart = 0;
  #isEscaped = false;
  #lastInComment = 0;
  /** Characters before the part that is scanned. */
  #offset = 0;

  constructor(events: TreeEvents) {
    this.#events = events;
  }

  write(text: string): void {
    for (let at = 0; at < text.length && !this.#events.isDone; ) {
      at = this.#token === null ? this.#scanStructure(text, at) : this.#continueToken(text, at);
    }
    this.#offset += text.length;
  }

  end(): void {
    if (this.#token === "string" || this.#token === "literal") this.#endToken(this.#offset);
    while (this.#isObject.length > 0 && !this.#events.isDone) this.#close(this.#offset);
  }

  /** One character between tokens; most of them are white space. */
  #scanStructure(text: string, at: number): number {
    const character = text.charCodeAt(at);
    if (character <= SPACE || character === COLON) return at + 1;
    if (character === COMMA) this.#expectsKey = this.#isObject.at(-1) ?? false;
    else if (character === QUOTE) this.#startToken("string", at);
    else if (character === OBJECT_START || character === ARRAY_START) this.#open(character === OBJECT_START, at);
    else if (character === OBJECT_END || character === ARRAY_END) this.#close(this.#offset + at + 1);
    else if (character === SLASH) this.#token = "slash";
    else {
      this.#startToken("literal", at);
      return at;
    }
    return at + 1;
  }

  #startToken(token: "string" | "literal", at: number): void {
    [this.#token, this.#tokenText, this.#tokenStart] = [token, "", this.#offset + at];
  }

  #continueToken(text: string, at: number): number {
    if (this.#token !== "string" && this.#token !== "literal") return this.#continueComment(text, at);
    const end = this.#token === "string" ? this.#findStringEnd(text, at) : findLiteralEnd(text, at);
    if (this.#tokenText.length < MAX_VALUE_CHARS)
      this.#tokenText += text.slice(at, Math.min(end, at + MAX_VALUE_CHARS - this.#tokenText.length));
    if (end === text.length) return end;
    const next = this.#token === "string" ? end + 1 : end;
    this.#endToken(this.#offset + next);
    return next;
  }

  /** To the end of a comment, or of this part. */
  #continueComment(text: string, from: number): number {
    if (this.#token === "slash") {
      this.#token = text.charCodeAt(from) === STAR ? "blockComment" : "lineComment";
      return from;
    }
    const endCode = this.#token === "lineComment" ? LINE_END : SLASH;
    for (let at = from; at < text.length; at++) {
      const character = text.charCodeAt(at);
      const isEnd = character === endCode && (endCode === LINE_END || this.#lastInComment === STAR);
      this.#lastInComment = character;
      if (!isEnd) continue;
      [this.#token, this.#lastInComment] = [null, 0];
      return at + 1;
    }
    return text.length;
  }

  #findStringEnd(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const character = text.charCodeAt(at);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (character === BACKSLASH) this.#isEscaped = true;
      else if (character === QUOTE) return at;
    }
    return text.length;
  }

  #endToken(end: number): void {
    const isString = this.#token === "string";
    this.#token = null;
    const text = isString ? decodeEscapes(this.#tokenText) : this.#tokenText;
    if (this.#expectsKey) {
      this.#expectsKey = false;
      this.#events.key(text);
    } else this.#events.value(text, isString, this.#tokenStart, end);
  }

  #open(isObject: boolean, at: number): void {
    if (this.#isObject.length === MAX_TREE_DEPTH) throw new TreeDepthError();
    this.#isObject.push(isObject);
    this.#expectsKey = isObject;
    this.#events.open(isObject ? "object" : "array", this.#offset + at);
  }

  /** An end without a start is ignored. */
  #close(end: number): void {
    if (this.#isObject.pop() === undefined) return;
    this.#expectsKey = false;
    this.#events.close(end);
  }
}

function findLiteralEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const character = text.charCodeAt(at);
    const isEnd = character <= SPACE || character === COMMA || character === COLON || character === LINE_END;
    if (isEnd || character === OBJECT_END || character === ARRAY_END || character === QUOTE) return at;
  }
  return text.length;
}

/** A string that was cut may end inside an escape; then it stays as written. */
function decodeEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}
