/** Tells stray control bytes, which damage leaves in text, from those of binary data. */
import { isUtf8 } from "node:buffer";
import { type ByteCounts, countOddControls } from "./byte-counts.ts";
import { dropCutCharacter } from "./text-windows.ts";

/** At most one byte in a thousand of a text is a stray control byte, beside the NULs that a crash may leave. */
const MAX_STRAY_SHARE = 0.001;
/** In a shorter text of lines in UTF-8, a single one is believed to be stray if it is not part of a header. */
const MIN_SHORT_TEXT_BYTES = 64;
const MAX_HEADER_BYTES = 8;

/** Whether there are few control bytes, and none of them belong to binary data inside the text. */
export function hasStrayControlsOnly(bytes: Uint8Array, byteCounts: ByteCounts): boolean {
  const oddCounts = countOddControls(byteCounts);
  if (oddCounts.size === 0) return true;
  return isRare(bytes, byteCounts, oddCounts) && !hasBinaryStretch(bytes, oddCounts);
}

function isRare(bytes: Uint8Array, byteCounts: ByteCounts, oddCounts: ReadonlyMap<number, number>): boolean {
  const nuls = oddCounts.get(0) ?? 0;
  if (nuls > 0 && !isStrayNul(byteCounts, oddCounts)) return false;
  const strays = oddCounts.values().reduce((sum, count) => sum + count, 0) - nuls;
  if (strays <= byteCounts.total * MAX_STRAY_SHARE) return true;
  return strays === 1 && nuls === 0 && isShortText(bytes, oddCounts);
}

function isShortText(bytes: Uint8Array, oddCounts: ReadonlyMap<number, number>): boolean {
  if (bytes.length < MIN_SHORT_TEXT_BYTES || !bytes.includes(0x0a)) return false;
  return bytes.findIndex((byte) => oddCounts.has(byte)) >= MAX_HEADER_BYTES && isUtf8(dropCutCharacter(bytes));
}

/** At most four NULs in a thousand bytes of text with lines: a log that was damaged by a crash. */
export function isStrayNul(byteCounts: ByteCounts, oddCounts: ReadonlyMap<number, number>): boolean {
  const nuls = oddCounts.get(0) ?? 0;
  return nuls > 0 && nuls <= byteCounts.total * 0.004 && (byteCounts.counts[0x0a] as number) > 0;
}

/** Of binary data, so many bytes contain more kinds of control bytes than damage leaves in one place. */
const STRETCH_BYTES = 512;
const MIN_STRETCH_KINDS = 4;

/** Whether several kinds of control bytes are close together, among bytes that are not UTF-8. */
function hasBinaryStretch(bytes: Uint8Array, oddCounts: ReadonlyMap<number, number>): boolean {
  if (oddCounts.size < MIN_STRETCH_KINDS) return false;
  return bytes.some((byte, offset) => oddCounts.has(byte) && isBinaryStretch(bytes.subarray(offset), oddCounts));
}

function isBinaryStretch(rest: Uint8Array, oddCounts: ReadonlyMap<number, number>): boolean {
  const stretch = rest.subarray(0, STRETCH_BYTES);
  const kinds = new Set(stretch.filter((byte) => oddCounts.has(byte)));
  return kinds.size >= MIN_STRETCH_KINDS && !isUtf8(dropCutCharacter(stretch));
}
