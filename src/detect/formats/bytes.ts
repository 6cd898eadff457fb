/** Reading numbers and ASCII out of bytes that may end anywhere: past the end there are zeros, never exceptions. */

/** The byte at this place. */
export const u8 = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0;

/** Two bytes as a number, the lowest first. */
export const u16le = (bytes: Uint8Array, at: number): number => u8(bytes, at) | (u8(bytes, at + 1) << 8);

/** Two bytes as a number, the highest first. */
export const u16be = (bytes: Uint8Array, at: number): number => (u8(bytes, at) << 8) | u8(bytes, at + 1);

/** Four bytes as a number without sign, the lowest first. */
export const u32le = (bytes: Uint8Array, at: number): number => u16le(bytes, at) + u16le(bytes, at + 2) * 0x10000;

/** Four bytes as a number without sign, the highest first. */
export const u32be = (bytes: Uint8Array, at: number): number => u16be(bytes, at) * 0x10000 + u16be(bytes, at + 2);

/** Bytes [start, end) as one character each. */
export function latin1(bytes: Uint8Array, start: number, end: number): string {
  const first = Math.max(start, 0);
  const last = Math.min(end, bytes.length);
  return last <= first ? "" : Buffer.from(bytes.buffer, bytes.byteOffset + first, last - first).toString("latin1");
}

/** Whether these bytes stand at this place; `piece` holds one character per byte. */
export function hasAt(bytes: Uint8Array, at: number, piece: string): boolean {
  if (at + piece.length > bytes.length) return false;
  for (let i = 0; i < piece.length; i++) if (bytes[at + i] !== piece.charCodeAt(i)) return false;
  return true;
}

/** Where `piece` (one character per byte) next begins, or -1. */
export function indexOf(bytes: Uint8Array, piece: string, from = 0): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(piece, from, "latin1");
}

/** Where `piece` (one character per byte) last begins, or -1. */
export function lastIndexOf(bytes: Uint8Array, piece: string): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).lastIndexOf(piece, undefined, "latin1");
}
