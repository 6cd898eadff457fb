/** Reads MP3 files: tags of ID3, and the length from the first frame. */
import { decodeLatin1, hasAt, indexOf, u8, u32be } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";
import {
  type FileFacts,
  type FileWords,
  formatChannels,
  formatSeconds,
  joinFacts,
  listFacts,
  noFacts,
  toWords,
} from "./file-facts.ts";

const MAX_TAG_BYTES = 256 * 1024;
const FRAME_SEARCH_BYTES = 16 * 1024;

export async function readMp3(body: Body, start: Uint8Array): Promise<FileFacts> {
  const tagBytes = hasAt(start, 0, "ID3") ? 10 + readSyncSafe(start, 6) : 0;
  const words = tagBytes === 0 ? {} : readTags(await body.read(0, Math.min(tagBytes, MAX_TAG_BYTES)));
  const frames = await body.read(tagBytes, tagBytes + FRAME_SEARCH_BYTES);
  const frame = findFrame(frames);
  if (frame === undefined) return { ...noFacts, words };
  const seconds = countSeconds(frames, frame, body.sizeBytes - tagBytes);
  const duration = formatSeconds(seconds);
  const sound = joinFacts(`${frame.rate} Hz`, formatChannels(frame.channels), `${frame.kilobits} kbit/s`);
  return { extent: duration, facts: listFacts({ Format: "MP3", Duration: duration, Sound: sound }), words };
}

/** Seven bits in each byte. */
const readSyncSafe = (bytes: Uint8Array, at: number): number =>
  [0, 1, 2, 3].reduce((value, index) => value * 0x80 + (u8(bytes, at + index) & 0x7f), 0);

type Frame = {
  readonly at: number;
  readonly isMpeg1: boolean;
  readonly rate: number;
  readonly kilobits: number;
  readonly channels: number;
  readonly samples: number;
};

/** Layer III of MPEG 1, and of MPEG 2. */
const kilobits1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const kilobits2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const rates = [44_100, 48_000, 32_000];

function findFrame(bytes: Uint8Array): Frame | undefined {
  for (let at = indexOf(bytes, "\xff"); at !== -1; at = indexOf(bytes, "\xff", at + 1)) {
    const [second, third, fourth] = [u8(bytes, at + 1), u8(bytes, at + 2), u8(bytes, at + 3)];
    const version = (second >> 3) & 3;
    const isLayer3 = ((second >> 1) & 3) === 1;
    const isMpeg1 = version === 3;
    const kilobits = (isMpeg1 ? kilobits1 : kilobits2)[third >> 4] ?? 0;
    const rate = rates[(third >> 2) & 3] ?? 0;
    if ((second & 0xe0) !== 0xe0 || version === 1 || !isLayer3 || kilobits === 0 || rate === 0) continue;
    const divisor = isMpeg1 ? 1 : version === 2 ? 2 : 4;
    const channels = fourth >> 6 === 3 ? 1 : 2;
    return { at, isMpeg1, rate: rate / divisor, kilobits, channels, samples: isMpeg1 ? 1_152 : 576 };
  }
  return undefined;
}

/** A file of changing bit rate states its number of frames in the first one. */
function countSeconds(bytes: Uint8Array, frame: Frame, sizeBytes: number): number {
  const header = Math.max(indexOf(bytes, "Xing", frame.at), indexOf(bytes, "Info", frame.at));
  const isNear = header !== -1 && header - frame.at < 64;
  if (isNear && (u32be(bytes, header + 4) & 1) === 1) return (u32be(bytes, header + 8) * frame.samples) / frame.rate;
  return (sizeBytes * 8) / (frame.kilobits * 1_000);
}

const tagNames: Readonly<Record<string, keyof FileWords>> = {
  TIT2: "title",
  TPE1: "author",
  TYER: "date",
  TDRC: "date",
  TT2: "title",
  TP1: "author",
};

const MAX_TAGS = 500;
const encodings = ["latin1", "utf-16", "utf-16be", "utf-8"];

function readTags(bytes: Uint8Array): FileWords {
  const tags: Partial<Record<keyof FileWords, string>> = {};
  const [nameBytes, headerBytes] = u8(bytes, 3) === 2 ? [3, 6] : [4, 10];
  const isSyncSafe = u8(bytes, 3) === 4;
  for (let at = 10, count = 0; at + headerBytes < bytes.length && count < MAX_TAGS; count++) {
    const id = decodeLatin1(bytes, at, at + nameBytes);
    const length = isSyncSafe
      ? readSyncSafe(bytes, at + 4)
      : nameBytes === 3
        ? u32be(bytes, at + 2) % 0x1000000
        : u32be(bytes, at + 4);
    if (!/^[A-Z][A-Z0-9]+$/.test(id)) break;
    const name = tagNames[id];
    const value = bytes.subarray(at + headerBytes, at + headerBytes + length);
    if (name !== undefined) tags[name] = new TextDecoder(encodings[u8(value, 0)] ?? "utf-8").decode(value.subarray(1));
    at += headerBytes + length;
  }
  return toWords(tags);
}
