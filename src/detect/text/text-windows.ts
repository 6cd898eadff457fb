/** Splits a stream into windows that end between characters, however it is chunked. */
import type { Body } from "../kind.ts";

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
