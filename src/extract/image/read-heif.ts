/** Reads the size of HEIC, AVIF and JPEG 2000 images from their boxes. */
import { u32be } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";
import { BoxReader } from "../media/mp4-boxes.ts";
import type { ImageHeader } from "./image-header.ts";

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
  return width === 0 ? { notes: [] } : { width, height, notes: [] };
}

export async function readJpeg2000(body: Body): Promise<ImageHeader> {
  const reader = new BoxReader(body);
  const header = await reader.find(reader.whole, ["jp2h", "ihdr"]);
  if (header === undefined) return { notes: [] };
  const bytes = await reader.read(header);
  return { width: u32be(bytes, 4), height: u32be(bytes, 0), notes: [] };
}
