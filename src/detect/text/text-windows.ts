/** Splits a stream into windows that end between characters, however it is chunked. */
import type { Body } from "../kind.ts";

const WINDOW_BYTES = 65_536;

/**
 * Windows of at most 64 KiB, in order and without gaps; `isWide` keeps characters of two and four bytes whole. The last
 * window may be twice as long, because a very short one would prove nothing. Each is valid until the next one is asked
 * for.
 */
export async function* readWindows(body: Body, isWide: boolean): AsyncGenerator<Uint8Array> {
  let buffer: Buffer | undefined;
  let filled = 0;
  for await (const chunk of body.stream({ inPlace: true })) {
    if (chunk.length === body.sizeBytes) return yield* cutWhole(chunk, isWide);
    buffer ??= Buffer.allocUnsafe(Math.min(BUFFER_BYTES, body.sizeBytes));
    for (let taken = 0; taken < chunk.length; ) {
      const piece = chunk.subarray(taken, taken + buffer.length - filled);
      buffer.set(piece, filled);
      filled += piece.length;
      taken += piece.length;
      const rest = yield* cutWindows(buffer.subarray(0, filled), isWide);
      buffer.copyWithin(0, filled - rest.length, filled);
      filled = rest.length;
    }
  }
  if (buffer && filled > 0) yield buffer.subarray(0, filled);
}

/** A body in memory is one chunk, which need not be copied. */
function* cutWhole(bytes: Uint8Array, isWide: boolean): Generator<Uint8Array> {
  const rest = yield* cutWindows(bytes, isWide);
  if (rest.length > 0) yield rest;
}

/** Windows from the start while as much again follows; returns the rest. */
function* cutWindows(bytes: Uint8Array, isWide: boolean): Generator<Uint8Array, Uint8Array> {
  let rest = bytes;
  while (rest.length >= 2 * WINDOW_BYTES) {
    const window = rest.subarray(0, isWide ? WINDOW_BYTES : findTextEnd(rest));
    yield window;
    rest = rest.subarray(window.length);
  }
  return rest;
}

/** Room for the two windows that are held back and as much again. */
const BUFFER_BYTES = 4 * WINDOW_BYTES;

/** Ends after a line feed, which is never part of another character; lines longer than a window are cut. */
function findTextEnd(bytes: Uint8Array): number {
  const window = bytes.subarray(0, WINDOW_BYTES);
  return window.lastIndexOf(0x0a) + 1 || dropCutCharacter(window).length;
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
