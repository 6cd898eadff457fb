import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createBest } from "./best-files.ts";

test("the best files are the first of all files in order, equal scores by path", () => {
  const scores = fc.array(fc.oneof(fc.constantFrom(0, 0.25, 0.5), fc.double({ min: 0, max: 1, noNaN: true })));
  fc.assert(
    fc.property(scores, fc.nat(20), (given, limit) => {
      const pathOf = (file: number) => `${(file * 7) % 5}.ts`;
      const best = createBest(limit, pathOf);
      for (const [file, score] of given.entries()) best.add(file, score);
      const sorted = given
        .map((score, file) => ({ file, score }))
        .sort(
          (one, other) =>
            other.score - one.score || pathOf(one.file).localeCompare(pathOf(other.file)) || one.file - other.file,
        );
      assert.deepEqual(best.listBest(), sorted.slice(0, limit));
    }),
  );
});
