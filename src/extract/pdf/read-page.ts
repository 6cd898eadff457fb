/** Reads one page of an open PDF: its text, and what to think of it. */
import { loadShownPage, type OwnObjects, type ShownPage } from "./annotations.ts";
import { drawnChars, isGuessed, isProse, isReadable, readAsGlyphNumbers } from "./garbled.ts";
import { type Box, type Glyphs, readGlyphs } from "./glyphs.ts";
import { imageBoxes } from "./page-objects.ts";
import { writeLines } from "./page-text.ts";
import { type Pdfium, type Pointer, withMemory } from "./pdfium.ts";
import { readLines } from "./text-lines.ts";

export type PageText = {
  readonly text: string;
  /** The fonts do not say what the text is and our guess is poor: worth another reader, or text recognition. */
  readonly garbled: boolean;
  /** No text, but a picture: most likely a scan. */
  readonly imageOnly: boolean;
  /** The page itself cannot be read; others may. */
  readonly damaged: boolean;
  /** Characters of the text that a viewer does not see: drawn without ink, and not over a scan they stand for. */
  readonly hiddenChars: number;
  /** Annotations left out because there are too many. */
  readonly unreadAnnotations: number;
};

/** The text of a page; pages count from 0. `own` is kept for the document, so that a second reading is like the first. */
export function readPage(pdfium: Pdfium, document: Pointer, index: number, own: OwnObjects): PageText {
  const shown = loadShownPage(pdfium, document, index, own);
  if (shown === null) return damaged;
  try {
    return readShownPage(pdfium, shown);
  } finally {
    pdfium.call.FPDF_ClosePage(shown.page);
  }
}

const damaged: PageText = {
  text: "",
  garbled: false,
  imageOnly: false,
  damaged: true,
  hiddenChars: 0,
  unreadAnnotations: 0,
};

function readShownPage(pdfium: Pdfium, { page, owners, unreadAnnotations }: ShownPage): PageText {
  const textPage = pdfium.call.FPDFText_LoadPage(page);
  if (textPage === 0) return damaged;
  try {
    const glyphs = readGlyphs(pdfium, textPage, owners);
    const images = (): Box[] => imageBoxes(pdfium, page);
    const view = pageView(pdfium, page);
    const { text, garbled } = readText(glyphs, view);
    const imageOnly = text === "" && !garbled && images().length > 0;
    const hiddenChars = countHidden(glyphs, view.box, images);
    return { text, garbled, imageOnly, damaged: false, hiddenChars, unreadAnnotations };
  } finally {
    pdfium.call.FPDFText_ClosePage(textPage);
  }
}

/**
 * Counts text without ink that a viewer of the page cannot know of. Over a picture it is the recognised text of a scan,
 * and where there is no other text it stands for drawn letters; both are what the page shows.
 */
function countHidden({ codes, unseen, boxes }: Glyphs, shown: Box, images: () => readonly Box[]): number {
  if (!unseen.includes(1) || !unseen.includes(0)) return 0;
  const scans = images();
  const isHidden = (code: number, index: number): boolean =>
    unseen[index] === 1 &&
    code > 0x20 &&
    holdsMiddle(shown, boxes, index) &&
    !scans.some((scan) => holdsMiddle(scan, boxes, index));
  return codes.reduce((sum, code, index) => (isHidden(code, index) ? sum + 1 : sum), 0);
}

function holdsMiddle(box: Box, boxes: Float32Array, index: number): boolean {
  const at = index * 4;
  const x = ((boxes[at] ?? 0) + (boxes[at + 2] ?? 0)) / 2;
  const y = ((boxes[at + 1] ?? 0) + (boxes[at + 3] ?? 0)) / 2;
  return x >= box.left && x <= box.right && y >= box.bottom && y <= box.top;
}

function readText(glyphs: Glyphs, { box, upsideDown }: PageView): { readonly text: string; readonly garbled: boolean } {
  const text = writeLines(readLines(glyphs, box, upsideDown));
  if (!isGuessed(glyphs)) return { text, garbled: false };
  const chars = drawnChars(glyphs);
  if (isReadable(text, chars)) return { text, garbled: false };
  for (const reading of readAsGlyphNumbers(glyphs)) {
    const decoded = writeLines(readLines(reading, box, upsideDown));
    if (isProse(decoded, chars)) return { text: decoded, garbled: false };
  }
  return { text, garbled: true };
}

type PageView = {
  /** What is shown of the page: the crop box within the media box. */
  readonly box: Box;
  /** Quarter turns of text that a viewer sees upside down. */
  readonly upsideDown: number;
};

function pageView(pdfium: Pdfium, page: Pointer): PageView {
  const box = withMemory(pdfium, 16, (at) => {
    pdfium.call.FPDF_GetPageBoundingBox(page, at);
    const [left = 0, top = 0, right = 0, bottom = 0] = new Float32Array(pdfium.memory(), at, 4);
    return { left, top, right, bottom };
  });
  const everywhere = { left: -Infinity, top: Infinity, right: Infinity, bottom: -Infinity };
  return { box: box ?? everywhere, upsideDown: (pdfium.call.FPDFPage_GetRotation(page) + 2) & 3 };
}
