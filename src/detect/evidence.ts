/** Gathers all evidence before anything is decided: two claims, what the bytes prove, and how they read as text. */

import { latin1 } from "./formats/bytes.ts";
import type { FormatMatch } from "./formats/format-match.ts";
import { matchMagic } from "./formats/magic.ts";
import { isPdf } from "./formats/pdf.ts";
import { type Claims, firstLookBytes } from "./kind.ts";
import { type HeaderClaim, readExtensionClaim, readHeaderClaim } from "./read-claims.ts";
import { readBom, readDeclaration } from "./text/charset.ts";
import { detectText, isProse } from "./text/detect-text.ts";
import { type Markup, readMarkup } from "./text/markup.ts";
import { asNotText, type TextVerdict } from "./text/text-verdict.ts";

/** Every sign that was seen, before any of it is weighed. */
export type Evidence = {
  readonly header: HeaderClaim;
  /** The media type the name suggests. */
  readonly extension: string | null;
  readonly magic: FormatMatch | null;
  readonly text: TextVerdict;
  readonly markup: Markup | null;
  /** Whether the text holds any tag of a page: one without is none. */
  readonly hasTags: boolean;
  /** Sentences that later looks have to add. */
  readonly notes: readonly string[];
};

/** All that the beginning of some content and its claims say. */
export function gatherEvidence(claims: Claims): Evidence {
  const bytes = claims.firstBytes.subarray(0, firstLookBytes);
  const found = { header: readHeaderClaim(claims), extension: readExtensionClaim(claims), notes: [] };
  const magic = isMarkedText(bytes) ? null : matchMagic(bytes, () => isProse(bytes));
  if (magic !== null) {
    const text = asNotText(`the signature of ${magic.mediaType}`);
    return { ...found, magic, text, markup: null, hasTags: false };
  }
  const text = detectText(bytes, found.header.charset ?? readDeclaration(bytes));
  const characters = text.isText ? decodePrefix(bytes, text.charset) : "";
  return { ...found, magic, text, markup: readMarkup(characters), hasTags: pageTags.test(characters) };
}

/** A byte-order mark before text is also how MPEG frames begin: text that makes sense comes first, unless it is a PDF. */
function isMarkedText(bytes: Uint8Array): boolean {
  return readBom(bytes) !== null && !isPdf(bytes) && detectText(bytes, null).isText;
}

/** Tags that some place of nearly every page holds, and few programs. */
const pageTags =
  /<(!doctype|html|head|body|title|meta|script|style|div|span|p|a|br|h[1-6]|ul|li|table|t[rdh]|img|form|b|i)[\s/>]/i;

/** Markup is ASCII in every charset that is a superset of it, so only the wide ones have to be decoded. */
function decodePrefix(bytes: Uint8Array, charset: string): string {
  if (charset.startsWith("utf-16")) return new TextDecoder(charset).decode(bytes);
  if (!charset.startsWith("utf-32")) return latin1(bytes, 0, bytes.length).replace(/^\xef\xbb\xbf/, "");
  const lowest = charset === "utf-32le" ? 0 : 3;
  return latin1(
    bytes.filter((_, at) => at % 4 === lowest),
    0,
    bytes.length,
  ).replace(/^\xff/, "");
}
