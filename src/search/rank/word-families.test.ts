import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findWordRoot, isEnding } from "./word-families.ts";

test("what follows the root of a word is an ending", () => {
  const stem = fc.string({ unit: fc.constantFrom(..."abcdeiorstz1é"), minLength: 1, maxLength: 9 });
  const ending = fc.constantFrom("", "ization", "er", "ly", "i", "ness", "x", "ers");
  fc.assert(
    fc.property(stem, ending, (start, end) => {
      const word = start + end;
      const [bytes, root] = [Buffer.from(word), findWordRoot(word)];
      assert.ok(isEnding(bytes, Buffer.byteLength(root), bytes.length), `${root} of ${word}`);
    }),
  );
  const word = Buffer.from("container1");
  assert.deepEqual([isEnding(word, 7, 9), isEnding(word, 7, 10), isEnding(word, 6, 9)], [true, false, false]);
});
