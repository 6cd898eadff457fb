/** The characters of lines with their places, in arrays of numbers that all lines of a page share. */

/** Everything about the characters of a line, by code point. */
export type LineChars = {
  readonly codes: Uint32Array;
  /** Where each character starts and ends, along the direction of writing. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** Indexes of superscripts, ascending. */
  readonly raised: readonly number[];
};

/** Collects the characters of one line after the other. A page has thousands, so nothing is allocated for each. */
export type CharStore = { codes: Uint32Array; starts: Float64Array; ends: Float64Array; length: number };

/** A store with room for this many characters, which grows if there are more. */
export function createCharStore(capacity: number): CharStore {
  return {
    codes: new Uint32Array(capacity),
    starts: new Float64Array(capacity),
    ends: new Float64Array(capacity),
    length: 0,
  };
}

/** Appends a character. */
export function pushChar(store: CharStore, code: number, start: number, end: number): void {
  const index = store.length;
  if (index === store.codes.length) growStore(store);
  store.codes[index] = code;
  store.starts[index] = start;
  store.ends[index] = end;
  store.length = index + 1;
}

/** Lines that are finished keep the arrays they are in. */
function growStore(store: CharStore): void {
  const { codes, starts, ends } = createCharStore(2 * store.length + 16);
  codes.set(store.codes);
  starts.set(store.starts);
  ends.set(store.ends);
  Object.assign(store, { codes, starts, ends });
}

/** The characters between two indexes, without a copy. */
export function sliceChars(
  { codes, starts, ends }: Pick<LineChars, "codes" | "starts" | "ends">,
  from: number,
  to: number,
) {
  return { codes: codes.subarray(from, to), starts: starts.subarray(from, to), ends: ends.subarray(from, to) };
}

const MAX_UNITS = 4_096;
const units = new Uint16Array(MAX_UNITS);
const unitBytes = Buffer.from(units.buffer);

/** The text of code points. */
export function writeCodes(codes: Uint32Array): string {
  if (codes.length > MAX_UNITS / 2)
    return writeCodes(codes.subarray(0, MAX_UNITS / 2)) + writeCodes(codes.subarray(MAX_UNITS / 2));
  let length = 0;
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (code > 0xffff) units[length++] = 0xd7c0 + (code >> 10);
    units[length++] = code > 0xffff ? 0xdc00 + (code & 0x3ff) : code;
  }
  return unitBytes.toString("utf16le", 0, 2 * length);
}
