/** Reads AVI, Matroska and WebM files: length, size of the picture, codecs, title. */
import { decodeLatin1, indexOf, u8, u32le } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";
import { type FileFacts, formatSeconds, joinFacts, listFacts, noFacts, toWords } from "./file-facts.ts";

export async function readAvi(_body: Body, start: Uint8Array): Promise<FileFacts> {
  const at = indexOf(start, "avih") + 8;
  if (at === 7) return noFacts;
  const [microseconds, frames] = [u32le(start, at), u32le(start, at + 16)];
  const size = `${u32le(start, at + 32)}x${u32le(start, at + 36)}`;
  const duration = formatSeconds((microseconds * frames) / 1_000_000);
  const handler = indexOf(start, "vids");
  const codec = handler === -1 ? "" : decodeLatin1(start, handler + 4, handler + 8).trim();
  return {
    extent: joinFacts(size, duration),
    facts: listFacts({ Format: "AVI", Duration: duration, Size: size, Tracks: codec }),
    words: {},
  };
}

const HEADER_BYTES = 256 * 1024;
const MAX_ELEMENTS = 2_000;

/** Elements by their number; those with further elements are walked into. */
const SEGMENT = 0x18538067;
const parents: ReadonlySet<number> = new Set([SEGMENT, 0x1549a966, 0x1654ae6b, 0xae, 0xe0, 0xe1]);
const [DURATION, TIME_SCALE, TITLE, CODEC, WIDTH, HEIGHT, DOC_TYPE, EBML, CLUSTER] = [
  0x4489, 0x2ad7b1, 0x7ba9, 0x86, 0xb0, 0xba, 0x4282, 0x1a45dfa3, 0x1f43b675,
];

/** The facts come before the pictures, in the first part of the file. */
export async function readMatroska(body: Body): Promise<FileFacts> {
  const bytes = await body.read(0, HEADER_BYTES);
  const values = new Map<number, Uint8Array>();
  const codecs: string[] = [];
  let at = 0;
  for (let count = 0; at < bytes.length && count < MAX_ELEMENTS; count++) {
    const id = readVarint(bytes, at, true);
    const size = readVarint(bytes, at + id.length, false);
    const start = at + id.length + size.length;
    if (id.length === 0 || size.length === 0 || id.value === CLUSTER) break;
    const isParent = parents.has(id.value) || id.value === EBML;
    const data = isParent ? new Uint8Array() : bytes.subarray(start, start + size.value);
    if (!isParent && !values.has(id.value)) values.set(id.value, data);
    if (id.value === CODEC) codecs.push(decodeLatin1(data, 0, 40));
    at = isParent ? start : start + size.value;
  }
  return describeMatroska(values, codecs);
}

function describeMatroska(values: ReadonlyMap<number, Uint8Array>, codecs: readonly string[]): FileFacts {
  const scale = readUnsigned(values.get(TIME_SCALE)) || 1_000_000;
  const duration = formatSeconds((readFloat(values.get(DURATION)) * scale) / 1e9);
  const [width, height] = [readUnsigned(values.get(WIDTH)), readUnsigned(values.get(HEIGHT))];
  const size = width > 0 ? `${width}x${height}` : "";
  const title = new TextDecoder().decode(values.get(TITLE) ?? new Uint8Array());
  const type = decodeLatin1(values.get(DOC_TYPE) ?? new Uint8Array(), 0, 20);
  const format = type === "webm" ? "WebM" : "Matroska";
  const facts = { Format: format, Duration: duration, Size: size, Tracks: codecs.slice(0, 20).join("; ") };
  return { extent: joinFacts(size, duration), facts: listFacts(facts), words: toWords({ title }) };
}

/** A number whose first bits say how long it is; an element's own number keeps those bits. */
function readVarint(bytes: Uint8Array, at: number, keepsMarker: boolean): { value: number; length: number } {
  const first = u8(bytes, at);
  const length = Math.clz32(first) - 23;
  if (first === 0 || length > 8) return { value: 0, length: 0 };
  let value = keepsMarker ? first : first & (0xff >> length);
  for (let index = 1; index < length; index++) value = value * 256 + u8(bytes, at + index);
  return { value, length };
}

function readUnsigned(bytes: Uint8Array | undefined): number {
  if (bytes === undefined || bytes.length === 0 || bytes.length > 6) return 0;
  return Buffer.from(bytes).readUIntBE(0, bytes.length);
}

function readFloat(bytes: Uint8Array | undefined): number {
  if (bytes?.length === 4) return Buffer.from(bytes).readFloatBE(0);
  return bytes?.length === 8 ? Buffer.from(bytes).readDoubleBE(0) : 0;
}
