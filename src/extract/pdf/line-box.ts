/** Boxes in the coordinates of a line, and what all that work on lines need to know of characters. */

/** `start` and `end` are along the direction of writing, `top` and `bottom` across it. */
export type LineBox = { readonly start: number; readonly end: number; readonly top: number; readonly bottom: number };

/** The height of a line; never 0, because it is used as a divisor. */
export function measureHeight({ top, bottom }: Pick<LineBox, "top" | "bottom">): number {
  return Math.max(top - bottom, 0.1);
}

/** Whether a code point is a space, however wide. */
export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0xa0 || code === 0x09 || code === 0x3000;
}
