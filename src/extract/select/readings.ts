/** What a read found, before it is worded: a range with its offsets, or passages. Either can be shortened. */

import type { Bound } from "../../fit/budget.ts";
import { type FittedText, fitChars, type TextWindow } from "../../fit/fit-text.ts";
import { countLines, cutBetweenCodePoints } from "../../fit/measure.ts";
import type { Place } from "../../retrieval/split-passages.ts";
import { formatRanges, type NumberRange } from "../number-range.ts";
import { findPlace, RANGE_BREAK } from "./join-ranges.ts";
import { filterCovered, formatPageRange, type PlacedPage, type TextRange } from "./select-range.ts";

/** A page and where in the text it begins. */
export type PageStart = { readonly page: number; readonly offset: number };

/** A chosen range with the line it begins in and the pages it covers. */
export type PlacedRange = TextRange & { readonly line: number; readonly pages: readonly PlacedPage[] };

/** How much was chosen. */
export type SelectionSize = {
  /** All characters of it; null where not all of it is extracted. */
  readonly chars: number | null;
  /** Those that are extracted. */
  readonly soFar: number;
  /** Whether it ends where the text ends. */
  readonly isWholeText: boolean;
};

/** Where reading continues. */
export type NextPlace = {
  /** In the whole text; null where that is not known. */
  readonly offset: number | null;
  /** The rest of what was chosen, where the chosen range ends before the text. */
  readonly rest: { readonly selector: "lines" | "pages"; readonly range: string } | null;
};

/** A range of the text. */
export type RangeReading = {
  readonly type: "range";
  /** The name of the range: a heading or pages. Empty where lines and offset are enough. */
  readonly label: string;
  readonly fittedText: FittedText;
  /** Where reading continues; null where nothing follows. */
  readonly next: NextPlace | null;
  readonly selection: SelectionSize;
  readonly start: { readonly offset: number; readonly line: number };
  readonly endLine: number;
  /** The pages it covers, where the document has pages. */
  readonly pages: string | null;
  /** The label of the one page, or part of a page, that holds all of it. */
  readonly pageLabel: string | null;
  /** Where they begin in the shown text. */
  readonly pageStarts: readonly PageStart[];
  shorten(chars: number, bound: Bound): RangeReading;
};

/** How many passages match a question. */
export type MatchedPassages = { readonly count: number; readonly isEstimated: boolean };

/** The passages that answer a question, as many as fit. */
export type PassageReading = {
  readonly type: "passages";
  readonly text: string;
  readonly passages: readonly RankedPlace[];
  readonly matched: MatchedPassages;
  /** Where the rest of a cut passage is, or the next best one; null where all that are worth reading are shown. */
  readonly next: NextPlace | null;
  shorten(chars: number, bound: Bound): PassageReading;
};

export type Reading = RangeReading | PassageReading;

type RankedPlace = Place & { readonly score: number };

/** The chosen ranges joined, with the lines and pages of those that a reply can reach. */
type JoinedRanges = {
  readonly window: TextWindow;
  readonly ranges: readonly TextRange[];
  readonly placedRanges: readonly PlacedRange[];
  readonly selection: SelectionSize;
  /** Whether places in the whole text are known: not where single pages were extracted. */
  readonly isPlaced: boolean;
  /** The chosen pages or lines by their numbers; null for the rest of the text. */
  readonly chosen: ChosenNumbers | null;
};

/** What was chosen, as numbers by which its rest can be chosen. */
export type ChosenNumbers =
  | { readonly selector: "pages"; readonly ranges: readonly NumberRange[] }
  | { readonly selector: "lines"; readonly range: NumberRange };

/** The reading for what is shown of the joined ranges. */
export function makeRangeReading(joinedRanges: JoinedRanges, fittedText: FittedText): RangeReading {
  const { window, ranges, placedRanges, selection } = joinedRanges;
  const shownRanges = findShownRanges(placedRanges, fittedText.text.length);
  const last = shownRanges.at(-1);
  const [start, line] = [placedRanges[0]?.start ?? 0, placedRanges[0]?.line ?? 1];
  return {
    type: "range",
    label: ranges
      .map(({ label }) => label)
      .filter(Boolean)
      .join(", "),
    fittedText,
    next: fittedText.hasMore ? findNext(joinedRanges, fittedText.text) : null,
    selection,
    start: { offset: start, line },
    endLine: last === undefined ? line : last.range.line + countLines(fittedText.text.slice(last.offset, -1)) - 1,
    pages: formatPages(shownRanges, fittedText.text.length),
    pageLabel: findOnlyLabel(shownRanges, fittedText.text.length),
    pageStarts: shownRanges.flatMap(({ range, offset }) =>
      range.pages.map(({ page, start }) => ({ page, offset: offset + Math.max(0, start - range.start) })),
    ),
    shorten: (chars, bound) => makeRangeReading(joinedRanges, fitChars(window, chars, bound)),
  };
}

/** A range that is shown, and where it begins in the joined text. */
type ShownRange<R extends TextRange> = { readonly range: R; readonly offset: number };

/** The ranges that the first `shownChars` of the joined text reach; always the first one. */
export function findShownRanges<R extends TextRange>(ranges: readonly R[], shownChars: number): ShownRange<R>[] {
  const shownRanges: ShownRange<R>[] = [];
  let offset = 0;
  for (const range of ranges) {
    if (offset >= shownChars && shownRanges.length > 0) break;
    shownRanges.push({ range, offset });
    offset += range.end - range.start + RANGE_BREAK.length;
  }
  return shownRanges;
}

function findNext(joinedRanges: JoinedRanges, shown: string): NextPlace {
  const { ranges, isPlaced, chosen } = joinedRanges;
  const { index, offset } = findPlace(ranges, shown.length);
  const place = isPlaced ? offset : null;
  if (chosen === null) return { offset: place, rest: null };
  const rest =
    chosen.selector === "lines"
      ? [findRestOfLines(chosen.range, shown)]
      : findRestOfPages(chosen.ranges.slice(index), joinedRanges.placedRanges[index], offset);
  return { offset: place, rest: { selector: chosen.selector, range: formatRanges(rest) } };
}

/** The current range of pages from an offset on, and the ranges after it. */
function findRestOfPages(
  [current, ...others]: readonly NumberRange[],
  placed: PlacedRange | undefined,
  offset: number,
): NumberRange[] {
  const page = placed?.pages.findLast(({ start }) => start <= offset);
  if (current === undefined) return others;
  return [page === undefined ? current : { ...current, first: page.page, at: offset - page.start }, ...others];
}

/** The lines after what is shown of them; the first of them may be shown in part. */
function findRestOfLines({ first, last, at = 0 }: NumberRange, shown: string): NumberRange {
  const lineStart = shown.lastIndexOf("\n") + 1;
  const shownOfLine = shown.length - lineStart + (lineStart === 0 ? at : 0);
  return { first: first + countLines(shown.slice(0, lineStart)) - 1, last, at: shownOfLine };
}

/** Chosen pages need not follow each other: each range of pages is listed. */
function formatPages(shownRanges: readonly ShownRange<PlacedRange>[], shownChars: number): string | null {
  const pages = shownRanges.map((shown) => formatPageRange(shown.range.pages, findShownEnd(shown, shownChars)));
  const present = pages.filter((range) => range !== null);
  return present.length === 0 ? null : present.join(",");
}

function findOnlyLabel(shownRanges: readonly ShownRange<PlacedRange>[], shownChars: number): string | null {
  const pages = shownRanges.flatMap((shown) => filterCovered(shown.range.pages, findShownEnd(shown, shownChars)));
  return pages.length === 1 ? (pages[0]?.label ?? null) : null;
}

/** The document's offset where the shown part of a range ends. */
const findShownEnd = ({ range, offset }: ShownRange<PlacedRange>, shownChars: number): number =>
  range.start + Math.max(1, shownChars - offset);

/** The reading of as many passages as there are texts. */
export function makePassageReading(
  texts: readonly string[],
  ranked: readonly RankedPlace[],
  matched: MatchedPassages,
): PassageReading {
  return {
    type: "passages",
    text: texts.join(RANGE_BREAK),
    passages: ranked.slice(0, texts.length),
    matched,
    next: findNextPassage(texts, ranked),
    shorten: (chars) => makePassageReading(takeWholeTexts(texts, chars), ranked, matched),
  };
}

function findNextPassage(texts: readonly string[], ranked: readonly RankedPlace[]): NextPlace | null {
  const offset = findRestOfCut(texts.at(-1), ranked[texts.length - 1]) ?? ranked[texts.length]?.start;
  return offset === undefined ? null : { offset, rest: null };
}

/** Where the rest of a passage begins of which only a part is shown, below the line with its place. */
function findRestOfCut(text: string | undefined, place: RankedPlace | undefined): number | null {
  if (text === undefined || place === undefined) return null;
  const headerEnd = text.indexOf("\n");
  const shownChars = headerEnd === -1 ? 0 : text.length - headerEnd - 1;
  return place.start + shownChars < place.end ? place.start + shownChars : null;
}

/** Whole passages, best first; the first one is cut rather than left out. */
function takeWholeTexts(texts: readonly string[], chars: number): string[] {
  const wholeTexts: string[] = [];
  let usedChars = 0;
  for (const text of texts) {
    usedChars += text.length + (wholeTexts.length === 0 ? 0 : RANGE_BREAK.length);
    if (usedChars > chars) break;
    wholeTexts.push(text);
  }
  const [first] = texts;
  return wholeTexts.length > 0 || first === undefined || chars < 1 ? wholeTexts : [cutBetweenCodePoints(first, chars)];
}
