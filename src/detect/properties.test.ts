import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { memoryBody } from "../../test/detection.ts";
import { bytesOf, joined, utf8 } from "../../test/samples.ts";
import { soakCount } from "../../test/soak.ts";
import { confirmKind } from "./confirm.ts";
import { detectContentKind } from "./detect.ts";
import { signatures } from "./formats/signatures.ts";
import { type Claims, contentKinds } from "./kind.ts";
import { findEncoding } from "./text/charset.ts";
import { multiByteCharsets } from "./text/multi-byte.ts";
import { singleByteCharsets } from "./text/single-byte.ts";

const beginnings = signatures.map(({ magic, offset = 0 }) => joined(new Uint8Array(offset), bytesOf(magic)));

/** Bytes that begin like some format, followed by anything. */
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 600 }),
  fc.tuple(fc.constantFrom(...beginnings), fc.uint8Array({ maxLength: 600 })).map((parts) => joined(...parts)),
  fc.string({ unit: "binary", maxLength: 300 }).map(utf8),
);

const types = [
  "text/plain",
  "text/html",
  "application/pdf",
  "application/json",
  "image/png",
  "application/octet-stream",
];

const claims: fc.Arbitrary<Claims> = fc.record(
  {
    firstBytes: bytes,
    headers: fc.record({ "content-type": fc.oneof(fc.string(), fc.constantFrom(...types)) }),
    url: fc.oneof(fc.string(), fc.webUrl(), fc.constantFrom("a.txt", "a.html", "a.csv", "a.docx", "a.svg")),
  },
  { requiredKeys: ["firstBytes"] },
);

test("any bytes, header and name give one of the seven kinds, and the same one again", () => {
  fc.assert(
    fc.property(claims, (input) => {
      const detection = detectContentKind(input);
      assert.ok(contentKinds.includes(detection.kind));
      assert.doesNotMatch(detection.signals.notes.join(), /detector failed/);
      assert.deepEqual(detectContentKind(input), detection);
    }),
    { numRuns: soakCount({ sample: 400, full: 2_000 }) },
  );
});

test("the whole of a small body confirms its first look, unless its end says more", async () => {
  await fc.assert(
    fc.asyncProperty(claims, async (input) => {
      const first = detectContentKind(input);
      const whole = await confirmKind(memoryBody(input.firstBytes, 100), input);
      assert.doesNotMatch(whole.signals.notes.join(), /detector failed/);
      if (first.kind === "text" || first.kind === "html") assert.equal(whole.kind, first.kind);
    }),
    { numRuns: soakCount({ sample: 200, full: 1_000 }) },
  );
});

/** NULs and bytes that are invalid in UTF-8 all over. */
const binary = fc
  .uint8Array({ minLength: 64, maxLength: 2000 })
  .map((random) => Uint8Array.from([...random, 0, 1, 2, 0xff, 0xfe, 0x80, 3, 4].flatMap((byte) => [byte, 0xff, 0])));

test("unknown binary is never text, whatever the claims say", () => {
  fc.assert(
    fc.property(
      binary,
      fc.constantFrom(...types),
      fc.constantFrom("a.txt", "a.html", "a.json", ""),
      (firstBytes, type, url) => {
        const { kind, charset } = detectContentKind({ firstBytes, headers: { "content-type": type }, url });
        assert.notEqual(kind, "text");
        assert.notEqual(kind, "html");
        assert.equal(charset, null);
      },
    ),
  );
});

test("text cut anywhere is still text", () => {
  const words = fc.string({
    unit: fc.constantFrom(..."aeiou nst,.\n", "é", "ж", "語", "🎉"),
    minLength: 30,
    maxLength: 200,
  });
  fc.assert(
    fc.property(words, fc.nat(), (text, cut) => {
      const whole = utf8(`Words: ${text}`);
      const detection = detectContentKind({ firstBytes: whole.subarray(0, 7 + (cut % (whole.length - 6))) });
      assert.deepEqual([detection.kind, detection.charset], ["text", "utf-8"]);
    }),
  );
});

/** Charsets that we name although the web platform does not know them. */
const extraCharsets = ["utf-32le", "utf-32be", "ibm850", "ibm855", "ebcdic", "johab", "iso-2022-kr"];

test("a charset has the platform's name for it, or is one of the few that the platform lacks", () => {
  for (const name of [...singleByteCharsets, ...multiByteCharsets].map((row) => row.name)) {
    assert.equal(findEncoding(name) ?? name, name);
    assert.equal(findEncoding(name) === null, extraCharsets.includes(name), name);
  }
  fc.assert(
    fc.property(claims, (input) => {
      const { charset } = detectContentKind(input);
      if (charset !== null) assert.ok(findEncoding(charset) === charset || extraCharsets.includes(charset), charset);
    }),
  );
});
