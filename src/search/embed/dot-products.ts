/**
 * Products of many byte vectors with one, sixteen numbers at a time. The loop is written in WebAssembly by hand: in
 * JavaScript the same scan takes many times as long.
 */

/** Rows of bytes in a memory that grows, all of one width. */
export type ByteRows = {
  /** Appends rows; `values` holds them one after the other, each as wide as was said. */
  append(values: Int8Array): void;
  /** The product of every row with the asked one, in their order, handed over in blocks. */
  products(asked: Int8Array, block: (first: number, products: Int32Array) => void): void;
};

const lanes = 16;
const pageBytes = 65_536;
const mostPages = 65_536;
const blockRows = 4_096;
/** The asked vector comes first, then the products of a block, then the rows. */
const mostWidth = 4_096;
const productsAt = mostWidth;
const rowsAt = productsAt + blockRows * 4;

/** An empty set of rows so many numbers wide, at most 4,096. */
export function createByteRows(width: number): ByteRows {
  const stride = Math.ceil(width / lanes) * lanes;
  const memory = new WebAssembly.Memory({ initial: 2, maximum: mostPages });
  const { products } = new WebAssembly.Instance(compiled(), { memory: { memory } }).exports;
  const run = products as (rows: number, asked: number, out: number, count: number, width: number) => void;
  let rows = 0;

  function reserve(bytes: number): void {
    const missing = bytes - memory.buffer.byteLength;
    // Doubling keeps the copying small; the last step takes what is needed.
    if (missing > 0) memory.grow(Math.ceil(Math.max(missing, Math.min(memory.buffer.byteLength, 1 << 26)) / pageBytes));
  }

  return {
    append(values) {
      const count = Math.floor(values.length / width);
      reserve(rowsAt + (rows + count) * stride);
      for (let row = 0; row < count; row++) {
        const place = new Int8Array(memory.buffer, rowsAt + rows++ * stride, width);
        place.set(values.subarray(row * width, (row + 1) * width));
      }
    },
    products(asked, block) {
      new Int8Array(memory.buffer, 0, stride).fill(0).set(asked);
      for (let first = 0; first < rows; first += blockRows) {
        const count = Math.min(blockRows, rows - first);
        run(rowsAt + first * stride, 0, productsAt, count, stride);
        block(first, new Int32Array(memory.buffer, productsAt, count));
      }
    },
  };
}

let module: WebAssembly.Module | undefined;

function compiled(): WebAssembly.Module {
  module ??= new WebAssembly.Module(Uint8Array.from(program()));
  return module;
}

/** https://webassembly.github.io/spec/core/binary */
function program(): number[] {
  const [i32, v128, empty] = [0x7f, 0x7b, 0x40];
  const name = (text: string): number[] => [text.length, ...Buffer.from(text)];
  const section = (id: number, content: readonly number[]): number[] => [id, ...sized(content)];
  const locals = [2, 1, i32, 3, v128];
  return [
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, 5, i32, i32, i32, i32, i32, 0]),
    ...section(2, [1, ...name("memory"), ...name("memory"), 0x02, 0x00, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name("products"), 0x00, 0]),
    ...section(10, [1, ...sized([...locals, ...body(empty), end])]),
  ];
}

/** Both contents are shorter than 16,384 bytes: their length takes two at most. */
function sized(content: readonly number[]): number[] {
  const { length } = content;
  return length < 128 ? [length, ...content] : [(length & 127) | 128, length >> 7, ...content];
}

const end = 0x0b;
const branchIf = [0x0d, 0];
const get = (local: number): number[] => [0x20, local];
const set = (local: number): number[] => [0x21, local];
const tee = (local: number): number[] => [0x22, local];
const constant = (value: number): number[] => [0x41, value];
const [isZero, isBelow, add, subtract] = [0x45, 0x49, 0x6a, 0x6b];
const store32 = [0x36, 2, 0];
const load128 = [0xfd, 0x00, 0, 0];
const zero128 = [0xfd, 0x0c, ...new Array<number>(16).fill(0)];
const [lowProducts, highProducts] = [
  [0xfd, 0x9c, 0x01],
  [0xfd, 0x9d, 0x01],
];
const addPairs = [0xfd, 0x7e];
const add32x4 = [0xfd, 0xae, 0x01];
const lane = (index: number): number[] => [0xfd, 0x1b, index];

/** For every row: multiply sixteen by sixteen, add up in four sums, then those to one. */
function body(empty: number): number[] {
  const [row, asked, out, count, width, at, sum, one, other] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const sixteen = [
    ...[...get(row), ...get(at), add, ...load128, ...set(one)],
    ...[...get(asked), ...get(at), add, ...load128, ...set(other)],
    ...get(sum),
    ...[...get(one), ...get(other), ...lowProducts, ...addPairs, ...add32x4],
    ...[...get(one), ...get(other), ...highProducts, ...addPairs, ...add32x4],
    ...set(sum),
    ...[...get(at), ...constant(lanes), add, ...tee(at), ...get(width), isBelow, ...branchIf],
  ];
  const total = [
    ...[...get(sum), ...lane(0), ...get(sum), ...lane(1), add],
    ...[...get(sum), ...lane(2), add, ...get(sum), ...lane(3), add],
  ];
  const each = [
    ...[...zero128, ...set(sum), ...constant(0), ...set(at)],
    ...[0x03, empty, ...sixteen, end],
    ...[...get(out), ...total, ...store32],
    ...[...get(out), ...constant(4), add, ...set(out)],
    ...[...get(row), ...get(width), add, ...set(row)],
    ...[...get(count), ...constant(1), subtract, ...tee(count), ...branchIf],
  ];
  return [0x02, empty, ...get(count), isZero, ...branchIf, 0x03, empty, ...each, end, end];
}
