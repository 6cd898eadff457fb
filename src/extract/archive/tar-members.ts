/** Reads TAR archives from a stream: headers one after the other, with the data of a wanted member. */
import { decodeLatin1 } from "../../detect/bytes.ts";
import { FailureError } from "../failure-error.ts";
import type { ArchiveMember } from "./archive.ts";

const BLOCK_BYTES = 512;

/** Names and attributes in front of a member; longer ones are damage. */
const MAX_EXTENDED_BYTES = 1024 * 1024;

/** A member, and its data if it is read before the next member is asked for. */
export type TarItem = { readonly member: ArchiveMember; readonly data: AsyncGenerator<Uint8Array> };

/** The members in order. Data that is not read is skipped. */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarItem> {
  const reader = new BlockReader(chunks);
  try {
    yield* readItems(reader);
  } finally {
    await reader.close();
  }
}

async function* readItems(reader: BlockReader): AsyncGenerator<TarItem> {
  let extended: ExtendedFacts = {};
  for (;;) {
    const header = await reader.take(BLOCK_BYTES);
    if (header.length < BLOCK_BYTES || header.every((byte) => byte === 0)) return;
    if (!hasRightChecksum(header)) throw new FailureError("corrupt", "a header of the TAR archive is damaged");
    const type = decodeLatin1(header, 156, 157);
    const sizeBytes = extended.sizeBytes ?? readNumber(header, 124, 12);
    if (type === "x" || type === "L") {
      const text = await readExtended(reader, sizeBytes);
      extended = { ...extended, ...(type === "L" ? { name: text.replace(/\0.*$/s, "") } : parsePax(text)) };
      continue;
    }
    const name = extended.name ?? readName(header);
    extended = {};
    const isFile = type === "0" || type === "\0" || type === "7";
    const data = reader.stream(isFile ? sizeBytes : 0);
    if (isFile || type === "5")
      yield { member: { name, sizeBytes: isFile ? sizeBytes : 0, isFolder: type === "5" }, data };
    for await (const _ of data) {
      // Whatever was not read is skipped.
    }
    await reader.skip(isFile ? padding(sizeBytes) : sizeBytes + padding(sizeBytes));
  }
}

/** Whether these bytes begin with the header of a TAR archive. */
export function isTarHeader(bytes: Uint8Array): boolean {
  return bytes.length >= BLOCK_BYTES && bytes[0] !== 0 && hasRightChecksum(bytes);
}

type ExtendedFacts = { readonly name?: string; readonly sizeBytes?: number };

async function readExtended(reader: BlockReader, sizeBytes: number): Promise<string> {
  if (sizeBytes > MAX_EXTENDED_BYTES) throw new FailureError("corrupt", "a name in the TAR archive is too long");
  const bytes = await reader.take(sizeBytes);
  await reader.skip(padding(sizeBytes));
  return new TextDecoder().decode(bytes);
}

/** Records of the form `27 path=some/long/name\n`. */
function parsePax(text: string): ExtendedFacts {
  const name = /(?:^|\n)\d+ path=([^\n]*)/.exec(text)?.[1];
  const size = /(?:^|\n)\d+ size=(\d+)/.exec(text)?.[1];
  return { ...(name === undefined ? {} : { name }), ...(size === undefined ? {} : { sizeBytes: Number(size) }) };
}

function readName(header: Uint8Array): string {
  const prefix = decodeLatin1(header, 257, 262) === "ustar" ? readText(header, 345, 155) : "";
  const name = readText(header, 0, 100);
  return prefix === "" ? name : `${prefix}/${name}`;
}

function readText(header: Uint8Array, at: number, length: number): string {
  const bytes = header.subarray(at, at + length);
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end));
}

/** A number in octal digits or, if it is too large for them, in base 256. */
function readNumber(header: Uint8Array, at: number, length: number): number {
  const first = header[at] ?? 0;
  if ((first & 0x80) === 0) return Number.parseInt(decodeLatin1(header, at, at + length).trim() || "0", 8) || 0;
  let value = first & 0x7f;
  for (let i = 1; i < length; i++) value = value * 256 + (header[at + i] ?? 0);
  return Math.min(value, Number.MAX_SAFE_INTEGER);
}

function hasRightChecksum(header: Uint8Array): boolean {
  let sum = 0;
  for (let i = 0; i < BLOCK_BYTES; i++) sum += i >= 148 && i < 156 ? 0x20 : (header[i] ?? 0);
  return sum === readNumber(header, 148, 8);
}

const padding = (sizeBytes: number): number => (BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES;

/** Takes exact numbers of bytes from a stream of chunks. */
class BlockReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** So many bytes, fewer at the end. */
  async take(count: number): Promise<Uint8Array> {
    const parts = await Array.fromAsync(this.stream(count));
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  /** Closes the stream that the bytes come from. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async skip(count: number): Promise<void> {
    for await (const _ of this.stream(count)) {
      // Only the position changes.
    }
  }

  async *stream(count: number): AsyncGenerator<Uint8Array> {
    let missing = count;
    while (missing > 0) {
      if (this.#rest.length === 0) {
        const step = await this.#chunks.next();
        if (step.done) return;
        this.#rest = step.value;
      }
      const part = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(part.length);
      missing -= part.length;
      yield part;
    }
  }
}
