import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { clip, escapePath, safeFileName } from "./safe-names.ts";

describe("a name that is shown", () => {
  test("of any length and content is one short well-formed line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (name) => {
        const shown = clip(name);
        assert.ok(shown.length <= 60 && shown.isWellFormed());
        assert.doesNotMatch(shown, /[\p{Cc}\u2028\u2029\u202e\u2066]/u);
      }),
    );
  });

  test("has nothing hidden, and the joiners that its script needs", () => {
    assert.equal(clip("a\u202egpj\u{e0041}\u{e0100}\u3164.pdf"), "agpj.pdf");
    assert.equal(clip("کتاب\u200cها 👩\u200d💻.pdf"), "کتاب\u200cها 👩\u200d💻.pdf");
  });

  test("keeps its end, which shows the type", () => {
    assert.equal(clip("short.pdf"), "short.pdf");
    assert.match(clip(`${"x".repeat(200)}-final.pdf`), /^x+\.\.\.x+-final\.pdf$/);
  });
});

test("a path shows invisible characters by their number, and is unchanged without them", () => {
  assert.equal(escapePath("src/größe 検索.ts"), "src/größe 検索.ts");
  assert.equal(escapePath("a\u202egpj.ts\n\x1b[31m"), "a\\u{202e}gpj.ts\\u{a}\\u{1b}[31m");
});

test("a name as a word is safe for any file system, and no two names share one", () => {
  const names = ["a", "A", "a b", "a-b", "../a", "", "*", "ü", "a".repeat(300), `${"a".repeat(300)}b`];
  const words = names.map(safeFileName);
  assert.equal(new Set(words).size, names.length);
  for (const word of words) assert.match(word, /^[a-z0-9._-]{1,64}$/);
  assert.equal(safeFileName("run-1"), "run-1");
});
