/** Reads one page of an open PDF: its text, and what to think of it. */
import { loadShownPage, type ShownPage } from "./annotations.ts";
import { isGuessed, isProse, isReadable, readAsGlyphNumbers } from "./garbled.ts";
import { type Box, type Glyphs, readGlyphs } from "./glyphs.ts";
import { readLines } from "./lines.ts";
import { imageBoxes } from "./objects.ts";
import { type Pdfium, type Pointer, withMemory } from "./pdfium.ts";
import { writeLines } from "./text.ts";

export type PageText = {
  readonly text: string;
  /** The fonts do not say what the text is and our guess is poor: worth another reader, or text recognition. */
  readonly garbled: boolean;
  /** No text, but a picture: most likely a scan. */
  readonly imageOnly: boolean;
  /** The page itself cannot be read; others may. */
  readonly damaged: boolean;
};

/** The text of a page; pages count from 0. */
export function readPage(pdfium: Pdfium, document: Pointer, index: number): PageText {
  const shown = loadShownPage(pdfium, document, index);
  if (shown === null) return damaged;
  try {
    return readShownPage(pdfium, shown);
  } finally {
    pdfium.call.FPDF_ClosePage(shown.page);
  }
}

const damaged: PageText = { text: "", garbled: false, imageOnly: false, damaged: true };

function readShownPage(pdfium: Pdfium, { page, owners }: ShownPage): PageText {
  const textPage = pdfium.call.FPDFText_LoadPage(page);
  if (textPage === 0) return damaged;
  try {
    const all = readGlyphs(pdfium, textPage, owners);
    const glyphs = withoutHidden(all, () => imageBoxes(pdfium, page));
    const { text, garbled } = readText(glyphs, pageBox(pdfium, page));
    const imageOnly = text === "" && !garbled && imageBoxes(pdfium, page).length > 0;
    return { text, garbled, imageOnly, damaged: false };
  } finally {
    pdfium.call.FPDFText_ClosePage(textPage);
  }
}

/**
 * Leaves out text without ink beside text with ink: a reader of the page does not see it, so a model must not be told.
 * Over a picture it is the recognised text of a scan; where there is no other text it stands for drawn letters.
 */
function withoutHidden(glyphs: Glyphs, images: () => readonly Box[]): Glyphs {
  if (!glyphs.unseen.includes(1) || !glyphs.unseen.includes(0)) return glyphs;
  const boxes = images();
  const codes = glyphs.codes.map((code, index) => {
    const isHidden = glyphs.unseen[index] === 1 && !boxes.some((box) => holdsMiddle(box, glyphs.boxes, index));
    return isHidden ? space : code;
  });
  return { ...glyphs, codes };
}

const space = 0x20;

function holdsMiddle(box: Box, boxes: Float32Array, index: number): boolean {
  const at = index * 4;
  const x = ((boxes[at] ?? 0) + (boxes[at + 2] ?? 0)) / 2;
  const y = ((boxes[at + 1] ?? 0) + (boxes[at + 3] ?? 0)) / 2;
  return x >= box.left && x <= box.right && y >= box.bottom && y <= box.top;
}

function readText(glyphs: Glyphs, page: Box): { readonly text: string; readonly garbled: boolean } {
  const text = writeLines(readLines(glyphs, page));
  if (!isGuessed(glyphs)) return { text, garbled: false };
  const chars = glyphs.codes.filter((code, index) => code > space || glyphs.unmapped[index] === 1).length;
  if (isReadable(text, chars)) return { text, garbled: false };
  for (const reading of readAsGlyphNumbers(glyphs)) {
    const decoded = writeLines(readLines(reading, page));
    if (isProse(decoded, chars)) return { text: decoded, garbled: false };
  }
  return { text, garbled: true };
}

/** What is shown of the page: the crop box within the media box. */
function pageBox(pdfium: Pdfium, page: Pointer): Box {
  const box = withMemory(pdfium, 16, (at) => {
    pdfium.call.FPDF_GetPageBoundingBox(page, at);
    const [left = 0, top = 0, right = 0, bottom = 0] = new Float32Array(pdfium.memory(), at, 4);
    return { left, top, right, bottom };
  });
  return box ?? { left: -Infinity, top: Infinity, right: Infinity, bottom: -Infinity };
}
