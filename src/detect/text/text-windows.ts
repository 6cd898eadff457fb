/** Splits a stream into windows that end between characters, however it is chunked. */
import type { Body } from "../kind.ts";
import { dropCutCharacter } from "./detect-text.ts";

const WINDOW_BYTES = 65_536;

/**
 * Windows of at most 64 KiB, in order and without gaps; `isWide` keeps characters of two and four bytes whole. The last
 * window may be twice as long, because a very short one would prove nothing.
 */
export async function* readWindows(body: Body, isWide: boolean): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  for await (const chunk of body.stream()) {
    pending.push(chunk);
    pendingBytes += chunk.length;
    if (pendingBytes < 2 * WINDOW_BYTES) continue;
    let rest = joinBytes(pending);
    while (rest.length >= 2 * WINDOW_BYTES) {
      const window = rest.subarray(0, isWide ? WINDOW_BYTES : findTextEnd(rest));
      yield window;
      rest = rest.subarray(window.length);
    }
    pending = [rest];
    pendingBytes = rest.length;
  }
  if (pendingBytes > 0) yield joinBytes(pending);
}

/** Ends after a line feed, which is never part of another character; lines longer than a window are cut. */
function findTextEnd(bytes: Uint8Array): number {
  const window = bytes.subarray(0, WINDOW_BYTES);
  return window.lastIndexOf(0x0a) + 1 || dropCutCharacter(window).length;
}

const joinBytes = (chunks: readonly Uint8Array[]): Uint8Array =>
  chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
