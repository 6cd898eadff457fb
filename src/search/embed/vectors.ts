/** Vectors with one byte for each number, so that those of a hundred thousand chunks are scanned in memory. */
import { createByteRows } from "./dot-products.ts";

/** A vector in bytes: its direction, and what one step of a byte is worth. */
type ByteVector = { readonly step: number; readonly values: Int8Array };

/** The vector scaled to length 1 and rounded to bytes; a vector without a direction is all zeros. */
function toBytes(vector: Float32Array): ByteVector {
  let [squares, maxValue] = [0, 0];
  for (const number of vector) {
    squares += number * number;
    maxValue = Math.max(maxValue, Math.abs(number));
  }
  const length = Math.sqrt(squares);
  if (maxValue === 0 || !Number.isFinite(length)) return { step: 0, values: new Int8Array(vector.length) };
  const values = Int8Array.from(vector, (number) => Math.round((number / maxValue) * 127));
  return { step: maxValue / length / 127, values };
}

/** The vectors of a file's chunks as they are stored: the steps of all, then the values of all. */
export function packVectors(vectors: readonly Float32Array[]): Uint8Array {
  const bytes = vectors.map(toBytes);
  const steps = new Uint8Array(Float32Array.from(bytes, ({ step }) => step).buffer);
  return Buffer.concat([steps, ...bytes.map(({ values }) => new Uint8Array(values.buffer))]);
}

/** A chunk, by its file and its index in the file, and its cosine with the query, at most 1. */
type NearChunk = { readonly fileId: number; readonly index: number; readonly cosine: number };

export type VectorTable = {
  readonly dimensions: number;
  /** Rows, including those of deleted files. */
  rows(): number;
  /** Adds what packVectors made of a file; bytes of another length are ignored. */
  add(fileId: number, packed: Uint8Array): void;
  /** The nearest chunks of the files that count, the nearest first; equals in the order they were added. */
  nearest(vector: Float32Array, limit: number, counts: (fileId: number) => boolean): NearChunk[];
};

const INITIAL_ROWS = 1_024;

/** An empty table of vectors of one length. */
export function createVectorTable(dimensions: number): VectorTable {
  const values = createByteRows(dimensions);
  let steps = new Float32Array(INITIAL_ROWS);
  let files = new Float64Array(INITIAL_ROWS);
  let indexes = new Uint32Array(INITIAL_ROWS);
  let rows = 0;

  function reserve(count: number): void {
    if (count <= steps.length) return;
    const size = Math.max(count, steps.length * 2);
    steps = copyInto(new Float32Array(size), steps);
    files = copyInto(new Float64Array(size), files);
    indexes = copyInto(new Uint32Array(size), indexes);
  }

  return {
    dimensions,
    rows: () => rows,
    add(fileId, packed) {
      const count = packed.length / (dimensions + 4);
      if (!Number.isInteger(count)) return;
      reserve(rows + count);
      const copy = Uint8Array.from(packed); // Aligned, as a Float32Array has to be.
      steps.set(new Float32Array(copy.buffer, 0, count), rows);
      values.append(new Int8Array(copy.buffer, count * 4));
      for (let index = 0; index < count; index++) {
        files[rows] = fileId;
        indexes[rows++] = index;
      }
    },
    nearest(vector, limit, counts) {
      const query = toBytes(vector);
      const best = createNearest(limit);
      let [lastFileId, isCounted] = [-1, false];
      values.products(query.values, (firstRow, products) => {
        for (let index = 0; index < products.length; index++) {
          const row = firstRow + index;
          const fileId = files[row] ?? 0;
          if (fileId !== lastFileId) [lastFileId, isCounted] = [fileId, counts(fileId)];
          if (isCounted) best.add(row, (products[index] ?? 0) * (steps[row] ?? 0) * query.step);
        }
      });
      return best.listNearest().map(({ row, cosine }) => {
        return { fileId: files[row] ?? 0, index: indexes[row] ?? 0, cosine: Math.min(1, cosine) };
      });
    },
  };
}

function copyInto<T extends Float32Array | Float64Array | Uint32Array>(target: T, source: T): T {
  target.set(source);
  return target;
}

type NearRow = { readonly row: number; readonly cosine: number };

/** Keeps the nearest of many rows. */
function createNearest(limit: number) {
  let rows: NearRow[] = [];
  let minCosine = -Infinity;
  const cut = () => {
    rows = rows.sort((one, other) => other.cosine - one.cosine || one.row - other.row).slice(0, limit);
    if (rows.length === limit) minCosine = rows.at(-1)?.cosine ?? minCosine;
  };
  return {
    add(row: number, cosine: number): void {
      if (cosine <= minCosine) return;
      rows.push({ row, cosine });
      if (rows.length >= limit * 4) cut();
    },
    listNearest(): readonly NearRow[] {
      cut();
      return rows;
    },
  };
}
