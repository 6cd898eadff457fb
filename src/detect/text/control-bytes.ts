/** Checks bytes for control characters that ordinary text does not contain, four bytes at a time. */

/** Any control except tab, line feed and carriage return. A regular expression would take four times as long. */
export function hasControlByte(bytes: Uint8Array): boolean {
  if (bytes.length < 4) return hasControlInRange(bytes, 0, bytes.length);
  const start = -bytes.byteOffset & 3;
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + start, (bytes.length - start) >> 2);
  const end = start + 4 * words.length;
  if (hasControlInRange(bytes, 0, start) || hasControlInRange(bytes, end, bytes.length)) return true;
  const fours = words.length - (words.length % 4);
  for (let i = 0; i < fours; i += 4) {
    const marks =
      markControls(words[i] as number) |
      markControls(words[i + 1] as number) |
      markControls(words[i + 2] as number) |
      markControls(words[i + 3] as number);
    if (marks !== 0 && hasControlInRange(bytes, start + 4 * i, start + 4 * i + 16)) return true;
  }
  return hasControlInRange(bytes, start + 4 * fours, end);
}

/**
 * Not 0 where one of the four bytes is below 0x20 or is 0x7f: adding 1 carries 0x7f into the high bit, and taking 0x20
 * away from a byte whose high bit was set first clears that bit only where the byte was smaller.
 */
function markControls(word: number): number {
  const deleted = ((word & 0x7f7f7f7f) + 0x01010101) | 0;
  const small = ~(((word | 0x80808080) - 0x20202020) | 0);
  return (deleted | small) & ~word & 0x80808080;
}

function hasControlInRange(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte < 0x20 ? byte !== 0x09 && byte !== 0x0a && byte !== 0x0d : byte === 0x7f) return true;
  }
  return false;
}
