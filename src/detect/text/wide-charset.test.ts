import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryBody } from "../../../test/detection.ts";
import { bytesOf, joined } from "../../../test/samples.ts";
import { scanText } from "./scan-text.ts";
import { detectWideText, guessWideCharset } from "./wide-charset.ts";

const utf16 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "utf16le"));
const mark = bytesOf("\xff\xfe");

test("a guess needs words, a mark does not", () => {
  assert.ok(!detectWideText(utf16("abcdefgh"), "utf-16le", "guessed").isText);
  assert.ok(detectWideText(utf16("abcdefgh"), "utf-16le", "marked").isText);
  assert.ok(detectWideText(utf16("abcd efgh"), "utf-16le", "guessed").isText);
});

test("an empty text after a mark is text, without a mark it is not", () => {
  assert.ok(detectWideText(new Uint8Array(), "utf-16be", "marked").isText);
  assert.ok(!detectWideText(new Uint8Array(), "utf-16be", "guessed").isText);
});

test("the first unit counts like every other", () => {
  assert.ok(!detectWideText(utf16("\x01"), "utf-16le", "marked").isText);
  assert.ok(!detectWideText(utf16(`\x01${"Some words. ".repeat(9)}`), "utf-16le", "guessed").isText);
});

test("the position of the NULs suggests the charset", () => {
  assert.equal(guessWideCharset(utf16("Some words.\n")), "utf-16le");
  assert.equal(guessWideCharset(utf16("Some words.\n").reverse()), "utf-16be");
  assert.equal(guessWideCharset(bytesOf("Some words.\n")), null);
});

/** How much one check covers, in characters. */
const checkChars = 4096;

/** Prose with a run of faults at this offset. */
function withFaults(offset: number, count: number, sizeChars = 5 * checkChars): Uint8Array {
  const prose = "Zeile um Zeile\n".repeat(sizeChars).slice(0, sizeChars);
  return utf16(`${prose.slice(0, offset)}${"\x01".repeat(count)}${prose.slice(offset + count)}`);
}

/** Just over two percent of one check, so that each fault counts. */
const faults = 82;
const places = [
  { name: "at the beginning, after the mark", offset: 0 },
  { name: "at the first character of a later check", offset: 2 * checkChars },
  { name: "at the very end", offset: 5 * checkChars - faults },
];

for (const { name, offset } of places) {
  test(`too many faults ${name} are detected`, async () => {
    const { text } = await scanText(memoryBody(joined(mark, withFaults(offset, faults))), "utf-16le", null);
    assert.ok(!text.isText);
  });
}

test("a final NUL is checked together with the text before it, even if it would be alone", async () => {
  const body = joined(mark, withFaults(0, 0, checkChars), utf16("\0"));
  assert.deepEqual((await scanText(memoryBody(body), "utf-16le", null)).text, { isText: true, charset: "utf-16le" });
});
