import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { packPostings, unpackPostings } from "./packed-postings.ts";

type Posting = { readonly place: number; readonly weight: number };

/** Packs lists of postings, one for each term, pushed place by place as a builder does. */
function pack(lists: readonly (readonly Posting[])[]) {
  const pushed = lists
    .flatMap((list, term) => list.map((posting) => ({ term, ...posting })))
    .sort((one, other) => one.place - other.place);
  const rank = Uint32Array.from(lists.keys());
  return packPostings(
    [
      Uint32Array.from(pushed, ({ term }) => term),
      Uint32Array.from(pushed, ({ place }) => place),
      Uint8Array.from(pushed, ({ weight }) => weight),
    ],
    rank,
    lists.length,
  );
}

function unpack({ offsets, bytes }: ReturnType<typeof pack>, term: number): Posting[] {
  const range = { from: offsets[term] ?? 0, to: offsets[term + 1] ?? 0 };
  const { places, weights, count } = unpackPostings(bytes, range);
  return Array.from({ length: count }, (_, index) => ({ place: places[index] ?? -1, weight: weights[index] ?? -1 }));
}

test("the postings of every term come back from their bytes", () => {
  const place = fc.oneof(fc.nat(300), fc.nat(70_000), fc.nat(2 ** 27 - 1), fc.nat(2 ** 31 - 1));
  const weight = fc.oneof(fc.constant(1), fc.nat(255));
  const list = fc
    .uniqueArray(fc.record({ place, weight }, { noNullPrototype: true }), {
      maxLength: 40,
      selector: ({ place: each }) => each,
    })
    .map((postings) => postings.sort((one, other) => one.place - other.place));
  fc.assert(
    fc.property(fc.array(list, { maxLength: 8 }), (lists) => {
      const packed = pack(lists);
      for (const [term, postings] of lists.entries()) assert.deepEqual(unpack(packed, term), postings);
    }),
  );
});

test("distances of any number of bytes come back", () => {
  const places = [2 ** 6, 2 ** 13, 2 ** 20, 2 ** 27, 2 ** 31 - 1].flatMap((place) => [place - 1, place]);
  const list = places.map((place, index) => ({ place, weight: index % 3 }));
  assert.deepEqual(unpack(pack([list, [{ place: 2 ** 31 - 1, weight: 7 }]]), 0), list);
  for (const place of places) assert.deepEqual(unpack(pack([[{ place, weight: 9 }]]), 0), [{ place, weight: 9 }]);
});

test("a list that is longer than any before it comes back whole", () => {
  const long = Array.from({ length: 100_000 }, (_, index) => ({ place: index * 3, weight: index % 256 }));
  assert.deepEqual(unpack(pack([long]), 0), long);
});

test("single occurrences that are near each other take a byte each, others no more than six", () => {
  const near = Array.from({ length: 1_000 }, (_, index) => ({ place: index * 60, weight: 1 }));
  assert.equal(pack([near]).offsets[1], 1_000);
  assert.equal(pack([[{ place: 2 ** 30, weight: 200 }]]).offsets[1], 6);
});
