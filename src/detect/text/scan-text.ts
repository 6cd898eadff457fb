/** Follows a text to its end, window by window in constant memory, and says where it stops being text. */
import { isAscii, isUtf8 } from "node:buffer";
import type { Body } from "../kind.ts";
import { countBytes, countOddControls } from "./byte-counts.ts";
import { isWide, readBom, type WideCharset } from "./charset.ts";
import { hasControlByte } from "./control-bytes.ts";
import { detectText } from "./detect-text.ts";
import { stillReadsIn } from "./legacy-charset.ts";
import { asNotText, asText, type TextVerdict } from "./text-verdict.ts";
import { readWindows } from "./text-windows.ts";
import { detectWideText, getUnitBytes } from "./wide-charset.ts";

/** The verdict on a whole text, with sentences on what is wrong in it. */
type ScanResult = { readonly text: TextVerdict; readonly notes: readonly string[] };

/** The verdict on every byte of a body whose beginning is text in this charset. */
export async function scanText(body: Body, charset: string): Promise<ScanResult> {
  const follower = isWide(charset) ? new WideScanner(charset) : new ByteScanner(charset);
  let seenBytes = 0;
  for await (const window of readWindows(body, isWide(charset))) {
    if (!follower.accept(window, seenBytes)) return makeEndedResult(seenBytes);
    seenBytes += window.length;
  }
  return follower.finish(seenBytes);
}

function makeEndedResult(at: number): ScanResult {
  return { text: asNotText("text in its beginning only"), notes: [`Text ends near byte ${at}, binary follows.`] };
}

/** Sees the windows of one text in order. */
type TextScanner = {
  /** Whether the window that begins at this byte is text too. */
  accept(window: Uint8Array, at: number): boolean;
  /** The verdict once all windows were text. */
  finish(sizeBytes: number): ScanResult;
};

/** Past the beginning a wide charset is known: every piece is held to what a byte-order mark would promise. */
class WideScanner implements TextScanner {
  readonly #charset: WideCharset;

  constructor(charset: WideCharset) {
    this.#charset = charset;
  }

  accept(window: Uint8Array, at: number): boolean {
    const markBytes = at === 0 ? (readBom(window)?.sizeBytes ?? 0) : 0;
    const pieces = splitWide(window.subarray(markBytes), getUnitBytes(this.#charset));
    return pieces.every((piece) => detectWideText(piece, this.#charset, "marked").isText);
  }

  finish(): ScanResult {
    return { text: asText(this.#charset), notes: [] };
  }
}

/** As much as one verdict on a wide charset looks at. */
const WIDE_CHECK_BYTES = 8192;

/** Pieces that cover every whole unit. The last overlaps the one before instead of being short: a few units tell nothing. */
function splitWide(bytes: Uint8Array, unitBytes: number): Uint8Array[] {
  const end = bytes.length - (bytes.length % unitBytes);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < end; at += WIDE_CHECK_BYTES) {
    const start = Math.max(0, Math.min(at, end - WIDE_CHECK_BYTES));
    pieces.push(bytes.subarray(start, start + WIDE_CHECK_BYTES));
  }
  return pieces;
}

/** The share of NULs that a log bitten by crashes may have. */
const MAX_STRAY_NUL_SHARE = 0.004;

class ByteScanner implements TextScanner {
  #charset: string;
  #hasForeign = false;
  #strayNuls = 0;
  #trailingNuls = 0;
  #damagedAt: number | null = null;

  constructor(charset: string) {
    this.#charset = charset;
  }

  /** NULs at the very end are padding; those inside count as stray unless they separate records. */
  accept(window: Uint8Array, at: number): boolean {
    const padded = window.length - countTrailingNuls(window);
    if (padded > 0) {
      this.#strayNuls += this.#trailingNuls;
      this.#trailingNuls = 0;
    }
    this.#trailingNuls += window.length - padded;
    const core = window.subarray(0, padded);
    if (!core.includes(0) || detectText(core, null).isText) return this.#seeText(core, at);
    const readable = core.filter((byte) => byte !== 0);
    this.#strayNuls += core.length - readable.length;
    return this.#seeText(readable, at);
  }

  finish(sizeBytes: number): ScanResult {
    if (this.#strayNuls > sizeBytes * MAX_STRAY_NUL_SHARE) return { text: asNotText("NUL bytes"), notes: [] };
    const damage = `Some bytes from ${this.#damagedAt} on are not valid ${this.#charset}.`;
    return { text: asText(this.#charset), notes: this.#damagedAt === null ? [] : [damage] };
  }

  #seeText(window: Uint8Array, at: number): boolean {
    return this.#charset === "utf-8" ? this.#seeUtf8(window, at) : this.#seeLegacy(window);
  }

  /** Nothing but ASCII so far leaves the charset open; among other UTF-8, foreign bytes are damage. */
  #seeUtf8(window: Uint8Array, at: number): boolean {
    if (isPlainUtf8(window)) {
      this.#hasForeign ||= !isAscii(window);
      return true;
    }
    const verdict = detectText(window, null);
    if (!verdict.isText) return false;
    if (verdict.charset === "utf-8") this.#hasForeign ||= !isAscii(window);
    // What begins with single bytes is not UTF-16 as a whole, though some tools append it to any log.
    else if (this.#hasForeign || isWide(verdict.charset)) this.#damagedAt ??= at;
    else this.#charset = verdict.charset;
    return true;
  }

  #seeLegacy(window: Uint8Array): boolean {
    const census = countBytes(window);
    if (countOddControls(census).size === 0 && stillReadsIn(window, census, this.#charset)) return true;
    return detectText(window, this.#charset).isText;
  }
}

/** What nearly every window is, told at the speed of memory: valid UTF-8 without a control that needs a closer look. */
function isPlainUtf8(window: Uint8Array): boolean {
  return isUtf8(window) && !hasControlByte(window);
}

/** One NUL at the end ends the last record; padding has more. */
function countTrailingNuls(window: Uint8Array): number {
  let count = 0;
  while (count < window.length && window[window.length - 1 - count] === 0) count++;
  return count > 1 ? count : 0;
}
