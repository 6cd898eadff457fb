/** Gathers all evidence before anything is decided: two claims, the signature, and how the bytes read as text. */

import { decodeLatin1 } from "./bytes.ts";
import type { FormatMatch } from "./formats/format-match.ts";
import { matchMagic } from "./formats/magic.ts";
import { isPdf } from "./formats/pdf.ts";
import { type Claims, FIRST_LOOK_BYTES } from "./kind.ts";
import { type HeaderClaim, readExtensionClaim, readHeaderClaim } from "./read-claims.ts";
import { readBom, readDeclaration } from "./text/charset.ts";
import { detectText, isProse } from "./text/detect-text.ts";
import { type Markup, readMarkup } from "./text/markup.ts";
import { asNotText, type TextVerdict } from "./text/text-verdict.ts";

/** All evidence, before any of it is weighed. */
export type Evidence = {
  readonly header: HeaderClaim;
  /** The media type that the name suggests. */
  readonly extension: string | null;
  readonly magic: FormatMatch | null;
  readonly text: TextVerdict;
  /** The charset that the header, or else the text itself, declares. */
  readonly declaredCharset: string | null;
  readonly markup: Markup | null;
  /** Whether the text contains any HTML tag: text without one is not a page. */
  readonly hasTags: boolean;
  /** Sentences that the second look adds. */
  readonly notes: readonly string[];
};

/** The evidence in the claims and in the beginning of some content. */
export function gatherEvidence(claims: Claims): Evidence {
  const bytes = claims.firstBytes.subarray(0, FIRST_LOOK_BYTES);
  const header = readHeaderClaim(claims);
  const declaredCharset = header.charset ?? readDeclaration(bytes);
  const claimEvidence = { header, extension: readExtensionClaim(claims), declaredCharset, notes: [] };
  const magic = isMarkedText(bytes) ? null : matchMagic(bytes, () => isProse(bytes));
  if (magic !== null) {
    const text = asNotText(`the signature of ${magic.mediaType}`);
    return { ...claimEvidence, magic, text, markup: null, hasTags: false };
  }
  const text = detectText(bytes, declaredCharset);
  const characters = text.isText ? decodePrefix(bytes, text.charset) : "";
  return { ...claimEvidence, magic, text, markup: readMarkup(characters), hasTags: pageTags.test(characters) };
}

/** MPEG frames may begin like a byte-order mark, so valid text after a mark wins over a signature, except for a PDF. */
function isMarkedText(bytes: Uint8Array): boolean {
  return readBom(bytes) !== null && !isPdf(bytes) && detectText(bytes, null).isText;
}

/** Tags that nearly every page contains, and few programs. */
const pageTags =
  /<(!doctype|html|head|body|title|meta|script|style|div|span|p|a|br|h[1-6]|ul|li|table|t[rdh]|img|form|b|i)[\s/>]/i;

/** Markup is ASCII, so only charsets that are not supersets of ASCII have to be decoded: the wide ones. */
function decodePrefix(bytes: Uint8Array, charset: string): string {
  if (charset.startsWith("utf-16")) return new TextDecoder(charset).decode(bytes);
  if (!charset.startsWith("utf-32")) return decodeLatin1(bytes, 0, bytes.length).replace(/^\xef\xbb\xbf/, "");
  const lowest = charset === "utf-32le" ? 0 : 3;
  return decodeLatin1(
    bytes.filter((_, index) => index % 4 === lowest),
    0,
    bytes.length,
  ).replace(/^\xff/, "");
}
