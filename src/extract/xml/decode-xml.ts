/** Decodes XML that arrives in chunks of bytes. */

/** A decoder for chunks of one part, by the bytes that it begins with: UTF-16, or else UTF-8. */
export function makeXmlDecoder([first, second]: Uint8Array): (chunk: Uint8Array) => Iterable<string> {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return makeUtf16Decoder("utf-16le");
  const isBigEndian = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  return isBigEndian ? makeUtf16Decoder("utf-16be") : makeUtf8Decoder();
}

function makeUtf16Decoder(encoding: string): (chunk: Uint8Array) => Iterable<string> {
  const decoder = new TextDecoder(encoding);
  return (chunk) => [decoder.decode(chunk, { stream: true })];
}

/** Short texts are garbage soon; what is read from a long one would have to be kept until its end. */
const PIECE_BYTES = 64 * 1024;

/**
 * Cuts between characters and decodes each piece alone. A `TextDecoder` for streams does the same and writes every
 * character in two bytes; pieces of ASCII take one, and are scanned twice as fast.
 */
function makeUtf8Decoder(): (chunk: Uint8Array) => Iterable<string> {
  let rest: Uint8Array = new Uint8Array();
  return function* (chunk) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (at < bytes.length) {
      const end = findBoundary(bytes, Math.min(at + PIECE_BYTES, bytes.length));
      if (end <= at) break;
      yield utf8.decode(bytes.subarray(at, end));
      at = end;
    }
    rest = bytes.subarray(at);
  };
}

const utf8 = new TextDecoder();

/** The offset, or that of a character before it which needs bytes after it. */
function findBoundary(bytes: Uint8Array, end: number): number {
  for (let at = end - 1; at >= Math.max(0, end - 4); at--) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) return end;
    // A leading byte says how long its character is.
    if (byte >= 0xc0) return at + (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > end ? at : end;
  }
  return end;
}
