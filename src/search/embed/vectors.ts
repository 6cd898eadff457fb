/** Vectors as bytes: each number in one, so that a hundred thousand chunks are scanned in memory. */
import { createByteRows } from "./dot-products.ts";

/** A vector in bytes: its direction, and what one step of a byte is worth. */
export type ByteVector = { readonly step: number; readonly values: Int8Array };

/** The vector brought to length 1 and rounded to bytes; one without a direction is all zeros. */
export function toBytes(vector: Float32Array): ByteVector {
  let [squares, largest] = [0, 0];
  for (const number of vector) {
    squares += number * number;
    largest = Math.max(largest, Math.abs(number));
  }
  const length = Math.sqrt(squares);
  if (largest === 0 || !Number.isFinite(length)) return { step: 0, values: new Int8Array(vector.length) };
  const values = Int8Array.from(vector, (number) => Math.round((number / largest) * 127));
  return { step: largest / length / 127, values };
}

/** The vectors of a file's chunks: the steps of all, then the values of all. */
export function packVectors(vectors: readonly Float32Array[]): Uint8Array {
  const bytes = vectors.map(toBytes);
  const steps = new Uint8Array(Float32Array.from(bytes, ({ step }) => step).buffer);
  return Buffer.concat([steps, ...bytes.map(({ values }) => new Uint8Array(values.buffer))]);
}

/** A chunk, by the file it is of and its number in it, and how near it is: the cosine, at most 1. */
export type NearChunk = { readonly fileId: number; readonly index: number; readonly cosine: number };

export type VectorTable = {
  readonly dimensions: number;
  /** Rows, those of files that are gone included. */
  rows(): number;
  /** Adds what packVectors made of a file; bytes of another length are left out. */
  add(fileId: number, packed: Uint8Array): void;
  /** The nearest chunks of files that count, nearest first; equals in the order they were added. */
  nearest(vector: Float32Array, most: number, counts: (fileId: number) => boolean): NearChunk[];
};

const firstRows = 1_024;

/** An empty table of vectors of one length. */
export function createVectorTable(dimensions: number): VectorTable {
  const values = createByteRows(dimensions);
  let steps = new Float32Array(firstRows);
  let files = new Float64Array(firstRows);
  let indexes = new Uint32Array(firstRows);
  let rows = 0;

  function grow(wanted: number): void {
    if (wanted <= steps.length) return;
    const size = Math.max(wanted, steps.length * 2);
    steps = grown(steps, new Float32Array(size));
    files = grown(files, new Float64Array(size));
    indexes = grown(indexes, new Uint32Array(size));
  }

  return {
    dimensions,
    rows: () => rows,
    add(fileId, packed) {
      const count = packed.length / (dimensions + 4);
      if (!Number.isInteger(count)) return;
      grow(rows + count);
      const own = Uint8Array.from(packed);
      steps.set(new Float32Array(own.buffer, 0, count), rows);
      values.append(new Int8Array(own.buffer, count * 4));
      for (let index = 0; index < count; index++) {
        files[rows] = fileId;
        indexes[rows++] = index;
      }
    },
    nearest(vector, most, counts) {
      const asked = toBytes(vector);
      const best = createNearest(most);
      let [last, counted] = [-1, false];
      values.products(asked.values, (first, products) => {
        for (let at = 0; at < products.length; at++) {
          const row = first + at;
          const fileId = files[row] ?? 0;
          if (fileId !== last) [last, counted] = [fileId, counts(fileId)];
          if (counted) best.add(row, (products[at] ?? 0) * (steps[row] ?? 0) * asked.step);
        }
      });
      return best.sorted().map(({ row, cosine }) => {
        return { fileId: files[row] ?? 0, index: indexes[row] ?? 0, cosine: Math.min(1, cosine) };
      });
    },
  };
}

function grown<T extends Float32Array | Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

type Near = { readonly row: number; readonly cosine: number };

/** Keeps the nearest of many. */
function createNearest(most: number) {
  let kept: Near[] = [];
  let least = -Infinity;
  const cut = () => {
    kept = kept.sort((one, other) => other.cosine - one.cosine || one.row - other.row).slice(0, most);
    if (kept.length === most) least = kept.at(-1)?.cosine ?? least;
  };
  return {
    add(row: number, cosine: number): void {
      if (cosine <= least) return;
      kept.push({ row, cosine });
      if (kept.length >= most * 4) cut();
    },
    sorted(): readonly Near[] {
      cut();
      return kept;
    },
  };
}
