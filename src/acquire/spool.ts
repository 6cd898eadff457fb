/** Reads a source once into memory if it is small, else into a private file, computing its hash and size. */
import { createHash, randomBytes } from "node:crypto";
import * as nodeFiles from "node:fs/promises";
import { join } from "node:path";
import { SpillwayError, systemCode } from "../errors.ts";
import { makeFolders } from "../system/folders.ts";
import { abortable } from "./abortable.ts";
import { joinChunks } from "./chunks.ts";
import type { FileReference } from "./file-reference.ts";
import type { SourceCut } from "./source.ts";

/** Where a body is: in a file, or in memory when it is small or no file could be written. */
export type Content = { readonly path: string } | { readonly bytes: Uint8Array };

/** The bytes of a source; disposing removes their file. */
export type Spool = AsyncDisposable & {
  readonly content: Content;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Why these bytes are only the beginning of the source; null if they are all of it. */
  readonly cutBy: SourceCut | null;
  /** Set for bytes that are not a copy: they are read in place. */
  readonly reference?: FileReference;
};

export type SpoolOptions = {
  /** Folders to write to, in order of preference; the next one is tried when one cannot be written. */
  readonly folders: readonly string[];
  readonly capBytes: number;
  readonly signal: AbortSignal;
  /** The file system calls to use; tests pass ones that fail. */
  readonly files?: SpoolFiles;
};

type SpoolFiles = Pick<typeof nodeFiles, "open" | "mkdir" | "readFile" | "unlink">;

/** Bytes per write; a smaller body is kept in memory. */
const WRITE_BYTES = 256 * 1024;

/** How much of a body is kept in memory when no folder can be written. */
const MAX_MEMORY_BYTES = 8 * 1024 * 1024;

/** Reads the chunks up to the cap; on an error or an abort no file is left behind. */
export async function spool(chunks: AsyncIterable<Uint8Array>, options: SpoolOptions): Promise<Spool> {
  const hash = createHash("sha256");
  // Only a body that is one short chunk stays here, and nothing overwrites its last chunk.
  let writer = makeMemoryWriter((bytes) => bytes);
  let sizeBytes = 0;
  let cutBy: SourceCut | null = null;
  try {
    for await (const chunk of gatherChunks(abortable(chunks, options.signal), () => options.capBytes - sizeBytes)) {
      // Only the last chunk can be short, so a short first chunk is the whole body.
      if (sizeBytes === 0 && chunk.length >= WRITE_BYTES) writer = await openWriter(options);
      const room = chunk.subarray(0, options.capBytes - sizeBytes);
      const accepted = room.subarray(0, await writer.write(room));
      hash.update(accepted);
      sizeBytes += accepted.length;
      if (accepted.length === chunk.length) continue;
      cutBy = accepted.length < room.length ? "disk" : "size_limit";
      break;
    }
    const content = await writer.finish();
    const sha256 = hash.digest("hex");
    return { content, sizeBytes, sha256, cutBy, [Symbol.asyncDispose]: writer.remove };
  } catch (error) {
    await writer.remove();
    throw error;
  }
}

/** Bytes that are already in memory, as a spool. */
export function spoolBytes(bytes: Uint8Array): Spool {
  return {
    content: { bytes },
    sizeBytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    cutBy: null,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/**
 * A write costs more than a copy, so small chunks are combined in one buffer; a chunk that is large enough is passed
 * unchanged. Each is valid until the next one is asked for.
 */
async function* gatherChunks(chunks: AsyncIterable<Uint8Array>, room: () => number): AsyncGenerator<Uint8Array> {
  const block = Buffer.allocUnsafe(WRITE_BYTES);
  let filled = 0;
  for await (const chunk of chunks) {
    if (filled === 0 && chunk.length >= WRITE_BYTES) {
      yield chunk;
      continue;
    }
    for (let taken = 0; taken < chunk.length; ) {
      const piece = chunk.subarray(taken, taken + WRITE_BYTES - filled);
      block.set(piece, filled);
      filled += piece.length;
      taken += piece.length;
      // Once there is more than the cap allows, reading can stop.
      if (filled < WRITE_BYTES && filled <= room()) continue;
      yield block.subarray(0, filled);
      filled = 0;
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}

type Writer = {
  /** Writes as many of the bytes as it can and returns how many. */
  write(bytes: Uint8Array): Promise<number>;
  finish(): Promise<Content>;
  remove(): Promise<void>;
};

async function openWriter({ folders, files = nodeFiles }: SpoolOptions): Promise<Writer> {
  for (const folder of folders) {
    const path = join(folder, `spool-${process.pid}-${randomBytes(8).toString("hex")}`);
    try {
      return makeFileWriter(path, await openInFolder(folder, path, files), files);
    } catch {
      // The next folder is the fallback; if the disk is at fault, storing the artifact reports it.
    }
  }
  return makeMemoryWriter();
}

/** The folder nearly always exists, so it is created only after an open has failed. */
async function openInFolder(folder: string, path: string, files: SpoolFiles): Promise<nodeFiles.FileHandle> {
  const open = () => files.open(path, "wx", 0o600);
  return open().catch(async (error: unknown) => {
    if (systemCode(error) !== "ENOENT") throw error;
    await makeFolders(folder, files.mkdir);
    return open();
  });
}

/** Writes to the file until the disk is full; then a small body continues in memory, and a large one is truncated. */
function makeFileWriter(path: string, handle: nodeFiles.FileHandle, files: SpoolFiles): Writer {
  let sizeBytes = 0;
  let closed = false;
  let fallback: Writer | undefined;

  async function close(): Promise<void> {
    if (closed) return;
    closed = true;
    await handle.close().catch((cause: unknown) => {
      // A body that continued in memory no longer needs the file.
      if (fallback) return;
      throw new SpillwayError("store_unavailable", "The source could not be written to disk.", {
        hint: "Check the disk that SPILLWAY_HOME is on, then fetch again.",
        cause,
      });
    });
  }

  return {
    async write(bytes) {
      if (fallback) return fallback.write(bytes);
      try {
        await handle.appendFile(bytes);
        sizeBytes += bytes.length;
        return bytes.length;
      } catch {
        // The disk is full or gone: storing the artifact reports it.
        if (sizeBytes >= MAX_MEMORY_BYTES) {
          await handle.truncate(sizeBytes);
          return 0;
        }
        fallback = makeMemoryWriter();
        await fallback.write((await files.readFile(path)).subarray(0, sizeBytes));
        return fallback.write(bytes);
      }
    },
    async finish() {
      await close();
      return fallback ? fallback.finish() : { path };
    },
    async remove() {
      await close();
      // The file may be gone already; one that cannot be removed now is swept later.
      await files.unlink(path).catch(() => undefined);
    },
  };
}

/** Copies what it keeps, unless the caller knows better: the producer may overwrite the bytes. */
function makeMemoryWriter(toOwn: (bytes: Uint8Array) => Uint8Array = (bytes) => Uint8Array.from(bytes)): Writer {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  return {
    async write(bytes) {
      const accepted = toOwn(bytes.subarray(0, MAX_MEMORY_BYTES - sizeBytes));
      chunks.push(accepted);
      sizeBytes += accepted.length;
      return accepted.length;
    },
    finish: async () => ({ bytes: joinChunks(chunks) }),
    remove: async () => undefined,
  };
}
