/** Text at an angle that is not a quarter turn: its boxes are turned so that its lines run from left to right. */

/** Numbers of turns from here on are indexes of a list of angles. */
export const FIRST_OBLIQUE_TURN = 4;

/** Smaller deviations from a quarter turn are scans that are not quite straight, in radians. */
const MIN_DEVIATION = 0.07;

/** Whether text at this angle, in radians, is oblique. */
export function isOblique(angle: number): boolean {
  const quarters = angle / (Math.PI / 2);
  return Math.abs(quarters - Math.round(quarters)) * (Math.PI / 2) > MIN_DEVIATION;
}

/** The box of a character as it is drawn, upright on the page. */
type DrawnBox = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };

/** The box in the coordinates of its line. */
export function turnBox(drawn: DrawnBox, angle: number, fontSize: number) {
  const { left, top, right, bottom } = drawn;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const { width, height } = measureTurned(drawn, Math.abs(cos), Math.abs(sin), fontSize);
  const halfWidth = width / 2;
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const [along, across] = [x * cos + y * sin, y * cos - x * sin];
  return { start: along - halfWidth, end: along + halfWidth, top: across + height / 2, bottom: across - height / 2 };
}

/** Near 45 degrees the drawn box says only the sum of width and height. */
const MIN_DETERMINANT = 0.3;

/** The height of a line of most fonts, in font sizes. */
const USUAL_HEIGHT = 1.15;

/** The size of a character from the box that encloses it when turned. */
function measureTurned({ left, top, right, bottom }: DrawnBox, cos: number, sin: number, fontSize: number) {
  const [drawnWidth, drawnHeight] = [right - left, top - bottom];
  const determinant = cos * cos - sin * sin;
  const isClear = Math.abs(determinant) > MIN_DETERMINANT;
  const usualHeight = USUAL_HEIGHT * fontSize;
  const height = isClear ? (drawnHeight * cos - drawnWidth * sin) / determinant : usualHeight;
  const width = isClear ? (drawnWidth * cos - drawnHeight * sin) / determinant : drawnWidth / cos - usualHeight;
  return { width: Math.max(width, 0.2 * fontSize), height: Math.max(height, 0.5 * fontSize) };
}
