/** What was read of a document, before it is put into words: a part with its places, or passages; either can shrink. */

import type { Bound } from "../fit/budget.ts";
import { type FittedText, fitChars, type TextWindow } from "../fit/fit-text.ts";
import { countLines, cutBetweenCodePoints } from "../fit/measure.ts";
import type { Place } from "../retrieval/split.ts";
import { partBreak, placeInDocument } from "./parts.ts";
import { type PagePlace, type Part, pageRange } from "./select.ts";

/** A page and where in the text it begins. */
export type PageStart = { readonly page: number; readonly at: number };

/** A chosen part with the line it begins in and the pages it lies on. */
export type PlacedPart = Part & { readonly line: number; readonly pages: readonly PagePlace[] };

/** A part of the text that was read. */
export type PartReading = {
  readonly by: "part";
  /** The part's own name: a heading, pages. Empty where lines and offset say it all. */
  readonly label: string;
  readonly shown: FittedText;
  /** Where reading on continues in the document. */
  readonly nextOffset: number | null;
  /** Characters of what was asked for. */
  readonly askedChars: number;
  readonly start: { readonly offset: number; readonly line: number };
  readonly endLine: number;
  /** The pages it lies on, where the document has pages. */
  readonly pages: string | null;
  /** Where they begin in the text that is shown. */
  readonly pageStarts: readonly PageStart[];
  shorter(chars: number, bound: Bound): PartReading;
};

/** The passages that answer a question, as many as fit. */
export type PassageReading = {
  readonly by: "passages";
  readonly text: string;
  readonly passages: readonly RankedPlace[];
  readonly matchedCount: number;
  shorter(chars: number, bound: Bound): PassageReading;
};

export type Reading = PartReading | PassageReading;

type RankedPlace = Place & { readonly score: number };

/** The chosen parts joined: all of them, and the places of those that a reply can reach. */
type JoinedParts = {
  readonly window: TextWindow;
  readonly parts: readonly Part[];
  readonly placed: readonly PlacedPart[];
  readonly askedChars: number;
};

/** The places of what is shown of the joined parts. */
export function partReading(joined: JoinedParts, shown: FittedText): PartReading {
  const { window, parts, placed, askedChars } = joined;
  const reached = reachedParts(placed, shown.text.length);
  const last = reached.at(-1);
  const [start, line] = [placed[0]?.start ?? 0, placed[0]?.line ?? 1];
  return {
    by: "part",
    label: parts
      .map(({ label }) => label)
      .filter(Boolean)
      .join(", "),
    shown,
    nextOffset: shown.hasMore ? placeInDocument(parts, shown.text.length) : null,
    askedChars,
    start: { offset: start, line },
    endLine: last === undefined ? line : last.part.line + countLines(shown.text.slice(last.at, -1)) - 1,
    pages: pagesOf(reached, shown.text.length),
    pageStarts: reached.flatMap(({ part, at }) =>
      part.pages.map(({ page, start }) => ({ page, at: at + Math.max(0, start - part.start) })),
    ),
    shorter: (chars, bound) => partReading(joined, fitChars(window, chars, bound)),
  };
}

/** A part that is shown, and where it begins in the joined text. */
type Reached<P extends Part> = { readonly part: P; readonly at: number };

/** The parts that so many characters of the joined text reach; the first always. */
export function reachedParts<P extends Part>(parts: readonly P[], shownChars: number): Reached<P>[] {
  const reached: Reached<P>[] = [];
  let at = 0;
  for (const part of parts) {
    if (at >= shownChars && reached.length > 0) break;
    reached.push({ part, at });
    at += part.end - part.start + partBreak.length;
  }
  return reached;
}

/** Chosen pages need not follow each other; their ranges are named one by one. */
function pagesOf(reached: readonly Reached<PlacedPart>[], shownChars: number): string | null {
  const ranges = reached.map(({ part, at }) => pageRange(part.pages, part.start + Math.max(1, shownChars - at)));
  const named = ranges.filter((range) => range !== null);
  return named.length === 0 ? null : named.join(",");
}

/** As many of the passages as there are texts for. */
export function passageReading(
  texts: readonly string[],
  ranked: readonly RankedPlace[],
  matchedCount: number,
): PassageReading {
  return {
    by: "passages",
    text: texts.join(partBreak),
    passages: ranked.slice(0, texts.length),
    matchedCount,
    shorter: (chars) => passageReading(wholeTexts(texts, chars), ranked, matchedCount),
  };
}

/** Whole passages, best first; the first is shown in part rather than not at all. */
function wholeTexts(texts: readonly string[], chars: number): string[] {
  const whole: string[] = [];
  let used = 0;
  for (const text of texts) {
    used += text.length + (whole.length === 0 ? 0 : partBreak.length);
    if (used > chars) break;
    whole.push(text);
  }
  const [first] = texts;
  return whole.length > 0 || first === undefined || chars < 1 ? whole : [cutBetweenCodePoints(first, chars)];
}
