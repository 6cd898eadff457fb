/** The pictures on a page: they tell a scan from an empty page, and a scan's hidden text from hidden text. */
import type { Box } from "./glyphs.ts";
import { type Pdfium, type Pointer, withMemory } from "./pdfium.ts";

const imageType = 3;
const formType = 5;
const deepestForm = 8;
/** Enough to find the picture of a scan; a drawing may hold a million objects. */
const mostObjects = 2_000;

/** Where a page shows pictures. A form with a picture in it counts as one. */
export function imageBoxes(pdfium: Pdfium, page: Pointer): Box[] {
  const { call } = pdfium;
  const count = Math.min(call.FPDFPage_CountObjects(page), mostObjects);
  const boxes: Box[] = [];
  for (let index = 0; index < count; index += 1) {
    const object = call.FPDFPage_GetObject(page, index);
    if (holdsImage(pdfium, object, 0)) boxes.push(boundsOf(pdfium, object));
  }
  return boxes;
}

function holdsImage(pdfium: Pdfium, object: Pointer, depth: number): boolean {
  const type = pdfium.call.FPDFPageObj_GetType(object);
  if (type === imageType) return true;
  if (type !== formType || depth === deepestForm) return false;
  const count = Math.min(pdfium.call.FPDFFormObj_CountObjects(object), mostObjects);
  for (let index = 0; index < count; index += 1) {
    if (holdsImage(pdfium, pdfium.call.FPDFFormObj_GetObject(object, index), depth + 1)) return true;
  }
  return false;
}

function boundsOf(pdfium: Pdfium, object: Pointer): Box {
  const box = withMemory(pdfium, 16, (at) => {
    pdfium.call.FPDFPageObj_GetBounds(object, at, at + 4, at + 8, at + 12);
    const [left = 0, bottom = 0, right = 0, top = 0] = new Float32Array(pdfium.memory(), at, 4);
    return { left, top, right, bottom };
  });
  return box ?? { left: 0, top: 0, right: 0, bottom: 0 };
}
