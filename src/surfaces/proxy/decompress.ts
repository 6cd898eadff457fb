/** Bodies that were compressed on the way. */
import * as zlib from "node:zlib";

type Decoder = (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer;

/** zstd is newer than the oldest Node that is supported. */
const decoders: Readonly<Record<string, Decoder | undefined>> = {
  gzip: zlib.gunzipSync,
  "x-gzip": zlib.gunzipSync,
  deflate: zlib.inflateSync,
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
};

/** The decompressed bytes, or undefined where the encoding is unknown, the bytes are damaged or there are too many. */
export function decompress(bytes: Buffer, encoding: string, maxBytes: number): Buffer | undefined {
  if (encoding === "identity" || encoding === "") return bytes;
  try {
    return decoders[encoding.trim().toLowerCase()]?.(bytes, { maxOutputLength: maxBytes });
  } catch {
    return undefined; // The body is passed on unchanged.
  }
}
