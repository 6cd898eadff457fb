/** Cuts a stream into windows that end where a character ends, whatever its chunks are. */
import type { Body } from "../kind.ts";
import { dropCutCharacter } from "./detect-text.ts";

const windowBytes = 65_536;

/**
 * Windows of at most 64 KiB, in order and without gaps; `isWide` keeps characters of two and four bytes whole. The last
 * window is up to twice as long instead of very short: a few bytes alone would tell nothing.
 */
export async function* windows(body: Body, isWide: boolean): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  for await (const chunk of body.stream()) {
    pending.push(chunk);
    pendingBytes += chunk.length;
    if (pendingBytes < 2 * windowBytes) continue;
    let rest = join(pending);
    while (rest.length >= 2 * windowBytes) {
      const window = rest.subarray(0, isWide ? windowBytes : textEnd(rest));
      yield window;
      rest = rest.subarray(window.length);
    }
    pending = [rest];
    pendingBytes = rest.length;
  }
  if (pendingBytes > 0) yield join(pending);
}

/** A line feed is never part of another character, in any charset of bytes; lines longer than a window are cut. */
function textEnd(bytes: Uint8Array): number {
  const window = bytes.subarray(0, windowBytes);
  return window.lastIndexOf(0x0a) + 1 || dropCutCharacter(window).length;
}

const join = (pieces: readonly Uint8Array[]): Uint8Array =>
  pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
