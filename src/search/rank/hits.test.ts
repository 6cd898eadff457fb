import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findTerms } from "../index/lexicon.ts";
import { createHitFinder } from "./hits.ts";

test("words without hits are left out, and no other", () => {
  const part = fc.constantFrom("add", "fly", "copi", "tr", "Get", "HTTP", "x", "_", "$", "9", "é", "日本", "ss");
  const ending = fc.constantFrom("", "ing", "ies", "es", "s", "ed", "e", "y", "Name");
  const word = fc
    .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), ending)
    .map(([parts, end]) => parts.join("") + end);
  const gap = fc.constantFrom(" ", "(", "\n", "--", ".");
  const text = fc.array(fc.tuple(word, gap)).map((pairs) => pairs.flat().join(""));
  fc.assert(
    fc.property(fc.array(word, { maxLength: 3 }), text, (query, source) => {
      const finder = createHitFinder(new Map(query.flatMap(findTerms).map((term) => [term, 1])));
      const hasHits = ({ word: each }: { readonly word: string }) => finder.inWord(each).length > 0;
      const words = [...source.matchAll(/[\p{L}\p{M}\p{N}_$]+/gu)].map(({ index, 0: each }) => ({ index, word: each }));
      assert.deepEqual(finder.wordsIn(source).filter(hasHits), words.filter(hasHits));
    }),
  );
});

test("every term of a word is found in it", () => {
  const finder = createHitFinder(
    new Map([
      ["get", 1],
      ["pod", 2],
      ["getpods", 3],
    ]),
  );
  assert.deepEqual(finder.wordsIn("a b; GetPods(c, other)"), [{ index: 5, word: "GetPods" }]);
  assert.deepEqual(
    finder.inWord("get_pods").map(({ weight }) => weight),
    [1, 2, 3],
  );
});
