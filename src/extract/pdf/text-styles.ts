/** Reads how text is set: its size, and whether its font is bold or monospaced. */
import { type Pdfium, type Pointer, withMemory } from "./pdfium.ts";

/** The style of a text object; the size is in points as a viewer sees it. */
export type TextStyle = { readonly size: number; readonly isBold: boolean; readonly isMono: boolean };

/** Text render mode that draws the outline of filled letters, which makes them bold. */
const FILL_AND_STROKE = 2;

/** What `createStyleReader` needs of PDFium's memory: a matrix. */
export const STYLE_SCRATCH_BYTES = 24;

/** How a text object is set. */
export type ObjectStyle = {
  /** Index of its style. */
  readonly style: number;
  /** In radians. PDFium's own call ignores slanted text. */
  readonly angle: number;
  readonly fontSize: number;
  readonly renderMode: number;
};

/** Collects the styles of one page. Most pages have a handful, used by thousands of text objects. */
export function createStyleReader(pdfium: Pdfium, textPage: Pointer, scratch: Pointer) {
  const { call } = pdfium;
  const list: TextStyle[] = [{ size: 0, isBold: false, isMono: false }];
  const indexes = new Map<Pointer, Map<number, number>>();
  const faces = new Map<Pointer, Pick<TextStyle, "isBold" | "isMono">>();
  const fonts: Pointer[] = [0];
  const matrix = createMatrixReader(pdfium, textPage, scratch);
  let lastFont: Pointer = 0;
  let last: ObjectStyle | null = null;

  function findStyle(font: Pointer, size: number, isOutlined: boolean): number {
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
    return style;
  }

  return {
    list,
    /** The font of each style. */
    fonts,
    /** How a text object is set, whose first character has this index; the same object if it is set as the last one. */
    read(object: Pointer, charIndex: number): ObjectStyle {
      const font = call.FPDFTextObj_GetFont(object);
      const fontSize = call.FPDFText_GetFontSize(textPage, charIndex);
      const renderMode = call.FPDFTextObj_GetTextRenderMode(object);
      const isSameMatrix = matrix.read(charIndex);
      if (last?.fontSize === fontSize && last.renderMode === renderMode && lastFont === font && isSameMatrix)
        return last;
      const size = Math.round(Math.abs(fontSize) * matrix.scale() * 10) / 10;
      const angle = matrix.angle() + (fontSize < 0 ? Math.PI : 0);
      lastFont = font;
      last = { style: findStyle(font, size, renderMode === FILL_AND_STROKE), angle, fontSize, renderMode };
      return last;
    },
  };
}

/** Reads the matrix of a character: text may be scaled by it alone, with a font size of 1. */
function createMatrixReader(pdfium: Pdfium, textPage: Pointer, scratch: Pointer) {
  let view = new Float32Array(pdfium.memory(), scratch, 4);
  const matrix = Float32Array.of(1, 0, 0, 1);
  return {
    /** Whether the matrix is that of the last character. */
    read(charIndex: number): boolean {
      const hasMatrix = pdfium.call.FPDFText_GetMatrix(textPage, charIndex, scratch) !== 0;
      // The engine's memory has grown.
      if (view.length === 0) view = new Float32Array(pdfium.memory(), scratch, 4);
      const next = hasMatrix ? view : identity;
      if (matrix[0] === next[0] && matrix[1] === next[1] && matrix[2] === next[2] && matrix[3] === next[3]) return true;
      matrix.set(next);
      return false;
    },
    scale: () => Math.hypot(matrix[2] ?? 0, matrix[3] ?? 1),
    angle: () => Math.atan2(matrix[1] ?? 0, matrix[0] ?? 1),
  };
}

const identity = Float32Array.of(1, 0, 0, 1);

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
