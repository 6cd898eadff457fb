import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createIdSet } from "./id-set.ts";

test("a set of ids behaves like a set of numbers", () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 3_000 }), { maxLength: 200 });
  fc.assert(
    fc.property(ids, fc.array(fc.nat(4_000)), (given, deleted) => {
      const [ours, plain] = [createIdSet(given), new Set(given)];
      for (const id of deleted) {
        assert.equal(ours.has(id), plain.has(id));
        assert.equal(ours.delete(id), plain.delete(id));
      }
      assert.deepEqual(
        ours.list(),
        [...plain].sort((one, other) => one - other),
      );
    }),
  );
});
