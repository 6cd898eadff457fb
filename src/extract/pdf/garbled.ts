/** Tells text from what comes out of a PDF whose fonts do not say what their characters mean, and mends a common case. */
import { type Glyphs, isControl } from "./glyphs.ts";

/** Below this share of unreadable characters a page is not looked at more closely. */
const mostUnreadableShare = 0.1;

/** True when many characters of a page had to be guessed, whether the guesses are good or not. */
export function isGuessed({ count, codes, unmapped }: Glyphs): boolean {
  let unreadable = 0;
  for (let index = 0; index < count; index += 1) {
    if (unmapped[index] === 1 || isUnreadable(codes[index] ?? 0)) unreadable += 1;
  }
  return unreadable > count * mostUnreadableShare;
}

/** Control characters are glyph numbers; the private use area holds pictures and letters of a font's own making. */
function isUnreadable(code: number): boolean {
  return isControl(code) || code === 0xfffd || (code >= 0xe000 && code < 0xf900) || code >= 0xf0000;
}

/** Of prose, about this share of the characters stands in words; the rest is punctuation. */
const leastPlausibleShare = 0.7;

/** Characters that were drawn, readable or not; spaces are not. */
export function drawnChars({ codes, unmapped }: Glyphs): number {
  return codes.reduce(
    (sum, code, index) => (code > 0x20 || unmapped[index] === 1 || isUnreadable(code) ? sum + 1 : sum),
    0,
  );
}

/** True when a text of so many characters on the page reads as words, so that guessing went well. */
export function isReadable(text: string, charsOnPage: number): boolean {
  return plausibleChars(text) >= leastPlausibleShare * charsOnPage;
}

/** True when a text is readable and has real words: numbers look as good when they are read as other numbers. */
export function isProse(text: string, charsOnPage: number): boolean {
  return isReadable(text, charsOnPage) && plausibleChars(text, 4) >= 0.25 * charsOnPage;
}

/** Of two readings of a page, the one that has clearly more of it in plausible words; the first when in doubt. */
export function betterText(first: string, second: string): string {
  return plausibleChars(second) > 1.05 * plausibleChars(first) ? second : first;
}

/** How far glyph numbers lie below ASCII, the usual first: with 29, glyph 3 is the space. */
const glyphOffsets = [29, 28, 31, 30] as const;

/**
 * The readings of a page whose characters are glyph numbers in the order most fonts have them, that of ASCII and then
 * of the Macintosh character set: without a map from glyphs to characters "Page" comes out as "3DJH".
 */
export function* readAsGlyphNumbers(glyphs: Glyphs): Generator<Glyphs> {
  const isFlagged = glyphs.unmapped.includes(1);
  for (const offset of glyphOffsets) {
    const codes = glyphs.codes.map((code, index) =>
      isFlagged && glyphs.unmapped[index] === 0 ? code : characterOf(code, offset),
    );
    yield { ...glyphs, codes };
  }
}

const lastAscii = 0x7e;

function characterOf(glyph: number, offset: number): number {
  const code = glyph + offset;
  if (glyph < 3 || code > lastAscii + macintosh.length) return glyph;
  return code <= lastAscii ? code : (macintosh.codePointAt(code - lastAscii - 1) ?? glyph);
}

const macintosh = new TextDecoder("macintosh").decode(Uint8Array.from({ length: 127 }, (_, index) => 128 + index));

function plausibleChars(text: string, shortestWord = 1): number {
  let chars = 0;
  for (const word of text.normalize("NFKC").match(wordPattern) ?? []) {
    if (word.length >= shortestWord && isPlausible(word)) chars += word.length;
  }
  return chars;
}

const wordPattern = /\p{N}+(?:[.,:/]\p{N}+)+|[\p{L}\p{M}\p{N}]+/gu;

/**
 * Letters in everyday use, by script. The rest (extended Latin, phonetic, historic) is what glyph numbers taken for
 * characters look like.
 */
const scripts: readonly RegExp[] = [
  /^[\u0370-\u03ff\u1f00-\u1fff]+$/,
  /^[\u0400-\u04ff]+$/,
  /^[\u0590-\u05ff]+$/,
  /^[\u0600-\u06ff\u0750-\u077f]+$/,
  /^[\u0900-\u0dff]+$/,
  /^[\u0e00-\u0eff]+$/,
  /^[\u0530-\u058f]+$/,
  /^[\u10a0-\u10ff]+$/,
  /^[\u1000-\u109f\u1780-\u17ff]+$/,
  /^[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+$/,
  /^[\p{N}.,:/]+$/u,
];
const latin = /^(?:[a-z\u00c0-\u017f\u1e00-\u1eff]|\p{M})+$/iu;

function isPlausible(word: string): boolean {
  if (latin.test(word)) return hasUsualCase(word) && hasVowels(word);
  return scripts.some((script) => script.test(word));
}

function hasUsualCase(word: string): boolean {
  return word === word.toUpperCase() || word.slice(1) === word.slice(1).toLowerCase();
}

/** Of the words of a text few do without, and those are short. */
function hasVowels(word: string): boolean {
  if (word.length < 3) return true;
  const vowels = word.normalize("NFD").match(/[aeiouy]/gi)?.length ?? 0;
  return vowels >= 0.15 * word.length;
}
