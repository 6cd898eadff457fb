/**
 * Standard input as a stream whose chunks share a buffer. `process.stdin` allocates one per chunk, and for a long stream
 * they take tens of megabytes before they are collected.
 */
import { fstatSync, read } from "node:fs";
import { Socket } from "node:net";
import { promisify } from "node:util";

const CHUNK_BYTES = 128 * 1024;

/**
 * The bytes of an open pipe, socket or file; undefined for anything else, such as a terminal. An abort closes it, also
 * while it waits for bytes.
 */
export function readInPlace(fd: number, signal: AbortSignal): AsyncGenerator<Uint8Array> | undefined {
  const stats = fstatSync(fd);
  if (stats.isFile()) return readFile(fd);
  return stats.isFIFO() || stats.isSocket() ? readPipe(fd, signal) : undefined;
}

async function* readFile(fd: number): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    const { bytesRead } = await promisify(read)(fd, buffer, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* readPipe(fd: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let arrived = Promise.withResolvers<number>();
  let failure: Error | undefined;
  // After each chunk reading pauses, until the next one is asked for.
  const onChunk = (size: number) => {
    arrived.resolve(size);
    return false;
  };
  const onEnd = (error?: Error) => {
    failure = error;
    arrived.resolve(0);
  };
  const socket = new Socket({ fd, readable: true, writable: false, signal, onread: { buffer, callback: onChunk } });
  socket.once("end", onEnd).once("error", onEnd);
  try {
    for (;;) {
      socket.resume();
      const size = await arrived.promise;
      if (failure) throw failure;
      if (size === 0) return;
      arrived = Promise.withResolvers();
      yield buffer.subarray(0, size);
    }
  } finally {
    socket.destroy();
  }
}
