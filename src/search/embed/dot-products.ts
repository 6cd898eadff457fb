/**
 * Dot products of many byte vectors with one. The loop is a WebAssembly module, written in dot-products.wat, because it
 * multiplies sixteen numbers at a time: 100,000 rows of 768 take 5 to 8 ms of CPU, the best plain loop takes 66.
 */
import { dotProductsWasm } from "./dot-products.wasm.ts";

/** Rows of bytes, all of one width, in a memory that grows. */
type ByteRows = {
  /** Appends rows; `values` holds them one after the other. */
  append(values: Int8Array): void;
  /** Calls `block` with the products of all rows and the vector, in order and many at a time. */
  products(vector: Int8Array, block: (firstRow: number, products: Int32Array) => void): void;
};

/** Numbers that are multiplied at once: the width of a row is rounded up to a multiple of it. */
const LANES = 16;
const PAGE_BYTES = 65_536;
const MAX_PAGES = 65_536;
const BLOCK_ROWS = 4_096;
/** The vector is at the beginning of the memory, then the products of a block, then the rows. */
const MAX_WIDTH = 4_096;
const productsAddress = MAX_WIDTH;
const rowsAddress = productsAddress + BLOCK_ROWS * 4;
/** The memory doubles when it is full, but grows by no more than this unless more is needed. */
const MAX_EXTRA_BYTES = 1 << 26;

/** An empty table of rows that are `width` numbers wide, at most 4,096. */
export function createByteRows(width: number): ByteRows {
  const stride = Math.ceil(width / LANES) * LANES;
  const memory = new WebAssembly.Memory({ initial: 2, maximum: MAX_PAGES });
  const multiply = instantiate(memory);
  let rows = 0;

  function reserve(bytes: number): void {
    const missing = bytes - memory.buffer.byteLength;
    const growth = Math.max(missing, Math.min(memory.buffer.byteLength, MAX_EXTRA_BYTES));
    if (missing > 0) memory.grow(Math.ceil(growth / PAGE_BYTES));
  }

  return {
    append(values) {
      const count = Math.floor(values.length / width);
      reserve(rowsAddress + (rows + count) * stride);
      for (let row = 0; row < count; row++) {
        const target = new Int8Array(memory.buffer, rowsAddress + rows++ * stride, width);
        target.set(values.subarray(row * width, (row + 1) * width));
      }
    },
    products(vector, block) {
      new Int8Array(memory.buffer, 0, stride).fill(0).set(vector);
      for (let firstRow = 0; firstRow < rows; firstRow += BLOCK_ROWS) {
        const count = Math.min(BLOCK_ROWS, rows - firstRow);
        multiply(rowsAddress + firstRow * stride, 0, productsAddress, count, stride);
        block(firstRow, new Int32Array(memory.buffer, productsAddress, count));
      }
    },
  };
}

/** The function that dot-products.wat exports; all addresses are those of its memory. */
type Multiply = (row: number, vector: number, out: number, count: number, width: number) => void;

let compiled: WebAssembly.Module | undefined;

function instantiate(memory: WebAssembly.Memory): Multiply {
  compiled ??= new WebAssembly.Module(Buffer.from(dotProductsWasm, "base64"));
  return new WebAssembly.Instance(compiled, { memory: { memory } }).exports.products as Multiply;
}
