/** Reads and writes the values of PDF syntax (ISO 32000-1, 7.3), as far as finding the objects of a damaged file needs. */

/** Strings, numbers and keywords stay as they are written. */
export type PdfValue = Raw | Name | Reference | readonly PdfValue[] | Dictionary;
type Raw = { readonly raw: string };
type Name = { readonly name: string };
export type Reference = { readonly number: number; readonly generation: number };
export type Dictionary = ReadonlyMap<string, PdfValue>;

/** A value and the offset behind it. */
export type ParsedValue = { readonly value: PdfValue; readonly end: number };

/** Deeper values are not read: no page or page tree needs them. */
const MAX_DEPTH = 50;

/** The value at this offset, or undefined if there is none or it is cut off. */
export function parseValue(bytes: Buffer, start: number, depth = 0): ParsedValue | undefined {
  const at = skipSpace(bytes, start);
  if (at >= bytes.length || depth > MAX_DEPTH) return undefined;
  const char = charAt(bytes, at);
  if (char === "<") return charAt(bytes, at + 1) === "<" ? parseDictionary(bytes, at + 2, depth) : parseHex(bytes, at);
  if (char === "[") return parseArray(bytes, at + 1, depth);
  if (char === "(") return parseLiteral(bytes, at);
  if (char === "/") return parseName(bytes, at);
  return parseReference(bytes, at) ?? parseWord(bytes, at);
}

/** The offset of the next character that is neither white space nor in a comment. */
export function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  for (; at < bytes.length; at++) {
    const char = charAt(bytes, at);
    if (char === "%") at = findLineEnd(bytes, at);
    else if (!isSpace(char)) break;
  }
  return at;
}

/** The value as PDF syntax. */
export function writeValue(value: PdfValue): string {
  if (isArray(value)) return `[${value.map(writeValue).join(" ")}]`;
  if (isReference(value)) return `${value.number} ${value.generation} R`;
  if ("raw" in value) return value.raw;
  if ("name" in value) return `/${escapeName(value.name)}`;
  return `<<${[...value].map(([key, entry]) => `/${escapeName(key)} ${writeValue(entry)}`).join(" ")}>>`;
}

export function isDictionary(value: PdfValue | undefined): value is Dictionary {
  return value instanceof Map;
}

export function isArray(value: PdfValue | undefined): value is readonly PdfValue[] {
  return Array.isArray(value);
}

export function isReference(value: PdfValue | undefined): value is Reference {
  return value !== undefined && "generation" in value;
}

/** The name in this entry: `Page` for `/Type /Page`. */
export function nameIn(dictionary: Dictionary, key: string): string | undefined {
  const value = dictionary.get(key);
  return value !== undefined && "name" in value ? value.name : undefined;
}

/** The whole number in this entry. */
export function numberIn(dictionary: Dictionary, key: string): number | undefined {
  const value = dictionary.get(key);
  return value !== undefined && "raw" in value && /^\d{1,10}$/.test(value.raw) ? Number(value.raw) : undefined;
}

function parseDictionary(bytes: Buffer, start: number, depth: number): ParsedValue | undefined {
  const value = new Map<string, PdfValue>();
  for (let at = skipSpace(bytes, start); ; at = skipSpace(bytes, at)) {
    if (charAt(bytes, at) === ">") return { value, end: at + (charAt(bytes, at + 1) === ">" ? 2 : 1) };
    if (charAt(bytes, at) !== "/") return undefined;
    const key = parseName(bytes, at);
    const entry = parseValue(bytes, key.end, depth + 1);
    if (entry === undefined) return undefined;
    value.set(key.value.name, entry.value);
    at = entry.end;
  }
}

function parseArray(bytes: Buffer, start: number, depth: number): ParsedValue | undefined {
  const value: PdfValue[] = [];
  for (let at = skipSpace(bytes, start); ; at = skipSpace(bytes, at)) {
    if (charAt(bytes, at) === "]") return { value, end: at + 1 };
    const item = parseValue(bytes, at, depth + 1);
    if (item === undefined) return undefined;
    value.push(item.value);
    at = item.end;
  }
}

function parseHex(bytes: Buffer, start: number): ParsedValue | undefined {
  const end = bytes.indexOf(">", start);
  return end === -1 ? undefined : toRaw(bytes, start, end + 1);
}

/** A string in brackets, which may contain balanced or escaped ones. */
function parseLiteral(bytes: Buffer, start: number): ParsedValue | undefined {
  for (let at = start, open = 0; at < bytes.length; at++) {
    const char = charAt(bytes, at);
    if (char === "\\") at++;
    else if (char === "(") open++;
    else if (char === ")" && --open === 0) return toRaw(bytes, start, at + 1);
  }
  return undefined;
}

function parseName(bytes: Buffer, start: number): { readonly value: Name; readonly end: number } {
  const end = findWordEnd(bytes, start + 1);
  const written = bytes.toString("latin1", start + 1, end);
  const name = written.replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return { value: { name }, end };
}

/** The longest reference is far shorter. */
const MAX_REFERENCE_CHARS = 32;

function parseReference(bytes: Buffer, start: number): ParsedValue | undefined {
  if (!/\d/.test(charAt(bytes, start))) return undefined;
  const [written, number, generation] =
    /^(\d{1,10})\s+(\d{1,5})\s+R(?![^\s<>[\]()/%])/.exec(
      bytes.toString("latin1", start, start + MAX_REFERENCE_CHARS),
    ) ?? [];
  if (written === undefined) return undefined;
  return { value: { number: Number(number), generation: Number(generation) }, end: start + written.length };
}

/** A number, or `true`, `false` and `null`. */
function parseWord(bytes: Buffer, start: number): ParsedValue | undefined {
  const end = findWordEnd(bytes, start);
  return end === start ? undefined : toRaw(bytes, start, end);
}

function toRaw(bytes: Buffer, start: number, end: number): ParsedValue {
  return { value: { raw: bytes.toString("latin1", start, end) }, end };
}

function findWordEnd(bytes: Buffer, start: number): number {
  let end = start;
  while (end < bytes.length && !/[\0\s<>[\]()/%{}]/.test(charAt(bytes, end))) end++;
  return end;
}

function findLineEnd(bytes: Buffer, start: number): number {
  let end = start;
  while (end < bytes.length && !/[\r\n]/.test(charAt(bytes, end))) end++;
  return end;
}

function isSpace(char: string): boolean {
  return char === " " || char === "\n" || char === "\r" || char === "\t" || char === "\f" || char === "\0";
}

function charAt(bytes: Buffer, at: number): string {
  return String.fromCharCode(bytes[at] ?? 0);
}

function escapeName(name: string): string {
  return name.replace(/[^\w.+-]/g, (char) => `#${char.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
