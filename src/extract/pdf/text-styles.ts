/** Reads how text is set: its size, and whether its font is bold or monospaced. */
import { type Pdfium, type Pointer, withMemory } from "./pdfium.ts";

/** The style of a text object; the size is in points as a viewer sees it. */
export type TextStyle = { readonly size: number; readonly isBold: boolean; readonly isMono: boolean };

/** Text render mode that draws the outline of filled letters, which makes them bold. */
const FILL_AND_STROKE = 2;

/** What `createStyleReader` needs of PDFium's memory: a matrix. */
export const STYLE_SCRATCH_BYTES = 24;

/** Collects the styles of one page. Most pages have a handful, used by thousands of text objects. */
export function createStyleReader(pdfium: Pdfium, textPage: Pointer, scratch: Pointer) {
  const list: TextStyle[] = [{ size: 0, isBold: false, isMono: false }];
  const indexes = new Map<Pointer, Map<number, number>>();
  const faces = new Map<Pointer, Pick<TextStyle, "isBold" | "isMono">>();
  const fonts: Pointer[] = [0];
  return {
    list,
    /** The font of each style. */
    fonts,
    /** The index of the style of a text object, whose first character has this index, and its angle in radians. */
    read(object: Pointer, charIndex: number, renderMode: number): { readonly style: number; readonly angle: number } {
      const font = pdfium.call.FPDFTextObj_GetFont(object);
      const { size, angle } = readSize(pdfium, textPage, charIndex, scratch);
      const isOutlined = renderMode === FILL_AND_STROKE;
      const known = indexes.get(font) ?? new Map<number, number>();
      const key = isOutlined ? -size - 1 : size;
      const style = known.get(key) ?? list.length;
      if (style === list.length) {
        const face = faces.get(font) ?? readFace(pdfium, font);
        faces.set(font, face);
        fonts.push(font);
        indexes.set(font, known.set(key, style));
        list.push({ size, ...face, ...(isOutlined && { isBold: true }) });
      }
      return { style, angle };
    },
  };
}

/** Text may be scaled by its matrix alone, with a font size of 1. The angle of PDFium's own call ignores slanted text. */
function readSize(pdfium: Pdfium, textPage: Pointer, charIndex: number, scratch: Pointer) {
  const fontSize = pdfium.call.FPDFText_GetFontSize(textPage, charIndex);
  const hasMatrix = pdfium.call.FPDFText_GetMatrix(textPage, charIndex, scratch) !== 0;
  const matrix = new Float32Array(pdfium.memory(), scratch, 4);
  const [a = 1, b = 0, c = 0, d = 1] = hasMatrix ? matrix : [];
  const angle = Math.atan2(b, a);
  const size = Math.round(Math.abs(fontSize) * Math.hypot(c, d) * 10) / 10;
  return { size, angle: fontSize < 0 ? angle + Math.PI : angle };
}

/** Font descriptor flags of ISO 32000-2, 9.8.2. */
const FIXED_PITCH = 1;
const FORCE_BOLD = 1 << 18;
const MAX_NAME_BYTES = 128;

function readFace(pdfium: Pdfium, font: Pointer): Pick<TextStyle, "isBold" | "isMono"> {
  if (font === 0) return { isBold: false, isMono: false };
  const flags = pdfium.call.FPDFFont_GetFlags(font);
  const name = withMemory(pdfium, MAX_NAME_BYTES, (pointer) => {
    const sizeBytes = pdfium.call.FPDFFont_GetBaseFontName(font, pointer, MAX_NAME_BYTES);
    const isComplete = sizeBytes > 0 && sizeBytes <= MAX_NAME_BYTES;
    return isComplete ? Buffer.from(pdfium.memory(), pointer, sizeBytes - 1).toString("latin1") : "";
  });
  return {
    isBold: (flags & FORCE_BOLD) !== 0 || /bold|black|heavy|demi|[-,]Bd|[-,]Hv|W[6-9]$|CMBX|CMSSBX/i.test(name ?? ""),
    isMono: (flags & FIXED_PITCH) !== 0 || /mono|courier|consol|typewriter|CMTT/i.test(name ?? ""),
  };
}
