/** Undoes what Content-Encoding says, chunk by chunk: gzip, deflate in both its forms, Brotli, Zstandard, stacked ones. */
import { pipeline, Readable, type Transform } from "node:stream";
import * as zlib from "node:zlib";
import { SpillwayError } from "../../errors.ts";
import { peekChunks } from "./peek-chunks.ts";

type Chunks = AsyncIterable<Uint8Array>;

/** What is asked for; Node before 22.15 does not know Zstandard. */
export const acceptedEncodings =
  zlib.createZstdDecompress === undefined ? "gzip, deflate, br" : "gzip, deflate, br, zstd";

/** A body without its encodings, and the name of one that is not known: then the body is left as it is from there. */
export type DecodedChunks = { readonly chunks: Chunks; readonly unknownEncoding: string | undefined };

const MAX_ENCODINGS = 5;

/** The encodings a header names, in the order they were applied. */
export function parseContentEncoding(contentEncoding: string | undefined): string[] {
  const names = (contentEncoding ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  const applied = names.filter((name) => name !== "" && name !== "identity");
  if (applied.length > MAX_ENCODINGS) {
    throw new SpillwayError("response_invalid", `The body is compressed ${applied.length} times over.`, {
      hint: "Nobody does that by mistake; fetch the content from another source.",
    });
  }
  return applied;
}

export function decodeChunks(chunks: Chunks, applied: readonly string[]): DecodedChunks {
  let decoded = chunks;
  // The last one named was applied last, so it comes off first.
  for (const name of applied.toReversed()) {
    const decoder = decoders[name];
    if (decoder === undefined) return { chunks: decoded, unknownEncoding: name };
    decoded = decoder(decoded);
  }
  return { chunks: decoded, unknownEncoding: undefined };
}

const decoders: Readonly<Record<string, ((chunks: Chunks) => Chunks) | undefined>> = {
  gzip: (chunks) => decompress(chunks, () => zlib.createGunzip(decoderOptions)),
  "x-gzip": (chunks) => decompress(chunks, () => zlib.createGunzip(decoderOptions)),
  br: (chunks) => decompress(chunks, () => zlib.createBrotliDecompress(decoderOptions)),
  // The specification means the zlib form, and some servers send the bare one.
  deflate: (chunks) =>
    decompress(chunks, (head) =>
      isZlib(head) ? zlib.createInflate(decoderOptions) : zlib.createInflateRaw(decoderOptions),
    ),
  ...(zlib.createZstdDecompress === undefined
    ? {}
    : { zstd: (chunks: Chunks) => decompress(chunks, () => zlib.createZstdDecompress(decoderOptions)) }),
};

const decoderOptions = { chunkSize: 64 * 1024 };

/** Decompresses with what the first bytes call for; no bytes at all are an empty body, not a broken one. */
async function* decompress(chunks: Chunks, make: (head: Uint8Array) => Transform): AsyncGenerator<Uint8Array> {
  const { head, chunks: all } = await peekChunks(chunks, 2);
  if (head.length === 0) return;
  const input = Readable.from(all, { objectMode: false, highWaterMark: decoderOptions.chunkSize });
  // An error of any part comes out of the last one, which is the one that is read.
  yield* pipeline(input, make(head), () => undefined);
}

/** RFC 1950: method 8, and the two bytes are a multiple of 31. */
function isZlib([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}
