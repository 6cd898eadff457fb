/** How the pages of a document came out, added up over all that were read. */
import type { Failure, PageNote, Segment } from "./handler.ts";

export type PageTally = {
  readonly pages: number;
  readonly withText: number;
  readonly images: number;
  readonly garbled: number;
  readonly damaged: number;
  /** Characters that a viewer of the document does not see. */
  readonly hiddenChars: number;
  /** Annotations that were not read because a page has too many. */
  readonly unreadAnnotations: number;
};

const none: PageTally = {
  pages: 0,
  withText: 0,
  images: 0,
  garbled: 0,
  damaged: 0,
  hiddenChars: 0,
  unreadAnnotations: 0,
};

export function addPage(tally: PageTally = none, { text }: Segment, note: PageNote): PageTally {
  const one = (holds: boolean): number => (holds ? 1 : 0);
  return {
    pages: tally.pages + 1,
    withText: tally.withText + one(text.trim() !== ""),
    images: tally.images + one(note.verdict === "image"),
    garbled: tally.garbled + one(note.verdict === "garbled"),
    damaged: tally.damaged + one(note.verdict === "damaged"),
    hiddenChars: tally.hiddenChars + (note.hiddenChars ?? 0),
    unreadAnnotations: tally.unreadAnnotations + (note.unreadAnnotations ?? 0),
  };
}

/** What to say of a whole document none of whose pages has text. */
export function textlessFailure({ pages, images, damaged }: PageTally = none): Failure {
  if (damaged > 0 && damaged === pages) return { reason: "corrupt", detail: "no page can be read" };
  return { reason: "no_text", detail: images > 0 ? `${images} of ${pages} pages are images` : "" };
}
