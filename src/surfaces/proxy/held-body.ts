/**
 * The body of a request, held until it is answered, because it may have to be sent again. A large one waits in a file: many
 * large requests at once would take much more memory than a proxy that only passes them on.
 */
import { randomBytes } from "node:crypto";
import { closeSync, openSync, readSync, unlinkSync, writevSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { makeFoldersSync } from "../../system/folders.ts";
import { readUntil } from "./read-body.ts";

/** Bytes that can be sent any number of times. */
export type SendableBody = {
  readonly sizeBytes: number;
  /** Writes all of them and ends the stream. */
  writeTo(upstream: Writable): void;
};

/** A body that was read, as far as the limit allows. */
export type HeldBody = SendableBody &
  Disposable & {
    /** Whether it is the whole body. */
    readonly isComplete: boolean;
    /** Its first bytes, at least the first chunk. */
    readonly start: Buffer;
    /** All bytes that were read. Those in a file are read at once. */
    read(): Buffer;
    /** A piece of a body that is in a file. */
    readonly readAt?: (offset: number, maxBytes: number) => Buffer;
  };

export type HoldOptions = {
  /** At most so many bytes are read. */
  readonly maxBytes: number;
  /** Where a file may be written, in order of preference. Without any the body is held in memory. */
  readonly folders: readonly string[];
};

/** A larger body is held in a file. Requests of most conversations are smaller. */
const MAX_MEMORY_BYTES = 1024 * 1024;

/** Reads a body and holds it. If its announced length is over the limit, nothing is read. */
export async function holdBody(request: IncomingMessage, { maxBytes, folders }: HoldOptions): Promise<HeldBody> {
  const announcedBytes = Number(request.headers["content-length"]);
  if (announcedBytes > maxBytes) return holdChunks([], false);
  const first =
    announcedBytes > MAX_MEMORY_BYTES ? { chunks: [], isComplete: false } : await readStart(request, maxBytes);
  if (first.isComplete || sumLengths(first.chunks) > maxBytes) return holdChunks(first.chunks, first.isComplete);
  const file = openFile(folders);
  if (file !== undefined) return holdInFile(file, request, first.chunks, maxBytes);
  const rest = await readUntil(request, (_, bytes) => bytes > maxBytes - sumLengths(first.chunks));
  return holdChunks([...first.chunks, ...rest.chunks], rest.isComplete);
}

const readStart = (request: IncomingMessage, maxBytes: number) =>
  readUntil(request, (_, bytes) => bytes > Math.min(MAX_MEMORY_BYTES, maxBytes));

/** Chunks in memory as a body. */
export function holdChunks(chunks: readonly Buffer[], isComplete = true): HeldBody {
  return {
    isComplete,
    sizeBytes: sumLengths(chunks),
    start: chunks[0] ?? Buffer.alloc(0),
    read: () => Buffer.concat(chunks),
    writeTo(upstream) {
      for (const chunk of chunks) upstream.write(chunk);
      upstream.end();
    },
    [Symbol.dispose]: () => undefined,
  };
}

/** The bytes of all chunks. */
export const sumLengths = (chunks: readonly Buffer[]): number =>
  chunks.reduce((bytes, { length }) => bytes + length, 0);

/** A file that only this process can open. It has no name where the system allows that, so nothing remains of it. */
function openFile(folders: readonly string[]): number | undefined {
  for (const folder of folders) {
    const path = join(folder, `spool-${process.pid}-${randomBytes(8).toString("hex")}`);
    try {
      makeFoldersSync(folder);
      const file = openSync(path, "wx+", 0o600);
      unlinkSync(path);
      return file;
    } catch {
      // The next folder is tried. Without any the body is held in memory.
    }
  }
  return undefined;
}

/** Bytes per write: a write costs more than a copy. */
const WRITE_BYTES = 256 * 1024;

async function holdInFile(
  file: number,
  request: IncomingMessage,
  firstChunks: readonly Buffer[],
  maxBytes: number,
): Promise<HeldBody> {
  const writer = createWriter(file);
  try {
    for (const chunk of firstChunks) writer.add(chunk);
    const roomBytes = maxBytes - sumLengths(firstChunks);
    const onChunk = (chunk: Buffer, bytes: number): boolean => {
      writer.add(chunk);
      return bytes > roomBytes;
    };
    const { isComplete } = await readUntil(request, onChunk, { keepsChunks: false });
    const { sizeBytes, start, unwritten } = writer.finish();
    const inFile = toHeldBody(file, sizeBytes, isComplete, start);
    if (unwritten.length === 0) return inFile;
    const chunks = [inFile.read(), ...unwritten];
    inFile[Symbol.dispose]();
    return holdChunks(chunks, isComplete);
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Gathers chunks and writes them. Once the disk is full, the rest stays in memory. */
function createWriter(file: number) {
  let [sizeBytes, waitingBytes, isFull] = [0, 0, false];
  let waiting: Buffer[] = [];
  let start: Buffer | undefined;

  function flush(): void {
    try {
      while (waiting.length > 0) {
        const written = writevSync(file, waiting, sizeBytes);
        sizeBytes += written;
        waiting = withoutFirst(waiting, written);
      }
      waitingBytes = 0;
    } catch {
      isFull = true; // The request is served from memory instead.
    }
  }

  return {
    add(chunk: Buffer): void {
      start ??= chunk;
      waiting.push(chunk);
      waitingBytes += chunk.length;
      if (waitingBytes >= WRITE_BYTES && !isFull) flush();
    },
    finish() {
      if (!isFull) flush();
      return { sizeBytes, start: start ?? Buffer.alloc(0), unwritten: waiting };
    },
  };
}

/** What remains of chunks after so many of their bytes. */
function withoutFirst(chunks: readonly Buffer[], bytes: number): Buffer[] {
  let skipped = 0;
  return chunks.flatMap((chunk) => {
    const from = Math.min(chunk.length, Math.max(0, bytes - skipped));
    skipped += chunk.length;
    return from === chunk.length ? [] : [chunk.subarray(from)];
  });
}

function toHeldBody(file: number, sizeBytes: number, isComplete: boolean, start: Buffer): HeldBody {
  let [readers, isDisposed] = [0, false];
  const closeIfUnused = (): void => {
    if (isDisposed && readers === 0) closeSync(file);
  };
  const readPiece = (offset: number, maxBytes: number): Buffer => {
    const bytes = Buffer.allocUnsafeSlow(Math.min(maxBytes, sizeBytes - offset));
    for (let filled = 0; filled < bytes.length; ) {
      const count = readSync(file, bytes, filled, bytes.length - filled, offset + filled);
      if (count === 0) throw new Error("A request that waited in a file is shorter than it was.");
      filled += count;
    }
    return bytes;
  };
  return {
    isComplete,
    sizeBytes,
    start,
    read: () => readPiece(0, sizeBytes),
    readAt: readPiece,
    writeTo(upstream) {
      readers++;
      writeSlowly(
        upstream,
        sizeBytes,
        (offset) => readPiece(offset, PIECE_BYTES),
        () => {
          readers--;
          closeIfUnused();
        },
      );
    },
    [Symbol.dispose]() {
      isDisposed = true;
      closeIfUnused();
    },
  };
}

/** Bytes that are read from a file at a time. */
const PIECE_BYTES = 64 * 1024;

/** Writes piece by piece, each one when the stream has room for it. An upstream that answers early may close the stream. */
function writeSlowly(
  upstream: Writable,
  sizeBytes: number,
  readPiece: (offset: number) => Buffer,
  onDone: () => void,
): void {
  let offset = 0;
  const done = (): void => {
    upstream.off("drain", writeMore).off("close", done);
    onDone();
  };
  const writeMore = (): void => {
    try {
      for (let hasRoom = true; hasRoom && offset < sizeBytes; ) {
        const piece = readPiece(offset);
        offset += piece.length;
        hasRoom = upstream.write(piece);
      }
    } catch (error) {
      upstream.destroy(error as Error);
      return;
    }
    if (offset < sizeBytes) return;
    upstream.end();
    done();
  };
  upstream.on("drain", writeMore).once("close", done);
  writeMore();
}
