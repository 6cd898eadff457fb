import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { be, box, join, le, zeros } from "../../../test/media-files.ts";
import { handlerContract, keep, run, segmentsOf } from "../handler.contract.ts";
import { hintForOcr } from "../ocr/describe-ocr.ts";
import { image } from "./image-handler.ts";

const be32 = (...values: number[]) =>
  Buffer.concat(values.map((value) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value])));
const chunk = (type: string, data: Uint8Array) =>
  Buffer.concat([be32(data.length), Buffer.from(type), data, Buffer.alloc(4)]);
const png = Buffer.concat([
  Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
  chunk("IHDR", Buffer.concat([be32(640, 480), Buffer.alloc(5)])),
  chunk("acTL", be32(3, 0)),
  chunk("tEXt", Buffer.from("Title\0The\nquay")),
  chunk("iTXt", Buffer.from("Author\0\0\0en\0\0Zoë")),
  chunk("IEND", Buffer.alloc(0)),
]);

/** A directory of EXIF: the model of the camera, and a pointer to a location. */
const exif = Buffer.concat([
  Buffer.from("Exif\0\0MM\0*"),
  be32(8),
  Buffer.from([0, 2]),
  Buffer.from([0x01, 0x10, 0, 2]),
  be32(6, 38),
  Buffer.from([0x88, 0x25, 0, 4]),
  be32(1, 44),
  be32(0),
  Buffer.from("Heron\0 52.5 N"),
]);
const segment = (marker: number, data: Uint8Array) =>
  Buffer.concat([Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255]), data]);
const jpeg = Buffer.concat([
  Buffer.from([0xff, 0xd8]),
  segment(0xe1, exif),
  segment(0xfe, Buffer.from("a comment")),
  segment(0xc0, Buffer.from([8, 0, 20, 0, 30, 3, 0, 0])),
]);
const gif = Buffer.from("GIF89a\x0a\0\x05\0\0\0\0", "latin1");
const vp8x = Buffer.concat([
  Buffer.from("RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x7f\0\0\x3f\0\0", "latin1"),
  Buffer.from("ANMF\0\0\0\0ANMF\0\0\0\0", "latin1"),
]);

/** How OCR is switched on, which every format that it can read says. */
const ocrHint = hintForOcr(undefined);

const asImage = (mediaType: string, bytes: Uint8Array) => ({ kind: "image", mediaType, bytes }) as const;

const gifFrame = join([0x2c], zeros(9), [2, 3], zeros(3), [0]);
const animation = join(gif, [0x21, 0xfe, 7], "a quay!", [0], gifFrame, gifFrame, gifFrame, [0x3b]);
const tiffPage = (next: number, make: number): Buffer =>
  join(
    be(3, 2),
    be(256, 2),
    be(3, 2),
    be(1, 4),
    be(70, 2),
    zeros(2),
    be(257, 2),
    be(4, 2),
    be(1, 4),
    be(90, 4),
    be(271, 2),
    be(2, 2),
    be(6, 4),
    be(make, 4),
    be(next, 4),
  );
const tiff = join("MM\0*", be(8, 4), tiffPage(50, 92), tiffPage(0, 92), "Heron\0");
const size = (width: number, height: number) => box("ispe", zeros(4), be(width, 4), be(height, 4));
const heif = join(
  box("ftyp", "avif", zeros(4)),
  box("meta", zeros(4), box("iprp", box("ipco", size(160, 120), size(4_032, 3_024)))),
);
const jpeg2000 = join(box("jP  ", "\r\n\x87\n"), box("ftyp", "jp2 "), box("jp2h", box("ihdr", be(20, 4), be(30, 4))));
const icon = join(le(0, 2), le(1, 2), le(2, 2), [16, 16], zeros(14), [0, 0], zeros(14));
const photoshop = join("8BPS", be(1, 2), zeros(6), be(3, 2), be(40, 4), be(50, 4));
const drawing = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><title>Quay &amp; gate</title><style>text { x: y }</style>' +
    '<text><tspan x="1">First</tspan><tspan x="1">second</tspan></text><script>alert(1)</script></svg>',
);

handlerContract(image, [
  { name: "an animation", ...asImage("image/gif", animation) },
  { name: "a TIFF", ...asImage("image/tiff", tiff) },
  { name: "a drawing", ...asImage("image/svg+xml", drawing) },
  { name: "a drawing that is not XML", ...asImage("image/svg+xml", Buffer.from("<svg <")) },
  { name: "a PNG", ...asImage("image/png", png) },
  { name: "a PNG that is cut", ...asImage("image/png", png.subarray(0, 70)) },
  { name: "a JPEG", ...asImage("image/jpeg", jpeg) },
  { name: "a GIF", ...asImage("image/gif", gif) },
  { name: "an empty file", ...asImage("image/webp", Buffer.alloc(0)) },
]);

async function read(mediaType: string, bytes: Uint8Array) {
  await using kept = await keep(asImage(mediaType, bytes));
  const items = await run(image, kept.file);
  const info = Object.assign({}, ...items.map((item) => ("info" in item ? item.info : {})));
  const { extent, warnings } = image.describe?.(info, null) ?? {};
  return {
    extent,
    warnings,
    text: segmentsOf(items)
      .map(({ text }) => text)
      .join(""),
  };
}

describe("an image", () => {
  test("states its size, frames and texts", async () => {
    assert.deepEqual(await read("image/png", png), {
      extent: "640x480",
      warnings: ["It has 3 frames.", ...ocrHint],
      text: "Title: The quay\nAuthor: Zoë\n",
    });
    assert.deepEqual(await read("image/gif", gif), { extent: "10x5", warnings: ocrHint, text: "" });
    assert.deepEqual(await read("image/webp", vp8x), {
      extent: "128x64",
      warnings: ["It has 2 frames.", ...ocrHint],
      text: "",
    });
  });

  test("of every further format states its size", async () => {
    assert.deepEqual(await read("image/gif", animation), {
      extent: "10x5",
      warnings: ["It has 3 frames.", ...ocrHint],
      text: "Comment: a quay!\n",
    });
    assert.deepEqual(await read("image/tiff", tiff), {
      extent: "70x90",
      warnings: ["It has 2 frames.", ...ocrHint],
      text: "Make: Heron\n",
    });
    const sizes = [
      ["image/avif", heif, "4032x3024"],
      ["image/jp2", jpeg2000, "30x20"],
      ["image/vnd.microsoft.icon", icon, "256x256"],
      ["image/vnd.adobe.photoshop", photoshop, "50x40"],
    ] as const;
    for (const [type, bytes, extent] of sizes) assert.equal((await read(type, bytes)).extent, extent, type);
  });

  test("that is a drawing shows its words, and its source in mode raw", async () => {
    assert.deepEqual(await read("image/svg+xml", drawing), {
      extent: "40x20",
      warnings: [],
      text: "Quay & gate\nFirst\nsecond\n",
    });
    await using kept = await keep(asImage("image/svg+xml", drawing));
    const raw = await Array.fromAsync(image.extract(kept.file, { mode: "raw", from: 0 }, new AbortController().signal));
    assert.equal(segmentsOf(raw)[0]?.text, drawing.toString());
  });

  test("says which camera it came from, never where it was taken", async () => {
    const { extent, text } = await read("image/jpeg", jpeg);
    assert.deepEqual([extent, text], ["30x20", "Model: Heron\nComment: a comment\n"]);
  });

  test("that claims endless chunks costs no more than its bytes", async () => {
    const bomb = Buffer.concat([png.subarray(0, 8), Buffer.alloc(200_000)]);
    assert.equal((await read("image/png", bomb)).text, "");
  });
});
