/** Reads PNG and animated PNG images: size, frames, and the texts that people and programs write beside the pixels. */
import { decodeLatin1, u8, u32be } from "../../detect/bytes.ts";
import { readFixedSize } from "../../detect/image-size.ts";
import type { Body } from "../../detect/kind.ts";
import { readExif } from "./exif.ts";
import { type ImageHeader, type ImageTexts, joinTexts } from "./image-header.ts";

const MAX_STEPS = 20_000;
const MAX_TEXTS = 50;
const MAX_TEXT_BYTES = 64 * 1024;

export async function readPng(body: Body, start: Uint8Array): Promise<ImageHeader> {
  const texts: ImageTexts[] = [];
  let frames = 1;
  for (let at = 8, steps = 0; at < body.sizeBytes && steps < MAX_STEPS; steps++) {
    const header = await body.read(at, at + 8);
    const [length, type] = [u32be(header, 0), decodeLatin1(header, 4, 8)];
    const data = () => body.read(at + 8, at + 8 + Math.min(length, MAX_TEXT_BYTES));
    const found = texts.length < MAX_TEXTS ? await readTexts(type, data) : undefined;
    if (found !== undefined) texts.push(found);
    if (type === "acTL") frames = u32be(await data(), 0);
    if (type === "IEND" || header.length < 8) break;
    at += 12 + length;
  }
  return { ...readFixedSize(start), frames, ...joinTexts(texts) };
}

/** What a chunk of this type says; undefined if it has no texts. */
async function readTexts(type: string, readData: () => Promise<Uint8Array>): Promise<ImageTexts | undefined> {
  if (type === "tEXt") return readText(await readData(), "latin1", 1);
  if (type === "iTXt") return readInternational(await readData());
  return type === "eXIf" ? readExif(await readData()) : undefined;
}

/** Keyword, two bytes on compression, language, translated keyword, text in UTF-8. Compressed text is left out. */
function readInternational(bytes: Uint8Array): ImageTexts {
  const keyword = bytes.indexOf(0);
  if (keyword === -1 || u8(bytes, keyword + 1) !== 0) return { notes: [] };
  const language = bytes.indexOf(0, keyword + 3);
  const translated = language === -1 ? -1 : bytes.indexOf(0, language + 1);
  return translated === -1 ? { notes: [] } : readText(bytes, "utf-8", translated - keyword + 1);
}

/** Copies of EXIF and XMP, which editors write beside the texts of people. */
const copyKeyword = /^(XML:com\.adobe\.xmp|Raw profile type |xmp)/i;
const xmpPacket = /^\ufeff?\s*<(\?xpacket|x:xmpmeta|rdf:RDF)/i;

const locationKeyword = /gps|latitude|longitude|geo|location/i;

/** A keyword, so many zero bytes, and the text. */
function readText(bytes: Uint8Array, charset: string, zeros: number): ImageTexts {
  const end = bytes.indexOf(0);
  if (end === -1) return { notes: [] };
  const keyword = decodeLatin1(bytes, 0, end);
  const text = new TextDecoder(charset)
    .decode(bytes.subarray(end + zeros))
    .replaceAll(/\s+/g, " ")
    .trim();
  if (text === "") return { notes: [] };
  const statesLocation = locationKeyword.test(keyword);
  const isPacket = xmpPacket.test(text);
  if (statesLocation && !isPacket) return { notes: [], location: [`${keyword}: ${text}`] };
  if (isPacket || copyKeyword.test(keyword))
    return statesLocation || locationKeyword.test(text) ? { notes: [], location: [] } : { notes: [] };
  return { notes: [`${keyword}: ${text}`] };
}
