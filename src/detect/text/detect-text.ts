/** Decides whether bytes are text, and in which charset; everything that is not clearly text is binary. */
import { isUtf8 } from "node:buffer";
import { decodeLatin1 } from "../bytes.ts";
import { type ByteCounts, countByteValues, countInRange, countOddControls } from "./byte-counts.ts";
import { type Bom, canDecode, readBom } from "./charset.ts";
import { guessLegacyCharset, isNonsenseIn, isShortText } from "./legacy-charset.ts";
import { usesSeparators } from "./separators.ts";
import { asNotText, asText, type TextVerdict } from "./text-verdict.ts";
import { detectWideText, guessWideCharset } from "./wide-charset.ts";

/** The verdict on a prefix, whose last character may be cut. A header or the text itself may declare a charset. */
export function detectText(bytes: Uint8Array, declaredCharset: string | null): TextVerdict {
  if (bytes.length === 0) return asText("utf-8");
  const bom = readBom(bytes);
  if (bom !== null) return detectMarkedText(bytes.subarray(bom.sizeBytes), bom.charset);
  const byteCounts = countByteValues(bytes);
  if ((byteCounts.counts[0] as number) === 0) return detectByteText(bytes, byteCounts, declaredCharset);
  return detectTextWithNuls(bytes, byteCounts, declaredCharset);
}

/** Whether bytes that begin with the letters of a signature are nevertheless prose. */
export function isProse(bytes: Uint8Array): boolean {
  return countOddControls(countByteValues(bytes.subarray(0, 512))).size <= 2 && detectText(bytes, null).isText;
}

function detectTextWithNuls(bytes: Uint8Array, byteCounts: ByteCounts, declaredCharset: string | null): TextVerdict {
  const wide = guessWideCharset(bytes);
  if (wide !== null) {
    const verdict = detectWideText(bytes, wide, "guessed");
    if (verdict.isText) return verdict;
  }
  const trimmed = dropNulTail(bytes);
  if (trimmed.length < bytes.length && !trimmed.includes(0) && trimmed.includes(0x0a))
    return detectText(trimmed, declaredCharset);
  return detectByteText(bytes, byteCounts, declaredCharset);
}

/** A file that a crash cut off, or that was written in whole blocks, ends in NULs. */
function dropNulTail(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes.subarray(0, end);
}

function detectByteText(bytes: Uint8Array, byteCounts: ByteCounts, declaredCharset: string | null): TextVerdict {
  const controls = findControlProblem(bytes, byteCounts);
  if (controls !== null) return asNotText(controls);
  if (countInRange(byteCounts, 0x80, 0xff) === 0) return detectAsciiText(bytes, declaredCharset);
  const isNamed = declaredCharset !== null && declaredCharset !== "utf-8" && canDecode(bytes, declaredCharset);
  if (isNamed) return detectDeclaredText(bytes, byteCounts, declaredCharset);
  return isUtf8Prefix(bytes) ? asText("utf-8") : guessLegacyCharset(bytes, byteCounts);
}

function isUtf8Prefix(bytes: Uint8Array): boolean {
  const completeBytes = dropCutCharacter(bytes);
  return completeBytes.length > 0 && isUtf8(completeBytes);
}

function detectMarkedText(bytes: Uint8Array, charset: Bom["charset"]): TextVerdict {
  if (charset !== "utf-8") return detectWideText(bytes, charset, "marked");
  const verdict = detectText(bytes, null);
  return verdict.isText ? asText("utf-8") : verdict;
}

/** ASCII is the same in every charset except the seven-bit ones that shift with escape sequences. */
function detectAsciiText(bytes: Uint8Array, declaredCharset: string | null): TextVerdict {
  const shifted = findShiftedCharset(bytes);
  if (shifted !== null) return shifted;
  // UTF-16 with only ASCII bytes would be a few ideographs; a wrong label is far more common.
  const isWrong =
    declaredCharset === null || declaredCharset.startsWith("utf-16") || !canDecode(bytes, declaredCharset);
  return asText(isWrong ? "utf-8" : declaredCharset);
}

function findShiftedCharset(bytes: Uint8Array): TextVerdict | null {
  const first = bytes.indexOf(0x1b);
  if (first === -1) return null;
  const designators = decodeLatin1(bytes, first, first + 4096);
  if (/\x1b\$[@B]|\x1b\(J/.test(designators)) return asText("iso-2022-jp");
  return /\x1b\$\)C/.test(designators) ? asText("iso-2022-kr") : null;
}

/** A declared charset is believed where the bytes look like text, unless they are UTF-8 and nonsense in that charset. */
function detectDeclaredText(bytes: Uint8Array, byteCounts: ByteCounts, declaredCharset: string): TextVerdict {
  if (isUtf8Prefix(bytes)) return asText(isNonsenseIn(bytes, declaredCharset) ? "utf-8" : declaredCharset);
  if (isShortText(bytes, declaredCharset)) return asText(declaredCharset);
  if (multiByteLabels.has(declaredCharset) && countInRange(byteCounts, 0x20, 0x7e) >= byteCounts.total * 0.1)
    return asText(declaredCharset);
  const guess = guessLegacyCharset(bytes, byteCounts);
  return guess.isText ? asText(declaredCharset) : guess;
}

/** Charsets in which most byte sequences are invalid, so that successful decoding is evidence. */
const multiByteLabels: ReadonlySet<string> = new Set(["big5", "euc-jp", "euc-kr", "gb18030", "gbk", "shift_jis"]);

/** Why the control characters rule text out, or null. */
function findControlProblem(bytes: Uint8Array, byteCounts: ByteCounts): string | null {
  const oddCounts = countOddControls(byteCounts);
  if (oddCounts.size === 0) return null;
  if (isShiftedKorean(bytes, oddCounts)) return null;
  const [first] = oddCounts.keys();
  const problem = `control byte 0x${(first ?? 0).toString(16).padStart(2, "0")}`;
  if (oddCounts.size > 2) return `${oddCounts.size} kinds of control bytes`;
  if (oddCounts.size === 1 && isStrayNul(byteCounts, oddCounts)) return null;
  return usesSeparators(bytes, oddCounts) ? null : problem;
}

/** At most four NULs in a thousand bytes of text with lines: a log that was damaged by a crash. */
function isStrayNul(byteCounts: ByteCounts, oddCounts: ReadonlyMap<number, number>): boolean {
  const nuls = oddCounts.get(0) ?? 0;
  return nuls > 0 && nuls <= byteCounts.total * 0.004 && (byteCounts.counts[0x0a] as number) > 0;
}

function isShiftedKorean(bytes: Uint8Array, oddCounts: ReadonlyMap<number, number>): boolean {
  return (
    [...oddCounts.keys()].every((control) => control === 0x0e || control === 0x0f) && findShiftedCharset(bytes) !== null
  );
}

/** Removes a UTF-8 character that the end of a prefix cuts. */
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
