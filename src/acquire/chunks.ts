/** Bytes as a stream of chunks, from an open file or from memory. */
import type { FileHandle } from "node:fs/promises";

type ChunkOptions = {
  readonly start?: number;
  readonly end?: number;
  readonly signal?: AbortSignal;
  /**
   * All chunks share a buffer: each is valid until the next one is asked for. New buffers for a long body take tens of
   * megabytes before they are collected.
   */
  readonly inPlace?: boolean;
};

/** Large enough that a gigabyte takes a few thousand steps, small enough to hold many at once. */
const CHUNK_BYTES = 128 * 1024;

/** The file's bytes in order. The file is always closed at the end, also after an error. */
export async function* readChunks(handle: FileHandle, options: ChunkOptions = {}): AsyncGenerator<Uint8Array> {
  const { start = 0, end = Number.POSITIVE_INFINITY, signal, inPlace = false } = options;
  const shared = inPlace ? Buffer.allocUnsafe(Math.max(0, Math.min(CHUNK_BYTES, end - start))) : undefined;
  try {
    for (let position = start; position < end; ) {
      signal?.throwIfAborted();
      const wanted = Math.min(CHUNK_BYTES, end - position);
      const buffer = shared ?? Buffer.allocUnsafe(wanted);
      const { bytesRead } = await handle.read(buffer, 0, wanted, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** Bytes in memory as a single chunk, or as none when they are empty. */
export async function* streamBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

/** All chunks in one buffer; a single chunk is not copied. */
export function joinChunks(chunks: readonly Uint8Array[]): Buffer {
  const [first] = chunks;
  if (chunks.length !== 1 || first === undefined) return Buffer.concat(chunks);
  return Buffer.from(first.buffer, first.byteOffset, first.length);
}
