import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createView } from "../index/index-view.ts";
import { MAX_WORD_CHARS } from "../index/lexicon.ts";
import { createSegmentBuilder } from "../index/segments/build-segment.ts";
import { openSegment } from "../index/segments/index-segment.ts";
import { boundRuns } from "./possible-runs.ts";
import { parseQuery } from "./query.ts";

/** The bound for a text whose chunks are these parts, one after the other. */
function boundFor(query: string, parts: readonly string[]): number {
  const text = parts.join("");
  let end = 0;
  const chunks = parts.map((part) => {
    const start = end;
    end += part.length;
    return { start, end, startLine: 1, endLine: 1 };
  });
  const builder = createSegmentBuilder();
  builder.add({
    id: 1,
    path: "other.ts",
    text: "nothing of it\n",
    chunks: [{ start: 0, end: 14, startLine: 1, endLine: 1 }],
  });
  builder.add({ id: 2, path: "a.ts", text, chunks });
  const view = createView([openSegment(builder.finish()) ?? assert.fail("no segment")], null);
  return boundRuns(view, query.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [], parseQuery(query).terms, [0, 1])(1);
}

test("a file whose chunks do not have neighbouring words near each other has no long run", () => {
  const query = "flush pending frames early";
  assert.equal(boundFor(query, ["flush pending frames early\n"]), 4);
  assert.equal(boundFor(query, ["// flush pending\n", "// frames early\n"]), 4);
  assert.equal(boundFor(query, ["flush pending\n", "other words\n", "frames early\n"]), 2);
  assert.equal(boundFor(query, ["flush pending\n", "---\n", "frames early\n"]), 4);
  assert.equal(boundFor(query, ["early\n", "frames\n", "pending\n", "flush\n"]), 1);
  assert.equal(boundFor(query, ["nothing of that\n"]), 0);
});

test("names of the query are found in longer names, and words that are not looked up may be anywhere", () => {
  assert.equal(boundFor("TestPool_flushFrames returns all pending", ["TestPool_flushFrames returns all pending"]), 5);
  assert.equal(boundFor("flush the frames of it", ["flush frames"]), 5);
  assert.equal(boundFor("日本 flush frames", ["flush"]), 2);
});

test("a word is not seen in a longer name that splits it otherwise, nor in one that is not indexed", () => {
  const query = "getpods could not reach frames";
  assert.equal(boundFor(query, ["getPods could not reach frames"]), 5);
  assert.equal(boundFor(query, ["my_getpods could not reach frames"]), 5);
  assert.equal(boundFor(query, ["my_getPods could not reach frames"]), 4);
  assert.equal(boundFor("getPods could not reach frames", ["my_getPods could not reach frames"]), 5);
  const [longest, longer] = [MAX_WORD_CHARS, MAX_WORD_CHARS + 1].map((chars) => `getpods_${"x".repeat(chars - 8)}`);
  assert.equal(boundFor("reach frames getpods", [`reach frames ${longest}`]), 3);
  assert.equal(boundFor("reach frames getpods", [`reach frames ${longer}`]), 2);
  const key = "k".repeat(MAX_WORD_CHARS + 1);
  assert.equal(boundFor(`reach frames ${key}`, [`reach frames ${key}`]), 3);
});

function assertBound(gaps: readonly string[], normalise: (word: string) => string): void {
  const word = fc.constantFrom("flush", "Frames", "getPods", "getpods", "the", "HTTP2Server", "é", "日本", "x1");
  const gap = fc.constantFrom(...gaps);
  const part = fc.array(fc.tuple(word, gap), { maxLength: 5 }).map((pairs) => `${pairs.flat().join("")}\n`);
  fc.assert(
    fc.property(fc.array(word, { minLength: 2, maxLength: 8 }), fc.array(part, { maxLength: 6 }), (words, parts) => {
      const found = (parts.join("").match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map(normalise);
      const query = words.map(normalise);
      let longest = 0;
      for (const [start] of found.entries()) {
        for (const [first] of query.entries()) {
          let run = 0;
          while (first + run < query.length && query[first + run] === found[start + run]) run++;
          longest = Math.max(longest, run);
        }
      }
      const bound = boundFor(words.join(" "), parts);
      assert.ok(bound >= longest, `${bound} for ${longest}`);
    }),
  );
}

test("no text has a longer run than the bound, in any case of its letters", () =>
  assertBound([" ", ", ", "(", "\n", " -> "], (word) => word.toLowerCase()));

test("no text has a longer run of the query's words as they are written, also inside longer names", () =>
  assertBound([" ", "_", "__", "\n"], (word) => word));
