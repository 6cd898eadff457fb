import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { scoreNeighbours } from "./neighbours.ts";

test("a file gains the mean of the three best other files of its folder", () => {
  const files = [
    { path: "a/one.ts", score: 6 },
    { path: "a/two.ts", score: 3 },
    { path: "a/three.ts", score: 2 },
    { path: "a/four.ts", score: 1 },
    { path: "a/five.ts", score: 0.5 },
    { path: "b/alone.ts", score: 9 },
    { path: "top.ts", score: 9 },
  ];
  assert.deepEqual(scoreNeighbours(files), [2, 3, 10 / 3, 11 / 3, 11 / 3, 0, 0]);
});

test("equals a plain count for any files", () => {
  const file = fc.record({ path: fc.constantFrom("a/x", "b/x", "c"), score: fc.integer({ min: 0, max: 5 }) });
  fc.assert(
    fc.property(fc.array(file, { maxLength: 20 }), (files) => {
      const plain = files.map(({ path }, index) => {
        const folder = path.slice(0, path.lastIndexOf("/"));
        const others = files.filter(
          (each, other) =>
            other !== index && each.path.startsWith(folder) && each.path.includes("/") === path.includes("/"),
        );
        const best = others
          .map(({ score }) => score)
          .sort((one, other) => other - one)
          .slice(0, 3);
        return best.reduce((sum, score) => sum + score, 0) / 3;
      });
      assert.deepEqual(scoreNeighbours(files), plain);
    }),
  );
});
