/** Adds up how the pages of a document were read. */
import type { Failure, Info, PageNote, PageVerdict, Segment } from "./handler.ts";
import type { NumberRange } from "./number-range.ts";

/** Counts over all pages that were read, with the handler's own counts beside the common ones. */
export type PageTally = {
  readonly pages: number;
  readonly withText: number;
  readonly images: number;
  readonly garbled: number;
  readonly damaged: number;
  readonly [count: string]: number;
};

const EMPTY_TALLY: PageTally = { pages: 0, withText: 0, images: 0, garbled: 0, damaged: 0 };

/** The facts of a document with one more page. */
export function addPage(info: Info, segment: Segment, note?: PageNote): Info {
  const tally = countPage(info.tally, segment, note);
  const name = note && pageLists[note.verdict];
  return name === undefined ? { ...info, tally } : { ...info, tally, [name]: addNumber(info[name] ?? [], segment) };
}

/** Where the pages with a verdict are listed, because answers name them. */
const pageLists: Partial<Record<PageVerdict, "garbledPages" | "recognizedPages">> = {
  garbled: "garbledPages",
  recognized: "recognizedPages",
};

/** What is not about the document as a whole, but about the pages that were read. */
export function withoutPages({ tally: _, garbledPages: __, recognizedPages: ___, ...info }: Info): Info {
  return info;
}

/** More ranges than this are not listed; the tally has the number of all pages. */
const MAX_RANGES = 200;

/** The ranges with one more page, which is behind them. */
function addNumber(ranges: readonly NumberRange[], { index }: Segment): readonly NumberRange[] {
  const number = index + 1;
  const last = ranges.at(-1);
  if (last?.last === number - 1) return [...ranges.slice(0, -1), { ...last, last: number }];
  return ranges.length === MAX_RANGES ? ranges : [...ranges, { first: number, last: number }];
}

function countPage(
  tally: PageTally = EMPTY_TALLY,
  { text }: Segment,
  { verdict, counts = {} }: PageNote = { verdict: "read" },
): PageTally {
  const toCount = (holds: boolean): number => (holds ? 1 : 0);
  const own = Object.entries(counts).map(([name, count]) => [name, (tally[name] ?? 0) + count]);
  return {
    ...tally,
    ...Object.fromEntries(own),
    pages: tally.pages + 1,
    withText: tally.withText + toCount(text.trim() !== ""),
    images: tally.images + toCount(verdict === "image"),
    garbled: tally.garbled + toCount(verdict === "garbled"),
    damaged: tally.damaged + toCount(verdict === "damaged"),
  };
}

/** The failure of a document none of whose pages has text. */
export function makeTextlessFailure({ pages, images, damaged }: PageTally = EMPTY_TALLY): Failure {
  if (damaged > 0 && damaged === pages) return { reason: "corrupt", detail: "no page can be read" };
  return { reason: "no_text", detail: images > 0 ? `${images} of ${pages} pages are images` : "" };
}
