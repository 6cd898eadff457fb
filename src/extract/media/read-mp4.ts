/** Reads MP4 and QuickTime files: length, size of the picture, codecs and tags. */
import { decodeLatin1, u8, u32be } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";
import { type FileFacts, type FileWords, formatSeconds, joinFacts, listFacts, noFacts, toWords } from "./file-facts.ts";
import { type Box, BoxReader } from "./mp4-boxes.ts";

const MAX_TRACKS = 20;

export async function readMp4(body: Body, start: Uint8Array): Promise<FileFacts> {
  const reader = new BoxReader(body);
  const movie = await reader.find(reader.whole, ["moov"]);
  if (movie === undefined) return { ...noFacts, facts: listFacts({ Format: "MP4, without a directory" }) };
  const header = await reader.find(movie, ["mvhd"]);
  const duration = header === undefined ? "" : formatSeconds(readDuration(await reader.read(header)));
  const tracks = await readTracks(reader, movie);
  const size = tracks.find(({ size }) => size !== "")?.size ?? "";
  const brand = decodeLatin1(start, 8, 12).trim();
  return {
    extent: joinFacts(size, duration),
    facts: listFacts({
      Format: brand === "qt" ? "QuickTime" : joinFacts("MP4", brand),
      Duration: duration,
      Size: size,
      Tracks: tracks.map(({ codec, size }) => joinFacts(codec, size)).join("; "),
    }),
    words: await readTags(reader, movie),
  };
}

/** Version 1 has times of 64 bits. */
function readDuration(bytes: Uint8Array): number {
  const isLong = u8(bytes, 0) === 1;
  const scale = u32be(bytes, isLong ? 20 : 12);
  const duration = isLong ? u32be(bytes, 24) * 2 ** 32 + u32be(bytes, 28) : u32be(bytes, 16);
  return scale === 0 ? 0 : duration / scale;
}

type Track = { readonly codec: string; readonly size: string };

async function readTracks(reader: BoxReader, movie: Box): Promise<Track[]> {
  const tracks: Track[] = [];
  for await (const track of reader.list(movie.at, movie.end)) {
    if (track.type !== "trak" || tracks.length === MAX_TRACKS) continue;
    const header = await reader.find(track, ["tkhd"]);
    const description = await reader.find(track, ["mdia", "minf", "stbl", "stsd"]);
    tracks.push({
      codec: description === undefined ? "" : decodeLatin1(await reader.read(description), 12, 16).trim(),
      size: header === undefined ? "" : readSize(await reader.read(header)),
    });
  }
  return tracks;
}

/** Width and height are the last two numbers of the header, in units of 1/65536. */
function readSize(bytes: Uint8Array): string {
  const at = u8(bytes, 0) === 1 ? 88 : 76;
  const [width, height] = [u32be(bytes, at) / 65_536, u32be(bytes, at + 4) / 65_536];
  return width >= 1 && height >= 1 ? `${Math.round(width)}x${Math.round(height)}` : "";
}

const tagNames: Readonly<Record<string, keyof FileWords>> = {
  "\xa9nam": "title",
  "\xa9ART": "author",
  "\xa9day": "date",
};

async function readTags(reader: BoxReader, movie: Box): Promise<FileWords> {
  const tags: Partial<Record<keyof FileWords, string>> = {};
  const list = await reader.find(movie, ["udta", "meta", "ilst"], { meta: 4 });
  if (list === undefined) return {};
  for await (const tag of reader.list(list.at, list.end)) {
    const name = tagNames[tag.type];
    const data = name === undefined ? undefined : await reader.find(tag, ["data"]);
    if (name !== undefined && data !== undefined)
      tags[name] = new TextDecoder().decode((await reader.read(data)).subarray(8));
  }
  return toWords(tags);
}
