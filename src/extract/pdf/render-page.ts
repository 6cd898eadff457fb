/** Draws a page as a picture in shades of grey, for recognising the text of scans. */
import { type Pdfium, type Pointer, withMemory } from "./pdfium.ts";

/** What recognition is trained for; points are 1/72 inch. */
const PIXELS_PER_POINT = 300 / 72;
/** A page of A4 has 8.7 million. Larger pages are drawn with fewer pixels per point. */
const MAX_PIXELS = 12_000_000;
/** Narrower pages than this are strips without text, and PDFium rejects empty bitmaps. */
const MIN_SIDE_PIXELS = 8;

const GREY_FORMAT = 1;
const WHITE = 0xffffffff;
/** FPDF_ANNOT and FPDF_GRAYSCALE. */
const DRAWING_FLAGS = 0x01 | 0x08;

/** The page as a portable graymap, turned as a viewer shows it; null if it cannot be drawn. */
export function renderPage(pdfium: Pdfium, document: Pointer, index: number): Uint8Array | null {
  const { call } = pdfium;
  const page = call.FPDF_LoadPage(document, index);
  if (page === 0) return null;
  try {
    const size = findSize(pdfium, document, index);
    const bitmap = size === null ? 0 : call.FPDFBitmap_CreateEx(size.width, size.height, GREY_FORMAT, 0, 0);
    if (size === null || bitmap === 0) return null;
    try {
      call.FPDFBitmap_FillRect(bitmap, 0, 0, size.width, size.height, WHITE);
      call.FPDF_RenderPageBitmap(bitmap, page, 0, 0, size.width, size.height, 0, DRAWING_FLAGS);
      return toGraymap(pdfium, bitmap, size);
    } finally {
      call.FPDFBitmap_Destroy(bitmap);
    }
  } finally {
    call.FPDF_ClosePage(page);
  }
}

type PixelSize = { readonly width: number; readonly height: number };

function findSize(pdfium: Pdfium, document: Pointer, index: number): PixelSize | null {
  const points = withMemory(pdfium, 8, (pointer) => {
    const isKnown = pdfium.call.FPDF_GetPageSizeByIndexF(document, index, pointer) !== 0;
    const [width = 0, height = 0] = new Float32Array(pdfium.memory(), pointer, 2);
    return isKnown ? { width, height } : null;
  });
  if (!points || !(points.width > 0 && points.height > 0)) return null;
  const scale = Math.min(PIXELS_PER_POINT, Math.sqrt(MAX_PIXELS / (points.width * points.height)));
  const [width, height] = [Math.round(points.width * scale), Math.round(points.height * scale)];
  return Math.min(width, height) < MIN_SIDE_PIXELS ? null : { width, height };
}

/** A header in text, then one byte per pixel; rows of a bitmap may be padded. */
function toGraymap(pdfium: Pdfium, bitmap: Pointer, { width, height }: PixelSize): Uint8Array {
  const { call } = pdfium;
  const [start, rowBytes] = [call.FPDFBitmap_GetBuffer(bitmap), call.FPDFBitmap_GetStride(bitmap)];
  const header = Buffer.from(`P5\n${width} ${height}\n255\n`);
  const graymap = new Uint8Array(header.length + width * height);
  graymap.set(header);
  for (let row = 0; row < height; row++) {
    const pixels = new Uint8Array(pdfium.memory(), start + row * rowBytes, width);
    graymap.set(pixels, header.length + row * width);
  }
  return graymap;
}
