/** Reads the characters of one page in PDFium's order, each with its box. */
import { FIRST_OBLIQUE_TURN, isOblique } from "./oblique-text.ts";
import { type Pdfium, type Pointer, withMemory } from "./pdfium.ts";
import { createStyleReader, type ObjectStyle, STYLE_SCRATCH_BYTES, type TextStyle } from "./text-styles.ts";

/** A rectangle on the page, in points; the y axis points up. */
export type Box = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };

/** All arrays are by character. */
export type Glyphs = {
  readonly count: number;
  /** Some characters come from annotations or form fields. */
  readonly hasFields: boolean;
  readonly codes: Uint32Array;
  /** 1 if the font does not map the character to Unicode and PDFium had to guess. */
  readonly unmapped: Uint8Array;
  /** The characters whose codes were replaced because they are only numbers of glyphs. */
  readonly unknown: string;
  /** 1 if a character without a meaning draws nothing, so that it is a space. */
  readonly blank: Uint8Array;
  /** Four numbers for each character: left, top, right, bottom. */
  readonly boxes: Float32Array;
} & ObjectFacts;

type ObjectFacts = {
  /** Counter-clockwise quarter turns of the writing direction; from `FIRST_OBLIQUE_TURN` on, an index of `angles`. */
  readonly turns: Uint8Array;
  /** The angles of oblique text, in radians. */
  readonly angles: readonly number[];
  /** Number of the text object, in the order of the text. */
  readonly objects: Uint32Array;
  /** 1 if PDFium inserted the character, because it takes a gap for a space or a line end. */
  readonly inserted: Uint8Array;
  /** Number of the annotation or form field the character comes from; 0 is the page itself. */
  readonly owners: Uint16Array;
  /** 1 if the character is drawn without ink. */
  readonly invisible: Uint8Array;
  /** Index of the character's style in `styleList`. */
  readonly styles: Uint16Array;
  readonly styleList: readonly TextStyle[];
  /** The font of each style. */
  readonly styleFonts: readonly Pointer[];
  /** Number of the tagged block the character belongs to; 0 is none. */
  readonly blocks: Uint16Array;
};

/** What is known of a page's objects before its characters are read. */
type PageContext = {
  /** The text objects that belong to annotations. */
  readonly owners: ReadonlyMap<Pointer, number>;
  /** The number of the tagged block of each marked content. */
  readonly blockByContent: ReadonlyMap<number, number>;
};

/** Reads the characters of a page. */
export function readGlyphs(pdfium: Pdfium, textPage: Pointer, context: PageContext): Glyphs {
  const count = Math.max(0, pdfium.call.FPDFText_CountChars(textPage));
  const codes = new Uint32Array(count);
  for (let index = 0; index < count; index += 1) codes[index] = readCode(pdfium, textPage, index);
  return {
    count,
    hasFields: context.owners.size > 0,
    codes,
    unmapped: findUnmapped(pdfium, textPage, codes),
    unknown: "",
    blank: findBlanks(pdfium, textPage, codes),
    boxes: readBoxes(pdfium, textPage, count),
    ...readTextObjects(pdfium, textPage, count, context),
  };
}

/** Represents a hyphen that PDFium considers a word break at a line end; no line end follows it. */
export const LINE_END_HYPHEN = 0xfffe;

/** PDFium's code for such a hyphen, which a font without a character map may use too. */
const PDFIUM_HYPHEN = 0x02;

function readCode({ call }: Pdfium, textPage: Pointer, index: number): number {
  const code = call.FPDFText_GetUnicode(textPage, index);
  return code === PDFIUM_HYPHEN && call.FPDFText_IsHyphen(textPage, index) === 1 ? LINE_END_HYPHEN : code;
}

/** Fonts without a map are used in runs, so a sample shows whether all characters must be checked. */
const SAMPLE_STRIDE = 8;
/** Fonts with codes of two bytes may lack the map of single characters. */
export const FIRST_WIDE_CODE = 0x100;

function findUnmapped({ call }: Pdfium, textPage: Pointer, codes: Uint32Array): Uint8Array {
  const unmapped = new Uint8Array(codes.length);
  const isUnmapped = (index: number): number => (call.FPDFText_HasUnicodeMapError(textPage, index) === 1 ? 1 : 0);
  for (let index = 0; index < codes.length; index += 1)
    if (index % SAMPLE_STRIDE === 0 || (codes[index] ?? 0) >= FIRST_WIDE_CODE) unmapped[index] = isUnmapped(index);
  return unmapped.includes(1) ? unmapped.map((_, index) => isUnmapped(index)) : unmapped;
}

/** Checks control characters only: for all others the code says whether they are spaces. */
function findBlanks(pdfium: Pdfium, textPage: Pointer, codes: Uint32Array): Uint8Array {
  const blank = new Uint8Array(codes.length);
  withMemory(pdfium, 32, (pointer) => {
    for (let index = 0; index < codes.length; index += 1) {
      if (!isControl(codes[index] ?? 0)) continue;
      pdfium.call.FPDFText_GetCharBox(textPage, index, pointer, pointer + 8, pointer + 16, pointer + 24);
      const [left = 0, right = 0, bottom = 0, top = 0] = new Float64Array(pdfium.memory(), pointer, 4);
      blank[index] = right <= left || top <= bottom ? 1 : 0;
    }
  });
  return blank;
}

/** Whether a code represents no character. Line ends and tabs are made by PDFium. */
export function isControl(code: number): boolean {
  if (code < 0x20) return code !== 0x0a && code !== 0x0d && code !== 0x09;
  return code >= 0x7f && code < 0xa0;
}

const BOX_BYTES = 16;

/** PDFium writes all boxes into its memory, from which they are copied at once. */
function readBoxes(pdfium: Pdfium, textPage: Pointer, count: number): Float32Array {
  const boxes = withMemory(pdfium, (count + 1) * BOX_BYTES, (pointer) => {
    for (let index = 0; index < count; index += 1) {
      pdfium.call.FPDFText_GetLooseCharBox(textPage, index, pointer + index * BOX_BYTES);
    }
    return new Float32Array(pdfium.memory(), pointer, count * 4).slice();
  });
  return boxes ?? new Float32Array(count * 4);
}

/** Text render mode without ink. */
const INVISIBLE_MODE = 3;

function readTextObjects(pdfium: Pdfium, textPage: Pointer, count: number, context: PageContext): ObjectFacts {
  const facts = withMemory(pdfium, STYLE_SCRATCH_BYTES, (scratch) =>
    readObjects(pdfium, textPage, count, context, scratch),
  );
  if (facts === null) throw new Error("The PDF engine has no memory left.");
  return facts;
}

/** Reads what applies to a whole text object once per object. Characters that PDFium inserted copy the previous one. */
function readObjects(
  pdfium: Pdfium,
  textPage: Pointer,
  count: number,
  { owners, blockByContent }: PageContext,
  scratch: Pointer,
): ObjectFacts {
  const { call } = pdfium;
  const styleReader = createStyleReader(pdfium, textPage, scratch);
  const angles: number[] = [];
  const facts = {
    turns: new Uint8Array(count),
    inserted: new Uint8Array(count),
    objects: new Uint32Array(count),
    owners: new Uint16Array(count),
    invisible: new Uint8Array(count),
    styles: new Uint16Array(count),
    blocks: new Uint16Array(count),
  };
  let previousObject: Pointer = 0;
  let previousStyle: ObjectStyle | null = null;
  let objectNumber = 0;
  let turns = 0;
  let owner = 0;
  let invisible = 0;
  let style = 0;
  let block = 0;
  for (let index = 0; index < count; index += 1) {
    const object = call.FPDFText_GetTextObject(textPage, index);
    if (object !== 0 && object !== previousObject) {
      previousObject = object;
      objectNumber += 1;
      owner = owners.size === 0 ? 0 : (owners.get(object) ?? 0);
      const objectStyle = styleReader.read(object, index);
      if (objectStyle !== previousStyle) {
        const { angle, fontSize, renderMode } = objectStyle;
        previousStyle = objectStyle;
        style = objectStyle.style;
        invisible = renderMode === INVISIBLE_MODE ? 1 : 0;
        turns = quarterTurns(call.FPDFText_GetCharAngle(textPage, index), fontSize);
        if (isOblique(angle)) turns = obliqueTurn(angles, angle) ?? turns;
      }
      block = blockByContent.size === 0 ? 0 : (blockByContent.get(call.FPDFPageObj_GetMarkedContentID(object)) ?? 0);
    }
    facts.turns[index] = turns;
    facts.objects[index] = objectNumber;
    facts.inserted[index] = object === 0 ? 1 : 0;
    facts.owners[index] = owner;
    facts.invisible[index] = invisible;
    facts.styles[index] = style;
    facts.blocks[index] = block;
  }
  return { ...facts, angles, styleList: styleReader.list, styleFonts: styleReader.fonts };
}

/** More angles are a drawing. */
const MAX_ANGLES = 200;
/** Angles that differ by less are the same, in radians. */
const ANGLE_STEP = 0.02;

/** The number of turns of an angle, which is added to the list if it is new. */
function obliqueTurn(angles: number[], angle: number): number | undefined {
  const known = angles.findIndex((other) => Math.abs(other - angle) < ANGLE_STEP);
  if (known !== -1) return FIRST_OBLIQUE_TURN + known;
  return angles.length === MAX_ANGLES ? undefined : FIRST_OBLIQUE_TURN + angles.push(angle) - 1;
}

/** PDFium reports the angle clockwise, and ignores that a negative font size turns the text upside down. */
function quarterTurns(angle: number, fontSize: number): number {
  return ((fontSize < 0 ? 2 : 0) - Math.round(angle / (Math.PI / 2))) & 3;
}
