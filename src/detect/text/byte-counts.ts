/** Counts how often each byte value occurs, and which control characters are unusual in text. */

/** The count of each of the 256 byte values, and of all bytes. */
export type ByteCounts = { readonly counts: Uint32Array; readonly total: number };

/** Counts every byte once. */
export function countByteValues(bytes: Uint8Array): ByteCounts {
  const counts = new Uint32Array(256);
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    counts[byte] = (counts[byte] as number) + 1;
  }
  return { counts, total: bytes.length };
}

/** How many bytes have a value from `first` to `last`. */
export function countInRange({ counts }: ByteCounts, first: number, last: number): number {
  let sum = 0;
  for (let value = first; value <= last; value++) sum += counts[value] as number;
  return sum;
}

/** Control bytes that ordinary text does not contain, and how often each occurs. */
export function countOddControls({ counts }: ByteCounts): ReadonlyMap<number, number> {
  const oddCounts = new Map<number, number>();
  for (let value = 0; value < 0x20; value++) {
    const count = counts[value] as number;
    if (count > 0 && !harmlessControls.has(value)) oddCounts.set(value, count);
  }
  return oddCounts;
}

/** White space, and what terminals, overstruck manual pages and DOS write: BEL BS VT FF SUB ESC. */
const harmlessControls: ReadonlySet<number> = new Set([0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1a, 0x1b]);
