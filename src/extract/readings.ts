/** What a read found, before it is worded: a range with its offsets, or passages. Either can be shortened. */

import type { Bound } from "../fit/budget.ts";
import { type FittedText, fitChars, type TextWindow } from "../fit/fit-text.ts";
import { countLines, cutBetweenCodePoints } from "../fit/measure.ts";
import type { Place } from "../retrieval/split.ts";
import { RANGE_BREAK, toDocumentOffset } from "./join-ranges.ts";
import { formatPageRange, type PlacedPage, type TextRange } from "./select.ts";

/** A page and where in the text it begins. */
export type PageStart = { readonly page: number; readonly at: number };

/** A chosen range with the line it begins in and the pages it covers. */
export type PlacedRange = TextRange & { readonly line: number; readonly pages: readonly PlacedPage[] };

/** A range of the text. */
export type RangeReading = {
  readonly by: "range";
  /** The name of the range: a heading or pages. Empty where lines and offset are enough. */
  readonly label: string;
  readonly shown: FittedText;
  /** The document's offset where reading continues. */
  readonly nextOffset: number | null;
  /** Characters of the whole selection. */
  readonly selectedChars: number;
  readonly start: { readonly offset: number; readonly line: number };
  readonly endLine: number;
  /** The pages it covers, where the document has pages. */
  readonly pages: string | null;
  /** Where they begin in the shown text. */
  readonly pageStarts: readonly PageStart[];
  shorten(chars: number, bound: Bound): RangeReading;
};

/** The passages that answer a question, as many as fit. */
export type PassageReading = {
  readonly by: "passages";
  readonly text: string;
  readonly passages: readonly RankedPlace[];
  readonly matchedCount: number;
  shorten(chars: number, bound: Bound): PassageReading;
};

export type Reading = RangeReading | PassageReading;

type RankedPlace = Place & { readonly score: number };

/** The chosen ranges joined, with the lines and pages of those that a reply can reach. */
type JoinedRanges = {
  readonly window: TextWindow;
  readonly ranges: readonly TextRange[];
  readonly placed: readonly PlacedRange[];
  readonly selectedChars: number;
};

/** The reading for what is shown of the joined ranges. */
export function makeRangeReading(joined: JoinedRanges, shown: FittedText): RangeReading {
  const { window, ranges, placed, selectedChars } = joined;
  const reached = findReached(placed, shown.text.length);
  const last = reached.at(-1);
  const [start, line] = [placed[0]?.start ?? 0, placed[0]?.line ?? 1];
  return {
    by: "range",
    label: ranges
      .map(({ label }) => label)
      .filter(Boolean)
      .join(", "),
    shown,
    nextOffset: shown.hasMore ? toDocumentOffset(ranges, shown.text.length) : null,
    selectedChars,
    start: { offset: start, line },
    endLine: last === undefined ? line : last.range.line + countLines(shown.text.slice(last.offset, -1)) - 1,
    pages: formatPages(reached, shown.text.length),
    pageStarts: reached.flatMap(({ range, offset }) =>
      range.pages.map(({ page, start }) => ({ page, at: offset + Math.max(0, start - range.start) })),
    ),
    shorten: (chars, bound) => makeRangeReading(joined, fitChars(window, chars, bound)),
  };
}

/** A range that is shown, and where it begins in the joined text. */
type Reached<R extends TextRange> = { readonly range: R; readonly offset: number };

/** The ranges that the first `shownChars` of the joined text reach; always the first one. */
export function findReached<R extends TextRange>(ranges: readonly R[], shownChars: number): Reached<R>[] {
  const reached: Reached<R>[] = [];
  let offset = 0;
  for (const range of ranges) {
    if (offset >= shownChars && reached.length > 0) break;
    reached.push({ range, offset });
    offset += range.end - range.start + RANGE_BREAK.length;
  }
  return reached;
}

/** Chosen pages need not follow each other: each range of pages is listed. */
function formatPages(reached: readonly Reached<PlacedRange>[], shownChars: number): string | null {
  const pages = reached.map(({ range, offset }) =>
    formatPageRange(range.pages, range.start + Math.max(1, shownChars - offset)),
  );
  const present = pages.filter((range) => range !== null);
  return present.length === 0 ? null : present.join(",");
}

/** The reading of as many passages as there are texts. */
export function makePassageReading(
  texts: readonly string[],
  ranked: readonly RankedPlace[],
  matchedCount: number,
): PassageReading {
  return {
    by: "passages",
    text: texts.join(RANGE_BREAK),
    passages: ranked.slice(0, texts.length),
    matchedCount,
    shorten: (chars) => makePassageReading(takeWholeTexts(texts, chars), ranked, matchedCount),
  };
}

/** Whole passages, best first; the first one is cut rather than left out. */
function takeWholeTexts(texts: readonly string[], chars: number): string[] {
  const whole: string[] = [];
  let used = 0;
  for (const text of texts) {
    used += text.length + (whole.length === 0 ? 0 : RANGE_BREAK.length);
    if (used > chars) break;
    whole.push(text);
  }
  const [first] = texts;
  return whole.length > 0 || first === undefined || chars < 1 ? whole : [cutBetweenCodePoints(first, chars)];
}
