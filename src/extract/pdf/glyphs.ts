/** The characters of one page as PDFium orders them, each with its place, read in bulk. */
import { type Pdfium, type Pointer, withMemory } from "./pdfium.ts";

/** Where something stands, in points, the y axis pointing up. */
export type Box = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };

/** All arrays are by character. */
export type Glyphs = {
  readonly count: number;
  /** Some characters come from annotations or form fields. */
  readonly hasFields: boolean;
  readonly codes: Uint32Array;
  /** 1 where the font does not say what the character means and PDFium had to guess. */
  readonly unmapped: Uint8Array;
  /** 1 where a character without a meaning leaves no ink, so that it is a space. */
  readonly blank: Uint8Array;
  /** Four numbers for each character: left, top, right, bottom. */
  readonly boxes: Float32Array;
} & ObjectFacts;

type ObjectFacts = {
  /** Quarter turns counter-clockwise of the direction the character is written in. */
  readonly turns: Uint8Array;
  /** Number of the annotation or form field the character comes from; 0 is the page itself. */
  readonly owners: Uint16Array;
  /** 1 where the character is drawn without ink. */
  readonly unseen: Uint8Array;
};

/** Reads a page. `objectOwners` has the text objects that belong to annotations. */
export function readGlyphs(pdfium: Pdfium, textPage: Pointer, objectOwners: ReadonlyMap<Pointer, number>): Glyphs {
  const count = Math.max(0, pdfium.call.FPDFText_CountChars(textPage));
  const codes = new Uint32Array(count);
  for (let index = 0; index < count; index += 1) codes[index] = readCode(pdfium, textPage, index);
  return {
    count,
    hasFields: objectOwners.size > 0,
    codes,
    unmapped: findUnmapped(pdfium, textPage, count),
    blank: findBlanks(pdfium, textPage, codes),
    boxes: readBoxes(pdfium, textPage, count),
    ...readObjects(pdfium, textPage, count, objectOwners),
  };
}

/** Stands for a hyphen that PDFium takes as one made by breaking a word at a line end; no line end follows it. */
export const lineEndHyphen = 0xfffe;

/** PDFium marks such a hyphen with a code that a font without names may use as well. */
const markedHyphen = 0x02;

function readCode({ call }: Pdfium, textPage: Pointer, index: number): number {
  const code = call.FPDFText_GetUnicode(textPage, index);
  return code === markedHyphen && call.FPDFText_IsHyphen(textPage, index) === 1 ? lineEndHyphen : code;
}

/** Fonts without a map come in runs, so a few characters tell whether the others have to be asked. */
const sampleStride = 8;

function findUnmapped({ call }: Pdfium, textPage: Pointer, count: number): Uint8Array {
  const unmapped = new Uint8Array(count);
  const ask = (stride: number): void => {
    for (let index = 0; index < count; index += stride) {
      unmapped[index] = call.FPDFText_HasUnicodeMapError(textPage, index) === 1 ? 1 : 0;
    }
  };
  ask(sampleStride);
  if (unmapped.includes(1)) ask(1);
  return unmapped;
}

/** Asked of control characters only: of all others the code says whether they are spaces. */
function findBlanks(pdfium: Pdfium, textPage: Pointer, codes: Uint32Array): Uint8Array {
  const blank = new Uint8Array(codes.length);
  withMemory(pdfium, 32, (at) => {
    for (let index = 0; index < codes.length; index += 1) {
      if (!isControl(codes[index] ?? 0)) continue;
      pdfium.call.FPDFText_GetCharBox(textPage, index, at, at + 8, at + 16, at + 24);
      const [left = 0, right = 0, bottom = 0, top = 0] = new Float64Array(pdfium.memory(), at, 4);
      blank[index] = right <= left || top <= bottom ? 1 : 0;
    }
  });
  return blank;
}

/** True for codes that stand for nothing; line ends and tabs are PDFium's own. */
export function isControl(code: number): boolean {
  if (code < 0x20) return code !== 0x0a && code !== 0x0d && code !== 0x09;
  return code >= 0x7f && code < 0xa0;
}

const boxBytes = 16;

/** PDFium writes the boxes one after the other into its own memory, and one copy brings them out. */
function readBoxes(pdfium: Pdfium, textPage: Pointer, count: number): Float32Array {
  const boxes = withMemory(pdfium, (count + 1) * boxBytes, (at) => {
    for (let index = 0; index < count; index += 1) {
      pdfium.call.FPDFText_GetLooseCharBox(textPage, index, at + index * boxBytes);
    }
    return new Float32Array(pdfium.memory(), at, count * 4).slice();
  });
  return boxes ?? new Float32Array(count * 4);
}

const invisible = 3;

/** What holds for a whole text object is asked once for each; characters PDFium made up take after the one before. */
function readObjects(
  { call }: Pdfium,
  textPage: Pointer,
  count: number,
  objectOwners: ReadonlyMap<Pointer, number>,
): ObjectFacts {
  const facts = { turns: new Uint8Array(count), owners: new Uint16Array(count), unseen: new Uint8Array(count) };
  let last: Pointer = 0;
  let turns = 0;
  let owner = 0;
  let unseen = 0;
  for (let index = 0; index < count; index += 1) {
    const object = call.FPDFText_GetTextObject(textPage, index);
    if (object !== 0 && object !== last) {
      last = object;
      turns = quarterTurns(call.FPDFText_GetCharAngle(textPage, index), call.FPDFText_GetFontSize(textPage, index));
      owner = objectOwners.get(object) ?? 0;
      unseen = call.FPDFTextObj_GetTextRenderMode(object) === invisible ? 1 : 0;
    }
    facts.turns[index] = turns;
    facts.owners[index] = owner;
    facts.unseen[index] = unseen;
  }
  return facts;
}

/** PDFium gives the angle clockwise, and does not count that a negative font size turns the text by half. */
function quarterTurns(angle: number, fontSize: number): number {
  return ((fontSize < 0 ? 2 : 0) - Math.round(angle / (Math.PI / 2))) & 3;
}
