/** Reads TIFF and the photos of cameras that are built like it: size, pages, and texts and location of the first page. */
import { hasAt, u16be, u16le, u32be, u32le } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";
import { ASCII, exifNames } from "./exif.ts";
import { GPS_DIRECTORY, readLocation } from "./exif-location.ts";
import type { ImageHeader } from "./image-header.ts";

const MAX_PAGES = 1_000;
const MAX_ENTRIES = 200;
const MAX_TEXT_BYTES = 4_096;
const [WIDTH, HEIGHT, SHORT] = [256, 257, 3];

/** A photo has previews of other sizes, which are not pages. */
export async function readTiff(body: Body, start: Uint8Array): Promise<ImageHeader> {
  const isLittle = hasAt(start, 0, "II");
  const [u16, u32] = isLittle ? [u16le, u32le] : [u16be, u32be];
  const notes: string[] = [];
  let location: readonly string[] | undefined;
  const sizes: { width: number; height: number }[] = [];
  const seen = new Set<number>();
  for (let at = u32(start, 4); at > 0 && at < body.sizeBytes && !seen.has(at) && seen.size < MAX_PAGES; ) {
    const size = { width: 0, height: 0 };
    const count = Math.min(u16(await body.read(at, at + 2), 0), MAX_ENTRIES);
    const entries = await body.read(at + 2, at + 2 + count * 12 + 4);
    for (let entry = 0; entry < count * 12; entry += 12) {
      const [tag, type, length] = [u16(entries, entry), u16(entries, entry + 2), u32(entries, entry + 4)];
      const value = type === SHORT ? u16(entries, entry + 8) : u32(entries, entry + 8);
      if (tag === WIDTH) size.width = value;
      if (tag === HEIGHT) size.height = value;
      const name = seen.size === 0 ? exifNames.get(tag) : undefined;
      if (name !== undefined && type === ASCII && length > 4)
        notes.push(...(await readText(body, name, value, length)));
      if (tag === GPS_DIRECTORY && seen.size === 0)
        location = await readLocation((from, to) => body.read(from, to), value, isLittle);
    }
    sizes.push(size);
    seen.add(at);
    at = u32(entries, count * 12);
  }
  const largest = sizes.toSorted((one, other) => other.width * other.height - one.width * one.height)[0];
  const texts = { notes, ...(location === undefined ? {} : { location }) };
  if (largest === undefined || largest.width === 0) return texts;
  const frames = sizes.filter(({ width, height }) => width === largest.width && height === largest.height).length;
  return { ...largest, frames, ...texts };
}

async function readText(body: Body, name: string, at: number, length: number): Promise<string[]> {
  const bytes = await body.read(at, at + Math.min(length, MAX_TEXT_BYTES));
  const text = new TextDecoder()
    .decode(bytes)
    .replaceAll(/[\s\0]+/g, " ")
    .trim();
  return text === "" ? [] : [`${name}: ${text}`];
}
