/** Adds up how the pages of a document were read. */
import type { Failure, PageNote, Segment } from "./handler.ts";

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

/** The tally with one more page. */
export function addPage(
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
