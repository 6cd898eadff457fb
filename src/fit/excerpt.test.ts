import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { CUT_MARK, cutAround, cutEnd, cutStart } from "./excerpt.ts";

describe("an excerpt", () => {
  test("is the whole text where it fits", () => {
    assert.equal(cutAround("abc", 1, 3).text, "abc");
    assert.equal(cutAround("", 0, 0).text, "");
  });

  test("has three dots at each cut, and none where nothing was cut", () => {
    assert.equal(cutEnd("abcdefghijklmnop", 10), "abcdefg...");
    assert.equal(cutStart("abcdefghijklmnop", 10), "...jklmnop");
    assert.equal(cutAround("abcdefghijklmnop", 8, 10).text, "...hijk...");
  });

  test("fits, is one part of the text that contains the focus, and splits no character", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", minLength: 20, maxLength: 300 }),
        fc.nat({ max: 299 }),
        fc.integer({ min: 12, max: 300 }),
        (text, place, maxChars) => {
          const focus = Math.min(place, text.length - 1);
          const { text: excerpt, focus: newFocus } = cutAround(text, focus, maxChars);
          assert.ok(excerpt.length <= maxChars);
          assert.ok(excerpt.isWellFormed());
          if (text.length <= maxChars) return;
          const parts = [
            [0, 3],
            [3, 0],
            [3, 3],
          ].map(([from = 0, to = 0]) => excerpt.slice(from, excerpt.length - to));
          assert.ok(excerpt.includes(CUT_MARK) && parts.some((part) => text.includes(part)));
          assert.equal(excerpt[newFocus], text[focus]);
        },
      ),
    );
  });

  test("of a prefix ends at what follows, and of a suffix begins at what precedes", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.nat({ max: 200 }), (text, maxChars) => {
        const [start, end] = [cutEnd(text, maxChars), cutStart(text, maxChars)];
        if (text.length <= maxChars || maxChars <= 6) return;
        assert.ok(start.endsWith(CUT_MARK) && text.startsWith(start.slice(0, -3)) && start.length > 3);
        assert.ok(end.startsWith(CUT_MARK) && text.endsWith(end.slice(3)) && end.length > 3);
      }),
    );
  });
});
