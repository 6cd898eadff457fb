/** The file of the learnt table: two vectors and a share for each term, as small whole numbers. */

/** Vectors of terms: what a term means in a question, and what it means in code. */
export type WordVectors = {
  readonly terms: readonly string[];
  readonly dimensions: number;
  /** How often the code has a term that its question has, from 0 to 1: a name is kept, an everyday word is not. */
  readonly kept: Float32Array;
  readonly questions: Float32Array;
  readonly codes: Float32Array;
};

const MAGIC = 0x4c524e32;
const HEADER_NUMBERS = 3;
const MAX_VALUE = 127;
const MAX_KEPT = 255;

/** The bytes of a table. */
export function encodeTable({ terms, dimensions, kept, questions, codes }: WordVectors): Uint8Array {
  const sides = [questions, codes].map((vectors) => quantise(vectors, terms.length, dimensions));
  const header = Uint32Array.of(MAGIC, terms.length, dimensions);
  const keptBytes = Uint8Array.from(kept, (share) => Math.round(share * MAX_KEPT));
  const parts = [header, ...sides.map(({ scales }) => scales), ...sides.map(({ values }) => values), keptBytes];
  return Buffer.concat([...parts.map((part) => Buffer.from(part.buffer)), Buffer.from(terms.join("\n"))]);
}

function quantise(vectors: Float32Array, count: number, dimensions: number) {
  const scales = new Float32Array(count);
  const values = new Int8Array(count * dimensions);
  for (let term = 0; term < count; term++) {
    const row = vectors.subarray(term * dimensions, (term + 1) * dimensions);
    const scale = row.reduce((max, value) => Math.max(max, Math.abs(value)), 0) / MAX_VALUE || 1;
    scales[term] = scale;
    for (const [index, value] of row.entries()) values[term * dimensions + index] = Math.round(value / scale);
  }
  return { scales, values };
}

/** Reads the bytes of a table. Throws for anything else. */
export function decodeTable(bytes: Uint8Array): WordVectors {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [magic, count, dimensions] = [0, 4, 8].map((offset) =>
    offset < bytes.length ? view.getUint32(offset, true) : 0,
  );
  if (magic !== MAGIC || count === undefined || dimensions === undefined) throw new RangeError("Not a table of words.");
  const scaleStart = HEADER_NUMBERS * 4;
  const valueStart = scaleStart + count * 8;
  const keptStart = valueStart + count * dimensions * 2;
  const textStart = keptStart + count;
  const terms = new TextDecoder().decode(bytes.subarray(textStart)).split("\n");
  if (terms.length !== count) throw new RangeError("The table of words is truncated.");
  const side = (number: number): Float32Array => {
    const values = new Float32Array(count * dimensions);
    for (let term = 0; term < count; term++) {
      const scale = view.getFloat32(scaleStart + (number * count + term) * 4, true);
      for (let index = 0; index < dimensions; index++) {
        const place = term * dimensions + index;
        values[place] = view.getInt8(valueStart + number * count * dimensions + place) * scale;
      }
    }
    return values;
  };
  const kept = Float32Array.from(bytes.subarray(keptStart, textStart), (byte) => byte / MAX_KEPT);
  return { terms, dimensions, kept, questions: side(0), codes: side(1) };
}
