/** Unpacks bzip2, also several streams in a row. Blocks are unpacked one by one, so memory stays below ten megabytes. */
import { FailureError } from "../failure-error.ts";

const BLOCK_START = 0x314159265359;
const STREAM_END = 0x177245385090;

/** No packed block is longer. */
const MAX_PACKED_BLOCK_BYTES = 2 * 1024 * 1024;

const damaged = (): FailureError => new FailureError("corrupt", "the compressed data is damaged");

/** The unpacked bytes of a stream. */
export async function* unpackBzip2(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = new BitInput(chunks[Symbol.asyncIterator]());
  try {
    for (let blockBytes = await readStreamHeader(input); blockBytes > 0; blockBytes = await readStreamHeader(input)) {
      yield* unpackBlocks(input, blockBytes);
    }
  } finally {
    await input.close();
  }
}

/** The size of the blocks; 0 at the end of the data. Zeros after the last stream are ignored. */
async function readStreamHeader(input: BitInput): Promise<number> {
  input.alignToByte();
  if (!(await input.fill(4))) return 0;
  const signature = input.read(24);
  const level = input.read(8) - 0x30;
  if (signature === 0) return 0;
  if (signature !== 0x425a68 || level < 1 || level > 9) throw damaged();
  return level * 100_000;
}

async function* unpackBlocks(input: BitInput, blockBytes: number): AsyncGenerator<Uint8Array> {
  for (;;) {
    await input.fill(MAX_PACKED_BLOCK_BYTES);
    const magic = input.read(24) * 2 ** 24 + input.read(24);
    const checksum = input.read(16) * 2 ** 16 + input.read(16);
    if (magic === STREAM_END) return;
    if (magic !== BLOCK_START) throw damaged();
    let actualChecksum = 0xffffffff;
    for (const bytes of unpackBlock(input, blockBytes)) {
      actualChecksum = addToChecksum(actualChecksum, bytes);
      yield bytes;
    }
    if (~actualChecksum >>> 0 !== checksum) throw damaged();
  }
}

/** Reads bits, the highest first. */
class BitInput {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;
  #bits = 0;
  #bitCount = 0;

  constructor(chunks: AsyncIterator<Uint8Array>) {
    this.#chunks = chunks;
  }

  /** Whether so many bytes can be read; fewer are only at the end. */
  async fill(count: number): Promise<boolean> {
    if (this.#bytes.length - this.#at >= count) return true;
    const parts = [this.#bytes.subarray(this.#at)];
    let length = parts[0]?.length ?? 0;
    while (length < count) {
      const step = await this.#chunks.next();
      if (step.done) break;
      parts.push(step.value);
      length += step.value.length;
    }
    [this.#bytes, this.#at] = [Buffer.concat(parts), 0];
    return length >= count;
  }

  /** At most 24 bits. */
  read(count: number): number {
    while (this.#bitCount < count) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw damaged();
      this.#bits = (this.#bits << 8) | byte;
      this.#bitCount += 8;
    }
    this.#bitCount -= count;
    return (this.#bits >>> this.#bitCount) & ((1 << count) - 1);
  }

  alignToByte(): void {
    this.#bitCount -= this.#bitCount % 8;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

function unpackBlock(input: BitInput, blockBytes: number): Generator<Uint8Array> {
  // Randomised blocks were last written in 1997.
  if (input.read(1) === 1) throw damaged();
  const origin = input.read(24);
  const symbols = readSymbols(input);
  const { tables, selectors } = readTables(input, symbols.length + 2);
  const transformed = readTransformed(input, { symbols, tables, selectors }, blockBytes);
  if (origin >= transformed.length) throw damaged();
  return expandRuns(invertTransform(transformed, origin));
}

/** The bytes that occur in a block, as a map of 16 times 16 bits. */
function readSymbols(input: BitInput): number[] {
  const ranges = input.read(16);
  const symbols: number[] = [];
  for (let range = 0; range < 16; range++) {
    if ((ranges & (0x8000 >> range)) === 0) continue;
    const used = input.read(16);
    for (let bit = 0; bit < 16; bit++) if ((used & (0x8000 >> bit)) !== 0) symbols.push(range * 16 + bit);
  }
  if (symbols.length === 0) throw damaged();
  return symbols;
}

/** A Huffman code: for each length the last code, what to add to get an index, and the symbols in order. */
type Table = {
  readonly minLength: number;
  readonly limits: Int32Array;
  readonly offsets: Int32Array;
  readonly order: Uint16Array;
};

const MAX_CODE_LENGTH = 20;

function readTables(input: BitInput, symbolCount: number) {
  const tableCount = input.read(3);
  const selectorCount = input.read(15);
  if (tableCount < 2 || tableCount > 6 || selectorCount === 0) throw damaged();
  const recent = Array.from({ length: tableCount }, (_, index) => index);
  const selectors = new Uint8Array(selectorCount);
  for (let index = 0; index < selectorCount; index++) {
    let place = 0;
    while (input.read(1) === 1) if (++place >= tableCount) throw damaged();
    const [table = 0] = recent.splice(place, 1);
    recent.unshift(table);
    selectors[index] = table;
  }
  const tables = Array.from({ length: tableCount }, () => makeTable(readLengths(input, symbolCount)));
  return { tables, selectors };
}

function readLengths(input: BitInput, symbolCount: number): Uint8Array {
  const lengths = new Uint8Array(symbolCount);
  let length = input.read(5);
  for (let symbol = 0; symbol < symbolCount; symbol++) {
    while (input.read(1) === 1) length += input.read(1) === 0 ? 1 : -1;
    if (length < 1 || length > MAX_CODE_LENGTH) throw damaged();
    lengths[symbol] = length;
  }
  return lengths;
}

function makeTable(lengths: Uint8Array): Table {
  const counts = new Int32Array(MAX_CODE_LENGTH + 2);
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
  const order = Uint16Array.from(
    [...lengths.keys()].sort((one, other) => (lengths[one] ?? 0) - (lengths[other] ?? 0) || one - other),
  );
  const [limits, offsets] = [new Int32Array(MAX_CODE_LENGTH + 2), new Int32Array(MAX_CODE_LENGTH + 2)];
  let [code, index] = [0, 0];
  for (let length = 1; length <= MAX_CODE_LENGTH; length++) {
    const count = counts[length] ?? 0;
    offsets[length] = index - code;
    code += count;
    index += count;
    limits[length] = code - 1;
    code <<= 1;
  }
  return { minLength: Math.min(...lengths), limits, offsets, order };
}

function readSymbol(input: BitInput, { minLength, limits, offsets, order }: Table): number {
  let [length, code] = [minLength, input.read(minLength)];
  while (code > (limits[length] ?? -1)) {
    if (++length > MAX_CODE_LENGTH) throw damaged();
    code = (code << 1) | input.read(1);
  }
  return order[code + (offsets[length] ?? 0)] ?? 0;
}

type BlockCodes = {
  readonly symbols: readonly number[];
  readonly tables: readonly Table[];
  readonly selectors: Uint8Array;
};

const SYMBOLS_PER_TABLE = 50;

/** Symbols are places in a list of recent bytes; the first two count how often the most recent one repeats. */
function readTransformed(input: BitInput, { symbols, tables, selectors }: BlockCodes, blockBytes: number): Uint8Array {
  const output = new Uint8Array(blockBytes);
  const recent = Uint8Array.from(symbols);
  const end = symbols.length + 1;
  let [length, run, weight] = [0, 0, 1];
  for (let count = 0; ; count++) {
    const table = tables[selectors[Math.floor(count / SYMBOLS_PER_TABLE)] ?? -1];
    if (table === undefined) throw damaged();
    const symbol = readSymbol(input, table);
    if (symbol <= 1) {
      run += weight << symbol;
      weight <<= 1;
      if (run > blockBytes) throw damaged();
      continue;
    }
    if (length + run > blockBytes) throw damaged();
    output.fill(recent[0] ?? 0, length, length + run);
    length += run;
    [run, weight] = [0, 1];
    if (symbol === end) return output.subarray(0, length);
    const byte = recent[symbol - 1] ?? 0;
    recent.copyWithin(1, 0, symbol - 1);
    recent[0] = byte;
    if (length === blockBytes) throw damaged();
    output[length++] = byte;
  }
}

/** Undoes the Burrows-Wheeler transform. */
function invertTransform(bytes: Uint8Array, origin: number): Uint8Array {
  const starts = new Uint32Array(257);
  for (const byte of bytes) starts[byte + 1] = (starts[byte + 1] ?? 0) + 1;
  for (let byte = 0; byte < 256; byte++) starts[byte + 1] = (starts[byte + 1] ?? 0) + (starts[byte] ?? 0);
  const next = new Uint32Array(bytes.length);
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0;
    const place = starts[byte] ?? 0;
    starts[byte] = place + 1;
    next[place] = index;
  }
  const output = new Uint8Array(bytes.length);
  let at = next[origin] ?? 0;
  for (let index = 0; index < bytes.length; index++) {
    output[index] = bytes[at] ?? 0;
    at = next[at] ?? 0;
  }
  return output;
}

const PIECE_BYTES = 64 * 1024;

/** After four equal bytes comes a number of further ones. A block may expand fifty times, so it comes in pieces. */
function* expandRuns(bytes: Uint8Array): Generator<Uint8Array> {
  let piece = new Uint8Array(PIECE_BYTES);
  let [length, run, previous] = [0, 0, -1];
  for (const byte of bytes) {
    if (length + 255 > PIECE_BYTES) {
      yield piece.subarray(0, length);
      [piece, length] = [new Uint8Array(PIECE_BYTES), 0];
    }
    if (run === 4) {
      piece.fill(previous, length, length + byte);
      length += byte;
      [run, previous] = [0, -1];
      continue;
    }
    run = byte === previous ? run + 1 : 1;
    previous = byte;
    piece[length++] = byte;
  }
  if (length > 0) yield piece.subarray(0, length);
}

const checksumTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit++) value = value < 0 ? (value << 1) ^ 0x04c11db7 : value << 1;
  return value >>> 0;
});

/** The CRC of bzip2, which takes the highest bit first. */
function addToChecksum(checksum: number, bytes: Uint8Array): number {
  let value = checksum;
  for (let index = 0; index < bytes.length; index++)
    value = (value << 8) ^ (checksumTable[((value >>> 24) ^ (bytes[index] ?? 0)) & 0xff] ?? 0);
  return value;
}
