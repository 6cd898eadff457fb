/** TAR archives, plain or compressed, and single compressed files. */
import { pipeline } from "node:stream";
import * as zlib from "node:zlib";
import type { Body } from "../../detect/kind.ts";
import { FailureError } from "../failure-error.ts";
import type { ArchiveFormat, ArchiveMember, IsWanted } from "./archive.ts";
import { unpackBzip2 } from "./bzip2.ts";
import { isTarHeader, readTar } from "./tar-members.ts";
import { checkUnpacked } from "./unpacked-limit.ts";

export const tarFormat: ArchiveFormat = {
  list: (body) => listTar(body.stream()),
  open: (body, isWanted) => openTarMember(body.stream(), isWanted),
};

/** A format that compresses one stream: a TAR archive or a single file. */
function compressedFormat(extension: RegExp, unpackAll: (body: Body) => AsyncIterable<Uint8Array>): ArchiveFormat {
  const unpack = (body: Body) => limitUnpacked(unpackAll(body), body.sizeBytes);
  return {
    async *list(body, { archiveName }) {
      const { isTar, chunks, close } = await peekTar(unpack(body));
      if (isTar) return yield* listTar(chunks);
      await close();
      yield { name: singleName(archiveName, extension), sizeBytes: null, isFolder: false };
    },

    async open(body, isWanted, { archiveName }) {
      const { isTar, chunks, close } = await peekTar(unpack(body));
      if (isTar) return openTarMember(chunks, isWanted);
      if (isWanted(singleName(archiveName, extension))) return chunks;
      await close();
      return undefined;
    },
  };
}

export const gzipFormat = compressedFormat(/\.gz$/i, (body) => decompress(body, zlib.createGunzip()));

/** Node has it from 22.15 on. */
export const zstdFormat = compressedFormat(/\.zst$/i, (body) => {
  if ("createZstdDecompress" in zlib) return decompress(body, zlib.createZstdDecompress());
  throw new FailureError("unavailable", "application/zstd needs Node 22.15 or newer");
});

export const bzip2Format = compressedFormat(/\.bz2$/i, (body) => unpackBzip2(body.stream()));
export const xzFormat = compressedFormat(/\.xz$/i, (body) => unpackXz(body));

/** `report.csv.gz` holds `report.csv`. */
function singleName(archiveName: string, extension: RegExp): string {
  const name = archiveName
    .replace(/^.*[/\\]/, "")
    .replace(/[?#].*$/, "")
    .replace(extension, "");
  return name === "" ? "content" : name;
}

async function* listTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveMember> {
  for await (const { member } of readTar(chunks)) yield member;
}

async function openTarMember(
  chunks: AsyncIterable<Uint8Array>,
  isWanted: IsWanted,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const items = readTar(chunks);
  for (let step = await items.next(); !step.done; step = await items.next()) {
    const { member, data } = step.value;
    // The archive stays open until its data is read.
    if (!member.isFolder && isWanted(member.name)) return readAndClose(data, items);
  }
  return undefined;
}

async function* readAndClose(data: AsyncIterable<Uint8Array>, items: AsyncGenerator): AsyncGenerator<Uint8Array> {
  try {
    yield* data;
  } finally {
    await items.return(undefined);
  }
}

/** Passes the bytes on until they are more than an archive may hold. Errors of the reader are damage. */
async function* limitUnpacked(chunks: AsyncIterable<Uint8Array>, packedBytes: number): AsyncGenerator<Uint8Array> {
  let total = 0;
  try {
    for await (const chunk of chunks) {
      total += chunk.length;
      checkUnpacked(total, packedBytes);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof FailureError) throw error;
    throw new FailureError(
      "corrupt",
      `the compressed data is damaged (${error instanceof Error ? error.message : error})`,
    );
  }
}

async function* decompress(body: Body, stream: zlib.Gunzip): AsyncGenerator<Uint8Array> {
  // Errors of either side reach the loop below.
  const output = pipeline(body.stream(), stream, () => undefined);
  try {
    yield* output;
  } finally {
    output.destroy();
  }
}

async function* unpackXz(body: Body): AsyncGenerator<Uint8Array> {
  // Loaded here, because it is a package of its own.
  const { default: xz } = await import("xz-decompress");
  const reader = new xz.XzReadableStream(ReadableStream.from(body.stream())).getReader();
  let isDone = false;
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value;
    isDone = true;
  } finally {
    // It frees its memory at the last byte, and then fails to free it again.
    if (!isDone) await reader.cancel().catch(() => undefined);
  }
}

type PeekedStream = {
  readonly isTar: boolean;
  /** The stream from its start. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** For a stream that is not read: nothing else would close its file. */
  close(): Promise<unknown>;
};

/** Whether a stream begins like a TAR archive. */
async function peekTar(stream: AsyncGenerator<Uint8Array>): Promise<PeekedStream> {
  const iterator = stream[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let length = 0;
  while (length < 512) {
    const step = await iterator.next();
    if (step.done) break;
    first.push(step.value);
    length += step.value.length;
  }
  const start = Buffer.concat(first);
  return {
    isTar: isTarHeader(start),
    chunks: startWith(start, iterator),
    close: () => iterator.return(undefined),
  };
}

async function* startWith(start: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield start;
    for (let step = await rest.next(); !step.done; step = await rest.next()) yield step.value;
  } finally {
    await rest.return?.();
  }
}
