/** Finds items of HEIC and AVIF files: one table names them, another says where their bytes are. */
import { hasAt, u8, u16be, u32be } from "../../detect/bytes.ts";
import type { Box, BoxReader } from "../media/mp4-boxes.ts";

const MAX_ITEMS = 1_000;

/** Where what the camera wrote is; undefined if it is not in the file, or not in one piece. */
export async function findExifItem(reader: BoxReader): Promise<Pick<Box, "at" | "end"> | undefined> {
  const meta = await reader.find(reader.whole, ["meta"]);
  if (meta === undefined) return undefined;
  const boxes = { at: meta.at + 4, end: meta.end };
  const names = await reader.find(boxes, ["iinf"]);
  const id = names && (await findExifId(reader, names));
  const places = id === undefined ? undefined : await reader.find(boxes, ["iloc"]);
  const item = id === undefined || places === undefined ? undefined : findPlace(await reader.read(places), id);
  // A damaged table names places that no file has; reading there is an error.
  const fileEnd = reader.whole.end;
  return item !== undefined && item.at < fileEnd ? { at: item.at, end: Math.min(item.end, fileEnd) } : undefined;
}

/** Numbers are longer from some version of each table on. */
async function findExifId(reader: BoxReader, names: Box): Promise<number | undefined> {
  const skip = u8(await reader.read(names), 0) === 0 ? 6 : 8;
  for await (const box of reader.list(names.at + skip, names.end)) {
    const bytes = await reader.read(box);
    const isLong = u8(bytes, 0) > 2;
    if (hasAt(bytes, isLong ? 10 : 8, "Exif")) return isLong ? u32be(bytes, 4) : u16be(bytes, 4);
  }
  return undefined;
}

function findPlace(bytes: Uint8Array, id: number): Pick<Box, "at" | "end"> | undefined {
  const version = u8(bytes, 0);
  const [offsetBytes, lengthBytes] = [u8(bytes, 4) >> 4, u8(bytes, 4) & 15];
  const [baseBytes, indexBytes] = [u8(bytes, 5) >> 4, version === 0 ? 0 : u8(bytes, 5) & 15];
  let at = 6;
  const take = (length: number): number => {
    at += length;
    if (length === 8) return u32be(bytes, at - 8) * 2 ** 32 + u32be(bytes, at - 4);
    return length === 4 ? u32be(bytes, at - 4) : length === 2 ? u16be(bytes, at - 2) : 0;
  };
  const idBytes = version < 2 ? 2 : 4;
  const count = Math.min(take(idBytes), MAX_ITEMS);
  for (let item = 0; item < count && at < bytes.length; item++) {
    const isWanted = take(idBytes) === id;
    const isInFile = version === 0 || (take(2) & 15) === 0;
    take(2);
    const base = take(baseBytes);
    const pieces = take(2);
    take(indexBytes);
    const [offset, length] = [take(offsetBytes), take(lengthBytes)];
    if (isWanted) return pieces === 1 && isInFile ? { at: base + offset, end: base + offset + length } : undefined;
    at += (pieces - 1) * (indexBytes + offsetBytes + lengthBytes);
  }
  return undefined;
}
