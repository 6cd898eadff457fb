/** The width and height that an image states in its first bytes. */
import { hasAt, u8, u16be, u16le, u32be, u32le } from "./bytes.ts";

export type ImageSize = { readonly width: number; readonly height: number };

/** The size of an image of which at least the first bytes are given; undefined where they do not state it. */
export function readImageSize(start: Uint8Array): ImageSize | undefined {
  const size = hasAt(start, 0, "\xff\xd8") ? readJpegSize(start) : readFixedSize(start);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

/** The same for the formats that state it at a fixed place within the first 32 bytes: all but JPEG. */
export function readFixedSize(start: Uint8Array): ImageSize | undefined {
  if (hasAt(start, 0, "\x89PNG")) return { width: u32be(start, 16), height: u32be(start, 20) };
  if (hasAt(start, 0, "GIF8")) return { width: u16le(start, 6), height: u16le(start, 8) };
  if (hasAt(start, 0, "RIFF") && hasAt(start, 8, "WEBP")) return readWebpSize(start);
  return hasAt(start, 0, "BM") ? readBmpSize(start) : undefined;
}

const OLD_HEADER_BYTES = 12;

/** Rows from top to bottom have a negative height; files of OS/2 have numbers of two bytes. */
function readBmpSize(start: Uint8Array): ImageSize {
  if (u32le(start, 14) === OLD_HEADER_BYTES) return { width: u16le(start, 18), height: u16le(start, 20) };
  return { width: u32le(start, 18), height: Math.abs(u32le(start, 22) | 0) };
}

function readWebpSize(start: Uint8Array): ImageSize | undefined {
  if (hasAt(start, 12, "VP8X")) {
    const u24 = (at: number): number => u16le(start, at) | (u8(start, at + 2) << 16);
    return { width: u24(24) + 1, height: u24(27) + 1 };
  }
  if (hasAt(start, 12, "VP8L")) {
    const bits = u32le(start, 21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (!hasAt(start, 12, "VP8 ")) return undefined;
  return { width: u16le(start, 26) & 0x3fff, height: u16le(start, 28) & 0x3fff };
}

/** Each segment states its length; a frame header states the size. */
function readJpegSize(bytes: Uint8Array): ImageSize | undefined {
  for (let at = 2; at + 9 < bytes.length; ) {
    const [marker, length] = [u8(bytes, at + 1), u16be(bytes, at + 2)];
    if (isFrameHeader(marker)) return { width: u16be(bytes, at + 7), height: u16be(bytes, at + 5) };
    if (u8(bytes, at) !== 0xff || marker === 0xda || length < 2) return undefined;
    at += 2 + length;
  }
  return undefined;
}

/** Start of frame; three numbers of this range mean other things. */
export const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
