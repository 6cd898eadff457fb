/** Judges whether bytes are text, and in which charset; everything that is not clearly text is binary. */
import { isUtf8 } from "node:buffer";
import { latin1 } from "../formats/bytes.ts";
import { type Census, countOf, oddControls, takeCensus } from "./byte-counts.ts";
import { type Bom, decodes, readBom } from "./charset.ts";
import { guessLegacy, isShortText, misreads } from "./legacy-charset.ts";
import { isSeparated } from "./separators.ts";
import { notText, type TextVerdict, text } from "./text-verdict.ts";
import { judgeWide, looksWide } from "./wide-charset.ts";

/** The verdict on a prefix, whose last character may be cut. `declared` is a charset that a header or the text names. */
export function judgeText(bytes: Uint8Array, declared: string | null): TextVerdict {
  if (bytes.length === 0) return text("utf-8");
  const bom = readBom(bytes);
  if (bom !== null) return judgeMarked(bytes.subarray(bom.sizeBytes), bom.charset);
  const census = takeCensus(bytes);
  if ((census.counts[0] as number) === 0) return judgeBytes(bytes, census, declared);
  return judgeWithNuls(bytes, census, declared);
}

/** Whether bytes that begin with the letters of a signature are prose all the same. */
export function isProse(bytes: Uint8Array): boolean {
  return oddControls(takeCensus(bytes.subarray(0, 512))).size <= 2 && judgeText(bytes, null).isText;
}

function judgeWithNuls(bytes: Uint8Array, census: Census, declared: string | null): TextVerdict {
  const wide = looksWide(bytes);
  if (wide !== null) {
    const verdict = judgeWide(bytes, wide, "guessed");
    if (verdict.isText) return verdict;
  }
  const padded = dropNulTail(bytes);
  if (padded.length < bytes.length && !padded.includes(0) && padded.includes(0x0a)) return judgeText(padded, declared);
  return judgeBytes(bytes, census, declared);
}

/** A file cut off by a crash, or written to whole blocks, ends in NULs. */
function dropNulTail(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes.subarray(0, end);
}

function judgeBytes(bytes: Uint8Array, census: Census, declared: string | null): TextVerdict {
  const controls = judgeControls(bytes, census);
  if (controls !== null) return notText(controls);
  if (countOf(census, 0x80, 0xff) === 0) return judgeAscii(bytes, declared);
  const isNamed = declared !== null && declared !== "utf-8" && decodes(bytes, declared);
  if (isNamed) return judgeDeclared(bytes, census, declared);
  return isUnicode(bytes) ? text("utf-8") : guessLegacy(bytes, census);
}

function isUnicode(bytes: Uint8Array): boolean {
  const whole = dropCutCharacter(bytes);
  return whole.length > 0 && isUtf8(whole);
}

function judgeMarked(bytes: Uint8Array, charset: Bom["charset"]): TextVerdict {
  if (charset !== "utf-8") return judgeWide(bytes, charset, "marked");
  const verdict = judgeText(bytes, null);
  return verdict.isText ? text("utf-8") : verdict;
}

/** All of ASCII is the same in every charset but the seven-bit ones that shift with escape sequences. */
function judgeAscii(bytes: Uint8Array, declared: string | null): TextVerdict {
  const escaped = shiftedCharset(bytes);
  if (escaped !== null) return escaped;
  // UTF-16 that happens to hold no byte but ASCII's would be a few ideographs; a wrong label is far more common.
  const isWrong = declared === null || declared.startsWith("utf-16") || !decodes(bytes, declared);
  return text(isWrong ? "utf-8" : declared);
}

function shiftedCharset(bytes: Uint8Array): TextVerdict | null {
  const first = bytes.indexOf(0x1b);
  if (first === -1) return null;
  const designators = latin1(bytes, first, first + 4096);
  if (/\x1b\$[@B]|\x1b\(J/.test(designators)) return text("iso-2022-jp");
  return /\x1b\$\)C/.test(designators) ? text("iso-2022-kr") : null;
}

/** A charset that was named is believed where the bytes pass for text anyway, unless they are UTF-8 and nonsense in it. */
function judgeDeclared(bytes: Uint8Array, census: Census, declared: string): TextVerdict {
  if (isUnicode(bytes)) return text(misreads(bytes, declared) ? "utf-8" : declared);
  if (isShortText(bytes, declared)) return text(declared);
  if (multiByteLabels.has(declared) && countOf(census, 0x20, 0x7e) >= census.total * 0.1) return text(declared);
  const guess = guessLegacy(bytes, census);
  return guess.isText ? text(declared) : guess;
}

/** Charsets in which most sequences of bytes mean nothing, so that decoding is evidence by itself. */
const multiByteLabels: ReadonlySet<string> = new Set(["big5", "euc-jp", "euc-kr", "gb18030", "gbk", "shift_jis"]);

/** Why the control characters rule text out, or null. */
function judgeControls(bytes: Uint8Array, census: Census): string | null {
  const odd = oddControls(census);
  if (odd.size === 0) return null;
  if (isShiftedKorean(bytes, odd)) return null;
  const [first] = odd.keys();
  const where = `control byte 0x${(first ?? 0).toString(16).padStart(2, "0")}`;
  if (odd.size > 2) return `${odd.size} kinds of control bytes`;
  if (odd.size === 1 && isStrayNul(census, odd)) return null;
  return isSeparated(bytes, odd) ? null : where;
}

/** At most four NULs in a thousand bytes that come in lines: a log that a crash has bitten. */
function isStrayNul(census: Census, odd: ReadonlyMap<number, number>): boolean {
  const nuls = odd.get(0) ?? 0;
  return nuls > 0 && nuls <= census.total * 0.004 && (census.counts[0x0a] as number) > 0;
}

function isShiftedKorean(bytes: Uint8Array, odd: ReadonlyMap<number, number>): boolean {
  return [...odd.keys()].every((control) => control === 0x0e || control === 0x0f) && shiftedCharset(bytes) !== null;
}

/** A prefix may end inside a character; its one to three bytes prove nothing. */
export function dropCutCharacter(bytes: Uint8Array): Uint8Array {
  const end = bytes.length;
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = bytes[end - back] as number;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? bytes.subarray(0, end - back) : bytes;
  }
  return bytes;
}

function sequenceLength(lead: number): number {
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
