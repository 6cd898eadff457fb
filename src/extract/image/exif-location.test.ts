import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { be, box, join, makeExif, makePhoto, makePng, makePngChunk, zeros } from "../../../test/media-files.ts";
import { toBody } from "../../acquire/spooled-body.ts";
import { keep } from "../handler.contract.ts";
import { readImage } from "./read-image.ts";

const read = (bytes: Uint8Array) => readImage(toBody({ bytes }, bytes.length));
const readPlace = async (bytes: Uint8Array) => (await read(bytes)).location;

const place = { latitude: [52, 31, 12], longitude: [13, 24, 18], sides: "NW" };
const WORDS = "Location: 52.520000, -13.405000, -34 m";
const exif = makeExif(place);

/** A HEIC file whose second item is what the camera wrote; its table may name another place for it. */
function makeHeic(wrongAt?: bigint): Buffer {
  const name = (id: number, type: string) => box("infe", [2, 0, 0, 0], be(id, 2), zeros(2), type, [0]);
  const names = box("iinf", zeros(4), be(2, 2), name(1, "hvc1"), name(2, "Exif"));
  const item = (id: number, at: number, length: number) => {
    const offset = Buffer.alloc(8);
    offset.writeBigUInt64BE(wrongAt ?? BigInt(at));
    return join(be(id, 2), zeros(2), be(1, 2), offset, be(length, 4));
  };
  const makeMeta = (at: number) =>
    box(
      "meta",
      ...[zeros(4), names, box("iloc", zeros(4), [0x84, 0], be(2, 2), item(1, 0, 4), item(2, at, exif.length + 10))],
      box("iprp", box("ipco", box("ispe", zeros(4), be(40, 4), be(30, 4)))),
    );
  const type = box("ftyp", "heic", zeros(4));
  const at = type.length + makeMeta(0).length + 8;
  return join(type, makeMeta(at), box("mdat", be(6, 4), "Exif\0\0", exif));
}

describe("the place where a photo was taken", () => {
  test("is read from every format that has EXIF", async () => {
    const webp = join("RIFF", zeros(4), "WEBP", "EXIF", be(exif.length, 4).reverse(), exif);
    const formats = {
      jpeg: makePhoto(place),
      png: makePng(makePngChunk("eXIf", exif)),
      webp,
      tiff: exif,
      heic: makeHeic(),
    };
    for (const [format, bytes] of Object.entries(formats)) {
      const { location, notes } = await read(bytes);
      assert.deepEqual([location, notes], [[WORDS], ["Model: Heron"]], format);
    }
  });

  test("is ignored where a table says that it is outside of the file, and the size is read", async () => {
    for (const at of [2n ** 63n + 5n, 2n ** 53n, 1_000_000n]) {
      const sample = { name: "photo.heic", bytes: makeHeic(at), kind: "image", mediaType: "image/heic" } as const;
      await using sampleFile = await keep(sample);
      const { content, sizeBytes } = sampleFile.file;
      const header = await readImage(toBody(content, sizeBytes));
      assert.deepEqual(header, { width: 40, height: 30, notes: [] }, String(at));
    }
  });

  test("may have degrees alone, and is stated but not read where the numbers make no sense", async () => {
    const cases: [latitude: number[], longitude: number[], expected: string[]][] = [
      [[52], [13], ["Location: 52.000000, 13.000000, -34 m"]],
      [[91], [13], []],
      [[52], [181], []],
      [[], [13], []],
      [[Number.NaN], [13], []],
    ];
    for (const [latitude, longitude, expected] of cases)
      assert.deepEqual(await readPlace(makePhoto({ latitude, longitude })), expected, `${latitude} ${longitude}`);
  });

  test("has minutes and seconds of 0 where they are written as 0/0", async () => {
    const photo = makePhoto({ latitude: [52, 30, Number.NaN], longitude: [13, Number.NaN, Number.NaN] });
    assert.deepEqual(await readPlace(photo), ["Location: 52.500000, 13.000000, -34 m"]);
  });

  test("is not in the notes of a PNG either", async () => {
    const stated = [
      ...["exif:GPSLatitude\x0052/1", "GPSLatitude\x0052/1", "xmp:GPS\x0052 N", "Location\0Quay 4"],
      ...["geo:lat\x0052.5", "LONGITUDE\x0013.4"],
    ];
    const packet = "<x:xmpmeta><rdf:Description exif:GPSLatitude='52,31N'/></x:xmpmeta>";
    const unread = [`Comment\0${packet}`, `xmp\0${packet}`, `Location\0<?xpacket begin=''?>${packet}`];
    const notStated = ["Comment\0<x:xmpmeta xmp:Rating='5'/>", "Raw profile type exif\x00ffd8", "xmp:Rating\x005"];
    const readTexts = (text: string) => read(makePng(makePngChunk("tEXt", Buffer.from(text)), title));
    const title = makePngChunk("tEXt", Buffer.from("Title\0Quay"));
    for (const [texts, toLocation] of [
      [stated, (text: string) => [text.replace("\0", ": ")]],
      [unread, () => []],
      [notStated, () => undefined],
    ] as const) {
      for (const text of texts) {
        const { notes, location } = await readTexts(text);
        assert.deepEqual([notes, location], [["Title: Quay"], toLocation(text)], text);
      }
    }
  });

  test("is found in an XMP packet of a PNG, which is not shown", async () => {
    const packet = makePngChunk("iTXt", join("XML:com.adobe.xmp", zeros(5), "<x exif:GPSLatitude='52,31N'/>"));
    const { notes, location } = await read(makePng(packet));
    assert.deepEqual([notes, location], [[], []]);
  });

  test("never throws on damaged directories", async () => {
    const samples = [exif, makePhoto(place), makeHeic()];
    const damage = fc.tuple(fc.constantFrom(...samples), fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat());
    await fc.assert(
      fc.asyncProperty(damage, async ([sample, at, value, length]) => {
        const bytes = Buffer.from(sample.subarray(0, Math.max(16, length % sample.length)));
        bytes[16 + (at % Math.max(1, bytes.length - 16))] = value;
        const { location } = await read(bytes);
        assert.match(location?.join() ?? "", /^(Location: -?[\d.]+, -?[\d.]+(, -?\d+ m)?)?$/);
      }),
    );
  });
});
