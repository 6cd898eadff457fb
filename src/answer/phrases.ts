/** Phrases that several answers use: numbers, sizes, times, and what a kind of artifact is called. */
import { extensions } from "../detect/extensions.ts";
import type { ContentKind } from "../detect/kind.ts";
import { genericTypes } from "../detect/media-types.ts";
import { LISTED_TEXT_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";

export { formatCount, formatDuration, formatNumber, formatSize } from "../system/quantities.ts";

/** The name of a kind in a sentence. */
export function nameKind(kind: ContentKind, mediaType: string): string {
  switch (kind) {
    case "pdf":
      return "PDF";
    case "html":
      return "web page";
    case "office_doc":
      return nameOfficeKind(mediaType);
    case "unknown_binary":
      return `binary (${formatMediaType(mediaType)})`;
    default:
      return kind;
  }
}

/** A media type that we know, or what a server calls one in quotes: it may write anything there. */
export function formatMediaType(mediaType: string): string {
  knownTypes ??= new Set([...extensions.values(), ...genericTypes]);
  return knownTypes.has(mediaType) ? mediaType : JSON.stringify(clip(mediaType, LISTED_TEXT_CHARS));
}

let knownTypes: ReadonlySet<string> | undefined;

/** A name that others chose; in quotes, unless it is a few short words. */
export function formatName(name: string): string {
  const shown = clip(name.replace(/[[\]"\\]/g, " ")).trim();
  return isPlainName(shown) ? shown : JSON.stringify(shown);
}

/** With more or longer words, a name could be a sentence. */
const MAX_PLAIN_WORDS = 4;
const MAX_PLAIN_WORD_CHARS = 20;

function isPlainName(name: string): boolean {
  if (!/^[.~]?[\p{L}\p{M}\p{N}]+(?:[._@+-]+[\p{L}\p{M}\p{N}]+)*$/u.test(name)) return false;
  const words = name.match(/\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lu}+/gu) ?? [];
  return words.length <= MAX_PLAIN_WORDS && words.every(({ length }) => length <= MAX_PLAIN_WORD_CHARS);
}

/** `page 12`, `pages 12-18,40` or `slides 2-3`. */
export function namePages(pages: string, pageName: string): string {
  return `${pageName}${/^\d+$/.test(pages) ? "" : "s"} ${pages}`;
}

function nameOfficeKind(mediaType: string): string {
  if (/spreadsheet|ms-excel|numbers|lotus-1-2-3/.test(mediaType)) return "spreadsheet";
  if (/presentation|powerpoint|keynote/.test(mediaType)) return "presentation";
  if (/msword|wordprocessing/.test(mediaType)) return "Word document";
  return "document";
}
