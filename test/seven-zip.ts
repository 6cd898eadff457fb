/** Writes 7z archives of one file, which is stored as it is. Names and data are shorter than 128 bytes. */
import { crc32 } from "node:zlib";

export function makeSevenZip(name: string, text: string): Buffer {
  const data = Buffer.from(text);
  const names = Buffer.from(`${name}\0`, "utf16le");
  const header = Buffer.from([
    0x01, // Header
    0x04, // Streams
    ...[0x06, 0, 1, 0x09, data.length, 0x00], // One packed stream
    ...[0x07, 0x0b, 1, 0, 1, 0x01, 0x00, 0x0c, data.length, 0x00], // One folder with the coder "copy"
    ...[0x08, 0x0a, 1, ...toBytes(crc32(data)), 0x00], // Its checksum
    0x00,
    ...[0x05, 1, 0x11, names.length + 1, 0, ...names, 0x00], // One file and its name
    0x00,
  ]);
  const start = Buffer.alloc(20);
  start.writeBigUInt64LE(BigInt(data.length), 0);
  start.writeBigUInt64LE(BigInt(header.length), 8);
  start.writeUInt32LE(crc32(header), 16);
  const signature = Buffer.from("7z\xbc\xaf\x27\x1c\0\x04", "latin1");
  return Buffer.concat([signature, toBytes(crc32(start)), start, data, header]);
}

function toBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
