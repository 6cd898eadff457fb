/** Finds the images on a page: they distinguish a scan from an empty page, and recognised text from hidden text. */
import type { Box } from "./glyphs.ts";
import { type Pdfium, type Pointer, withMemory } from "./pdfium.ts";

/** Object types of fpdf_edit.h. A form contains other objects. */
const IMAGE_OBJECT = 3;
export const FORM_OBJECT = 5;
/** Objects of forms nested deeper than this are not looked at. */
export const MAX_FORM_DEPTH = 8;
/** Enough to find the image of a scan; a drawing may have a million objects. */
const MAX_OBJECTS = 2_000;

/** The boxes of the images on a page. A form that contains an image counts as one. */
export function findImageBoxes(pdfium: Pdfium, page: Pointer): Box[] {
  const { call } = pdfium;
  const count = Math.min(call.FPDFPage_CountObjects(page), MAX_OBJECTS);
  const boxes: Box[] = [];
  for (let index = 0; index < count; index += 1) {
    const object = call.FPDFPage_GetObject(page, index);
    if (hasImage(pdfium, object, 0)) boxes.push(readBounds(pdfium, object));
  }
  return boxes;
}

function hasImage(pdfium: Pdfium, object: Pointer, depth: number): boolean {
  const type = pdfium.call.FPDFPageObj_GetType(object);
  if (type === IMAGE_OBJECT) return true;
  if (type !== FORM_OBJECT || depth === MAX_FORM_DEPTH) return false;
  const count = Math.min(pdfium.call.FPDFFormObj_CountObjects(object), MAX_OBJECTS);
  for (let index = 0; index < count; index += 1) {
    if (hasImage(pdfium, pdfium.call.FPDFFormObj_GetObject(object, index), depth + 1)) return true;
  }
  return false;
}

function readBounds(pdfium: Pdfium, object: Pointer): Box {
  const box = withMemory(pdfium, 16, (pointer) => {
    pdfium.call.FPDFPageObj_GetBounds(object, pointer, pointer + 4, pointer + 8, pointer + 12);
    const [left = 0, bottom = 0, right = 0, top = 0] = new Float32Array(pdfium.memory(), pointer, 4);
    return { left, top, right, bottom };
  });
  return box ?? { left: 0, top: 0, right: 0, bottom: 0 };
}
