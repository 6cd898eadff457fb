/** How long a text is: a number only where a later reply cannot name another one, else what is known so far. */
import type { ArtifactFacts } from "../artifacts/record.ts";
import type { Extract } from "../extract/extract.ts";
import { formatRanges, type NumberRange } from "../extract/number-range.ts";
import { SHORT_NAME_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import { formatNumber, namePages } from "./phrases.ts";
import type { TotalChars } from "./truncation.ts";

type Facts = Pick<ArtifactFacts, "source_truncated">;

/** Characters of the whole text; null where they are not known. */
export function findTotalChars({ source_truncated }: Facts, { totalChars }: Extract): number | null {
  return source_truncated ? null : totalChars;
}

/** A length for the truncation notice: of the whole text, or of a selection with so many characters extracted. */
export function toTotalChars(
  facts: Facts,
  extract: Extract,
  { chars, soFar }: { readonly chars: number | null; readonly soFar: number },
): TotalChars {
  return chars ?? { atLeast: soFar, known: describeKnownPart(facts, extract) };
}

/** `at least 300412; pages 1-62 of 80 read so far` for a text whose length is not known. */
export function formatAtLeast(facts: Facts, extract: Extract): string {
  return `at least ${extract.size.chars}; ${describeKnownPart(facts, extract)}`;
}

/** `9,000`, or `at least 9,000`. */
export function formatTotal(total: number | null, soFar: number): string {
  return total === null ? `at least ${formatNumber(soFar)}` : formatNumber(total);
}

function describeKnownPart({ source_truncated }: Facts, extract: Extract): string {
  if (!extract.isPartial) return source_truncated ? "the source was not kept whole" : "all of it was read";
  if (extract.info.tally === undefined) return "the rest was not read";
  return `${formatPagesRead(extract)} ${extract.canContinue ? "read so far" : "could be read"}`;
}

/** The pages that were read, of how many. */
function formatPagesRead({ onlyPages, size, info, pageName }: Extract): string {
  const { pageCount = size.pages } = info;
  // A page that was begun counts too.
  const pages = onlyPages ?? [{ first: 1, last: Math.max(1, size.pages) }];
  const limitToDocument = ({ first, last }: NumberRange) => ({ first, last: Math.min(last ?? pageCount, pageCount) });
  const ofAll = info.pageCount === undefined ? "" : ` of ${formatNumber(pageCount)}`;
  return `${namePages(clip(formatRanges(pages.map(limitToDocument)), SHORT_NAME_CHARS), pageName)}${ofAll}`;
}
