/** Reads what cameras and editors write into an image: texts, and the place where it was taken. */
import { decodeLatin1, hasAt, u16be, u16le, u32be, u32le } from "../../detect/bytes.ts";
import { GPS_DIRECTORY, readLocation } from "./exif-location.ts";
import type { ImageTexts } from "./image-header.ts";

/** The tags whose text is shown. */
export const exifNames: ReadonlyMap<number, string> = new Map([
  [0x010e, "Description"],
  [0x010f, "Make"],
  [0x0110, "Model"],
  [0x0131, "Software"],
  [0x0132, "Date"],
  [0x013b, "Artist"],
  [0x8298, "Copyright"],
]);

export const ASCII = 2;
const MAX_ENTRIES = 200;
const MAX_VALUE_BYTES = 4_096;

/** Some writers put this before the data, as JPEG does. */
const PREFIX = "Exif\0\0";

/** The texts of the first directory as `Make: ...`, and the location if there is one. */
export async function readExif(given: Uint8Array): Promise<ImageTexts> {
  const bytes = hasAt(given, 0, PREFIX) ? given.subarray(PREFIX.length) : given;
  const isLittle = decodeLatin1(bytes, 0, 2) === "II";
  const [u16, u32] = isLittle ? [u16le, u32le] : [u16be, u32be];
  const directory = u32(bytes, 4);
  const count = Math.min(u16(bytes, directory), MAX_ENTRIES);
  const entries = Array.from({ length: count }, (_, index) => directory + 2 + index * 12);
  const gps = entries.find((at) => u16(bytes, at) === GPS_DIRECTORY);
  const read = async (start: number, end: number) => bytes.subarray(start, end);
  const notes = entries.flatMap(readText);
  return gps === undefined ? { notes } : { notes, location: await readLocation(read, u32(bytes, gps + 8), isLittle) };

  function readText(at: number): string[] {
    const name = exifNames.get(u16(bytes, at));
    if (name === undefined || u16(bytes, at + 2) !== ASCII) return [];
    const length = Math.min(u32(bytes, at + 4), MAX_VALUE_BYTES);
    const place = length <= 4 ? at + 8 : u32(bytes, at + 8);
    const value = new TextDecoder()
      .decode(bytes.subarray(place, place + length))
      .replaceAll(/[\s\0]+/g, " ")
      .trim();
    return value === "" ? [] : [`${name}: ${value}`];
  }
}
