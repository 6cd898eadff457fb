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

function formatRange({ first, last, at }: NumberRange): string {
  const start = at === undefined || at === 0 ? `${first}` : `${first}@${at}`;
  return last === first ? start : `${start}-${last ?? ""}`;
}
