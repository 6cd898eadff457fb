/** Small phrases every answer uses: sizes, names of kinds, clipped names. */
import type { ContentKind } from "../detect/kind.ts";
import { clipped } from "../system/safe-names.ts";

/** `612 KB`, `1.4 MB`: what a reader needs to judge a size, no more. */
export function sizeWords(sizeBytes: number): string {
  if (sizeBytes < 1_000) return `${sizeBytes} B`;
  const units = ["KB", "MB", "GB", "TB"];
  let size = sizeBytes / 1_000;
  let unit = 0;
  while (Math.round(size) >= 1_000 && unit < units.length - 1) {
    size /= 1_000;
    unit++;
  }
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

/** `1,234,567` for sentences; machine fields and the truncation notice carry plain digits. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 line`, `2 lines`. */
export function counted(count: number, thing: string): string {
  return `${grouped(count)} ${thing}${count === 1 ? "" : "s"}`;
}

/** `2 hours`, `30 seconds`: a wait as a person says it. */
export function timeWords(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 120) return counted(seconds, "second");
  return seconds < 7_200 ? counted(Math.round(seconds / 60), "minute") : counted(Math.round(seconds / 3_600), "hour");
}

/** What the summary line calls an artifact of this kind. */
export function kindWords(kind: ContentKind, mediaType: string): string {
  switch (kind) {
    case "pdf":
      return "PDF";
    case "html":
      return "web page";
    case "office_doc":
      return officeWords(mediaType);
    case "unknown_binary":
      return `binary (${clipped(mediaType, 80)})`;
    default:
      return kind;
  }
}

function officeWords(mediaType: string): string {
  if (/spreadsheet|ms-excel|numbers|lotus-1-2-3/.test(mediaType)) return "spreadsheet";
  if (/presentation|powerpoint|keynote/.test(mediaType)) return "presentation";
  if (/msword|wordprocessing/.test(mediaType)) return "Word document";
  return "document";
}
