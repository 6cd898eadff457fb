/** Charsets that are stated rather than guessed: byte-order marks, labels in headers, and declarations in the text. */
import { decodeLatin1, hasAt } from "../bytes.ts";
import { codePages, decodeCodePage } from "./code-pages.ts";

/** A byte-order mark: the charset it names and its size before the text. */
export type Bom = { readonly charset: WideCharset | "utf-8"; readonly sizeBytes: number };

/** Charsets with units of two or four bytes. */
export type WideCharset = "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be";

/** Whether a charset has units of two or four bytes. */
export const isWide = (charset: string): charset is WideCharset => /^utf-(16|32)[lb]e$/.test(charset);

/** The byte-order mark, or null. */
export function readBom(bytes: Uint8Array): Bom | null {
  const row = boms.find(({ mark }) => hasAt(bytes, 0, mark));
  return row === undefined ? null : { charset: row.charset, sizeBytes: row.mark.length };
}

/** UTF-32 comes before UTF-16, because its little-endian mark begins with that of UTF-16. */
const boms: readonly { readonly mark: string; readonly charset: Bom["charset"] }[] = [
  { mark: "\xef\xbb\xbf", charset: "utf-8" },
  { mark: "\xff\xfe\0\0", charset: "utf-32le" },
  { mark: "\0\0\xfe\xff", charset: "utf-32be" },
  { mark: "\xff\xfe", charset: "utf-16le" },
  { mark: "\xfe\xff", charset: "utf-16be" },
];

/** The WHATWG name for a label, or null where the platform cannot decode it. */
export function findEncoding(label: string): string | null {
  const cached = encodings.get(label);
  if (cached !== undefined) return cached;
  const encoding = lookUpEncoding(label);
  if (encodings.size < 200) encodings.set(label, encoding);
  return encoding;
}

const encodings = new Map<string, string | null>();

function lookUpEncoding(label: string): string | null {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null; // Not an encoding of the web platform.
  }
}

/** The charset that a page, an XML document or a style sheet declares in its first lines, or null. */
export function readDeclaration(bytes: Uint8Array): string | null {
  if (!declarationStarts.has(bytes[0] ?? 0)) return null;
  const head = decodeLatin1(bytes, 0, 2048);
  const label = declarations.map((pattern) => pattern.exec(head)?.[1]).find((candidate) => candidate !== undefined);
  const encoding = label === undefined ? null : findEncoding(label);
  // A declaration that is readable byte by byte is not in UTF-16.
  return encoding?.startsWith("utf-16") ? "utf-8" : encoding;
}

/** `<`, `@`, or white space before them. */
const declarationStarts: ReadonlySet<number> = new Set([0x3c, 0x40, 0x20, 0x09, 0x0a, 0x0d]);

const declarations: readonly RegExp[] = [
  /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/,
  /<meta\s[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)/i,
  /^@charset "([\w.:-]+)";/,
];

/** Whether every byte is valid in this charset; the last character may be cut. False for an unknown charset. */
export function canDecode(bytes: Uint8Array, charset: string): boolean {
  try {
    new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Decodes bytes in a charset that has a code page here or is known to the platform. */
export function decodeIn(charset: string, bytes: Uint8Array): string {
  const page = codePages.get(charset);
  return page === undefined ? new TextDecoder(charset).decode(bytes) : decodeCodePage(bytes, page);
}
