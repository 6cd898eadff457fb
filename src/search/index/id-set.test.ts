import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createIdSet } from "./id-set.ts";

test("a set of ids is a set, for any ids", () => {
  const id = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 100_000 })), fc.array(id), (ids, removed) => {
      const set = createIdSet(ids);
      const model = new Set(ids);
      assert.equal(set.size, model.size);
      for (const each of [...removed, ...ids.slice(0, 3)]) {
        assert.equal(set.has(each), model.has(each));
        assert.equal(set.delete(each), model.delete(each));
        assert.equal(set.size, model.size);
      }
      assert.deepEqual(
        set.values(),
        [...model].sort((one, other) => one - other),
      );
    }),
  );
});
