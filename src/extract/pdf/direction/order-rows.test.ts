import assert from "node:assert/strict";
import { test } from "node:test";
import type { Glyphs } from "../glyphs.ts";
import { orderRows } from "./order-rows.ts";

/** A row of characters at equal distances from a left edge, in the order that PDFium reports. */
type DrawnText = { readonly text: string; readonly places: readonly number[]; readonly turns?: number };

const CHAR_POINTS = 6;

function makeGlyphs(rows: readonly DrawnText[]): Glyphs {
  const chars = rows.flatMap(({ text, places, turns = 0 }, row) => [
    ...[...text].map((char, index) => ({ char, place: places[index] ?? 0, row, turns })),
    { char: "\n", place: 0, row, turns },
  ]);
  const count = chars.length;
  const isMade = (char: string): boolean => char === "\n" || char === "_";
  return {
    count,
    hasFields: false,
    codes: Uint32Array.from(chars, ({ char }) => (char === "_" ? 0x20 : (char.codePointAt(0) ?? 0))),
    boxes: Float32Array.from(
      chars.flatMap(({ place, row }) => {
        const [left, bottom] = [60 + CHAR_POINTS * place, 700 - 20 * row];
        return [left, bottom + 12, left + CHAR_POINTS, bottom];
      }),
    ),
    unknown: "",
    styleFonts: [0],
    unmapped: new Uint8Array(count),
    blank: new Uint8Array(count),
    turns: Uint8Array.from(chars, ({ turns }) => turns),
    angles: [],
    objects: new Uint32Array(count),
    inserted: Uint8Array.from(chars, ({ char }) => (isMade(char) ? 1 : 0)),
    owners: new Uint16Array(count),
    invisible: new Uint8Array(count),
    styles: new Uint16Array(count),
    styleList: [{ size: 10, isBold: false, isMono: false }],
    blocks: new Uint16Array(count),
  };
}

const readText = (glyphs: Glyphs): string => String.fromCodePoint(...orderRows(glyphs).codes);
const leftwards = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from - index);

test("a page without right-to-left letters is left as it is", () => {
  const glyphs = makeGlyphs([{ text: "ba", places: [1, 0] }]);
  assert.equal(orderRows(glyphs), glyphs);
});

test("words in Latin letters keep their order inside a right-to-left row", () => {
  // "one two" is seen left of the other letters; PDFium reads word by word from the right.
  const text = "אבגדהו_two_one";
  const places = [...leftwards(14, 6), 0, 5.5, 6.5, 7.5, 0, 1, 2, 3];
  assert.equal(readText(makeGlyphs([{ text, places }])), "אבגדהו one two\n");
});

test("a space is inserted only where PDFium sees one or the gap is wide", () => {
  assert.equal(readText(makeGlyphs([{ text: "אבגד", places: [9, 8, 6.7, 4] }])), "אבג ד\n");
});

test("lam and alef of one glyph are read in this order", () => {
  assert.equal(readText(makeGlyphs([{ text: "سال", places: [3, 2, 2] }])), "سلا\n");
});

test("a full stop that PDFium sets apart is joined with its row", () => {
  const rows = [{ text: "אבגד", places: leftwards(9, 4) }];
  const glyphs = makeGlyphs([...rows, { text: ".", places: [5] }]);
  glyphs.boxes.set(glyphs.boxes.subarray(1, 2), 5 * 4 + 1);
  glyphs.boxes.set(glyphs.boxes.subarray(3, 4), 5 * 4 + 3);
  assert.equal(readText(glyphs), "אבגד.\n");
});

test("turned text and rows that are too long keep all their characters", () => {
  const long = "א".repeat(3_000);
  const turned = { text: "up", places: [0, 1], turns: 1 };
  const text = readText(makeGlyphs([{ text: long, places: leftwards(4_000, 3_000) }, turned]));
  assert.equal(text, `${long}\nup\n`);
});
