/** Header-field checks for signatures that are too short to prove a format; each checks one fact of its layout. */
import { inflateSync, constants as zlib } from "node:zlib";
import { decodeLatin1, hasAt, u8, u16be, u16le, u32be, u32le } from "../bytes.ts";

type Check = (bytes: Uint8Array) => boolean;

/** A control byte follows soon, which text does not contain: prose may begin with the letters of a signature. */
export function binaryAfter(start: number, span: number): Check {
  return (bytes) => {
    const end = Math.min(bytes.length, start + span);
    for (let i = start; i < end; i++) if (isControl(u8(bytes, i))) return true;
    return false;
  };
}

const isControl = (byte: number): boolean => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d;

// --- images

const bmpHeaderSizes: ReadonlySet<number> = new Set([12, 16, 40, 52, 56, 64, 108, 124]);

/** The size of the second header is that of a known version. */
export const bmp: Check = (bytes) => bmpHeaderSizes.has(u32le(bytes, 14));

/** A count of images, a reserved zero, and the first image after the list of images. */
export const icon: Check = (bytes) => {
  const images = u16le(bytes, 4);
  return images > 0 && images < 200 && u8(bytes, 9) === 0 && u32le(bytes, 18) >= 6 + 16 * images;
};

/** A JPEG XL codestream opens with a size header, which no text encoding follows LF with. */
export const jxlCodestream: Check = (bytes) => bytes.length > 8 && binaryAfter(2, 16)(bytes);

/** The length of the file, which includes this header. */
export const icns: Check = (bytes) => u32be(bytes, 4) >= 16 && u32be(bytes, 4) < 0x10000000;

/** Version, encoding and bits per pixel are small numbers; a reserved byte is zero. */
export const pcx: Check = (bytes) =>
  u8(bytes, 1) <= 5 && u8(bytes, 2) <= 1 && [1, 2, 4, 8].includes(u8(bytes, 3)) && u8(bytes, 64) === 0;

/** Compression, bytes per channel and dimensions are small numbers. */
export const sgi: Check = (bytes) => u8(bytes, 2) <= 1 && [1, 2].includes(u8(bytes, 3)) && u16be(bytes, 4) <= 3;

/** AC10 and a release number, then a zero. */
export const dwg: Check = (bytes) => /^AC10\d\d$/.test(decodeLatin1(bytes, 0, 6)) && u8(bytes, 6) === 0;

/** Channels and depth as letters, then compressed data. */
export const flif: Check = (bytes) => /^[13468ACD][012]/.test(decodeLatin1(bytes, 4, 6)) && binaryAfter(6, 32)(bytes);

/** Three or four channels, and one of two colour spaces. */
export const qoi: Check = (bytes) => [3, 4].includes(u8(bytes, 12)) && u8(bytes, 13) <= 1;

/** `P5 640 480 255`, with comments and any white space between. */
export const pnm: Check = (bytes) =>
  /^P[1-6Ff]\s+(#[^\n]*\n\s*)*\d+\s+(#[^\n]*\n\s*)*\d+\s/.test(decodeLatin1(bytes, 0, 1024));

/** The length of the header and a version. */
export const gimpBrush: Check = (bytes) => u32be(bytes, 0) >= 28 && u32be(bytes, 4) <= 3;

/** Frames, and at most 256 colours. */
export const flic: Check = (bytes) => u16le(bytes, 6) > 0 && u16le(bytes, 12) <= 256;

/** Version 1 pictures have a two-byte opcode only, so the empty 512-byte header must be there too. */
export const pictOne: Check = (bytes) => bytes.subarray(0, 512).every((byte) => byte === 0) && u16be(bytes, 516) > 0;

/** BEGIN METAFILE: class 0, id 1, then the length of a name that is its parameter. */
export const cgm: Check = (bytes) => {
  const element = u16be(bytes, 0);
  const length = element & 0x1f;
  if (element >> 5 !== 1 || length === 0) return false;
  if (length === 31) return u8(bytes, 4) === Math.min(u16be(bytes, 2) - 1, 255);
  return u8(bytes, 2) === length - 1 && u16be(bytes, 2 + length + (length & 1)) >> 5 === 0x81;
};

const targaTypes: ReadonlySet<number> = new Set([1, 2, 3, 9, 10, 11]);

/** There is no magic: every header field must have a valid value that is consistent with the others. */
export const targa: Check = (bytes) => {
  const mapped = u8(bytes, 1);
  const type = u8(bytes, 2);
  if (bytes.length < 19 || mapped > 1 || !targaTypes.has(type) || u16le(bytes, 12) === 0 || u16le(bytes, 14) === 0) {
    return false;
  }
  const mapFits = mapped === 1 ? [15, 16, 24, 32].includes(u8(bytes, 7)) : u32le(bytes, 3) === 0 && u8(bytes, 7) === 0;
  const depthFits = [8, 15, 16, 24, 32].includes(u8(bytes, 16)) && (u8(bytes, 17) & 0xc0) === 0;
  const originFits = u16le(bytes, 8) < 0x1000 && u16le(bytes, 10) < 0x4000;
  return mapFits && depthFits && originFits && mapped === Number(type === 1 || type === 9);
};

/** Cards of 80 columns: the first is SIMPLE and true, the second the bits per pixel. */
export const fits: Check = (bytes) =>
  /^ +T /.test(decodeLatin1(bytes, 9, 80)) && (bytes.length < 90 || hasAt(bytes, 80, "BITPIX  ="));

// --- documents

/** A spreadsheet stream begins with BOF: the version's record length, then what kind of sheet it is. */
export const biff: Check = (bytes) =>
  u16le(bytes, 2) <= 16 && [0x05, 0x06, 0x10, 0x20, 0x40, 0x100].includes(u16le(bytes, 6));

// --- archives and compression

/** The flag byte of RFC 1952 has three reserved bits. */
export const gzip: Check = (bytes) => (u8(bytes, 3) & 0xe0) === 0;

/** Two reserved bits are zero, and codes have at most 16 bits. */
export const compressZ: Check = (bytes) => (u8(bytes, 2) & 0x60) === 0 && (u8(bytes, 2) & 0x1f) <= 16;

/** A block begins with the digits of pi, an empty stream with those of its square root. */
export const bzip2: Check = (bytes) =>
  /[1-9]/.test(decodeLatin1(bytes, 3, 4)) && (hasAt(bytes, 4, "1AY&SY") || hasAt(bytes, 4, "\x17\x72\x45\x38\x50\x90"));

/** The first byte counts the format's drafts. */
export const zstdFrame: Check = (bytes) => u8(bytes, 0) === 0x1e || (u8(bytes, 0) >= 0x22 && u8(bytes, 0) <= 0x28);

/** Sixteen magic numbers are reserved for frames that decoders skip. */
export const zstdSkippable: Check = (bytes) => u8(bytes, 0) >= 0x50 && u8(bytes, 0) <= 0x5f;

/** Properties byte, dictionary size, then the size or "unknown". */
export const lzma: Check = (bytes) => {
  const unknownSize = u32le(bytes, 5) === 0xffffffff && u32le(bytes, 9) === 0xffffffff;
  return bytes.length > 13 && (unknownSize || u32le(bytes, 9) === 0) && u8(bytes, 13) === 0;
};

/** The two header bytes of RFC 1950 check each other; a few inflated bytes settle it. */
export const zlibStream: Check = (bytes) => {
  if (bytes.length < 6 || u16be(bytes, 0) % 31 !== 0 || (u8(bytes, 1) & 0x20) !== 0) return false;
  try {
    return inflateSync(bytes.subarray(0, 512), { finishFlush: zlib.Z_SYNC_FLUSH }).length > 0;
  } catch {
    return false; // Not deflate data after all.
  }
};

/** Headers in digits: hexadecimal in the newer variants, octal in the oldest. */
export const cpioAscii: Check = (bytes) => /^07070[12][\da-f]{40}|^070707[0-7]{40}/i.test(decodeLatin1(bytes, 0, 46));

/** Old binary headers: the mode names a known file type and the name has a length. */
export const cpioLittle: Check = (bytes) => isFileMode(u16le(bytes, 6)) && isNameSize(u16le(bytes, 20));
/** The same in the other byte order. */
export const cpioBig: Check = (bytes) => isFileMode(u16be(bytes, 6)) && isNameSize(u16be(bytes, 20));

const isFileMode = (mode: number): boolean => mode === 0 || [1, 2, 4, 6, 8, 10, 12].includes(mode >> 12);
const isNameSize = (size: number): boolean => size > 1;

/** A header of bounded length, from a known version on a known system. */
export const arj: Check = (bytes) => u16le(bytes, 2) <= 2600 && u8(bytes, 4) >= 0x1e && u8(bytes, 7) <= 15;

/** A method between hyphens and a header level. */
export const lha: Check = (bytes) =>
  /[0-9ds]/.test(decodeLatin1(bytes, 5, 6)) && u8(bytes, 6) === 0x2d && u8(bytes, 20) <= 3;

/** Method, a NUL-terminated 8.3 name, then a size that is not absurd. */
export const arc: Check = (bytes) =>
  u8(bytes, 1) >= 1 && u8(bytes, 1) <= 9 && /^[!-~]{1,12}\0/.test(decodeLatin1(bytes, 2, 15)) && u8(bytes, 18) === 0;

/** Electron's pickle of a pickle: four sizes that contain each other, then a JSON header. */
export const asar: Check = (bytes) => u32le(bytes, 4) === u32le(bytes, 8) + 4 && hasAt(bytes, 16, '{"');

/** Headers older than ustar have no magic, but a checksum over themselves. */
export const oldTar: Check = (bytes) => {
  if (u8(bytes, 0) === 0 || bytes.length < 156 || !/^[0-7 ]{1,7}[\0 ]/.test(decodeLatin1(bytes, 148, 156)))
    return false;
  if (bytes.length < 512)
    return tarNumbers.every(([start, end]) => /^ *[0-7]+[\0 ]*$/.test(decodeLatin1(bytes, start, end)));
  return Number.parseInt(decodeLatin1(bytes, 148, 156).trim(), 8) === tarChecksum(bytes);
};

/** Mode, owner, group, size and time, all in octal digits. */
const tarNumbers: readonly (readonly [start: number, end: number])[] = [
  [100, 108],
  [108, 116],
  [116, 124],
  [124, 136],
  [136, 148],
];

function tarChecksum(bytes: Uint8Array): number {
  let sum = 8 * 0x20;
  for (let i = 0; i < 512; i++) if (i < 148 || i >= 156) sum += u8(bytes, i);
  return sum;
}

// --- audio and video

/** A known version, and a size in bytes of seven bits each. */
export const id3: Check = (bytes) => {
  const sizes = [u8(bytes, 6), u8(bytes, 7), u8(bytes, 8), u8(bytes, 9)];
  return u8(bytes, 3) >= 1 && u8(bytes, 3) <= 4 && sizes.every((size) => size < 0x80);
};

/** Sync word, layer 0, a known sampling rate and a frame at least as long as its header. */
export const adts: Check = (bytes) => {
  const frame = ((u8(bytes, 3) & 3) << 11) | (u8(bytes, 4) << 3) | (u8(bytes, 5) >> 5);
  return (u8(bytes, 1) & 0xf6) === 0xf0 && ((u8(bytes, 2) >> 2) & 15) < 13 && frame >= 7 && binaryAfter(2, 512)(bytes);
};

/** Sync word, then a valid layer, bit rate and sampling rate; free format would cause too many false matches. */
export const mpegAudio: Check = (bytes) => {
  const [second, third] = [u8(bytes, 1), u8(bytes, 2)];
  if ((second & 0xe0) !== 0xe0 || (second & 0x18) === 0x08 || (second & 0x06) === 0) return false;
  return (
    third >> 4 !== 15 && (third >> 2) % 4 !== 3 && (third >> 4 !== 0 || second === 0xff) && binaryAfter(2, 512)(bytes)
  );
};

/** A valid sampling rate and bit stream version. */
export const ac3: Check = (bytes) => u8(bytes, 4) >> 6 !== 3 && u8(bytes, 5) >> 3 <= 16;

/** A box is at least as long as its header; size 1 announces a 64-bit size, size 0 "to the end". */
export const isoBox: Check = (bytes) => {
  const size = u32be(bytes, 0);
  return size >= 8 || size <= 1;
};

/** Packets of 188 bytes all begin with the same byte. */
export const transportStream: Check = (bytes) => u8(bytes, 188) === 0x47 && u8(bytes, 376) === 0x47;

/** The same packets, each after a time stamp of four bytes. */
export const blurayStream: Check = (bytes) => u8(bytes, 196) === 0x47 && u8(bytes, 388) === 0x47;

/** A version, and a length beyond the header. */
export const flash: Check = (bytes) => u8(bytes, 3) > 0 && u8(bytes, 3) < 60 && u32le(bytes, 4) > 8;

// --- fonts

/** A number of tables, of which the first has a name of four letters. */
export const sfnt: Check = (bytes) =>
  u16be(bytes, 4) > 0 && u16be(bytes, 4) < 100 && /^[ -~]{4}$/.test(decodeLatin1(bytes, 12, 16));

/** One of three versions. */
export const embeddedOpenType: Check = (bytes) => [0x10000, 0x20001, 0x20002].includes(u32le(bytes, 8));

/** A mode and a character height. */
export const consoleFont: Check = (bytes) => u8(bytes, 2) <= 5 && u8(bytes, 3) > 0 && u8(bytes, 3) <= 32;

// --- programs

/** The DOS header is made of small numbers. */
export const dosExecutable: Check = binaryAfter(2, 62);

/** The same four bytes open Java classes; those have a version of 45 or more where this has a handful of architectures. */
export const fatBinary: Check = (bytes) => u32be(bytes, 4) > 0 && u32be(bytes, 4) < 20;

/** Every release of CPython has its own number before CR LF: 3.x from 3000, the last of 2.x from 62000. */
export const python: Check = (bytes) => {
  const version = u16le(bytes, 0);
  return (version >= 3000 && version < 4000) || (version >= 62000 && version <= 62218 && binaryAfter(4, 32)(bytes));
};

/** A number of sections, and no optional header. */
export const coff: Check = (bytes) => u16le(bytes, 2) > 0 && u16le(bytes, 2) < 200 && u16le(bytes, 16) === 0;

/** A number of lumps, and a directory behind the header. */
export const wad: Check = (bytes) => u32le(bytes, 4) < 0x10000 && u32le(bytes, 8) >= 8;

/** The lengths of the names and of the flags. */
export const terminfo: Check = (bytes) => u16le(bytes, 2) > 0 && u16le(bytes, 2) < 512 && u16le(bytes, 4) < 64;

// --- data

const dbaseVersions: ReadonlySet<number> = new Set([0x02, 0x03, 0x04, 0x05, 0x30, 0x31, 0x43, 0x83, 0x8b, 0x8c, 0xf5]);

/** Version, a calendar date, then a header of 32-byte field rows. */
export const dbase: Check = (bytes) => {
  const header = u16le(bytes, 8);
  if (!dbaseVersions.has(u8(bytes, 0)) || u8(bytes, 2) < 1 || u8(bytes, 2) > 12 || u8(bytes, 3) < 1) return false;
  return u8(bytes, 3) <= 31 && header >= 33 && header % 32 <= 8 && u16le(bytes, 10) > 1 && u16le(bytes, 12) === 0;
};

/** Continuation marker, the size of the metadata, then a flatbuffer's root offset. */
export const arrowStream: Check = (bytes) =>
  u32le(bytes, 4) < 0x1000000 && u32le(bytes, 8) >= 4 && u32le(bytes, 8) <= 64;

/** PROTO with a version, then an opcode that can begin a stack. */
export const pickle: Check = (bytes) =>
  u8(bytes, 1) >= 2 && u8(bytes, 1) <= 5 && /^[\x95\]}(cXKJMGNU\x8c\x8a)\x88\x89CBV]/.test(decodeLatin1(bytes, 2, 3));

/** A 64-bit header length, then that much JSON. */
export const safetensors: Check = (bytes) =>
  u32le(bytes, 4) === 0 && u32le(bytes, 0) > 8 && u32le(bytes, 0) < 100_000_000 && hasAt(bytes, 8, '{"');

/** A bencoded dictionary whose first key is one of those in torrent files. */
export const torrent: Check = (bytes) =>
  /^d(8:announce|13:announce-list|7:comment|10:created by|13:creation date|4:info)/.test(decodeLatin1(bytes, 0, 24));

/** A byte-order mark inside the first block. */
export const pcapng: Check = (bytes) => [0x1a2b3c4d, 0x4d3c2b1a].includes(u32le(bytes, 8));

/** 80 bytes of anything, a count, then 50 bytes for each triangle with a zero attribute word. */
export const binaryStl: Check = (bytes) => {
  const triangles = u32le(bytes, 80);
  if (bytes.length < 134 || triangles === 0 || triangles > 50_000_000) return false;
  return u16le(bytes, 132) === 0 && isUnit(bytes, 84) && (triangles === 1 || bytes.length < 184 || isUnit(bytes, 134));
};

/** A normal has length one, or zero where the writer did not compute it. */
function isUnit(bytes: Uint8Array, offset: number): boolean {
  if (bytes.length < offset + 12) return true;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const length = Math.hypot(
    view.getFloat32(offset, true),
    view.getFloat32(offset + 4, true),
    view.getFloat32(offset + 8, true),
  );
  return length === 0 ? u32le(bytes, offset + 12) !== 0 : Math.abs(length - 1) < 0.01;
}

/** The first bytes inside the outermost SEQUENCE of a DER structure, or an empty string. */
function insideSequence(bytes: Uint8Array): string {
  const lengthByte = u8(bytes, 1);
  const headerBytes = lengthByte < 0x80 ? 2 : 2 + (lengthByte & 0x7f);
  return headerBytes > 5 ? "" : decodeLatin1(bytes, headerBytes, headerBytes + 24);
}

/** A structure whose first member is a version or a serial number. */
export const certificate: Check = (bytes) => /^\x30(\x82..|\x81.)(\xa0\x03\x02\x01|\x02)/s.test(insideSequence(bytes));
/** The object identifier that all its content types begin with. */
export const pkcs7: Check = (bytes) => insideSequence(bytes).startsWith("\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07");
/** Version 3, then its content. */
export const pkcs12: Check = (bytes) => insideSequence(bytes).startsWith("\x02\x01\x03\x30");
/** Version 0 or 1, then an algorithm or a key. */
export const privateKey: Check = (bytes) => /^\x02\x01[\0\x01][\x02\x04\x30]/.test(insideSequence(bytes));
