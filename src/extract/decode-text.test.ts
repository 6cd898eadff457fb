import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { decodeText, hasDecoder } from "./decode-text.ts";

type Case = { name: string; charset: string | null; hex: string; text: string };
const cases: Case[] = [
  { name: "UTF-8", charset: "utf-8", hex: "47 72 c3 bc c3 9f 65 f0 9f 98 80", text: "Grüße😀" },
  { name: "UTF-8 with a byte order mark", charset: "utf-8", hex: "ef bb bf 61", text: "a" },
  { name: "no charset is UTF-8", charset: null, hex: "c3 bc", text: "ü" },
  { name: "no charset and no UTF-8 shows where", charset: null, hex: "61 fc 62", text: "a\ufffdb" },
  { name: "an unknown charset is UTF-8", charset: "x-unknown", hex: "61 c3 bc", text: "aü" },
  { name: "a charset named like a property is UTF-8", charset: "constructor", hex: "61 c3 bc", text: "aü" },
  { name: "UTF-8 that ends inside a character", charset: "utf-8", hex: "61 e2 82", text: "a\ufffd" },
  { name: "UTF-16 LE", charset: "utf-16le", hex: "ff fe 61 00 3d d8 00 de", text: "a😀" },
  { name: "UTF-16 BE", charset: "utf-16be", hex: "fe ff 00 61 d8 3d de 00", text: "a😀" },
  { name: "UTF-16 with half a pair", charset: "utf-16le", hex: "3d d8 61 00", text: "\ufffda" },
  { name: "UTF-32 LE", charset: "utf-32le", hex: "ff fe 00 00 61 00 00 00 00 f6 01 00", text: "a😀" },
  { name: "UTF-32 BE", charset: "UTF-32BE", hex: "00 00 fe ff 00 00 00 61 00 01 f6 00", text: "a😀" },
  {
    name: "UTF-32 with impossible points",
    charset: "utf-32be",
    hex: "00 00 d8 00 00 11 00 00 7f 00 00 00",
    text: "\ufffd\ufffd\ufffd",
  },
  { name: "UTF-32 that ends inside a character", charset: "utf-32le", hex: "61 00 00 00 62 00", text: "a\ufffd" },
  { name: "UTF-32 with a mark inside", charset: "utf-32be", hex: "00 00 00 61 00 00 fe ff", text: "a\ufeff" },
  { name: "windows-1252", charset: "windows-1252", hex: "93 61 94 20 96 20 80 e9", text: "“a” – €é" },
  { name: "Latin-1 means windows-1252", charset: "iso-8859-1", hex: "92", text: "’" },
  { name: "windows-1251", charset: "windows-1251", hex: "cf f0 e8 e2 e5 f2", text: "Привет" },
  { name: "KOI8-R", charset: "koi8-r", hex: "f0 d2 c9 d7 c5 d4", text: "Привет" },
  { name: "Shift_JIS", charset: "shift_jis", hex: "93 fa 96 7b", text: "日本" },
  { name: "EUC-JP", charset: "euc-jp", hex: "c6 fc cb dc", text: "日本" },
  { name: "ISO-2022-JP", charset: "iso-2022-jp", hex: "1b 24 42 46 7c 4b 5c 1b 28 42 61", text: "日本a" },
  { name: "GB18030", charset: "gb18030", hex: "d6 d0 94 39 fc 36", text: "中😀" },
  { name: "Big5", charset: "big5", hex: "a4 a4 a4 e5", text: "中文" },
  { name: "EUC-KR", charset: "euc-kr", hex: "c7 d1 b1 db", text: "한글" },
  { name: "ISO-2022-KR", charset: "iso-2022-kr", hex: "1b 24 29 43 61 0e 47 51 31 5b 0f 62", text: "a한글b" },
  { name: "code page 850", charset: "ibm850", hex: "61 84 e1 cd", text: "aäß═" },
  { name: "code page 855", charset: "ibm855", hex: "a0 a1 61", text: "аАa" },
  { name: "EBCDIC", charset: "ebcdic", hex: "c8 85 93 93 96 6b 40 f4 f2 15", text: "Hello, 42\x85" },
  { name: "nothing", charset: "utf-8", hex: "", text: "" },
];

describe("decoding", () => {
  for (const { name, charset, hex, text } of cases) {
    const bytes = Buffer.from(hex.replaceAll(" ", ""), "hex");
    test(name, async () => assert.equal(await decodeChunks([bytes], charset), text));
    test(`${name}, byte by byte`, async () => {
      const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
      assert.equal(await decodeChunks(single, charset), text);
    });
  }

  for (const charset of ["gb18030", "gbk", "euc-jp", "iso-2022-jp", "shift_jis", "big5", "euc-kr"]) {
    test(`bytes that are not valid ${charset} give the same text however they arrive`, async () => {
      const bytes = fc.uint8Array({ maxLength: 80 });
      const cuts = fc.array(fc.nat(80), { maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(bytes, cuts, async (body, places) => {
          const ends = [...places.filter((at) => at <= body.length).sort((a, b) => a - b), body.length];
          const chunks = ends.map((end, index) => body.subarray(ends[index - 1] ?? 0, end));
          assert.equal(await decodeChunks(chunks, charset), await decodeChunks([body], charset));
        }),
        { examples: [[Uint8Array.of(129, 48, 0), [2]]] },
      );
    });
  }

  test("reports which charsets it cannot decode", () => {
    for (const charset of [null, "utf-8", "latin1", "utf-32be", "ebcdic", "iso-2022-kr", "johab"])
      assert.ok(hasDecoder(charset));
    assert.ok(!hasDecoder("x-unknown"));
  });

  test("windows-1252 agrees with Latin-1 where they agree, and gives a character for every byte", async () => {
    const text = await decodeChunks([Uint8Array.from({ length: 256 }, (_, byte) => byte)], "windows-1252");
    assert.equal(text.length, 256);
    const changed = [...text].filter((character, byte) => character.charCodeAt(0) !== byte);
    assert.equal(changed.length, 27);
  });

  test("any bytes in any charset give valid Unicode", async () => {
    const charsets = fc.constantFrom(...new Set(cases.map(({ charset }) => charset)));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 8 })), charsets, async (chunks, charset) => {
        assert.ok((await decodeChunks(chunks, charset)).isWellFormed());
      }),
    );
  });
});

async function decodeChunks(chunks: readonly Uint8Array[], charset: string | null): Promise<string> {
  async function* stream() {
    yield* chunks;
  }
  return (await Array.fromAsync(decodeText(stream(), charset))).join("");
}

describe("what cannot be decoded", () => {
  for (const { name, charset, hex, undecoded } of [
    { name: "nothing", charset: "utf-8", hex: "61 c3 bc", undecoded: 0 },
    { name: "two bytes", charset: "utf-8", hex: "61 ff 62 fe 63", undecoded: 2 },
    { name: "a cut character at the end", charset: "utf-8", hex: "61 e2 82", undecoded: 1 },
    { name: "a byte before a U+FFFD of the source", charset: "utf-8", hex: "61 e4 ef bf bd ef bf bd", undecoded: 1 },
    { name: "a byte in Shift_JIS", charset: "shift_jis", hex: "93 fa ff 96 7b", undecoded: 1 },
  ]) {
    test(`is counted: ${name}, wherever the chunks end`, async () => {
      const padding = Buffer.alloc(40, "x");
      const bytes = Buffer.concat([padding, Buffer.from(hex.replaceAll(" ", ""), "hex")]);
      for (let cut = 1; cut <= bytes.length; cut++) {
        const tally = { undecoded: 0 };
        async function* chunks() {
          yield bytes.subarray(0, cut);
          yield bytes.subarray(cut);
          yield Buffer.alloc(0);
        }
        await Array.fromAsync(decodeText(chunks(), charset, tally));
        assert.equal(tally.undecoded, undecoded, `cut at ${cut}`);
      }
    });
  }
});
