/** Finds where the items of a JSON text end, without parsing it: in one pass, and also in a part of a text. */

/** The nesting at a place of a JSON text. */
export type JsonState = { depth: number; isInString: boolean };

/** A comma between two items: the next item begins at `end`. */
export type ItemEnd = { readonly end: number; readonly depth: number };

/**
 * Calls `visit` for each sign of structure from `start` to `end`, and at the start of each string. Signs that are nested
 * deeper than `maxDepth` are only counted. `state` is updated, so that a scan can continue.
 */
export function scanJson(
  text: string,
  start: number,
  end: number,
  state: JsonState,
  visit: (code: number, index: number) => void,
  maxDepth = Infinity,
): void {
  // Units of an array are read in two thirds of the time that characters of a string take.
  const units = new Uint16Array(Math.min(WINDOW_CHARS, Math.max(0, end - start)));
  const bytes = Buffer.from(units.buffer);
  for (let index = start; index < end; ) {
    const length = bytes.write(text.slice(index, Math.min(end, index + units.length)), "utf16le") / 2;
    if (length === 0) return;
    index += scanUnits(units.subarray(0, length), index, state, visit, maxDepth);
  }
}

const WINDOW_CHARS = 16_384;

/** Scans one window and returns how many units that were: one more than it has if a backslash is its last. */
function scanUnits(
  units: Uint16Array,
  offset: number,
  state: JsonState,
  visit: (code: number, index: number) => void,
  maxDepth: number,
): number {
  const { length } = units;
  let index = state.isInString ? skipString(units, 0, state) : 0;
  let { depth } = state;
  for (; index < length; index++) {
    const code = units[index] as number;
    const step = steps[code] as number;
    if (step === NOT_A_SIGN) continue;
    depth += step;
    if (depth <= maxDepth) {
      state.depth = depth;
      visit(code, offset + index);
    }
    if (code === QUOTE) index = skipString(units, index + 1, state) - 1;
  }
  state.depth = depth;
  return index;
}

/** The ends of all items within a range. Depths count from that of its start. */
export function findItemEnds(text: string, start: number, end: number, isInString = false): ItemEnd[] {
  const ends: ItemEnd[] = [];
  const state: JsonState = { depth: 0, isInString };
  scanJson(text, start, end, state, (code, index) => {
    if (code === COMMA) ends.push({ end: index + 1, depth: state.depth });
  });
  return ends;
}

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
const BACKSLASH = 0x5c;

/** By character, how it changes the nesting. A table of all, because nearly all of them are none of these signs. */
const NOT_A_SIGN = 2;
const steps = new Int8Array(2 ** 16).fill(NOT_A_SIGN);
for (const sign of [QUOTE, COMMA]) steps[sign] = 0;
for (const sign of [OPEN_BRACKET, OPEN_BRACE]) steps[sign] = 1;
for (const sign of [CLOSE_BRACKET, CLOSE_BRACE]) steps[sign] = -1;

/** The place after a string's closing quote, or after the last unit. `start` is inside the string. */
function skipString(units: Uint16Array, start: number, state: JsonState): number {
  const { length } = units;
  let index = start;
  for (; index < length; index++) {
    const code = units[index] as number;
    if (code !== QUOTE && code !== BACKSLASH) continue;
    if (code === QUOTE) {
      state.isInString = false;
      return index + 1;
    }
    index += 1;
  }
  state.isInString = true;
  return index;
}
