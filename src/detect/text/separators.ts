/** Distinguishes text with control bytes as separators from binary records that begin with their length. */

const MAX_SEPARATOR_SHARE = 0.2;
const MIN_TEXT_BYTES = 16;

/** FIX logs, `find -print0`, unit separators: one or two control bytes, never adjacent, that are not lengths. */
export function usesSeparators(bytes: Uint8Array, oddCounts: ReadonlyMap<number, number>): boolean {
  const offsets = findOffsets(bytes, oddCounts);
  if (bytes.length < MIN_TEXT_BYTES || offsets.length < 2 || offsets.length > bytes.length * MAX_SEPARATOR_SHARE)
    return false;
  if (offsets.some((offset, i) => offsets[i + 1] === offset + 1)) return false;
  return !measuresLengths(bytes, offsets);
}

function findOffsets(bytes: Uint8Array, oddCounts: ReadonlyMap<number, number>): number[] {
  const offsets: number[] = [];
  bytes.forEach((byte, offset) => {
    if (oddCounts.has(byte)) offsets.push(offset);
  });
  return offsets;
}

/** A control byte is a length if its value, or that of the byte after it, is the distance to the next one. */
function measuresLengths(bytes: Uint8Array, offsets: readonly number[]): boolean {
  let lengthCount = 0;
  offsets.forEach((offset, i) => {
    const gap = (offsets[i + 1] ?? bytes.length) - offset - 1;
    const value = bytes[offset] ?? 0;
    const next = bytes[offset + 1] ?? 0;
    if (isNear(gap, value) || isNear(gap - 1, next)) lengthCount++;
  });
  return lengthCount > offsets.length / 2;
}

/** Records have up to three bytes of tags in addition to their content. */
const isNear = (gap: number, value: number): boolean => value > 2 && gap >= value && gap <= value + 3;
