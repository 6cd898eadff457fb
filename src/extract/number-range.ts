/** Ranges of line and page numbers, as callers write them. */

/** Numbers from 1, both ends included; `last: null` means to the end. */
export type NumberRange = {
  readonly first: number;
  readonly last: number | null;
  /** The character of the first line or page where the range begins. */
  readonly at?: number;
};

/** The ranges as a caller writes them. */
export function formatRanges(ranges: readonly NumberRange[]): string {
  return ranges.map(formatRange).join(",");
}

/** More ranges make a sentence too long. */
const MAX_NAMED_RANGES = 12;

/** The pages as a sentence names them: `page 3`, `pages 3-5, 9 and others`. */
export function formatPages(ranges: readonly NumberRange[]): { readonly words: string; readonly isOne: boolean } {
  const rest = ranges.length > MAX_NAMED_RANGES ? " and others" : "";
  const numbers = formatRanges(ranges.slice(0, MAX_NAMED_RANGES)).replaceAll(",", ", ");
  const isOne = ranges.length === 1 && ranges[0]?.first === ranges[0]?.last;
  return { words: `${isOne ? "page" : "pages"} ${numbers}${rest}`, isOne };
}

function formatRange({ first, last, at }: NumberRange): string {
  const start = at === undefined || at === 0 ? `${first}` : `${first}@${at}`;
  return last === first ? start : `${start}-${last ?? ""}`;
}
