/** Text with a few bytes that are invalid in its charset: it keeps the charset while valid characters far outnumber them. */
import { type ByteCounts, countInRange } from "./byte-counts.ts";
import { findEncoding } from "./charset.ts";
import { asText, type TextVerdict } from "./text-verdict.ts";

/** Valid characters for each invalid byte. Other charsets read as UTF-8 have more invalid bytes than valid characters. */
const MIN_VALID_PER_INVALID = { declared: 3, undeclared: 10 } as const;

/** Whether bytes that are not valid UTF-8 are nevertheless UTF-8, with damage. */
export function isDamagedUtf8(bytes: Uint8Array, declaredCharset: string | null): boolean {
  const ratio = MIN_VALID_PER_INVALID[declaredCharset === "utf-8" ? "declared" : "undeclared"];
  return isMostlyValid(bytes, "utf-8", ratio);
}

/** Whether nearly all bytes are valid in a declared charset; false for an unknown one. */
export function decodesMostly(bytes: Uint8Array, charset: string): boolean {
  return findEncoding(charset) !== null && isMostlyValid(bytes, charset, MIN_VALID_PER_INVALID.undeclared);
}

function isMostlyValid(bytes: Uint8Array, charset: string, ratio: number): boolean {
  const { valid, invalid } = countCharacters(new TextDecoder(charset).decode(bytes, { stream: true }));
  return valid >= invalid * ratio;
}

/** The non-ASCII characters of a decoded text; bytes that could not be decoded are U+FFFD. */
function countCharacters(text: string): { valid: number; invalid: number } {
  let [valid, invalid] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0xfffd) invalid++;
    else if (unit >= 0x80) valid++;
  }
  return { valid, invalid };
}

/** The share of invalid bytes in a text that is otherwise ASCII. Text in another charset has more non-ASCII letters. */
const MAX_INVALID_SHARE = 0.005;

/** The guess, unless UTF-8 is declared: a few bytes in an otherwise ASCII text do not contradict it. */
export function keepDeclaredUtf8(
  guess: TextVerdict,
  byteCounts: ByteCounts,
  declaredCharset: string | null,
): TextVerdict {
  const isRare = countInRange(byteCounts, 0x80, 0xff) <= byteCounts.total * MAX_INVALID_SHARE;
  return declaredCharset === "utf-8" && isRare && guess.isText ? asText("utf-8") : guess;
}
