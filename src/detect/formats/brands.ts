/** Identifies media containers that share one signature by the brand, document type or codec inside. */
import { decodeLatin1, hasAt, indexOf, u32be } from "../bytes.ts";

/** ISO base media files name their brand after `ftyp`, then the brands they are compatible with. */
export function identifyIsoMedia(bytes: Uint8Array): string {
  const major = isoBrands.get(decodeLatin1(bytes, 8, 12).trimEnd());
  if (major !== undefined) return major;
  const end = Math.min(u32be(bytes, 0), bytes.length, 256);
  for (let offset = 16; offset + 4 <= end; offset += 4) {
    const image = isoBrands.get(decodeLatin1(bytes, offset, offset + 4).trimEnd());
    if (image?.startsWith("image/")) return image;
  }
  return "video/mp4";
}

const isoBrands: ReadonlyMap<string, string> = new Map([
  ["avif", "image/avif"],
  ["avis", "image/avif"],
  ["heic", "image/heic"],
  ["heix", "image/heic"],
  ["hevc", "image/heic"],
  ["hevx", "image/heic"],
  ["heim", "image/heic"],
  ["heis", "image/heic"],
  ["mif1", "image/heif"],
  ["msf1", "image/heif"],
  ["jpeg", "image/heif"],
  ["jp2", "image/jp2"],
  ["jpx", "image/jp2"],
  ["jpm", "image/jp2"],
  ["jxl", "image/jxl"],
  ["crx", "image/x-canon-cr3"],
  ["qt", "video/quicktime"],
  ["M4A", "audio/mp4"],
  ["M4B", "audio/mp4"],
  ["M4P", "audio/mp4"],
  ["F4A", "audio/mp4"],
  ["F4B", "audio/mp4"],
  ["M4V", "video/mp4"],
  ["M4VH", "video/mp4"],
  ["M4VP", "video/mp4"],
  ["F4V", "video/mp4"],
  ["F4P", "video/mp4"],
  ["3gp4", "video/3gpp"],
  ["3gp5", "video/3gpp"],
  ["3gp6", "video/3gpp"],
  ["3g2a", "video/3gpp2"],
  ["3g2b", "video/3gpp2"],
  ["mjp2", "video/mj2"],
]);

/** Every media type that a brand names. */
export const brandedTypes: ReadonlySet<string> = new Set(isoBrands.values());

/** EBML files name their document type in the header; WebM is Matroska with another name there. */
export function identifyMatroska(bytes: Uint8Array): string {
  const offset = indexOf(bytes.subarray(0, 4096), "\x42\x82");
  return offset > 0 && decodeLatin1(bytes, offset + 2, offset + 8).includes("webm") ? "video/webm" : "video/x-matroska";
}

/** The first packet of an Ogg stream is its codec's header. */
export function identifyOgg(bytes: Uint8Array): string {
  return hasAt(bytes, 28, "\x80theora") || hasAt(bytes, 28, "\x01video") ? "video/ogg" : "audio/ogg";
}
