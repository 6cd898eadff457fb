/** One pass over a source: its bytes land in memory if they are few, else in a private file; hash and size are taken. */
import { createHash, randomBytes } from "node:crypto";
import * as nodeFiles from "node:fs/promises";
import { join } from "node:path";
import { SpillwayError, systemCode } from "../errors.ts";
import { makeFolders } from "../system/folders.ts";
import { abortable } from "./abortable.ts";
import { joinChunks } from "./chunks.ts";

/** Where a body lies: in a file, or in memory when it is small or no file could be written. */
export type Content = { readonly path: string } | { readonly bytes: Uint8Array };

export type Spool = AsyncDisposable & {
  readonly content: Content;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** The source had more than could be taken: what is here is only its beginning. */
  readonly truncated: boolean;
};

export type SpoolOptions = {
  /** Folders to write to, the best first; the next is tried when one cannot be written. */
  readonly folders: readonly string[];
  readonly capBytes: number;
  readonly signal: AbortSignal;
  /** The calls made to the file system; tests hand in ones that fail. */
  readonly files?: SpoolFiles;
};

export type SpoolFiles = Pick<typeof nodeFiles, "open" | "mkdir" | "readFile" | "unlink">;

/** What is written at once; a body that is smaller than that needs no file of its own. */
const WRITE_BYTES = 256 * 1024;

/** What a body may take in memory when no disk takes it. */
const MAX_MEMORY_BYTES = 8 * 1024 * 1024;

export async function spool(chunks: AsyncIterable<Uint8Array>, options: SpoolOptions): Promise<Spool> {
  const hash = createHash("sha256");
  let writer = makeMemoryWriter();
  let sizeBytes = 0;
  let truncated = false;
  try {
    for await (const chunk of gatherChunks(abortable(chunks, options.signal), () => options.capBytes - sizeBytes)) {
      // Only the last chunk is ever short, so a short first one is the whole body.
      if (sizeBytes === 0 && chunk.length >= WRITE_BYTES) writer = await openWriter(options);
      const room = chunk.subarray(0, options.capBytes - sizeBytes);
      const taken = room.subarray(0, await writer.write(room));
      hash.update(taken);
      sizeBytes += taken.length;
      truncated = taken.length < chunk.length;
      if (truncated) break;
    }
    const content = await writer.finish();
    const sha256 = hash.digest("hex");
    return { content, sizeBytes, sha256, truncated, [Symbol.asyncDispose]: writer.remove };
  } catch (error) {
    await writer.remove();
    throw error;
  }
}

/** Bytes that are at hand already, as a spool. */
export function spoolOf(bytes: Uint8Array): Spool {
  return {
    content: { bytes },
    sizeBytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    truncated: false,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** A write costs more than a copy, so small chunks are put together; one that is large enough passes as it is. */
async function* gatherChunks(chunks: AsyncIterable<Uint8Array>, room: () => number): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    // More than there is room for need not be read.
    if (length < WRITE_BYTES && length <= room()) continue;
    yield joinChunks(parts);
    [parts, length] = [[], 0];
  }
  if (length > 0) yield joinChunks(parts);
}

type Writer = {
  /** Takes as many of the bytes as it can and says how many. */
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
      // A folder that cannot be written is what the next one is for; keeping the artifact will say so aloud.
    }
  }
  return makeMemoryWriter();
}

/** The folder is nearly always there, so it is made when it is missed. */
async function openInFolder(folder: string, path: string, files: SpoolFiles): Promise<nodeFiles.FileHandle> {
  const open = () => files.open(path, "wx", 0o600);
  return open().catch(async (error: unknown) => {
    if (systemCode(error) !== "ENOENT") throw error;
    await makeFolders(folder, files.mkdir);
    return open();
  });
}

/** Writes to the file as long as the disk takes it; a small body then goes on in memory, a large one ends there. */
function makeFileWriter(path: string, handle: nodeFiles.FileHandle, files: SpoolFiles): Writer {
  let sizeBytes = 0;
  let closed = false;
  let fallback: Writer | undefined;

  async function close(): Promise<void> {
    if (closed) return;
    closed = true;
    await handle.close().catch((cause: unknown) => {
      // What went on in memory needs the file no more.
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
        // The disk is full or gone: keeping the artifact will say so aloud.
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
      // Gone already is as good; a file that cannot be removed now is swept later.
      await files.unlink(path).catch(() => undefined);
    },
  };
}

function makeMemoryWriter(): Writer {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  return {
    async write(bytes) {
      const taken = bytes.subarray(0, MAX_MEMORY_BYTES - sizeBytes);
      chunks.push(taken);
      sizeBytes += taken.length;
      return taken.length;
    },
    finish: async () => ({ bytes: joinChunks(chunks) }),
    remove: async () => undefined,
  };
}
