/** Reads one page of an open PDF: its text, and how reliable it is. */
import { type LoadedPage, loadPage, type PageObjectCounts } from "./annotations.ts";
import {
  countDrawnChars,
  hasForeignSigns,
  isGuessed,
  isReadable,
  looksLikeProse,
  readAsGlyphNumbers,
} from "./garbled.ts";
import { type Box, type Glyphs, readGlyphs } from "./glyphs.ts";
import { findImageBoxes } from "./page-objects.ts";
import { writeLines } from "./page-text.ts";
import { type Pdfium, type Pointer, withMemory } from "./pdfium.ts";
import { readTextLines } from "./text-lines.ts";

/** The text of a page and what limits its use. */
export type PageText = {
  readonly text: string;
  /** The fonts do not say which characters many of the glyphs are: another reader should confirm the text. */
  readonly guessed: boolean;
  /** No text, but an image: most likely a scan. */
  readonly imageOnly: boolean;
  /** This page cannot be read; others may be readable. */
  readonly damaged: boolean;
  /** Characters that a viewer does not show: drawn without ink, and not the recognised text of a scan. */
  readonly hiddenChars: number;
  /** Annotations that were skipped because there are too many. */
  readonly unreadAnnotations: number;
};

/** The text of a page, counted from 0. `objectCounts` lives as long as the document, so that rereading gives the same. */
export function readPage(pdfium: Pdfium, document: Pointer, index: number, objectCounts: PageObjectCounts): PageText {
  const loaded = loadPage(pdfium, document, index, objectCounts);
  if (loaded === null) return damagedPage;
  try {
    return readLoadedPage(pdfium, loaded);
  } finally {
    pdfium.call.FPDF_ClosePage(loaded.page);
  }
}

const damagedPage: PageText = {
  text: "",
  guessed: false,
  imageOnly: false,
  damaged: true,
  hiddenChars: 0,
  unreadAnnotations: 0,
};

function readLoadedPage(pdfium: Pdfium, { page, owners, unreadAnnotations }: LoadedPage): PageText {
  const textPage = pdfium.call.FPDFText_LoadPage(page);
  if (textPage === 0) return damagedPage;
  try {
    const glyphs = readGlyphs(pdfium, textPage, owners);
    const findImages = (): Box[] => findImageBoxes(pdfium, page);
    const view = readView(pdfium, page);
    const { text, guessed } = readText(glyphs, view);
    const imageOnly = text === "" && !guessed && findImages().length > 0;
    const hiddenChars = countHiddenChars(glyphs, view.box, findImages);
    return { text, guessed, imageOnly, damaged: false, hiddenChars, unreadAnnotations };
  } finally {
    pdfium.call.FPDFText_ClosePage(textPage);
  }
}

/**
 * Counts text without ink that a viewer of the page cannot see. Over an image it is the recognised text of a scan, and
 * without other text it represents drawn letters; both are visible.
 */
function countHiddenChars({ codes, invisible, boxes }: Glyphs, view: Box, findImages: () => readonly Box[]): number {
  if (!invisible.includes(1) || !invisible.includes(0)) return 0;
  const scans = findImages();
  const isHidden = (code: number, index: number): boolean =>
    invisible[index] === 1 &&
    code > 0x20 &&
    containsCenter(view, boxes, index) &&
    !scans.some((scan) => containsCenter(scan, boxes, index));
  return codes.reduce((sum, code, index) => (isHidden(code, index) ? sum + 1 : sum), 0);
}

function containsCenter(box: Box, boxes: Float32Array, index: number): boolean {
  const offset = index * 4;
  const x = ((boxes[offset] ?? 0) + (boxes[offset + 2] ?? 0)) / 2;
  const y = ((boxes[offset + 1] ?? 0) + (boxes[offset + 3] ?? 0)) / 2;
  return x >= box.left && x <= box.right && y >= box.bottom && y <= box.top;
}

function readText(
  glyphs: Glyphs,
  { box, upsideDownTurns }: PageView,
): { readonly text: string; readonly guessed: boolean } {
  const text = writeLines(readTextLines(glyphs, box, upsideDownTurns));
  if (!isGuessed(glyphs) && !hasForeignSigns(text)) return { text, guessed: false };
  const chars = countDrawnChars(glyphs);
  if (isReadable(text, chars)) return { text, guessed: true };
  for (const reading of readAsGlyphNumbers(glyphs)) {
    const decoded = writeLines(readTextLines(reading, box, upsideDownTurns));
    if (looksLikeProse(decoded, chars)) return { text: decoded, guessed: true };
  }
  return { text, guessed: true };
}

type PageView = {
  /** The visible part of the page: the crop box within the media box. */
  readonly box: Box;
  /** Quarter turns of text that a viewer sees upside down. */
  readonly upsideDownTurns: number;
};

function readView(pdfium: Pdfium, page: Pointer): PageView {
  const box = withMemory(pdfium, 16, (pointer) => {
    pdfium.call.FPDF_GetPageBoundingBox(page, pointer);
    const [left = 0, top = 0, right = 0, bottom = 0] = new Float32Array(pdfium.memory(), pointer, 4);
    return { left, top, right, bottom };
  });
  const everywhere = { left: -Infinity, top: Infinity, right: Infinity, bottom: -Infinity };
  return { box: box ?? everywhere, upsideDownTurns: (pdfium.call.FPDFPage_GetRotation(page) + 2) & 3 };
}
