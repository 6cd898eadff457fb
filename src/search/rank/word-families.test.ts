import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findWordRoot, listPossibleWords } from "./word-families.ts";

test("a word is among the possible words of its root, which are sorted", () => {
  const stem = fc.string({ unit: fc.constantFrom(..."abcdeiorstz1é"), minLength: 1, maxLength: 9 });
  const ending = fc.constantFrom("", "ization", "er", "ly", "i", "ness", "x", "ers");
  fc.assert(
    fc.property(stem, ending, (start, end) => {
      const word = start + end;
      const words = listPossibleWords(findWordRoot(word));
      assert.ok(words.includes(word), word);
      assert.deepEqual(words, [...words].sort());
    }),
  );
});
