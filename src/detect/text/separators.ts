/** Tells text that separates its records with control bytes from binary records that begin with their own length. */

const MAX_SEPARATOR_SHARE = 0.2;
const MIN_TEXT_BYTES = 16;

/** FIX logs, `find -print0`, unit separators: one or two control bytes that come often, apart, and measure nothing. */
export function usesSeparators(bytes: Uint8Array, odd: ReadonlyMap<number, number>): boolean {
  const places = findOffsets(bytes, odd);
  if (bytes.length < MIN_TEXT_BYTES || places.length < 2 || places.length > bytes.length * MAX_SEPARATOR_SHARE)
    return false;
  if (places.some((place, i) => places[i + 1] === place + 1)) return false;
  return !measuresLengths(bytes, places);
}

function findOffsets(bytes: Uint8Array, odd: ReadonlyMap<number, number>): number[] {
  const places: number[] = [];
  bytes.forEach((byte, at) => {
    if (odd.has(byte)) places.push(at);
  });
  return places;
}

/** A byte that says how far it is to the next one, by itself or with the byte after it, is a length and no separator. */
function measuresLengths(bytes: Uint8Array, places: readonly number[]): boolean {
  let measured = 0;
  places.forEach((place, i) => {
    const gap = (places[i + 1] ?? bytes.length) - place - 1;
    const itself = bytes[place] ?? 0;
    const next = bytes[place + 1] ?? 0;
    if (isNear(gap, itself) || isNear(gap - 1, next)) measured++;
  });
  return measured > places.length / 2;
}

/** Records carry up to three bytes of tags besides their content. */
const isNear = (gap: number, value: number): boolean => value > 2 && gap >= value && gap <= value + 3;
