/** The headers of sound, video, fonts, programs and images, as small as their readers allow. */
import { brotliCompressSync } from "node:zlib";

type Part = string | Uint8Array | readonly number[];

/** Parts in order; a text has one byte for each character. */
export function join(...parts: readonly Part[]): Buffer {
  return Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  );
}

export const be = (value: number, bytes: number): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};

export const le = (value: number, bytes: number): Buffer => be(value, bytes).reverse();

export const zeros = (count: number): Buffer => Buffer.alloc(count);

const riff = (type: string, ...chunks: readonly Buffer[]): Buffer => {
  const data = join(type, ...chunks);
  return join("RIFF", le(data.length, 4), data);
};
const chunk = (type: string, data: Buffer): Buffer => join(type, le(data.length, 4), data, zeros(data.length % 2));

/** One second of silence in 8,000 samples of one byte. */
export const wav = riff(
  "WAVE",
  chunk("fmt ", join(le(1, 2), le(1, 2), le(8_000, 4), le(8_000, 4), le(1, 2), le(8, 2))),
  chunk("LIST", join("INFO", chunk("INAM", join("Harbour\0")))),
  chunk("data", zeros(8_000)),
);

const comment = (text: string): Buffer => join(le(text.length, 4), text);
const comments = join(comment("a test"), le(2, 4), comment("TITLE=Harbour"), comment("artist=Heron"));

/** 44,100 Hz, stereo, 16 bit, 88,200 samples. */
export const flac = join(
  "fLaC",
  [0, 0, 0, 34],
  zeros(10),
  [0x0a, 0xc4, 0x42, 0xf0],
  be(88_200, 4),
  zeros(16),
  [0x84],
  be(comments.length, 3),
  comments,
);

const page = (granule: number, data: Buffer): Buffer =>
  join("OggS", [0, 2], le(granule, 4), zeros(4), zeros(12), [1, data.length], data);
export const opus = join(
  page(0, join("OpusHead", [1, 2], zeros(9))),
  page(0, join("OpusTags", comments)),
  page(144_000, zeros(1)),
);

/** A tag of ID3 and one frame of 128 kbit/s, then silence up to 16,000 bytes: one second. */
const title = join("TIT2", be(8, 4), [0, 0], [3], "Harbour");
const frames = join([0xff, 0xfb, 0x90, 0xc0], zeros(15_996));
export const mp3 = join("ID3", [3, 0, 0], be(title.length, 4), title, frames);

export const box = (type: string, ...parts: readonly Part[]): Buffer => {
  const data = join(...parts);
  return join(be(data.length + 8, 4), type, data);
};
const track = box(
  "trak",
  box("tkhd", zeros(76), be(640 * 65_536, 4), be(360 * 65_536, 4)),
  box("mdia", box("minf", box("stbl", box("stsd", zeros(4), be(1, 4), be(16, 4), "avc1")))),
);
const tags = box(
  "udta",
  box("meta", zeros(4), box("ilst", box("\xa9nam", box("data", be(1, 4), zeros(4), "Harbour")))),
);
export const mp4 = join(
  box("ftyp", "isom", zeros(4)),
  box("mdat", zeros(10)),
  box("moov", box("mvhd", zeros(12), be(1_000, 4), be(75_000, 4)), track, tags),
);

const element = (id: number, idBytes: number, data: Buffer): Buffer => join(be(id, idBytes), [0x40, data.length], data);
export const webm = join(
  element(0x1a45dfa3, 4, element(0x4282, 2, join("webm"))),
  be(0x18538067, 4),
  [0x01],
  be(0xffffffffffff, 6),
  [0xff],
  element(0x1549a966, 4, element(0x4489, 2, join([0x45, 0xbb, 0x80, 0]))),
  element(
    0x1654ae6b,
    4,
    element(
      0xae,
      1,
      join(
        element(0x86, 1, join("V_VP9")),
        element(0xe0, 1, join(element(0xb0, 1, be(320, 2)), element(0xba, 1, be(240, 2)))),
      ),
    ),
  ),
);

export const avi = riff(
  "AVI ",
  chunk(
    "LIST",
    join(
      "hdrl",
      chunk("avih", join(le(40_000, 4), zeros(12), le(250, 4), zeros(12), le(320, 4), le(240, 4), zeros(16))),
    ),
  ),
);

const fontName = (id: number, text: string, at: number): Buffer =>
  join(be(1, 2), be(0, 2), be(0, 2), be(id, 2), be(text.length, 2), be(at, 2));
const nameTable = join(be(0, 2), be(2, 2), be(30, 2), fontName(1, "Heron", 0), fontName(2, "Bold", 5), "HeronBold");
const maxpTable = join(be(0x10000, 4), be(77, 2));
export const font = join(
  be(0x10000, 4),
  be(2, 2),
  zeros(6),
  "maxp",
  zeros(4),
  be(44, 4),
  be(maxpTable.length, 4),
  "name",
  zeros(4),
  be(44 + maxpTable.length, 4),
  be(nameTable.length, 4),
  maxpTable,
  nameTable,
);

/** Three tables, one of them with outlines in the form of the format. */
export const woff2 = makeWoff2(join("outlines", maxpTable, nameTable));

export function makeWoff2(tables: Buffer): Buffer {
  const packed = brotliCompressSync(tables);
  const outlines = join([10], [100], [8]);
  const directory = join(outlines, [4], [maxpTable.length], [0x3f], "name", [nameTable.length]);
  return join("wOF2", be(0x10000, 4), zeros(4), be(3, 2), zeros(6), be(packed.length, 4), zeros(24), directory, packed);
}

export const elf = join("\x7fELF", [2, 1, 1], zeros(9), le(3, 2), le(183, 2), zeros(44));
export const pe = join(
  "MZ",
  zeros(58),
  le(64, 4),
  "PE\0\0",
  le(34_404, 2),
  zeros(16),
  le(0x2000, 2),
  le(0x20b, 2),
  zeros(66),
  le(3, 2),
  zeros(200),
);
export const machO = join([0xcf, 0xfa, 0xed, 0xfe], le(0x100000c, 4), zeros(4), le(2, 4), zeros(16));
export const javaClass = join([0xca, 0xfe, 0xba, 0xbe], be(0, 2), be(65, 2), zeros(20));
export const wasm = join("\0asm", le(1, 4), [2, 1, 3], [3, 1, 9]);

type Place = { readonly latitude: readonly number[]; readonly longitude: readonly number[]; readonly sides?: string };

/** NaN is written as 0/0, as some cameras do. */
const fraction = (value: number): Buffer => (Number.isNaN(value) ? zeros(8) : join(be(value, 4), be(1, 4)));
const fractions = (values: readonly number[]): Buffer => join(...values.map(fraction));

/** A directory of EXIF with the model of a camera and a location in degrees, minutes and seconds, 34 m below the sea. */
export function makeExif({ latitude, longitude, sides = "NE" }: Place): Buffer {
  const field = (tag: number, type: number, count: number, value: Buffer): Buffer =>
    join(be(tag, 2), be(type, 2), be(count, 4), value);
  const gpsAt = 44;
  const valuesAt = gpsAt + 2 + 6 * 12 + 4;
  const longitudeAt = valuesAt + latitude.length * 8;
  return join(
    ...["MM\0*", be(8, 4), be(2, 2)],
    ...[field(0x110, 2, 6, be(38, 4)), field(0x8825, 4, 1, be(gpsAt, 4)), zeros(4), "Heron\0"],
    be(6, 2),
    ...[field(1, 2, 2, join(sides[0] ?? "", zeros(3))), field(2, 5, latitude.length, be(valuesAt, 4))],
    ...[field(3, 2, 2, join(sides[1] ?? "", zeros(3))), field(4, 5, longitude.length, be(longitudeAt, 4))],
    ...[field(5, 1, 1, join([1], zeros(3))), field(6, 5, 1, be(longitudeAt + longitude.length * 8, 4)), zeros(4)],
    ...[fractions(latitude), fractions(longitude), fraction(34)],
  );
}

/** A photo of 30 by 20 pixels that only has headers. */
export function makePhoto(place: Place): Buffer {
  const segment = (marker: number, data: Buffer): Buffer => join([0xff, marker], be(data.length + 2, 2), data);
  const exif = segment(0xe1, join("Exif\0\0", makeExif(place)));
  return join([0xff, 0xd8], exif, segment(0xc0, join([8, 0, 20, 0, 30, 3, 0, 0])), [0xff, 0xd9]);
}

export const makePngChunk = (type: string, data: Buffer): Buffer => join(be(data.length, 4), type, data, zeros(4));

/** A PNG of 4 by 3 pixels that only has headers and these chunks. */
export const makePng = (...chunks: readonly Buffer[]): Buffer =>
  join(
    "\x89PNG\r\n\x1a\n",
    makePngChunk("IHDR", join(be(4, 4), be(3, 4), zeros(5))),
    ...chunks,
    makePngChunk("IEND", zeros(0)),
  );
