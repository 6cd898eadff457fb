/** Reads the headers of WAV, AIFF and FLAC. */
import { decodeLatin1, hasAt, u8, u16be, u16le, u32be, u32le } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";
import {
  type FileFacts,
  type FileWords,
  formatChannels,
  formatSeconds,
  joinFacts,
  listFacts,
  toWords,
} from "./file-facts.ts";
import { readVorbisComments } from "./vorbis-comments.ts";

const MAX_CHUNKS = 200;
const MAX_CHUNK_BYTES = 64 * 1024;

type Chunk = { readonly type: string; readonly at: number; readonly length: number };

/** The chunks of RIFF and IFF files, which differ in the order of bytes. */
async function* listChunks(body: Body, u32: typeof u32le): AsyncGenerator<Chunk> {
  let at = 12;
  for (let count = 0; at + 8 <= body.sizeBytes && count < MAX_CHUNKS; count++) {
    const header = await body.read(at, at + 8);
    const length = u32(header, 4);
    yield { type: decodeLatin1(header, 0, 4), at: at + 8, length };
    at += 8 + length + (length % 2);
  }
}

const readChunk = (body: Body, { at, length }: Chunk): Promise<Uint8Array> =>
  body.read(at, at + Math.min(length, MAX_CHUNK_BYTES));

/** What a sound file states about its samples. */
type Sound = { rate: number; channels: number; bits: number; seconds: number };

function describeSound(format: string, { rate, channels, bits, seconds }: Sound, words: FileWords = {}): FileFacts {
  const duration = formatSeconds(seconds);
  const sound = joinFacts(rate > 0 ? `${rate} Hz` : "", formatChannels(channels), bits > 0 ? `${bits} bit` : "");
  return { extent: duration, facts: listFacts({ Format: format, Duration: duration, Sound: sound }), words };
}

export async function readWav(body: Body): Promise<FileFacts> {
  const sound: Sound = { rate: 0, channels: 0, bits: 0, seconds: 0 };
  let [bytesPerSecond, words]: [number, FileWords] = [0, {}];
  for await (const chunk of listChunks(body, u32le)) {
    if (chunk.type === "fmt ") {
      const bytes = await readChunk(body, chunk);
      Object.assign(sound, { channels: u16le(bytes, 2), rate: u32le(bytes, 4), bits: u16le(bytes, 14) });
      bytesPerSecond = u32le(bytes, 8);
    }
    if (chunk.type === "data" && bytesPerSecond > 0)
      sound.seconds = Math.min(chunk.length, body.sizeBytes - chunk.at) / bytesPerSecond;
    if (chunk.type === "LIST") words = readInfoTags(await readChunk(body, chunk));
  }
  return describeSound("WAV", sound, words);
}

const infoNames: Readonly<Record<string, keyof FileWords>> = { INAM: "title", IART: "author", ICRD: "date" };

function readInfoTags(bytes: Uint8Array): FileWords {
  const tags: Partial<Record<keyof FileWords, string>> = {};
  if (!hasAt(bytes, 0, "INFO")) return {};
  for (let at = 4; at + 8 <= bytes.length; ) {
    const [name, length] = [infoNames[decodeLatin1(bytes, at, at + 4)], u32le(bytes, at + 4)];
    if (name !== undefined) tags[name] = new TextDecoder().decode(bytes.subarray(at + 8, at + 8 + length));
    at += 8 + length + (length % 2);
  }
  return toWords(tags);
}

export async function readAiff(body: Body): Promise<FileFacts> {
  for await (const chunk of listChunks(body, u32be)) {
    if (chunk.type !== "COMM") continue;
    const bytes = await readChunk(body, chunk);
    const rate = readExtended(bytes, 8);
    const seconds = rate > 0 ? u32be(bytes, 2) / rate : 0;
    return describeSound("AIFF", { channels: u16be(bytes, 0), bits: u16be(bytes, 6), rate, seconds });
  }
  return describeSound("AIFF", { rate: 0, channels: 0, bits: 0, seconds: 0 });
}

/** A rate as a number of 80 bits: an exponent and a fraction. */
function readExtended(bytes: Uint8Array, at: number): number {
  const exponent = (u16be(bytes, at) & 0x7fff) - 16_383 - 31;
  return Math.abs(exponent) > 40 ? 0 : Math.round(u32be(bytes, at + 2) * 2 ** exponent);
}

const [STREAM_INFO, VORBIS_COMMENT, LAST_BLOCK] = [0, 4, 0x80];

export async function readFlac(body: Body): Promise<FileFacts> {
  const sound: Sound = { rate: 0, channels: 0, bits: 0, seconds: 0 };
  let words: FileWords = {};
  for (let at = 4, count = 0; at < body.sizeBytes && count < MAX_CHUNKS; count++) {
    const header = await body.read(at, at + 4);
    const [type, length] = [u8(header, 0), u32be(header, 0) % 0x1000000];
    const chunk = { type: "", at: at + 4, length };
    if ((type & 0x7f) === STREAM_INFO) Object.assign(sound, readStreamInfo(await readChunk(body, chunk)));
    if ((type & 0x7f) === VORBIS_COMMENT) words = readVorbisComments(await readChunk(body, chunk), 0);
    if ((type & LAST_BLOCK) !== 0) break;
    at += 4 + length;
  }
  return describeSound("FLAC", sound, words);
}

/** 20 bits of rate, 3 of channels, 5 of sample size, 36 of sample count. */
function readStreamInfo(bytes: Uint8Array): Sound {
  const rate = u32be(bytes, 10) >>> 12;
  const channels = ((u8(bytes, 12) >> 1) & 7) + 1;
  const bits = (((u8(bytes, 12) & 1) << 4) | (u8(bytes, 13) >> 4)) + 1;
  const samples = (u8(bytes, 13) & 15) * 2 ** 32 + u32be(bytes, 14);
  return { rate, channels, bits, seconds: rate > 0 ? samples / rate : 0 };
}
