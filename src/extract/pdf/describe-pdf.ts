/** What answers say about a PDF: pages without text, doubtful or unreadable ones, hidden text, a damaged file. */
import { formatCount, formatNumber } from "../../system/quantities.ts";
import type { Description, Failure, Info } from "../handler.ts";
import { formatPages, type NumberRange } from "../number-range.ts";
import { hintForOcr, type OcrFacts, recognizedWarning } from "../ocr/describe-ocr.ts";
import type { PageTally } from "../page-tally.ts";
import type { RebuiltPdf } from "./rebuild/rebuild-pdf.ts";

/** The facts that only the PDF handler states. */
export type PdfFacts = OcrFacts & {
  /** The file is damaged and was read by the second reader, which reports less about a page. */
  readonly rescued: boolean;
  /** The end of the file is missing or damaged, and its pages had to be searched for. */
  readonly rebuilt: Pick<RebuiltPdf, "hasPageList" | "pagesWithoutFonts">;
};

/** Counts of one page that are added up over the document. */
export type PdfCounts = {
  /** Characters of the text that a person who views the page does not see. */
  readonly hiddenChars: number;
  /** Annotations that were not read because the page has too many. */
  readonly unreadAnnotations: number;
  /** Pages on which OCR failed or took too long. */
  readonly unrecognized?: number;
};

/** The facts of a document as warnings. */
export function describePdf(
  { tally, garbledPages = [], recognizedPages = [], rescued, rebuilt, ocr, pageCount = 0 }: Info<PdfFacts>,
  failed: Failure | null,
): Description {
  return {
    warnings: [
      ...(rebuilt ? rebuiltWarnings(rebuilt, pageCount) : []),
      ...(garbledPages.length > 0 ? [guessworkWarning(garbledPages)] : []),
      ...(recognizedPages.length > 0 ? [recognizedWarning(recognizedPages)] : []),
      ...(tally === undefined ? [] : tallyWarnings(tally, failed)),
      ...(tally !== undefined && tally.images > 0 ? hintForOcr(ocr, hasFewImages(tally)) : []),
      ...(rescued ? ["The file is damaged: a second reader, which cannot detect hidden text, had to read it."] : []),
    ],
  };
}

/** A cover or a plate in a long book is not worth a sentence on how to install OCR. */
const hasFewImages = ({ images, pages }: PageTally): boolean => images < 0.1 * pages;

function rebuiltWarnings({ hasPageList, pagesWithoutFonts }: PdfFacts["rebuilt"], pageCount: number): string[] {
  const cause = "The end of the PDF is missing or damaged";
  return [
    hasPageList
      ? `${cause}: its pages had to be searched for, and some may be empty or incomplete.`
      : `${cause}, and with it the list of its pages: ${formatCount(pageCount, "page")} could be found and are read in the order of the file.`,
    ...(pagesWithoutFonts > 0
      ? [`${formatCount(pagesWithoutFonts, "page")} used fonts that are missing, so characters may be wrong.`]
      : []),
  ];
}

/** Names the pages: wrong characters look like right ones. */
function guessworkWarning(ranges: readonly NumberRange[]): string {
  const { isOne, words } = formatPages(ranges);
  return `The characters of ${words} are guesswork: ${isOne ? "its" : "their"} fonts do not say which characters they draw, and two readers differ.`;
}

function tallyWarnings(tally: PageTally & Partial<PdfCounts>, failed: Failure | null): string[] {
  const { pages, images, damaged, hiddenChars = 0, unreadAnnotations = 0, unrecognized = 0 } = tally;
  const ofPages = (count: number): string => `${formatNumber(count)} of ${formatCount(pages, "page")}`;
  return [
    // The failure's own sentence says that no page has text.
    ...(images > 0 && failed?.reason !== "no_text" ? [`${ofPages(images)} are images without text.`] : []),
    ...(unrecognized > 0
      ? [`On ${formatCount(unrecognized, "page")} OCR failed or took longer than the setting ocr.page_cpu allows.`]
      : []),
    ...(damaged > 0 ? [`${ofPages(damaged)} cannot be read.`] : []),
    ...(unreadAnnotations > 0 ? [`${formatCount(unreadAnnotations, "annotation")} were not read.`] : []),
    // Invisible text can carry instructions that only a machine reads.
    ...(hiddenChars > 0
      ? [`${formatCount(hiddenChars, "character")} of the text cannot be seen by a person who views the document.`]
      : []),
  ];
}
