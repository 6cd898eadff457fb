import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addGains, createVerbatimGain } from "./verbatim.ts";
import { rankWeights } from "./weights.ts";

test("a text gains by the longest run of the query's words, and nothing by a short run", () => {
  const gainOf = createVerbatimGain("Error: connection closed before response") ?? assert.fail();
  assert.equal(gainOf('throw new Error("connection closed before response");'), rankWeights.verbatim);
  assert.equal(gainOf('fail("Connection closed before response")'), (rankWeights.verbatim * 4) / 5);
  assert.equal(gainOf("response before closed connection; connection closed before"), 0);
  assert.equal(createVerbatimGain("three words only"), null);
});

test("the longest run is the one that a comparison of every pair of places finds", () => {
  const word = fc.constantFrom("a", "ab", "b", "é", "日本", "cab");
  const gap = fc.constantFrom(" ", ", ", "(", "_", "\n", " -> ");
  const text = fc.array(fc.tuple(word, gap), { minLength: 1, maxLength: 40 }).map((parts) => parts.flat().join(""));
  fc.assert(
    fc.property(fc.array(word, { minLength: 4, maxLength: 9 }), text, (query, source) => {
      const gainOf = createVerbatimGain(query.join(" ")) ?? assert.fail();
      const found = source.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
      let longest = 0;
      for (const [start] of found.entries()) {
        for (const [first] of query.entries()) {
          let run = 0;
          while (first + run < query.length && query[first + run] === found[start + run]) run++;
          longest = Math.max(longest, run);
        }
      }
      assert.equal(gainOf(source), longest < 4 ? 0 : (rankWeights.verbatim * longest) / query.length);
    }),
  );
});

test("the first files are those that all gains would give, and the others are read as far as they may be among them", async () => {
  const share = fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10);
  const row = fc.record({ score: share, gain: share, slack: share });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 40 }), fc.integer({ min: 1, max: 12 }), async (rows, needed) => {
      const files = rows.map((each, file) => ({ ...each, file }));
      let reads = 0;
      const readGains = async (batch: readonly { readonly gain: number }[]) => {
        reads += batch.length;
        return batch.map(({ gain }) => gain);
      };
      const found = await addGains(files, needed, ({ gain, slack }) => gain + slack, readGains);
      const expected = files
        .map(({ score, gain, file }) => ({ file, score: Math.min(1, score + gain) }))
        .sort((one, other) => other.score - one.score);
      assert.deepEqual(
        found.slice(0, needed).map(({ file, score }) => ({ file, score })),
        expected.slice(0, needed),
      );
      assert.ok(reads <= files.length);
    }),
  );
  const many = Array.from({ length: 50 }, (_, file) => ({ file, score: 0.5 - file / 1_000 }));
  let reads = 0;
  await addGains(
    many,
    10,
    () => 0.2,
    async (batch) => {
      reads += batch.length;
      return batch.map(() => 0.2);
    },
  );
  assert.equal(reads, 10);
});
