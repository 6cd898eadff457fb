/** Reads the headers of images: size, frames, and notes such as comments. Pixels are never decoded. */
import { decodeLatin1, hasAt, u8, u16be, u16le, u32be, u32le } from "../../detect/bytes.ts";
import { isFrameHeader, readFixedSize } from "../../detect/image-size.ts";
import type { Body } from "../../detect/kind.ts";
import { readAhead } from "../read-ahead.ts";
import { readExif } from "./exif.ts";
import { type ImageHeader, type ImageTexts, joinTexts } from "./image-header.ts";
import { readGif } from "./read-gif.ts";
import { readHeif, readJpeg2000 } from "./read-heif.ts";
import { readPng } from "./read-png.ts";
import { readTiff } from "./read-tiff.ts";

const MAX_STEPS = 20_000;
const MAX_EXIF_BYTES = 64 * 1024;
const MAX_ICONS = 100;

/** What the headers state; nothing for a damaged image. */
export async function readImage(source: Body): Promise<ImageHeader> {
  const body = readAhead(source);
  const start = await body.read(0, 32);
  if (hasAt(start, 0, "\x89PNG")) return readPng(body, start);
  if (hasAt(start, 0, "\xff\xd8")) return readJpeg(body);
  if (hasAt(start, 0, "GIF8")) return readGif(body);
  if (hasAt(start, 0, "RIFF") && hasAt(start, 8, "WEBP")) return readWebp(body, start);
  if (hasAt(start, 0, "BM")) return { ...readFixedSize(start), notes: [] };
  if (hasAt(start, 0, "8BPS")) return { width: u32be(start, 18), height: u32be(start, 14), notes: [] };
  if (hasAt(start, 0, "\0\0\x01\0") || hasAt(start, 0, "\0\0\x02\0")) return readIcon(body);
  if (hasAt(start, 0, "II*\0") || hasAt(start, 0, "MM\0*")) return readTiff(body, start);
  if (hasAt(start, 4, "ftyp")) return readHeif(body);
  return hasAt(start, 4, "jP  ") ? readJpeg2000(body) : { notes: [] };
}

/** An icon has several pictures; the largest counts. 256 is written as 0. */
async function readIcon(body: Body): Promise<ImageHeader> {
  const bytes = await body.read(0, 6 + 16 * MAX_ICONS);
  const count = Math.min(u16le(bytes, 4), MAX_ICONS);
  const sizes = Array.from({ length: count }, (_, index) => 6 + index * 16).map((at) => ({
    width: u8(bytes, at) || 256,
    height: u8(bytes, at + 1) || 256,
  }));
  const largest = sizes.toSorted((one, other) => other.width * other.height - one.width * one.height)[0];
  return { ...largest, frames: Math.max(1, count), notes: [] };
}

/** Segments until the first pixels. */
async function readJpeg(body: Body): Promise<ImageHeader> {
  const texts: ImageTexts[] = [];
  for (let at = 2, steps = 0; at < body.sizeBytes && steps < MAX_STEPS; steps++) {
    const header = await body.read(at, at + 10);
    const [marker, length] = [u8(header, 1), u16be(header, 2)];
    if (u8(header, 0) !== 0xff || marker === 0xda || length < 2) break;
    if (isFrameHeader(marker)) return { width: u16be(header, 7), height: u16be(header, 5), ...joinTexts(texts) };
    const isExif = marker === 0xe1 && hasAt(header, 4, "Exif\0\0");
    if (isExif) texts.push(await readExif(await body.read(at + 10, at + 2 + length)));
    if (marker === 0xfe) texts.push({ notes: await readComment(body, at + 4, at + 2 + length) });
    at += 2 + length;
  }
  return joinTexts(texts);
}

async function readComment(body: Body, start: number, end: number): Promise<string[]> {
  const text = new TextDecoder()
    .decode(await body.read(start, end))
    .replaceAll(/[\s\0]+/g, " ")
    .trim();
  return text === "" ? [] : [`Comment: ${text}`];
}

async function readWebp(body: Body, start: Uint8Array): Promise<ImageHeader> {
  const texts: ImageTexts[] = [];
  let frames = 0;
  for (let at = 12, steps = 0; at < body.sizeBytes && steps < MAX_STEPS; steps++) {
    const header = await body.read(at, at + 8);
    const [type, length] = [decodeLatin1(header, 0, 4), u32le(header, 4)];
    if (header.length < 8) break;
    if (type === "ANMF") frames++;
    if (type === "EXIF") texts.push(await readExif(await body.read(at + 8, at + 8 + Math.min(length, MAX_EXIF_BYTES))));
    at += 8 + length + (length % 2);
  }
  return { ...readFixedSize(start), frames: Math.max(frames, 1), ...joinTexts(texts) };
}
