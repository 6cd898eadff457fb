/** Reads what cameras and editors write into an image. The place where it was taken is never read. */
import { decodeLatin1, u16be, u16le, u32be, u32le } from "../../detect/bytes.ts";

/** The tags whose text is shown; those of the location are not among them. */
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

/** The texts of the first directory as `Make: ...`. */
export function readExif(bytes: Uint8Array): string[] {
  const isLittle = decodeLatin1(bytes, 0, 2) === "II";
  const [u16, u32] = isLittle ? [u16le, u32le] : [u16be, u32be];
  const directory = u32(bytes, 4);
  const count = Math.min(u16(bytes, directory), MAX_ENTRIES);
  return Array.from({ length: count }, (_, index) => directory + 2 + index * 12).flatMap((at) => {
    const name = exifNames.get(u16(bytes, at));
    if (name === undefined || u16(bytes, at + 2) !== ASCII) return [];
    const length = Math.min(u32(bytes, at + 4), MAX_VALUE_BYTES);
    const place = length <= 4 ? at + 8 : u32(bytes, at + 8);
    const value = new TextDecoder()
      .decode(bytes.subarray(place, place + length))
      .replaceAll(/[\s\0]+/g, " ")
      .trim();
    return value === "" ? [] : [`${name}: ${value}`];
  });
}
