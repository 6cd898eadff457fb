import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { makeXmlDecoder } from "./decode-xml.ts";

function decode(bytes: Uint8Array, chunkBytes: number): string {
  const decoder = makeXmlDecoder(bytes);
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) texts.push(...decoder(bytes.subarray(at, at + chunkBytes)));
  return texts.join("");
}

describe("the text of an XML part", () => {
  const xml = "<a>ä€😀</a>";
  const utf16le = Buffer.from(`\ufeff${xml}`, "utf16le");
  const cases = [
    { name: "UTF-8", bytes: Buffer.from(xml) },
    { name: "UTF-8 with a byte order mark", bytes: Buffer.from(`\ufeff${xml}`) },
    { name: "little-endian UTF-16", bytes: utf16le },
    { name: "big-endian UTF-16", bytes: Buffer.from(utf16le).swap16() },
    { name: "UTF-16 without a byte order mark", bytes: Buffer.from(xml, "utf16le") },
  ];
  for (const { name, bytes } of cases) {
    test(`is decoded from ${name}, however it is cut`, () => {
      for (let size = 1; size <= bytes.length; size++) assert.equal(decode(bytes, size), xml, `chunks of ${size}`);
    });
  }

  test("is the same as decoded at once, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 50 }), fc.integer({ min: 1, max: 7 }), (text, size) => {
        const bytes = Buffer.from(`<a>${text.repeat(3)}</a>`);
        assert.equal(decode(bytes, size), bytes.toString());
      }),
    );
  });

  test("is decoded in pieces that end between characters", () => {
    const long = `<a>${"€".repeat(100_000)}</a>`;
    assert.equal(decode(Buffer.from(long), 1_000_000), long);
  });
});
