/** Reads HEIC, AVIF and JPEG 2000 images from their boxes: their size, and what cameras write into HEIC and AVIF. */
import { u32be } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";
import { BoxReader } from "../media/mp4-boxes.ts";
import { readExif } from "./exif.ts";
import { findExifItem } from "./heif-items.ts";
import type { ImageHeader, ImageTexts } from "./image-header.ts";

/** Thumbnails and tiles have sizes too; the largest is that of the image. */
export async function readHeif(body: Body): Promise<ImageHeader> {
  const reader = new BoxReader(body);
  const properties = await reader.find(reader.whole, ["meta", "iprp", "ipco"], { meta: 4 });
  if (properties === undefined) return { notes: [] };
  let [width, height] = [0, 0];
  for await (const box of reader.list(properties.at, properties.end)) {
    if (box.type !== "ispe") continue;
    const bytes = await reader.read(box);
    if (u32be(bytes, 4) * u32be(bytes, 8) > width * height) [width, height] = [u32be(bytes, 4), u32be(bytes, 8)];
  }
  const texts = await readTexts(body, reader);
  return width === 0 ? texts : { width, height, ...texts };
}

const MAX_EXIF_BYTES = 64 * 1024;

/** The item begins with the number of bytes before its directories. */
async function readTexts(body: Body, reader: BoxReader): Promise<ImageTexts> {
  const item = await findExifItem(reader);
  if (item === undefined) return { notes: [] };
  const start = item.at + 4 + u32be(await body.read(item.at, item.at + 4), 0);
  if (start >= item.end) return { notes: [] };
  return readExif(await body.read(start, Math.min(item.end, start + MAX_EXIF_BYTES)));
}

export async function readJpeg2000(body: Body): Promise<ImageHeader> {
  const reader = new BoxReader(body);
  const header = await reader.find(reader.whole, ["jp2h", "ihdr"]);
  if (header === undefined) return { notes: [] };
  const bytes = await reader.read(header);
  return { width: u32be(bytes, 4), height: u32be(bytes, 0), notes: [] };
}
