import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatNumber } from "./quantities.ts";

test("digits are grouped as in English, for any integer and for fractions", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (count) => assert.equal(formatNumber(count), count.toLocaleString("en-US"))),
  );
  assert.equal(formatNumber(1_234.5678), "1,234.5678");
});
