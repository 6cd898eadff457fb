/** Decodes Johab, a Korean charset that the web platform lacks (KS X 1001, annex 3; code page 1361). */

/** Initial, vowel and final of a syllable by their numbers of five bits; `_` is none, a space is unused. */
const INITIALS = " _ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ";
const VOWELS = "  _ㅏㅐㅑㅒㅓ  ㅔㅕㅖㅗㅘㅙ  ㅚㅛㅜㅝㅞㅟ  ㅠㅡㅢㅣ";
const FINALS = " _ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁ ㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ";

const INVALID = "\ufffd";

/** A decoder that keeps half a character for the next call. */
export function makeJohabDecoder() {
  let lead = 0;
  const decoded = new Map<number, string>();

  function decodePair(code: number): string {
    const known = decoded.get(code);
    if (known !== undefined) return known;
    const character = decodeSyllable(code) ?? decodeSymbol(code >> 8, code & 0xff);
    decoded.set(code, character);
    return character;
  }

  function decodeByte(byte: number): string {
    if (lead === 0 && byte < 0x80) return String.fromCharCode(byte);
    if (lead === 0) {
      lead = byte;
      return "";
    }
    const character = decodePair((lead << 8) | byte);
    lead = 0;
    // A byte of ASCII is not lost because the one before it is damaged.
    return character === INVALID && byte < 0x31 ? INVALID + String.fromCharCode(byte) : character;
  }

  return {
    decode(bytes: Uint8Array = new Uint8Array(), { stream = false } = {}): string {
      let text = "";
      for (const byte of bytes) text += decodeByte(byte);
      if (stream || lead === 0) return text;
      lead = 0;
      return text + INVALID;
    },
  };
}

/** A syllable, or one letter alone; undefined where the code is neither. */
function decodeSyllable(code: number): string | undefined {
  const initial = INITIALS[(code >> 10) & 31] ?? " ";
  const vowel = VOWELS[(code >> 5) & 31] ?? " ";
  const final = FINALS[code & 31] ?? " ";
  const letters = initial + vowel + final;
  if (code < 0x8000 || letters.includes(" ")) return undefined;
  if (initial !== "_" && vowel !== "_") return joinLetters(initial, vowel, final);
  const single = letters.replaceAll("_", "");
  return single.length === 1 ? single : undefined;
}

const tight = (letters: string): string => letters.replaceAll(/[ _]/g, "");
const [initials, vowels, finals] = [tight(INITIALS), tight(VOWELS), tight(FINALS)];

/** Unicode orders syllables by initial, vowel and final. */
function joinLetters(initial: string, vowel: string, final: string): string {
  const index = (initials.indexOf(initial) * vowels.length + vowels.indexOf(vowel)) * (finals.length + 1);
  return String.fromCharCode(0xac00 + index + finals.indexOf(final) + 1);
}

/** Two rows of KS X 1001 share a lead byte: those of symbols from 0xd9 on, those of Chinese characters from 0xe0 on. */
function decodeSymbol(lead: number, trail: number): string {
  const isSymbol = lead >= 0xd9 && lead <= 0xde;
  const isChinese = lead >= 0xe0 && lead <= 0xf9;
  const cell = trail >= 0x91 ? trail - 0x43 : trail <= 0x7e ? trail - 0x31 : -1;
  if (!(isSymbol || isChinese) || cell < 0 || cell >= 2 * ROW_CELLS) return INVALID;
  const firstRow = isSymbol ? 2 * (lead - 0xd9) : 2 * (lead - 0xe0) + FIRST_CHINESE_ROW;
  const row = firstRow + Math.floor(cell / ROW_CELLS);
  return new TextDecoder("euc-kr").decode(Uint8Array.of(0xa1 + row, 0xa1 + (cell % ROW_CELLS)));
}

const ROW_CELLS = 94;
const FIRST_CHINESE_ROW = 41;
