/** Reads numbers and ASCII from bytes that may end anywhere: past the end it reads zeros and never throws. */

/** The byte at this offset. */
export const u8 = (bytes: Uint8Array, offset: number): number => bytes[offset] ?? 0;

/** Two bytes as a number, little-endian. */
export const u16le = (bytes: Uint8Array, offset: number): number => u8(bytes, offset) | (u8(bytes, offset + 1) << 8);

/** Two bytes as a number, big-endian. */
export const u16be = (bytes: Uint8Array, offset: number): number => (u8(bytes, offset) << 8) | u8(bytes, offset + 1);

/** Four bytes as an unsigned number, little-endian. */
export const u32le = (bytes: Uint8Array, offset: number): number =>
  u16le(bytes, offset) + u16le(bytes, offset + 2) * 0x10000;

/** Four bytes as an unsigned number, big-endian. */
export const u32be = (bytes: Uint8Array, offset: number): number =>
  u16be(bytes, offset) * 0x10000 + u16be(bytes, offset + 2);

/** Bytes [start, end) as one character each. */
export function decodeLatin1(bytes: Uint8Array, start: number, end: number): string {
  const first = Math.max(start, 0);
  const last = Math.min(end, bytes.length);
  return last <= first ? "" : Buffer.from(bytes.buffer, bytes.byteOffset + first, last - first).toString("latin1");
}

/** Whether these bytes are at this offset; `pattern` has one character per byte. */
export function hasAt(bytes: Uint8Array, offset: number, pattern: string): boolean {
  if (offset + pattern.length > bytes.length) return false;
  for (let i = 0; i < pattern.length; i++) if (bytes[offset + i] !== pattern.charCodeAt(i)) return false;
  return true;
}

/** The next offset of `pattern` (one character per byte), or -1. */
export function indexOf(bytes: Uint8Array, pattern: string, start = 0): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(pattern, start, "latin1");
}

/** The last offset of `pattern` (one character per byte), or -1. */
export function lastIndexOf(bytes: Uint8Array, pattern: string): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).lastIndexOf(pattern, undefined, "latin1");
}
