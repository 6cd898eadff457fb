/** Unpacks Snappy blocks, as the documents of Apple's programs use them: https://github.com/google/snappy */
import { u8, u16le, u32le } from "../../detect/bytes.ts";
import { FailureError } from "../failure-error.ts";

/** The bytes of one block. Throws a FailureError if it is damaged or longer than `maxBytes`. */
export function unpackSnappy(packed: Uint8Array, maxBytes: number): Uint8Array {
  const { value: length, end } = readVarint(packed, 0);
  if (length > maxBytes) throw new FailureError("too_large", "a block is longer than is read");
  const bytes = new Uint8Array(length);
  let [at, from] = [0, end];
  while (from < packed.length && at < length) {
    const element = readElement(packed, from);
    if (element.distance === 0)
      bytes.set(packed.subarray(element.end, element.end + element.length).subarray(0, length - at), at);
    else copyBack(bytes, at, element.distance, Math.min(element.length, length - at));
    at += element.length;
    from = element.distance === 0 ? element.end + element.length : element.end;
  }
  return bytes;
}

type Element = { readonly length: number; readonly distance: number; readonly end: number };

/** A literal has no distance; its bytes follow. A copy repeats bytes that were written before. */
function readElement(packed: Uint8Array, at: number): Element {
  const tag = u8(packed, at);
  switch (tag & 3) {
    case 0:
      return readLiteral(packed, at, tag >> 2);
    case 1:
      return { length: ((tag >> 2) & 7) + 4, distance: ((tag >> 5) << 8) | u8(packed, at + 1), end: at + 2 };
    case 2:
      return { length: (tag >> 2) + 1, distance: u16le(packed, at + 1), end: at + 3 };
    default:
      return { length: (tag >> 2) + 1, distance: u32le(packed, at + 1), end: at + 5 };
  }
}

function readLiteral(packed: Uint8Array, at: number, size: number): Element {
  if (size < 60) return { length: size + 1, distance: 0, end: at + 1 };
  const sizeBytes = size - 59;
  const mask = 2 ** (8 * sizeBytes);
  return { length: (u32le(packed, at + 1) % mask) + 1, distance: 0, end: at + 1 + sizeBytes };
}

function copyBack(bytes: Uint8Array, at: number, distance: number, length: number): void {
  if (distance > at) throw new FailureError("corrupt", "a block refers to bytes before its start");
  // Copies may overlap themselves, which repeats a pattern.
  for (let index = 0; index < length; index++) bytes[at + index] = bytes[at + index - distance] ?? 0;
}

/** Seven bits of each byte, lowest first; the highest bit says that another follows. */
export function readVarint(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let [value, scale] = [0, 1];
  for (let end = start; end < start + 10; end++) {
    const byte = u8(bytes, end);
    value += (byte & 0x7f) * scale;
    scale *= 128;
    if (byte < 0x80) return { value, end: end + 1 };
  }
  return { value, end: start + 10 };
}
