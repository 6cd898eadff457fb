import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import * as files from "../../../test/media-files.ts";
import { handlerContract, keep, run, segmentsOf } from "../handler.contract.ts";
import { media } from "./media-handler.ts";

const asMedia = (mediaType: string, bytes: Uint8Array) => ({ kind: "unknown_binary", mediaType, bytes }) as const;

handlerContract(media, [
  { name: "a sound", ...asMedia("audio/wav", files.wav) },
  { name: "a video that is cut", ...asMedia("video/mp4", files.mp4.subarray(0, 60)) },
  { name: "a program", ...asMedia("application/x-elf", files.elf) },
  { name: "an empty file", ...asMedia("audio/mpeg", Buffer.alloc(0)) },
]);

async function read(mediaType: string, bytes: Uint8Array) {
  await using kept = await keep(asMedia(mediaType, bytes));
  const items = await run(media, kept.file);
  assert.deepEqual(segmentsOf(items), []);
  const { facts, extent, ...words } = Object.assign({}, ...items.map((item) => ("info" in item ? item.info : {})));
  return { extent, facts, words };
}

describe("sound, video, fonts and programs", () => {
  const cases = [
    [
      "audio/wav",
      files.wav,
      "0:01",
      ["Format: WAV", "Duration: 0:01", "Sound: 8000 Hz, mono, 8 bit", "title: Harbour"],
    ],
    [
      "audio/flac",
      files.flac,
      "0:02",
      ["Format: FLAC", "Duration: 0:02", "Sound: 44100 Hz, stereo, 16 bit", "title: Harbour", "author: Heron"],
    ],
    [
      "audio/ogg",
      files.opus,
      "0:03",
      ["Format: Ogg, Opus", "Duration: 0:03", "Sound: 48000 Hz, stereo", "title: Harbour", "author: Heron"],
    ],
    [
      "audio/mpeg",
      files.mp3,
      "0:01",
      ["Format: MP3", "Duration: 0:01", "Sound: 44100 Hz, mono, 128 kbit/s", "title: Harbour"],
    ],
    [
      "video/mp4",
      files.mp4,
      "640x360, 1:15",
      ["Format: MP4, isom", "Duration: 1:15", "Size: 640x360", "Tracks: avc1, 640x360", "title: Harbour"],
    ],
    ["video/webm", files.webm, "320x240, 0:06", ["Format: WebM", "Duration: 0:06", "Size: 320x240", "Tracks: V_VP9"]],
    ["video/x-msvideo", files.avi, "320x240, 0:10", ["Format: AVI", "Duration: 0:10", "Size: 320x240"]],
    ["font/ttf", files.font, "glyphs 77", ["Format: TrueType", "title: Heron Bold", "Glyphs: 77"]],
    ["font/woff2", files.woff2, "glyphs 77", ["Format: WOFF2", "Tables: 3", "title: Heron Bold", "Glyphs: 77"]],
    ["font/woff2", files.woff2.subarray(0, 80), "", ["Format: WOFF2", "Tables: 3"]],
    [
      "application/x-elf",
      files.elf,
      "ARM64, 64 bit, little-endian",
      ["Format: ELF", "Type: shared library or executable", "Architecture: ARM64, 64 bit, little-endian"],
    ],
    [
      "application/vnd.microsoft.portable-executable",
      files.pe,
      "x86-64, 64 bit",
      ["Format: Windows PE", "Type: library, console", "Architecture: x86-64, 64 bit"],
    ],
    ["application/x-mach-binary", files.machO, "ARM64", ["Format: Mach-O", "Type: executable", "Architecture: ARM64"]],
    ["application/java-vm", files.javaClass, "Java 21", ["Format: Java class", "Architecture: Java 21"]],
    [
      "application/wasm",
      files.wasm,
      "version 1",
      ["Format: WebAssembly", "Architecture: version 1", "Imports: 3", "Functions: 9"],
    ],
  ] as const;
  for (const [mediaType, bytes, extent, lines] of cases) {
    test(`${mediaType}: ${extent}`, async () => {
      const isWord = (line: string) => /^(title|author|date): /.test(line);
      const words = Object.fromEntries(lines.filter(isWord).map((line) => line.split(": ")));
      assert.deepEqual(await read(mediaType, bytes), { extent, facts: lines.filter((line) => !isWord(line)), words });
    });
  }

  test("cannot put words of their own among our facts", async () => {
    const codec = files.box("stsd", files.zeros(4), files.be(1, 4), files.be(16, 4), "\n[a]");
    const track = files.box("trak", files.box("mdia", files.box("minf", files.box("stbl", codec))));
    const bytes = files.join(files.box("ftyp", 'is"m'), files.box("moov", track));
    assert.deepEqual((await read("video/mp4", bytes)).facts, ["Format: MP4, ism", "Tracks: a"]);
  });

  test("that are damaged or cut anywhere give facts or none, never an error", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...cases),
        fc.nat(),
        fc.nat(),
        fc.nat(255),
        async ([type, bytes], cut, at, byte) => {
          const damaged = Buffer.from(bytes.subarray(0, cut % (bytes.length + 1)));
          if (damaged.length > 0) damaged[at % damaged.length] = byte;
          await read(type, damaged);
        },
      ),
    );
  });

  test("with lengths that lie cost no more than their bytes", async () => {
    const before = process.cpuUsage();
    const endless = files.join("RIFF", files.zeros(4), "WAVE", Buffer.alloc(400_000));
    const boxes = files.join(files.box("ftyp", "isom"), Buffer.alloc(400_000, files.box("free")));
    const tags = files.join("ID3", [3, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f], Buffer.alloc(400_000, "TIT2\0\0\0\0\0\0"));
    for (const [type, bytes] of [
      ["audio/wav", endless],
      ["video/mp4", boxes],
      ["audio/mpeg", tags],
    ] as const)
      await read(type, bytes);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 1_000_000, `${(user + system) / 1e6} CPU s`);
  });
});
