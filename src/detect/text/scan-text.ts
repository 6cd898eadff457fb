/** Reads a text to its end, window by window in constant memory, and reports where it stops being text. */
import { isAscii, isUtf8 } from "node:buffer";
import type { Body } from "../kind.ts";
import { countByteValues, countOddControls } from "./byte-counts.ts";
import { isWide, readBom, type WideCharset } from "./charset.ts";
import { hasControlByte } from "./control-bytes.ts";
import { detectText } from "./detect-text.ts";
import { stillReadsIn } from "./legacy-charset.ts";
import { asNotText, asText, type TextVerdict } from "./text-verdict.ts";
import { readWindows } from "./text-windows.ts";
import { detectWideText, getUnitBytes } from "./wide-charset.ts";

/** The verdict on a whole text, with sentences about what is damaged in it. */
type ScanResult = { readonly text: TextVerdict; readonly notes: readonly string[] };

/** The verdict on every byte of a body whose beginning is text in this charset. */
export async function scanText(body: Body, charset: string, declaredCharset: string | null): Promise<ScanResult> {
  const scanner = isWide(charset) ? new WideScanner(charset) : new ByteScanner(charset, declaredCharset);
  let scannedBytes = 0;
  for await (const window of readWindows(body, isWide(charset))) {
    if (!scanner.accept(window, scannedBytes)) return makeEndedResult(scannedBytes);
    scannedBytes += window.length;
  }
  return scanner.finish(scannedBytes);
}

function makeEndedResult(offset: number): ScanResult {
  return { text: asNotText("text in its beginning only"), notes: [`Text ends near byte ${offset}, binary follows.`] };
}

/** Checks the windows of one text in order. */
type TextScanner = {
  /** Whether the window at this offset is text too. */
  accept(window: Uint8Array, offset: number): boolean;
  /** The verdict once all windows were text. */
  finish(sizeBytes: number): ScanResult;
};

/** The charset is known from the beginning, so every window is checked as if it had a byte-order mark. */
class WideScanner implements TextScanner {
  readonly #charset: WideCharset;

  constructor(charset: WideCharset) {
    this.#charset = charset;
  }

  accept(window: Uint8Array, offset: number): boolean {
    const markBytes = offset === 0 ? (readBom(window)?.sizeBytes ?? 0) : 0;
    const parts = splitWide(window.subarray(markBytes), getUnitBytes(this.#charset));
    return parts.every((part) => detectWideText(part, this.#charset, "marked").isText);
  }

  finish(): ScanResult {
    return { text: asText(this.#charset), notes: [] };
  }
}

/** How many bytes one check of a wide charset examines. */
const WIDE_CHECK_BYTES = 8192;

/** Slices that cover every whole unit. The last one overlaps the one before, because a few units prove nothing. */
function splitWide(bytes: Uint8Array, unitBytes: number): Uint8Array[] {
  const end = bytes.length - (bytes.length % unitBytes);
  const parts: Uint8Array[] = [];
  for (let offset = 0; offset < end; offset += WIDE_CHECK_BYTES) {
    const start = Math.max(0, Math.min(offset, end - WIDE_CHECK_BYTES));
    parts.push(bytes.subarray(start, start + WIDE_CHECK_BYTES));
  }
  return parts;
}

/** The share of NULs that a log damaged by crashes may have. */
const MAX_STRAY_NUL_SHARE = 0.004;

class ByteScanner implements TextScanner {
  #charset: string;
  readonly #declaredCharset: string | null;
  #hasNonAscii = false;
  #strayNuls = 0;
  #trailingNuls = 0;
  #damageOffset: number | null = null;

  constructor(charset: string, declaredCharset: string | null) {
    this.#charset = charset;
    this.#declaredCharset = declaredCharset;
  }

  /** NULs at the very end are padding; NULs inside count as stray unless they separate records. */
  accept(window: Uint8Array, offset: number): boolean {
    const contentBytes = window.length - countTrailingNuls(window);
    if (contentBytes > 0) {
      this.#strayNuls += this.#trailingNuls;
      this.#trailingNuls = 0;
    }
    this.#trailingNuls += window.length - contentBytes;
    const core = window.subarray(0, contentBytes);
    if (!core.includes(0) || detectText(core, null).isText) return this.#acceptText(core, offset);
    const readable = core.filter((byte) => byte !== 0);
    this.#strayNuls += core.length - readable.length;
    return this.#acceptText(readable, offset);
  }

  finish(sizeBytes: number): ScanResult {
    if (this.#strayNuls > sizeBytes * MAX_STRAY_NUL_SHARE) return { text: asNotText("NUL bytes"), notes: [] };
    const damage = `Some bytes from ${this.#damageOffset} on are not valid ${this.#charset}.`;
    return { text: asText(this.#charset), notes: this.#damageOffset === null ? [] : [damage] };
  }

  #acceptText(window: Uint8Array, offset: number): boolean {
    return this.#charset === "utf-8" ? this.#acceptUtf8(window, offset) : this.#acceptLegacy(window);
  }

  /** While everything was ASCII, the charset is still open; after other UTF-8, invalid bytes are damage. */
  #acceptUtf8(window: Uint8Array, offset: number): boolean {
    if (isPlainUtf8(window)) {
      this.#hasNonAscii ||= !isAscii(window);
      return true;
    }
    // A text that was UTF-8 so far counts as declared: a few invalid bytes are damage.
    const verdict = detectText(window, this.#hasNonAscii ? "utf-8" : this.#declaredCharset);
    if (!verdict.isText) return false;
    if (verdict.charset === "utf-8") {
      this.#hasNonAscii ||= !isAscii(window);
      if (!isUtf8(window)) this.#damageOffset ??= offset;
    }
    // A text that begins with single bytes is not UTF-16, though some tools append UTF-16 to any log.
    else if (this.#hasNonAscii || isWide(verdict.charset)) this.#damageOffset ??= offset;
    else this.#charset = verdict.charset;
    return true;
  }

  #acceptLegacy(window: Uint8Array): boolean {
    const byteCounts = countByteValues(window);
    if (countOddControls(byteCounts).size === 0 && stillReadsIn(window, byteCounts, this.#charset)) return true;
    return detectText(window, this.#charset).isText;
  }
}

/** The fast path for nearly every window: valid UTF-8 without a control byte that needs a closer look. */
function isPlainUtf8(window: Uint8Array): boolean {
  return isUtf8(window) && !hasControlByte(window);
}

/** A single NUL at the end terminates the last record; padding has more. */
function countTrailingNuls(window: Uint8Array): number {
  let count = 0;
  while (count < window.length && window[window.length - 1 - count] === 0) count++;
  return count > 1 ? count : 0;
}
