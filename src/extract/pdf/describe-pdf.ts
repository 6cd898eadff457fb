/** What answers say about a PDF: pages without text, doubtful or unreadable ones, hidden text, a damaged file. */
import { formatCount, formatNumber } from "../../system/quantities.ts";
import type { Description, Failure, Info } from "../handler.ts";
import type { PageTally } from "../page-tally.ts";

/** The facts that only the PDF handler states. */
export type PdfFacts = {
  /** The file is damaged and was read by the second reader, which reports less about a page. */
  readonly rescued: boolean;
};

/** Counts of one page that are added up over the document. */
export type PdfCounts = {
  /** Characters of the text that a person who views the page does not see. */
  readonly hiddenChars: number;
  /** Annotations that were not read because the page has too many. */
  readonly unreadAnnotations: number;
};

/** The facts of a document as warnings. */
export function describePdf({ tally, rescued }: Info<PdfFacts>, failed: Failure | null): Description {
  return {
    warnings: [
      ...(tally === undefined ? [] : tallyWarnings(tally, failed)),
      ...(rescued ? ["The file is damaged: a second reader, which cannot detect hidden text, had to read it."] : []),
    ],
  };
}

function tallyWarnings(tally: PageTally & Partial<PdfCounts>, failed: Failure | null): string[] {
  const { pages, images, garbled, damaged, hiddenChars = 0, unreadAnnotations = 0 } = tally;
  const ofPages = (count: number): string => `${formatNumber(count)} of ${formatCount(pages, "page")}`;
  return [
    // The failure's own sentence says that no page has text.
    ...(images > 0 && failed?.reason !== "no_text" ? [`${ofPages(images)} are images without text.`] : []),
    ...(garbled > 0 ? [`The text of ${ofPages(garbled)} is guessed: their fonts have no character map.`] : []),
    ...(damaged > 0 ? [`${ofPages(damaged)} cannot be read.`] : []),
    ...(unreadAnnotations > 0 ? [`${formatCount(unreadAnnotations, "annotation")} were not read.`] : []),
    // Invisible text can carry instructions that only a machine reads.
    ...(hiddenChars > 0
      ? [`${formatCount(hiddenChars, "character")} of the text cannot be seen by a person who views the document.`]
      : []),
  ];
}
