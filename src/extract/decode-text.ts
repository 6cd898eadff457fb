/** Decodes bytes of a known charset, chunk by chunk. Detection chose the charset; nothing is guessed here. */
import { codePages, decodeCodePage } from "../detect/text/code-pages.ts";

/** Whether there is a decoder for a charset. No charset means UTF-8. */
export function hasDecoder(charset: string | null): boolean {
  return isJohab(charset) || decoderFor(charset) !== undefined;
}

/** Counts the characters that could not be decoded. */
export type DecodeTally = { undecoded: number };

/** The text of some bytes, without a leading byte order mark. Invalid bytes become U+FFFD and are counted. */
export async function* decodeText(
  bytes: AsyncIterable<Uint8Array>,
  charset: string | null,
  tally: DecodeTally = { undecoded: 0 },
): AsyncGenerator<string> {
  const decoder = isJohab(charset) ? await loadJohab() : (decoderFor(charset) ?? new TextDecoder());
  const sourceCounter = createSourceCounter(charset);
  for await (const chunk of inLargeChunks(bytes)) {
    const text = decoder.decode(chunk, { stream: true });
    const replacements = countReplacements(text);
    tally.undecoded += replacements - sourceCounter.count(chunk, replacements > 0);
    if (text !== "") yield text;
  }
  const rest = decoder.decode();
  tally.undecoded += countReplacements(rest);
  if (rest !== "") yield rest;
}

const REPLACEMENT = "\ufffd";

function countReplacements(text: string): number {
  let count = 0;
  for (let at = text.indexOf(REPLACEMENT); at >= 0; at = text.indexOf(REPLACEMENT, at + 1)) count++;
  return count;
}

/** Counts the U+FFFD that a source in UTF-8 itself contains: older damage, which decodes well. */
function createSourceCounter(charset: string | null) {
  const isUtf8 = /^utf-?8$/i.test(charset ?? "utf-8");
  let previous = Buffer.alloc(0);
  return {
    /** Those that end in this chunk; without a U+FFFD in its text there are none. */
    count(chunk: Uint8Array, mayHaveAny: boolean): number {
      if (!isUtf8) return 0;
      const all = mayHaveAny ? Buffer.concat([previous, chunk]) : Buffer.from(chunk.subarray(-2));
      previous = Buffer.from(all.subarray(-2));
      let count = 0;
      for (let at = all.indexOf(REPLACEMENT); at >= 0; at = all.indexOf(REPLACEMENT, at + 3)) count++;
      return count;
    },
  };
}

const MIN_CHUNK_BYTES = 16;

/**
 * The same bytes in chunks of at least 16, if there are as many. Where a chunk ends inside a character of GB18030, EUC-JP
 * or ISO-2022-JP and the next one has only a byte or two, Node's decoder runs out of output space and throws.
 */
async function* inLargeChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array = new Uint8Array();
  for await (const chunk of chunks) {
    const all = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const cut = all.length < 2 * MIN_CHUNK_BYTES ? 0 : all.length - MIN_CHUNK_BYTES;
    if (cut > 0) yield all.subarray(0, cut);
    // A copy, because the producer may overwrite the chunk.
    pending = Uint8Array.from(all.subarray(cut));
  }
  if (pending.length > 0) yield pending;
}

/** The part of TextDecoder that decoding needs, so that charsets the platform lacks look the same. */
type Decoder = { decode(bytes?: Uint8Array, options?: { stream?: boolean }): string };

function decoderFor(charset: string | null): Decoder | undefined {
  const label = (charset ?? "utf-8").trim().toLowerCase();
  if (label === "utf-32le" || label === "utf-32be") return utf32Decoder(label === "utf-32le");
  if (label === "iso-2022-kr") return iso2022KrDecoder();
  const platform = platformDecoder(label);
  const page = codePages.get(platform?.encoding ?? label);
  return page === undefined ? platform : { decode: (bytes = new Uint8Array()) => decodeCodePage(bytes, page) };
}

const isJohab = (charset: string | null): boolean => charset?.trim().toLowerCase() === "johab";

/** Loaded where it is needed, because hardly any text is in Johab. */
async function loadJohab(): Promise<Decoder> {
  return (await import("./johab.ts")).makeJohabDecoder();
}

function platformDecoder(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    const decoder = new TextDecoder(label);
    // The web platform refuses some charsets by decoding everything to one U+FFFD.
    return decoder.encoding === "replacement" ? undefined : decoder;
  } catch {
    return undefined; // A label outside the WHATWG list.
  }
}

/** Korean mail: between the shift characters the bytes are EUC-KR without their high bits. */
function iso2022KrDecoder(): Decoder {
  const [shiftOut, shiftIn, announcement] = [0x0e, 0x0f, 0x1b];
  const decoder = new TextDecoder("euc-kr");
  let shifted = false;
  let announcing = 0;
  return {
    decode(bytes = new Uint8Array(), options) {
      const eucKr: number[] = [];
      for (const byte of bytes) {
        // The text starts with an escape of four bytes that names the charset between the shifts.
        if (byte === announcement) announcing = 4;
        if (announcing-- > 0) continue;
        if (byte === shiftOut || byte === shiftIn) shifted = byte === shiftOut;
        else eucKr.push(shifted && byte > 0x20 ? byte | 0x80 : byte);
      }
      return decoder.decode(Uint8Array.from(eucKr), options);
    },
  };
}

/** The WHATWG list omits UTF-32, but files with its byte order mark exist. */
function utf32Decoder(littleEndian: boolean): Decoder {
  let pending = Buffer.alloc(0);
  let started = false;

  function decode(bytes = new Uint8Array(), { stream = false } = {}): string {
    const all = Buffer.concat([pending, bytes]);
    const wholeBytes = all.length - (all.length % 4);
    pending = stream ? all.subarray(wholeBytes) : Buffer.alloc(0);
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
  for (let offset = 0; offset < bytes.length; offset += 4) {
    const point = littleEndian ? bytes.readUInt32LE(offset) : bytes.readUInt32BE(offset);
    text += isScalar(point) ? String.fromCodePoint(point) : "\ufffd";
  }
  return text;
}

function isScalar(point: number): boolean {
  return point < 0xd800 || (point > 0xdfff && point <= 0x10ffff);
}
