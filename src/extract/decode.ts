/** Bytes in a known charset become text, chunk by chunk. Detection has named the charset; nothing is guessed here. */

/**
 * The text of some bytes, without a leading byte order mark. What the charset cannot mean becomes U+FFFD. No charset,
 * or one this platform does not know, is read as UTF-8.
 */
export async function* decodeText(bytes: AsyncIterable<Uint8Array>, charset: string | null): AsyncGenerator<string> {
  const decoder = decoderFor(charset);
  for await (const chunk of bytes) {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== "") yield text;
  }
  const rest = decoder.decode();
  if (rest !== "") yield rest;
}

/** The part of TextDecoder that decoding needs, so that charsets the platform lacks look the same. */
type Decoder = { decode(bytes?: Uint8Array, options?: { stream?: boolean }): string };

function decoderFor(charset: string | null): Decoder {
  const label = (charset ?? "utf-8").trim().toLowerCase();
  if (label === "utf-32le" || label === "utf-32be") return utf32Decoder(label === "utf-32le");
  const decoder = platformDecoder(label);
  return decoder.encoding === "windows-1252" ? windows1252Decoder() : decoder;
}

function platformDecoder(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch {
    // A label outside the WHATWG list: replacement characters in the text show the reader where it is not UTF-8.
    return new TextDecoder("utf-8");
  }
}

/** What windows-1252 puts at 0x80 to 0x9F; the five holes keep their control character. */
const windows1252High = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** By hand because some Node releases read windows-1252 as Latin-1 (nodejs/node#56542), which loses quotes and dashes. */
function windows1252Decoder(): Decoder {
  const decode = (bytes = new Uint8Array()) => {
    const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    return latin1.replace(/[\x80-\x9f]/g, (character) => windows1252High.charAt(character.charCodeAt(0) - 0x80));
  };
  return { decode };
}

/** The WHATWG list leaves UTF-32 out; files with its byte order mark exist all the same. */
function utf32Decoder(littleEndian: boolean): Decoder {
  let held = Buffer.alloc(0);
  let started = false;

  function decode(bytes = new Uint8Array(), { stream = false } = {}): string {
    const all = Buffer.concat([held, bytes]);
    const wholeBytes = all.length - (all.length % 4);
    held = stream ? all.subarray(wholeBytes) : Buffer.alloc(0);
    const text =
      utf32Text(all.subarray(0, wholeBytes), littleEndian) + (!stream && wholeBytes < all.length ? "\ufffd" : "");
    const withoutMark = !started && text.startsWith("\ufeff") ? text.slice(1) : text;
    started ||= text !== "";
    return withoutMark;
  }
  return { decode };
}

function utf32Text(bytes: Buffer, littleEndian: boolean): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4) {
    const point = littleEndian ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
    text += isScalar(point) ? String.fromCodePoint(point) : "\ufffd";
  }
  return text;
}

function isScalar(point: number): boolean {
  return point < 0xd800 || (point > 0xdfff && point <= 0x10ffff);
}
