/** Scores bytes in charsets with two bytes per character, by the share of everyday characters. */
import { findEncoding } from "./charset.ts";

/** A charset, the length of its characters, and which of them are in everyday use. */
type MultiByteCharset = {
  readonly name: string;
  /** The length of a character with this first byte; 0 where the byte is invalid. */
  readonly size: (lead: number) => number;
  /** The score of a character: about 1 in the rows of everyday characters, 0 outside. */
  readonly worth: (lead: number, trail: number) => number;
};

const isBetween = (value: number, first: number, last: number): boolean => value >= first && value <= last;
const pairSize = (lead: number): number => (isBetween(lead, 0x81, 0xfe) ? 2 : 0);

/** Tried in this order; an equal fit keeps the earlier one. */
export const multiByteCharsets: readonly MultiByteCharset[] = [
  {
    name: "euc-jp",
    size: (lead) => (lead === 0x8f ? 3 : pairSize(lead)),
    // Rows of kana, punctuation and school kanji; kana are certain evidence of Japanese.
    worth: (lead) => (isBetween(lead, 0xa4, 0xa5) ? 1.1 : Number(lead === 0xa1 || isBetween(lead, 0xb0, 0xcf)) * 0.9),
  },
  {
    name: "shift_jis",
    size: (lead) =>
      isBetween(lead, 0x81, 0x9f) || isBetween(lead, 0xe0, 0xfc) ? 2 : Number(isBetween(lead, 0xa1, 0xdf)),
    worth: (lead) => (isBetween(lead, 0x82, 0x83) ? 1.1 : Number(lead === 0x81 || isBetween(lead, 0x88, 0x97)) * 0.9),
  },
  {
    name: "euc-kr",
    size: pairSize,
    // The 2,350 syllables of KS X 1001; only half of Chinese text falls into these rows.
    worth: (lead, trail) => Number(isBetween(lead, 0xb0, 0xc8) && trail >= 0xa1) * 1.05 + Number(lead === 0xa1) * 0.6,
  },
  {
    name: "gb18030",
    size: pairSize,
    worth: (lead, trail) =>
      Number(isBetween(lead, 0xb0, 0xd7) && trail >= 0xa1) + Number(isBetween(lead, 0xa1, 0xa3)) * 0.8,
  },
  {
    name: "big5",
    size: pairSize,
    worth: (lead) => Number(isBetween(lead, 0xa4, 0xc6)) + Number(isBetween(lead, 0xa1, 0xa3)) * 0.8,
  },
  {
    name: "johab",
    size: pairSize,
    worth: (lead, trail) => Number(isJohabSyllable((lead << 8) | trail)) + Number(isBetween(lead, 0xd9, 0xde)) * 0.8,
  },
];

/** A syllable is three numbers of five bits: initial, vowel and final, each with gaps in its range. */
function isJohabSyllable(code: number): boolean {
  const [initial, vowel, final] = [(code >> 10) & 31, (code >> 5) & 31, code & 31];
  if (!isBetween(initial, 2, 20) || !isBetween(final, 1, 29) || final === 18) return false;
  return isBetween(vowel, 3, 29) && ![8, 9, 16, 17, 24, 25].includes(vowel);
}

const MIN_CHARACTERS = 4;

/** The mean score of the non-ASCII characters, or -1 where more than a few bytes are invalid in this charset. */
export function scoreMultiByte(bytes: Uint8Array, charset: MultiByteCharset): number {
  let [characters, worth, invalid] = [0, 0, 0];
  for (let offset = 0; offset < bytes.length; ) {
    const lead = bytes[offset] as number;
    const size = lead < 0x80 ? 1 : charset.size(lead);
    if (size === 0) {
      if (++invalid > bytes.length * MAX_INVALID_SHARE) return -1;
      offset++;
      continue;
    }
    if (lead >= 0x80 && offset + size <= bytes.length) {
      characters++;
      worth += charset.worth(lead, bytes[offset + 1] ?? 0);
    }
    offset += size;
  }
  const isInvalid = characters < MIN_CHARACTERS || invalid > characters * MAX_INVALID_SHARE;
  return isInvalid || !mayDecode(bytes, charset.name) ? -1 : worth / characters;
}

/** Damage, and characters that vendors added to a charset: one in two hundred. */
const MAX_INVALID_SHARE = 1 / 200;

/** Vendors added characters of their own that the platform does not know. Johab, which it lacks, is judged by its rows alone. */
function mayDecode(bytes: Uint8Array, charset: string): boolean {
  if (findEncoding(charset) === null) return true;
  const decoded = new TextDecoder(charset).decode(bytes, { stream: true });
  return decoded.split("\ufffd").length - 1 <= decoded.length * MAX_INVALID_SHARE;
}
