/** Phrases that several answers use: numbers, sizes, times, and what a kind of artifact is called. */
import type { ContentKind } from "../detect/kind.ts";
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
      return `binary (${clip(mediaType, LISTED_TEXT_CHARS)})`;
    default:
      return kind;
  }
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
