import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createCountTable, createPostings } from "./growable.ts";

describe("a count table", () => {
  test("counts every number and keeps its highest rank, however large it is", () => {
    const entry = fc.record({ number: fc.nat(200_000), count: fc.integer({ min: 1, max: 9 }), rank: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const table = createCountTable();
        for (const { number, count, rank } of entries) {
          table.add(number, count);
          table.mark(number, rank);
        }
        const byNumber = Map.groupBy(entries, ({ number }) => number);
        assert.deepEqual([...table.numbers()], [...byNumber.keys()]);
        for (const [number, own] of byNumber) {
          assert.equal(
            table.count(number),
            own.reduce((sum, { count }) => sum + count, 0),
          );
          assert.equal(table.rank(number), Math.max(...own.map(({ rank }) => rank)));
        }
        table.clear();
        assert.deepEqual([table.numbers().length, table.count(7)], [0, 0]);
      }),
    );
  });
});

test("postings come back as they were pushed, beyond the initial size", () => {
  const postings = createPostings();
  for (let round = 0; round < 100; round++) {
    postings.reserve(100);
    for (let term = 0; term < 100; term++) postings.push(term, round, term % 7);
  }
  const [terms, places, weights] = postings.view();
  assert.deepEqual([terms.length, places.length, weights.length], [10_000, 10_000, 10_000]);
  assert.deepEqual([terms[4_321], places[4_321], weights[4_321]], [21, 43, 0]);
});
