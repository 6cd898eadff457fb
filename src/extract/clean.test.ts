import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { assertLinearTime } from "../../test/cpu-time.ts";
import { soakCount } from "../../test/soak.ts";
import { type CleanOptions, cleanText, createCleaner, type RemovedCounts } from "./clean.ts";
import { forbiddenCharacter } from "./handler.contract.ts";

const nothing: RemovedCounts = {
  ...{ controls: 0, escapes: 0, bidi: 0, tags: 0, breaks: 0, invisible: 0 },
  ...{ byteOrderMarks: 0, surrogates: 0, shownControls: 0 },
};

type Case = { name: string; text: string; clean: string; removed?: Partial<RemovedCounts> };
const cases: Case[] = [
  { name: "ordinary text stays", text: "Grüße, 日本 👩‍💻\n\tend\n", clean: "Grüße, 日本 👩‍💻\n\tend\n" },
  { name: "CRLF is a newline", text: "a\r\nb\r\n", clean: "a\nb\n" },
  { name: "a lone CR is a newline", text: "10%\r20%\r\r\n", clean: "10%\n20%\n\n" },
  { name: "form feed, vertical tab and NEL are newlines", text: "a\fb\vc\x85d", clean: "a\nb\nc\nd" },
  { name: "U+2028 stays, JSON strings may hold it", text: '"a\u2028b"', clean: '"a\u2028b"' },
  { name: "C0, DEL and C1 go", text: "a\0\x08\x7f\x80\x9fb", clean: "ab", removed: { controls: 5 } },
  { name: "colours go", text: "\x1b[1;31mred\x1b[0m", clean: "red", removed: { escapes: 2 } },
  { name: "true colour with colons goes", text: "\x1b[38:2::255:0:0mred", clean: "red", removed: { escapes: 1 } },
  { name: "8-bit CSI goes", text: "\x9b31mred", clean: "red", removed: { escapes: 1 } },
  { name: "cursor moves and private modes go", text: "\x1b[2J\x1b[?25la\x1b[1 q", clean: "a", removed: { escapes: 3 } },
  { name: "a title ended by BEL goes", text: "\x1b]0;title\x07a", clean: "a", removed: { escapes: 1 } },
  {
    name: "a hyperlink ended by ST leaves its words",
    text: "\x1b]8;;https://example.com\x1b\\words\x1b]8;;\x1b\\",
    clean: "words",
    removed: { escapes: 2 },
  },
  { name: "8-bit OSC and ST go", text: "\x9d0;title\x9ca", clean: "a", removed: { escapes: 1 } },
  {
    name: "DCS, APC, PM and SOS go",
    text: "\x1bPq#0\x1b\\\x1b_x\x1b\\\x1b^y\x1b\\\x1bXz\x1b\\a",
    clean: "a",
    removed: { escapes: 4 },
  },
  { name: "two-character escapes go", text: "\x1b7a\x1b(B\x1b=b\x1bc", clean: "ab", removed: { escapes: 4 } },
  {
    name: "an open OSC loses its introducer only",
    text: "\x1b]0;rest\nof it",
    clean: "0;rest\nof it",
    removed: { escapes: 1 },
  },
  { name: "an open CSI loses its introducer only", text: "\x1b[31\nrest", clean: "31\nrest", removed: { escapes: 1 } },
  { name: "a lone ESC at the end goes", text: "a\x1b", clean: "a", removed: { controls: 1 } },
  {
    name: "the remaining text does not become an escape",
    text: "\x1b\x1b[0m[31mred",
    clean: "[31mred",
    removed: { controls: 1, escapes: 1 },
  },
  { name: "bidi overrides and isolates go", text: "a\u202eb\u202cc\u2066d\u2069", clean: "abcd", removed: { bidi: 4 } },
  { name: "direction marks stay", text: "א\u200f!\u200e x\u061c", clean: "א\u200f!\u200e x\u061c" },
  { name: "tag characters go", text: "a\u{e0041}\u{e007f}b", clean: "ab", removed: { tags: 2 } },
  {
    name: "flags of regions keep their tags",
    text: "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}!",
    clean: "🏴󠁧󠁢󠁥󠁮󠁧󠁿!",
  },
  { name: "the selector of an emoji stays", text: "葛\u{e0100}❤\ufe0f", clean: "葛❤\ufe0f", removed: { invisible: 1 } },
  {
    name: "byte order marks go, also between joined files",
    text: "\ufeffa\ufeffb",
    clean: "ab",
    removed: { byteOrderMarks: 2 },
  },
  { name: "lone surrogates become U+FFFD", text: "\ud83da\ude00", clean: "\ufffda\ufffd", removed: { surrogates: 2 } },
  {
    name: "halves do not join over what is removed",
    text: "\ud83d\0\ude00",
    clean: "\ufffd\ufffd",
    removed: { surrogates: 2, controls: 1 },
  },
];

describe("cleaning", () => {
  for (const { name, text, clean, removed } of cases) {
    const expected = { text: clean, removed: { ...nothing, ...removed } };
    test(name, () => assert.deepEqual(cleanText(text), expected));
    test(`${name}, wherever the chunks end`, () => {
      for (const cut of text.split("").keys()) assert.deepEqual(cleanInPieces(text, [cut]), expected);
    });
  }

  test("an unfinished escape sequence removes no text after it", () => {
    const document = "word ".repeat(10_000);
    assert.equal(cleanText(`\x1b]${document}\x07`).text, document);
  });

  for (const opener of ["\x9d", "\x1b]", "\x1b[", "\x9b0", `\x1b]${"a".repeat(4_000)}`]) {
    test(`a hostile text of ${encodeURIComponent(opener.slice(0, 3))} takes time in proportion to its length`, () =>
      assertLinearTime(50_000, (length) => cleanText(opener.repeat(Math.ceil(length / opener.length)))));
  }
});

/** Text made of the pieces that matter, so that half sequences meet each other often. */
const trickyText = fc
  .array(
    fc.oneof(
      fc.constantFrom("\x1b", "[", "]", "0;", "31", "m", "\x07", "\\", "\x9b", "\x9c", "\x9d", "P", "(", " ", "B"),
      fc.constantFrom("\r", "\n", "\t", "\0", "\f", "\x85", "\u2028", "\ufeff", "\u202e", "\u2069", "\u200f"),
      fc.constantFrom(
        "\ud83d",
        "\ude00",
        "😀",
        "\u{e0041}",
        "\udb40",
        "\udc41",
        "🏴",
        "\u{e0067}",
        "\u{e007f}",
        "é",
        "日",
        "word",
        "\x1b]0;t\x1b\\",
      ),
      fc.constantFrom("\u200b", "\u200c", "\u200d", "\u200e", "\ufe0f", "\u{e0100}", "\u00ad", "\u180b", "\u20e3", "5"),
      fc.constantFrom("❤", "👩", "🏽", "ک", "क", "्", "ก", "ᠠ", "x"),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(""));

describe("a cleaner that shows control characters", () => {
  const show = (text: string) => {
    const cleaner = createCleaner({ showControls: true });
    return { text: cleaner.push(text) + cleaner.flush(), removed: cleaner.removed };
  };
  for (const { name, text, shown, count } of [
    { name: "stray ones", text: "a\x01b\x06\x0e\x1fc", shown: "a\ufffdb\ufffd\ufffd\ufffdc", count: 4 },
    { name: "a NUL between words", text: "a\0b", shown: "a\ufffdb", count: 1 },
    { name: "a run of NULs once", text: `a${"\0".repeat(9)}b\0`, shown: "a\ufffdb\ufffd", count: 10 },
    { name: "none that terminals write", text: "\x1b[1ma\x07\x08\x1a\x7f\x0c\x1b", shown: "a\n", count: 0 },
  ]) {
    test(`shows ${name}`, () => {
      const result = show(text);
      assert.deepEqual([result.text, result.removed.shownControls], [shown, count]);
    });
  }

  test("gives the same wherever the chunks end", () => {
    fc.assert(
      fc.property(trickyText, fc.array(fc.nat(60)), (text, cuts) => {
        assert.deepEqual(cleanInPieces(text, cuts, { showControls: true }), show(text));
        assert.doesNotMatch(show(text).text, forbiddenCharacter);
      }),
      { numRuns: soakCount({ sample: 250, full: 1_000 }) },
    );
  });
});

describe("for any text", () => {
  test("the clean form holds no forbidden character", () => {
    fc.assert(fc.property(trickyText, (text) => !forbiddenCharacter.test(cleanText(text).text)));
  });

  test("cleaning twice changes nothing and removes nothing", () => {
    fc.assert(
      fc.property(trickyText, (text) => {
        const once = cleanText(text).text;
        assert.deepEqual(cleanText(once), { text: once, removed: nothing });
      }),
    );
  });

  test("a whole text is cleaned like one that arrives in chunks, whatever its characters", () => {
    for (let code = 0; code <= 0xffff; code++) {
      const text = `a${String.fromCharCode(code)}b`;
      const cleaner = createCleaner();
      assert.equal(cleanText(text).text, cleaner.push(text) + cleaner.flush(), `U+${code.toString(16)}`);
    }
  });

  test("it does not matter where the chunks end", () => {
    fc.assert(
      fc.property(trickyText, fc.array(fc.nat(60)), (text, cuts) => {
        assert.deepEqual(cleanInPieces(text, cuts), cleanText(text));
      }),
      { numRuns: soakCount({ sample: 250, full: 1_000 }) },
    );
  });
});

function cleanInPieces(text: string, cuts: readonly number[], options: CleanOptions = {}) {
  const cleaner = createCleaner(options);
  const pieces = cutAt(text, cuts).map((piece) => cleaner.push(piece));
  return { text: pieces.join("") + cleaner.flush(), removed: cleaner.removed };
}

function cutAt(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.filter((cut) => cut < text.length).toSorted((one, other) => one - other), text.length];
  return places.slice(1).map((end, index) => text.slice(places[index], end));
}
