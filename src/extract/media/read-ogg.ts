/** Reads Ogg files: the codec and its rate from the first page, comments from the second, the length from the last. */
import { hasAt, indexOf, lastIndexOf, u8, u32le } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";
import { type FileFacts, type FileWords, formatChannels, formatSeconds, joinFacts, listFacts } from "./file-facts.ts";
import { readVorbisComments } from "./vorbis-comments.ts";

const TAIL_BYTES = 64 * 1024;

/** Opus counts in samples of 48 kHz, whatever it was recorded in. */
const OPUS_RATE = 48_000;

type Codec = { readonly name: string; readonly rate: number; readonly channels: number };

export async function readOgg(body: Body, start: Uint8Array): Promise<FileFacts> {
  const codec = findCodec(start);
  const tail = await body.read(Math.max(0, body.sizeBytes - TAIL_BYTES), body.sizeBytes);
  const lastPage = lastIndexOf(tail, "OggS");
  const samples = lastPage === -1 ? 0 : u32le(tail, lastPage + 6) + u32le(tail, lastPage + 10) * 2 ** 32;
  const duration = codec.rate > 0 ? formatSeconds(samples / codec.rate) : "";
  const sound = joinFacts(codec.rate > 0 ? `${codec.rate} Hz` : "", formatChannels(codec.channels));
  const facts = listFacts({ Format: joinFacts("Ogg", codec.name), Duration: duration, Sound: sound });
  return { extent: duration, facts, words: findComments(start) };
}

function findCodec(start: Uint8Array): Codec {
  const data = 27 + u8(start, 26);
  if (hasAt(start, data, "\x01vorbis"))
    return { name: "Vorbis", channels: u8(start, data + 11), rate: u32le(start, data + 12) };
  if (hasAt(start, data, "OpusHead")) return { name: "Opus", channels: u8(start, data + 9), rate: OPUS_RATE };
  if (hasAt(start, data, "\x80theora")) return { name: "Theora video", channels: 0, rate: 0 };
  return { name: "", channels: 0, rate: 0 };
}

function findComments(start: Uint8Array): FileWords {
  const vorbis = indexOf(start, "\x03vorbis");
  if (vorbis !== -1) return readVorbisComments(start, vorbis + 7);
  const opus = indexOf(start, "OpusTags");
  return opus === -1 ? {} : readVorbisComments(start, opus + 8);
}
