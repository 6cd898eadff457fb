/** Follows a text to its end, window by window in constant memory, and says where it stops being text. */
import { isAscii, isUtf8 } from "node:buffer";
import type { Body } from "../kind.ts";
import { oddControls, takeCensus } from "./byte-counts.ts";
import { isWide, readBom, type WideCharset } from "./charset.ts";
import { hasControl } from "./control-bytes.ts";
import { judgeText } from "./detect-text.ts";
import { stillReads } from "./legacy-charset.ts";
import { notText, type TextVerdict, text } from "./text-verdict.ts";
import { windows } from "./text-windows.ts";
import { judgeWide, unitBytesOf } from "./wide-charset.ts";

/** The verdict on a whole text, with sentences on what is wrong in it. */
type Followed = { readonly text: TextVerdict; readonly notes: readonly string[] };

/** The verdict on every byte of a body whose beginning is text in this charset. */
export async function followText(body: Body, charset: string): Promise<Followed> {
  const follower = isWide(charset) ? new WideFollower(charset) : new ByteFollower(charset);
  let seenBytes = 0;
  for await (const window of windows(body, isWide(charset))) {
    if (!follower.see(window, seenBytes)) return endedAt(seenBytes);
    seenBytes += window.length;
  }
  return follower.finish(seenBytes);
}

function endedAt(at: number): Followed {
  return { text: notText("text in its beginning only"), notes: [`Text ends near byte ${at}, binary follows.`] };
}

/** Sees the windows of one text in order. */
type Follower = {
  /** Whether the window that begins at this byte is text too. */
  see(window: Uint8Array, at: number): boolean;
  /** The verdict once all windows were text. */
  finish(sizeBytes: number): Followed;
};

/** Past the beginning a wide charset is known: every piece is held to what a byte-order mark would promise. */
class WideFollower implements Follower {
  readonly #charset: WideCharset;

  constructor(charset: WideCharset) {
    this.#charset = charset;
  }

  see(window: Uint8Array, at: number): boolean {
    const markBytes = at === 0 ? (readBom(window)?.sizeBytes ?? 0) : 0;
    const pieces = widePieces(window.subarray(markBytes), unitBytesOf(this.#charset));
    return pieces.every((piece) => judgeWide(piece, this.#charset, "marked").isText);
  }

  finish(): Followed {
    return { text: text(this.#charset), notes: [] };
  }
}

/** As much as one verdict on a wide charset looks at. */
const widePieceBytes = 8192;

/** Pieces that cover every whole unit. The last overlaps the one before instead of being short: a few units tell nothing. */
function widePieces(bytes: Uint8Array, unitBytes: number): Uint8Array[] {
  const end = bytes.length - (bytes.length % unitBytes);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < end; at += widePieceBytes) {
    const start = Math.max(0, Math.min(at, end - widePieceBytes));
    pieces.push(bytes.subarray(start, start + widePieceBytes));
  }
  return pieces;
}

/** The share of NULs that a log bitten by crashes may have. */
const strayShare = 0.004;

class ByteFollower implements Follower {
  #charset: string;
  #hasForeign = false;
  #strayNuls = 0;
  #trailingNuls = 0;
  #damagedAt: number | null = null;

  constructor(charset: string) {
    this.#charset = charset;
  }

  /** NULs at the very end are padding; those inside count as stray unless they separate records. */
  see(window: Uint8Array, at: number): boolean {
    const padded = window.length - trailingNuls(window);
    if (padded > 0) {
      this.#strayNuls += this.#trailingNuls;
      this.#trailingNuls = 0;
    }
    this.#trailingNuls += window.length - padded;
    const core = window.subarray(0, padded);
    if (!core.includes(0) || judgeText(core, null).isText) return this.#seeText(core, at);
    const readable = core.filter((byte) => byte !== 0);
    this.#strayNuls += core.length - readable.length;
    return this.#seeText(readable, at);
  }

  finish(sizeBytes: number): Followed {
    if (this.#strayNuls > sizeBytes * strayShare) return { text: notText("NUL bytes"), notes: [] };
    const damage = `Some bytes from ${this.#damagedAt} on are not valid ${this.#charset}.`;
    return { text: text(this.#charset), notes: this.#damagedAt === null ? [] : [damage] };
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
    const verdict = judgeText(window, null);
    if (!verdict.isText) return false;
    if (verdict.charset === "utf-8") this.#hasForeign ||= !isAscii(window);
    // What begins with single bytes is not UTF-16 as a whole, though some tools append it to any log.
    else if (this.#hasForeign || isWide(verdict.charset)) this.#damagedAt ??= at;
    else this.#charset = verdict.charset;
    return true;
  }

  #seeLegacy(window: Uint8Array): boolean {
    const census = takeCensus(window);
    if (oddControls(census).size === 0 && stillReads(window, census, this.#charset)) return true;
    return judgeText(window, this.#charset).isText;
  }
}

/** What nearly every window is, told at the speed of memory: valid UTF-8 without a control that needs a closer look. */
function isPlainUtf8(window: Uint8Array): boolean {
  return isUtf8(window) && !hasControl(window);
}

/** One NUL at the end ends the last record; padding has more. */
function trailingNuls(window: Uint8Array): number {
  let count = 0;
  while (count < window.length && window[window.length - 1 - count] === 0) count++;
  return count > 1 ? count : 0;
}
