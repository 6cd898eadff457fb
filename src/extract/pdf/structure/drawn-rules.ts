/** Finds the horizontal and vertical rules that are drawn on a page: the borders of tables. */
import { type Pdfium, type Pointer, withMemory } from "../pdfium.ts";

/** A straight line: `at` is its y if horizontal, its x if vertical; it runs `from`..`to` along the other axis. */
export type Rule = { readonly isHorizontal: boolean; readonly at: number; readonly from: number; readonly to: number };

/** Object type and segment types of fpdf_edit.h. */
const PATH_OBJECT = 2;
const LINE_SEGMENT = 0;
const MOVE_SEGMENT = 2;

/** A page with more objects is a drawing; its rules are not borders. */
const MAX_OBJECTS = 6_000;
const MAX_SEGMENTS = 400;
/** In points. */
const MAX_THICKNESS = 3;
const MIN_LENGTH = 6;

/** The rules of a page, in its own coordinates. */
export function findRules(pdfium: Pdfium, page: Pointer): Rule[] {
  const { call } = pdfium;
  const count = call.FPDFPage_CountObjects(page);
  if (count > MAX_OBJECTS) return [];
  const rules: Rule[] = [];
  withMemory(pdfium, 32, (pointer) => {
    for (let index = 0; index < count; index += 1) {
      const object = call.FPDFPage_GetObject(page, index);
      if (call.FPDFPageObj_GetType(object) === PATH_OBJECT) collectRules(pdfium, object, pointer, rules);
    }
  });
  return rules;
}

function collectRules(pdfium: Pdfium, object: Pointer, pointer: Pointer, rules: Rule[]): void {
  const { call } = pdfium;
  call.FPDFPageObj_GetBounds(object, pointer, pointer + 4, pointer + 8, pointer + 12);
  const [left = 0, bottom = 0, right = 0, top = 0] = new Float32Array(pdfium.memory(), pointer, 4);
  if (top - bottom <= MAX_THICKNESS) addRule(rules, true, (top + bottom) / 2, left, right);
  else if (right - left <= MAX_THICKNESS) addRule(rules, false, (left + right) / 2, bottom, top);
  else if (isStroked(pdfium, object, pointer)) collectSegments(pdfium, object, pointer, rules);
}

function addRule(rules: Rule[], isHorizontal: boolean, at: number, from: number, to: number): void {
  if (to - from >= MIN_LENGTH) rules.push({ isHorizontal, at, from, to });
}

function isStroked(pdfium: Pdfium, object: Pointer, pointer: Pointer): boolean {
  pdfium.call.FPDFPath_GetDrawMode(object, pointer, pointer + 4);
  return new Int32Array(pdfium.memory(), pointer, 2)[1] === 1;
}

/** The straight segments of a path that is drawn as a whole, such as a grid or a frame. */
function collectSegments(pdfium: Pdfium, object: Pointer, pointer: Pointer, rules: Rule[]): void {
  const { call } = pdfium;
  const count = call.FPDFPath_CountSegments(object);
  if (count > MAX_SEGMENTS) return;
  call.FPDFPageObj_GetMatrix(object, pointer);
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = new Float32Array(pdfium.memory(), pointer, 6);
  let [lastX, lastY] = [0, 0];
  for (let index = 0; index < count; index += 1) {
    const segment = call.FPDFPath_GetPathSegment(object, index);
    const type = call.FPDFPathSegment_GetType(segment);
    call.FPDFPathSegment_GetPoint(segment, pointer, pointer + 4);
    const [px = 0, py = 0] = new Float32Array(pdfium.memory(), pointer, 2);
    const [x, y] = [a * px + c * py + e, b * px + d * py + f];
    if (type !== MOVE_SEGMENT && type !== LINE_SEGMENT) return;
    if (type === LINE_SEGMENT && Math.abs(y - lastY) < 1)
      addRule(rules, true, y, Math.min(x, lastX), Math.max(x, lastX));
    else if (type === LINE_SEGMENT && Math.abs(x - lastX) < 1)
      addRule(rules, false, x, Math.min(y, lastY), Math.max(y, lastY));
    [lastX, lastY] = [x, y];
  }
}
