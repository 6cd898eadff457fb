/** Decides whether bytes are text, and in which charset; everything that is not clearly text is binary. */
import { isAscii, isUtf8 } from "node:buffer";
import { decodeLatin1 } from "../bytes.ts";
import { type ByteCounts, countByteValues, countInRange, countOddControls } from "./byte-counts.ts";
import { type Bom, canDecode, readBom } from "./charset.ts";
import { hasControlByte } from "./control-bytes.ts";
import { decodesMostly, isDamagedUtf8, keepDeclaredUtf8 } from "./damaged-text.ts";
import { guessLegacyCharset, isNonsenseIn, isShortText } from "./legacy-charset.ts";
import { usesSeparators } from "./separators.ts";
import { hasStrayControlsOnly, isStrayNul } from "./stray-controls.ts";
import { asNotText, asText, type TextVerdict } from "./text-verdict.ts";
import { dropCutCharacter } from "./text-windows.ts";
import { detectWideText, guessWideCharset } from "./wide-charset.ts";

/** The verdict on a prefix, whose last character may be cut. A header or the text itself may declare a charset. */
export function detectText(bytes: Uint8Array, declaredCharset: string | null): TextVerdict {
  if (bytes.length === 0) return asText("utf-8");
  const bom = readBom(bytes);
  if (bom !== null) return detectMarkedText(bytes.subarray(bom.sizeBytes), bom.charset);
  // Most text: counting every byte value would take longer than these two looks.
  if (isAscii(bytes) && !hasControlByte(bytes)) return detectAsciiText(bytes, declaredCharset);
  const byteCounts = countByteValues(bytes);
  if ((byteCounts.counts[0] as number) === 0) return detectByteText(bytes, byteCounts, declaredCharset);
  return detectTextWithNuls(bytes, byteCounts, declaredCharset);
}

/** Whether bytes that begin with the letters of a signature are nevertheless prose. No stray control bytes, then. */
export function isProse(bytes: Uint8Array): boolean {
  if (countOddControls(countByteValues(bytes.subarray(0, 512))).size > 2) return false;
  return detectText(bytes, null).isText && findIrregularControl(bytes, countByteValues(bytes)) === null;
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
  const otherCharset = declaredCharset === "utf-8" ? null : declaredCharset;
  if (otherCharset !== null && canDecode(bytes, otherCharset))
    return detectDeclaredText(bytes, byteCounts, otherCharset);
  if (isUtf8Prefix(bytes) || isDamagedUtf8(bytes, declaredCharset)) return asText("utf-8");
  if (otherCharset !== null && decodesMostly(bytes, otherCharset))
    return detectDeclaredText(bytes, byteCounts, otherCharset);
  return keepDeclaredUtf8(guessLegacyCharset(bytes, byteCounts), byteCounts, declaredCharset);
}

function isUtf8Prefix(bytes: Uint8Array): boolean {
  const completeBytes = dropCutCharacter(bytes);
  return completeBytes.length > 0 && isUtf8(completeBytes);
}

function detectMarkedText(bytes: Uint8Array, charset: Bom["charset"]): TextVerdict {
  if (charset !== "utf-8") return detectWideText(bytes, charset, "marked");
  const verdict = detectText(bytes, "utf-8");
  return verdict.isText ? asText("utf-8") : verdict;
}

/** ASCII is the same in every charset except the seven-bit ones that shift with escape sequences. */
function detectAsciiText(bytes: Uint8Array, declaredCharset: string | null): TextVerdict {
  const shifted = findShiftedCharset(bytes);
  if (shifted !== null) return shifted;
  if (declaredCharset === "utf-8") return asText("utf-8");
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
  return hasStrayControlsOnly(bytes, byteCounts) ? null : findIrregularControl(bytes, byteCounts);
}

/** A control character that is neither a shift nor a separator nor a NUL left by a crash; null where there is none. */
function findIrregularControl(bytes: Uint8Array, byteCounts: ByteCounts): string | null {
  const oddCounts = countOddControls(byteCounts);
  if (oddCounts.size === 0) return null;
  if (isShiftedKorean(bytes, oddCounts)) return null;
  const [first] = oddCounts.keys();
  const problem = `control byte 0x${(first ?? 0).toString(16).padStart(2, "0")}`;
  if (oddCounts.size > 2) return `${oddCounts.size} kinds of control bytes`;
  if (oddCounts.size === 1 && isStrayNul(byteCounts, oddCounts)) return null;
  return usesSeparators(bytes, oddCounts) ? null : problem;
}

function isShiftedKorean(bytes: Uint8Array, oddCounts: ReadonlyMap<number, number>): boolean {
  return (
    [...oddCounts.keys()].every((control) => control === 0x0e || control === 0x0f) && findShiftedCharset(bytes) !== null
  );
}
