/** Detects garbled text of PDFs whose fonts have no character map, and decodes the most common case. */
import { type Glyphs, isControl } from "./glyphs.ts";

/** A page with a lower share of unreadable characters is not checked further. */
const MAX_UNREADABLE_SHARE = 0.1;
/** Of characters that are certainly wrong, fewer are enough. */
const MAX_UNKNOWN_SHARE = 0.01;

/** Whether many characters of a page had to be guessed, rightly or wrongly. */
export function isGuessed({ count, codes, unmapped, unknown }: Glyphs): boolean {
  if (unknown.length > count * MAX_UNKNOWN_SHARE) return true;
  let unreadable = 0;
  for (let index = 0; index < count; index += 1) {
    if (unmapped[index] === 1 || isUnreadable(codes[index] ?? 0)) unreadable += 1;
  }
  return unreadable > count * MAX_UNREADABLE_SHARE;
}

/** Control characters are glyph numbers; the private use area has symbols and letters of one font. */
function isUnreadable(code: number): boolean {
  return isControl(code) || code === 0xfffd || (code >= 0xe000 && code < 0xf900) || code >= 0xf0000;
}

/** In prose about this share of the characters belongs to words; the rest is punctuation. */
const MIN_PLAUSIBLE_SHARE = 0.7;

/** The number of drawn characters, readable or not, without spaces. */
export function countDrawnChars({ codes, unmapped }: Glyphs): number {
  return codes.reduce(
    (sum, code, index) => (code > 0x20 || unmapped[index] === 1 || isUnreadable(code) ? sum + 1 : sum),
    0,
  );
}

/** Whether the text of a page with this many characters consists of words, so that the guesses were good. */
export function isReadable(text: string, charsOnPage: number): boolean {
  return countPlausibleChars(text) >= MIN_PLAUSIBLE_SHARE * charsOnPage;
}

/** Whether a text is readable and has long words: wrongly decoded numbers are plausible numbers too. */
export function looksLikeProse(text: string, charsOnPage: number): boolean {
  return isReadable(text, charsOnPage) && countPlausibleChars(text, 4) >= 0.25 * charsOnPage;
}

const foreignSigns = /[!\u2030\u00f7\u00ae\u00a7\u00b6\u00a4\u00ac\u00b8]/;
/** Words in which a letter was read by another table of characters, such as Allg\u2030u and Makset!htaeg. */
const wordsWithSigns = new RegExp(`\\p{L}${foreignSigns.source}\\p{Ll}`, "gu");
/** One may be a name. */
const MIN_WORDS_WITH_SIGNS = 2;

/** Whether signs that are not letters are inside words, as after decoding by the wrong table. */
export function hasForeignSigns(lines: readonly { readonly text: string }[]): boolean {
  let words = 0;
  return lines.some(({ text }) => {
    // Most lines have none of them.
    if (!foreignSigns.test(text)) return false;
    words += text.match(wordsWithSigns)?.length ?? 0;
    return words >= MIN_WORDS_WITH_SIGNS;
  });
}

/** Differences between ASCII codes and glyph numbers, most common first: with 29, glyph 3 is the space. */
const glyphOffsets = [29, 28, 31, 30] as const;

/**
 * Decodes a page whose characters are glyph numbers in the usual order of fonts: ASCII, then the Macintosh character
 * set. Without a map from glyphs to characters "Page" is read as "3DJH". Yields one decoding per offset.
 */
export function* readAsGlyphNumbers(glyphs: Glyphs): Generator<Glyphs> {
  const hasUnmapped = glyphs.unmapped.includes(1);
  for (const offset of glyphOffsets) {
    const codes = glyphs.codes.map((code, index) =>
      hasUnmapped && glyphs.unmapped[index] === 0 ? code : characterOf(code, offset),
    );
    yield { ...glyphs, codes };
  }
}

const LAST_ASCII = 0x7e;

function characterOf(glyph: number, offset: number): number {
  const code = glyph + offset;
  if (glyph < 3 || code > LAST_ASCII + macintosh.length) return glyph;
  return code <= LAST_ASCII ? code : (macintosh.codePointAt(code - LAST_ASCII - 1) ?? glyph);
}

const macintosh = new TextDecoder("macintosh").decode(Uint8Array.from({ length: 127 }, (_, index) => 128 + index));

/** How many characters belong to words as people write them. */
export function countPlausibleChars(text: string, minWordChars = 1): number {
  let chars = 0;
  for (const word of text.normalize("NFKC").match(wordPattern) ?? []) {
    if (word.length >= minWordChars && isPlausible(word)) chars += word.length;
  }
  return chars;
}

const wordPattern = /\p{N}+(?:[.,:/]\p{N}+)+|[\p{L}\p{M}\p{N}]+/gu;

/**
 * Letters in everyday use, by script. Glyph numbers read as characters give other letters: extended Latin, phonetic,
 * historic.
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

/** Few words have no vowels, and those are short. */
function hasVowels(word: string): boolean {
  if (word.length < 3) return true;
  const vowels = word.normalize("NFD").match(/[aeiouy]/gi)?.length ?? 0;
  return vowels >= 0.15 * word.length;
}
