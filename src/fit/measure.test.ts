import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  countBytes,
  countLines,
  cutBetweenCodePoints,
  estimateTokens,
  findLargestPassing,
  findLongestPrefix,
} from "./measure.ts";

test("bytes, lines and tokens are counted as clients count them", () => {
  const cases = [
    { text: "", bytes: 0, lines: 1, tokens: 0 },
    { text: "abc", bytes: 3, lines: 1, tokens: 1 },
    { text: "abcde\r\n", bytes: 7, lines: 2, tokens: 2 },
    { text: "\n\n", bytes: 2, lines: 3, tokens: 1 },
    { text: "日本語", bytes: 9, lines: 1, tokens: 1 },
    { text: "🌊", bytes: 4, lines: 1, tokens: 1 },
    { text: "\ud83c", bytes: 3, lines: 1, tokens: 1 },
  ];
  for (const { text, bytes, lines, tokens } of cases) {
    const counted = [countBytes(text), countLines(text), estimateTokens(text.length)];
    assert.deepEqual(counted, [bytes, lines, tokens], JSON.stringify(text));
  }
});

test("a cut never falls inside a code point", () => {
  const cases = [
    { name: "before a pair", text: "a🌊b", maxChars: 1, shown: "a" },
    { name: "inside a pair moves before it", text: "a🌊b", maxChars: 2, shown: "a" },
    { name: "after a pair", text: "a🌊b", maxChars: 3, shown: "a🌊" },
    { name: "beyond the end", text: "a🌊", maxChars: 9, shown: "a🌊" },
    { name: "a pair that does not fit", text: "🌊", maxChars: 1, shown: "" },
    { name: "after a lone first half", text: "a\ud83cb", maxChars: 2, shown: "a\ud83c" },
    { name: "after a lone second half", text: "a\udf0ab", maxChars: 2, shown: "a\udf0a" },
    { name: "nothing", text: "abc", maxChars: 0, shown: "" },
    { name: "less than nothing", text: "abc", maxChars: -1, shown: "" },
  ];
  for (const { name, text, maxChars, shown } of cases) {
    assert.equal(cutBetweenCodePoints(text, maxChars), shown, name);
  }
});

test("the longest prefix keeps at least one code point, even where nothing fits", () => {
  assert.equal(
    findLongestPrefix("abcdef", (prefix) => prefix.length <= 4),
    "abcd",
  );
  assert.equal(
    findLongestPrefix("🌊b", () => false),
    "🌊",
  );
  assert.equal(
    findLongestPrefix("", () => false),
    "",
  );
});

test("the largest passing number is found wherever it is", () => {
  const ranges = fc.tuple(fc.integer({ min: -5, max: 50 }), fc.nat(200), fc.nat(250));
  fc.assert(
    fc.property(ranges, ([low, width, threshold]) => {
      const largest = findLargestPassing(low, low + width, (candidate) => candidate <= threshold);
      assert.equal(largest, Math.max(low, Math.min(low + width, threshold)));
    }),
  );
});
