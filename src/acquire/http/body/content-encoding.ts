/** Decodes Content-Encoding chunk by chunk: gzip, deflate in both its forms, Brotli, Zstandard, and several in a row. */
import { pipeline, Readable, type Transform } from "node:stream";
import * as zlib from "node:zlib";
import { SpillwayError } from "../../../errors.ts";
import { peekChunks } from "./peek-chunks.ts";

type Chunks = AsyncIterable<Uint8Array>;

/** The value of accept-encoding; Node before 22.15 has no Zstandard. */
export const acceptedEncodings =
  zlib.createZstdDecompress === undefined ? "gzip, deflate, br" : "gzip, deflate, br, zstd";

/** A decoded body. Decoding stops at an unknown encoding, which is named. */
type DecodedChunks = { readonly chunks: Chunks; readonly unknownEncoding: string | undefined };

const MAX_ENCODINGS = 5;

/** The encodings that a header names, in the order in which they were applied; throws when there are too many. */
export function parseContentEncoding(contentEncoding: string | undefined): string[] {
  const names = (contentEncoding ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  const encodings = names.filter((name) => name !== "" && name !== "identity");
  if (encodings.length > MAX_ENCODINGS) {
    throw new SpillwayError("response_invalid", `The body is compressed ${encodings.length} times.`, {
      hint: "This is probably deliberate; fetch the content from another source.",
    });
  }
  return encodings;
}

/** Removes the encodings, the last one first. */
export function decodeChunks(chunks: Chunks, encodings: readonly string[]): DecodedChunks {
  let decoded = chunks;
  // The last encoding was applied last, so it is removed first.
  for (const name of encodings.toReversed()) {
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
  // The specification requires the zlib form, but some servers send raw deflate data.
  deflate: (chunks) =>
    decompress(chunks, (head) =>
      isZlib(head) ? zlib.createInflate(decoderOptions) : zlib.createInflateRaw(decoderOptions),
    ),
  ...(zlib.createZstdDecompress === undefined
    ? {}
    : { zstd: (chunks: Chunks) => decompress(chunks, () => zlib.createZstdDecompress(decoderOptions)) }),
};

const decoderOptions = { chunkSize: 64 * 1024 };

/** Decompresses with the decoder that fits the first bytes; no bytes at all are an empty body, not a broken one. */
async function* decompress(chunks: Chunks, makeDecoder: (head: Uint8Array) => Transform): AsyncGenerator<Uint8Array> {
  const { head, chunks: all } = await peekChunks(chunks, 2);
  if (head.length === 0) return;
  const input = Readable.from(all, { objectMode: false, highWaterMark: decoderOptions.chunkSize });
  // An error of any stage is thrown by the last one, which is the one that is read.
  yield* pipeline(input, makeDecoder(head), () => undefined);
}

/** RFC 1950: method 8, and the two bytes are a multiple of 31. */
function isZlib([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}
