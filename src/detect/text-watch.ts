/** Follows a text to its end, window by window in constant memory, and says where it stops being text. */
import { isAscii, isUtf8 } from "node:buffer";
import { oddControls, takeCensus } from "./census.ts";
import type { Body } from "./kind.ts";
import { stillReads } from "./legacy.ts";
import { judgeText } from "./text.ts";
import { notText, type TextVerdict } from "./verdict.ts";
import { judgeWide } from "./wide.ts";
import { windows } from "./windows.ts";

type Text = Extract<TextVerdict, { isText: true }>;

export type Watched = { readonly text: TextVerdict; readonly notes: readonly string[] };

/** The verdict on every byte of a body whose beginning is text. */
export async function watchText(body: Body, beginning: Text): Promise<Watched> {
  const watch = new TextWatch(beginning);
  for await (const window of windows(body, isWide(beginning))) if (!watch.see(window)) break;
  return watch.finish();
}

const isWide = ({ called }: Text): boolean => /^utf-(16|32)/.test(called);

/** The share of NULs that a log bitten by crashes may have. */
const strayShare = 0.004;
/** As much as one verdict on a wide charset looks at. */
const widePieceBytes = 8192;

class TextWatch {
  #charset: Text;
  #seenBytes = 0;
  #hasForeign = false;
  #strayNuls = 0;
  #trailingNuls = 0;
  #damagedAt: number | null = null;
  #endedAt: number | null = null;

  constructor(beginning: Text) {
    this.#charset = beginning;
  }

  /** Whether this window is text too. */
  see(window: Uint8Array): boolean {
    const isText = isWide(this.#charset) ? this.#seeWide(window) : this.#seeBytes(window);
    if (!isText) this.#endedAt = this.#seenBytes;
    this.#seenBytes += window.length;
    return isText;
  }

  finish(): Watched {
    if (this.#endedAt !== null) {
      return {
        text: notText("text in its beginning only"),
        notes: [`Text ends near byte ${this.#endedAt}, binary follows.`],
      };
    }
    if (this.#strayNuls > this.#seenBytes * strayShare) return { text: notText("NUL bytes"), notes: [] };
    const damage = `Some bytes from ${this.#damagedAt} on are not valid ${this.#charset.called}.`;
    return { text: this.#charset, notes: this.#damagedAt === null ? [] : [damage] };
  }

  /** Past the beginning the charset is known: every piece is held to what a byte-order mark would promise. */
  #seeWide(window: Uint8Array): boolean {
    const from = { charset: this.#charset.called, sizeBytes: this.#charset.called.startsWith("utf-32") ? 4 : 2 };
    for (let at = 0; at < window.length; at += widePieceBytes) {
      if (!judgeWide(window.subarray(at, at + widePieceBytes), from).isText) return false;
    }
    return true;
  }

  /** NULs at the very end are padding; those inside count as stray unless they separate records. */
  #seeBytes(window: Uint8Array): boolean {
    const padded = window.length - trailingNuls(window);
    if (padded > 0) {
      this.#strayNuls += this.#trailingNuls;
      this.#trailingNuls = 0;
    }
    this.#trailingNuls += window.length - padded;
    const core = window.subarray(0, padded);
    if (!core.includes(0) || judgeText(core, null).isText) return this.#seeText(core);
    const readable = core.filter((byte) => byte !== 0);
    this.#strayNuls += core.length - readable.length;
    return this.#seeText(readable);
  }

  #seeText(window: Uint8Array): boolean {
    return this.#charset.charset === "utf-8" ? this.#seeUtf8(window) : this.#seeLegacy(window);
  }

  /** Nothing but ASCII so far leaves the charset open; among other UTF-8, foreign bytes are damage. */
  #seeUtf8(window: Uint8Array): boolean {
    if (isPlainUtf8(window)) {
      this.#hasForeign ||= !isAscii(window);
      return true;
    }
    const verdict = judgeText(window, null);
    if (!verdict.isText) return false;
    if (verdict.charset === "utf-8") this.#hasForeign ||= !isAscii(window);
    else if (!this.#hasForeign) this.#charset = verdict;
    else this.#damagedAt ??= this.#seenBytes;
    return true;
  }

  #seeLegacy(window: Uint8Array): boolean {
    const census = takeCensus(window);
    if (oddControls(census).size === 0 && stillReads(window, census, this.#charset.called)) return true;
    return judgeText(window, this.#charset.charset).isText;
  }
}

/** What nearly every window is, told at the speed of memory: valid UTF-8 without a control that needs a closer look. */
function isPlainUtf8(window: Uint8Array): boolean {
  if (!isUtf8(window)) return false;
  const bytes = Buffer.from(window.buffer, window.byteOffset, window.length).toString("latin1");
  return !/[\0-\x08\x0b-\x0c\x0e-\x1f\x7f]/.test(bytes);
}

/** One NUL at the end ends the last record; padding has more. */
function trailingNuls(window: Uint8Array): number {
  let count = 0;
  while (count < window.length && window[window.length - 1 - count] === 0) count++;
  return count > 1 ? count : 0;
}
