/** TAR archives, plain or compressed, and single compressed files. */
import { pipeline } from "node:stream";
import * as zlib from "node:zlib";
import type { Body } from "../../detect/kind.ts";
import { FailureError } from "../failure-error.ts";
import { type ArchiveFormat, type ArchiveMember, type IsWanted, MAX_UNPACKED_BYTES } from "./archive.ts";
import { isTarHeader, readTar } from "./tar-members.ts";

/** A stream that shrinks further than this was made to exhaust a reader. */
const MAX_RATIO = 300;
const RATIO_FREE_BYTES = 64 * 1024 * 1024;

export const tarFormat: ArchiveFormat = {
  list: (body) => listTar(body.stream()),
  open: (body, isWanted) => openTarMember(body.stream(), isWanted),
};

/** A format that compresses one stream: a TAR archive or a single file. */
function compressedFormat(
  mediaType: string,
  extension: RegExp,
  makeStream: () => zlib.Gunzip | undefined,
): ArchiveFormat {
  const unpack = (body: Body) => decompress(body, makeStream(), mediaType);
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

export const gzipFormat = compressedFormat("application/gzip", /\.gz$/i, () => zlib.createGunzip());

/** Node has it from 22.15 on. */
export const zstdFormat = compressedFormat("application/zstd", /\.zst$/i, () =>
  "createZstdDecompress" in zlib ? zlib.createZstdDecompress() : undefined,
);

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

async function* decompress(body: Body, stream: zlib.Gunzip | undefined, mediaType: string): AsyncGenerator<Uint8Array> {
  if (stream === undefined) throw new FailureError("unavailable", `${mediaType} needs Node 22.15 or newer`);
  // Errors of either side reach the loop below.
  const output = pipeline(body.stream(), stream, () => undefined);
  let total = 0;
  try {
    for await (const chunk of output) {
      total += chunk.length;
      if (total > MAX_UNPACKED_BYTES || (total > RATIO_FREE_BYTES && total > body.sizeBytes * MAX_RATIO))
        throw new FailureError("too_large", "the archive unpacks to more than is read");
      yield chunk;
    }
  } catch (error) {
    if (error instanceof FailureError) throw error;
    throw new FailureError(
      "corrupt",
      `the compressed data is damaged (${error instanceof Error ? error.message : error})`,
    );
  } finally {
    output.destroy();
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
