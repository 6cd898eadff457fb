/** Finds glyphs that nothing maps to a character, in fonts that map others: their codes are only numbers. */
import { FIRST_WIDE_CODE, type Glyphs } from "./glyphs.ts";
import { isSpace } from "./line-box.ts";

/** Represents a drawn character that cannot be known. */
export const REPLACEMENT_CHARACTER = 0xfffd;

/**
 * The glyphs of a page, with a replacement character for each unknown one. PDFium gives the code in the file for them: in
 * a font with codes of two bytes, that is another letter or ideograph, which looks as if it had been read.
 */
export function replaceUnknown(glyphs: Glyphs): Glyphs {
  const fonts = findPartlyMappedFonts(glyphs);
  if (fonts.size === 0) return glyphs;
  const unknown: number[] = [];
  const codes = glyphs.codes.map((code, index) => {
    if (glyphs.unmapped[index] === 0 || !fonts.has(fontOf(glyphs, index))) return code;
    if (isCharacter(code)) unknown.push(code);
    return REPLACEMENT_CHARACTER;
  });
  return { ...glyphs, codes, unknown: unknown.map((code) => String.fromCodePoint(code)).join("") };
}

function findPartlyMappedFonts(glyphs: Glyphs): ReadonlySet<number> {
  const { count, codes, unmapped, inserted } = glyphs;
  const withNumbers = new Set<number>();
  const withMap = new Set<number>();
  if (!unmapped.includes(1)) return withMap;
  for (let index = 0; index < count; index += 1) {
    const code = codes[index] ?? 0;
    if (unmapped[index] === 0) {
      if (inserted[index] === 0 && !isSpace(code)) withMap.add(fontOf(glyphs, index));
    } else if (code >= FIRST_WIDE_CODE) withNumbers.add(fontOf(glyphs, index));
  }
  return new Set([...withMap].filter((font) => withNumbers.has(font)));
}

function fontOf({ styles, styleFonts }: Glyphs, index: number): number {
  return styleFonts[styles[index] ?? 0] ?? 0;
}

function isCharacter(code: number): boolean {
  return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}
