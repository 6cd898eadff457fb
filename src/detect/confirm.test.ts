import assert from "node:assert/strict";
import { test } from "node:test";
import { assertCpuTime } from "../../test/cpu-time.ts";
import { memoryBody } from "../../test/detection.ts";
import { bytesOf, encoded, joined, noise, oleOf, utf8, zipOf } from "../../test/samples.ts";
import { confirmKind } from "./confirm.ts";
import { detectContentKind } from "./detect.ts";
import { type Body, type ContentKind, type Detection, FIRST_LOOK_BYTES } from "./kind.ts";

const prose = utf8("A line of ordinary text, one of many.\n".repeat(3000));
const contentTypes = '<Types><Override ContentType="x.wordprocessingml.document.main+xml"/></Types>';

const confirm = (bytes: Uint8Array, chunkBytes?: number): Promise<Detection> =>
  confirmKind(memoryBody(bytes, chunkBytes), {});

/** A ZIP with many large images before the member that declares the format. */
function lateZip(members: Readonly<Record<string, string>>): Uint8Array {
  const pictures = Array.from({ length: 30 }, (_, i) => [`media/${i}.bin`, noiseText(i)] as const);
  return zipOf({ ...Object.fromEntries(pictures), ...members });
}

const noiseText = (seed: number): string => Buffer.from(noise(4000, seed + 1)).toString("latin1");

const cases: readonly {
  name: string;
  bytes: Uint8Array;
  first: ContentKind;
  whole: ContentKind;
  mediaType?: string;
}[] = [
  { name: "text to its end", bytes: prose, first: "text", whole: "text" },
  { name: "text followed by binary", bytes: joined(prose, noise(5000)), first: "text", whole: "unknown_binary" },
  {
    name: "text with 500 bytes of binary in the middle",
    bytes: joined(prose, noise(500), prose),
    first: "text",
    whole: "unknown_binary",
  },
  {
    name: "a page followed by binary",
    bytes: joined(utf8("<html>"), prose, noise(900)),
    first: "html",
    whole: "unknown_binary",
  },
  { name: "text padded with NULs", bytes: joined(prose, new Uint8Array(300_000)), first: "text", whole: "text" },
  {
    name: "text with holes of NULs",
    bytes: joined(prose, new Uint8Array(90_000), prose),
    first: "text",
    whole: "unknown_binary",
  },
  { name: "text with a stray NUL", bytes: joined(prose, bytesOf("\0"), prose), first: "text", whole: "text" },
  {
    name: "a docx that declares its type last",
    bytes: lateZip({ "[Content_Types].xml": contentTypes }),
    first: "archive",
    whole: "office_doc",
  },
  {
    name: "an ODF document with its type last",
    bytes: lateZip({ mimetype: "application/vnd.oasis.opendocument.text" }),
    first: "archive",
    whole: "office_doc",
  },
  { name: "a plain archive of many files", bytes: lateZip({ "notes.txt": "x" }), first: "archive", whole: "archive" },
  {
    name: "a main part without a package",
    bytes: zipOf({ "word/document.xml": "<a/>" }),
    first: "office_doc",
    whole: "archive",
  },
  {
    name: "a zip behind a shell script",
    bytes: joined(utf8("#!/bin/sh\nexec unzip $0\n"), zipOf({ a: noiseText(3) })),
    first: "unknown_binary",
    whole: "archive",
  },
  {
    name: "an installer with a late directory",
    bytes: oleOf(["\u4840\u3f7f"], 400),
    first: "office_doc",
    whole: "unknown_binary",
  },
  {
    name: "a Word document with a late directory",
    bytes: oleOf(["WordDocument"], 400),
    first: "office_doc",
    whole: "office_doc",
    mediaType: "application/msword",
  },
  {
    name: "a disk image that signs its end",
    bytes: joined(noise(9000), bytesOf("koly\0\0\0\x04"), new Uint8Array(504)),
    first: "unknown_binary",
    whole: "archive",
  },
];

for (const { name, bytes, first, whole, mediaType } of cases) {
  test(`${name}: ${first} at first, ${whole} as a whole`, async () => {
    assert.equal(detectContentKind({ firstBytes: bytes.subarray(0, FIRST_LOOK_BYTES) }).kind, first);
    const detection = await confirm(bytes);
    assert.equal(detection.kind, whole, JSON.stringify(detection));
    if (mediaType !== undefined) assert.equal(detection.mediaType, mediaType);
    if (first !== whole) assert.match(detection.signals.notes.join(), /whole body is/);
  });
}

test("a note says where text ended", async () => {
  const detection = await confirm(joined(prose, noise(5000)));
  assert.match(detection.signals.notes.join("\n"), /^Text ends near byte \d+, binary follows\.$/m);
  assert.equal(detection.charset, null);
});

test("chunks of any size give the same answer", async () => {
  const text = utf8("Grüße aus 東京 🎉, ohne Zeilenende ".repeat(4000));
  for (const bytes of [text, joined(text, noise(3000)), encoded("日本語の文章です。\n".repeat(9000), "shift_jis")]) {
    const whole = await confirm(bytes, bytes.length);
    for (const chunkBytes of [997, 4096, 65_537]) assert.deepEqual(await confirm(bytes, chunkBytes), whole);
  }
});

test("a charset that shows only after the prefix is found", async () => {
  const lateText = joined(
    prose,
    encoded("Съешь же ещё этих мягких французских булок, да выпей чаю.\n".repeat(50), "windows-1251"),
  );
  const detection = await confirm(lateText);
  assert.deepEqual([detection.kind, detection.charset], ["text", "windows-1251"]);
});

const utf16 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "utf16le"));

test("a log that a tool continues in UTF-16 keeps its charset, and a note says where it is damaged", async () => {
  const detection = await confirm(joined(prose, utf16("Zeile um Zeile\n".repeat(9000))));
  assert.deepEqual([detection.kind, detection.charset], ["text", "utf-8"]);
  assert.match(detection.signals.notes.join(), /^Some bytes from \d+ on are not valid utf-8\.$/);
});

test("UTF-16 is read to its end too", async () => {
  const wide = joined(bytesOf("\xff\xfe"), utf16("Zeile für Zeile\n".repeat(9000)));
  assert.equal((await confirm(wide)).charset, "utf-16le");
  assert.equal((await confirm(joined(wide, noise(70_000)))).kind, "unknown_binary");
});

test("the first bytes come from the body, whatever the claims say they are", async () => {
  const claims = { firstBytes: utf8("just words"), url: "a.txt" };
  const detection = await confirmKind(memoryBody(oleOf(["WordDocument"])), claims);
  assert.deepEqual([detection.mediaType, detection.signals.extension], ["application/msword", "text/plain"]);
});

test("strong magic is not read to its end", async () => {
  const picture = joined(bytesOf("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"), noise(500_000));
  let readBytes = 0;
  const counting: Body = {
    sizeBytes: picture.length,
    read: async (start, end) => {
      const part = picture.subarray(start, end);
      readBytes += part.length;
      return part;
    },
    stream: () => assert.fail("the whole body was streamed"),
  };
  assert.equal((await confirmKind(counting, {})).kind, "image");
  assert.ok(readBytes <= FIRST_LOOK_BYTES, `${readBytes} bytes read`);
});

test("hostile containers take bounded work and get a kind", async () => {
  const zip = zipOf({ "a.txt": "x" });
  const huge = Uint8Array.from(zip);
  new DataView(huge.buffer).setUint32(huge.length - 10, 0xfffffff0, true); // A directory larger than the file.
  const looping = oleOf(["WordDocument"]);
  new DataView(looping.buffer).setUint32(512 + 4, 1, true); // The directory's sector follows itself.
  const astray = oleOf([]);
  new DataView(astray.buffer).setUint32(48, 0xfffffff0, true);
  const nested = joined(...Array.from({ length: 3000 }, () => bytesOf(`PK\x03\x04${"\0".repeat(26)}`)));
  for (const bytes of [
    huge,
    zip.subarray(0, 40),
    looping,
    astray,
    nested,
    bytesOf("PK\x05\x06"),
    looping.subarray(0, 600),
  ]) {
    await assertCpuTime(2_000, async () => {
      assert.ok(["archive", "office_doc"].includes((await confirm(bytes)).kind));
    });
  }
});

test("a body that cannot be read throws; content never does", async () => {
  const broken: Body = {
    sizeBytes: 10,
    read: () => Promise.reject(new Error("disk gone")),
    stream: () => assert.fail("not reached"),
  };
  await assert.rejects(confirmKind(broken, {}), /disk gone/);
});
