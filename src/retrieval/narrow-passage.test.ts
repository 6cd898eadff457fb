import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { narrowPassage } from "./narrow-passage.ts";

const place = { label: null, heading: null };
const text = `${"INFO all is well\n".repeat(20)}ERROR disk quota exceeded\n${"INFO all is well\n".repeat(20)}`;
const passage = { text, start: 1_000, end: 1_000 + text.length, startLine: 51, endLine: 91, ...place };

test("a passage that fits stays as it is", () => {
  assert.equal(narrowPassage(passage, "disk quota", text.length), passage);
});

test("a passage that does not fit begins shortly before the line that matched", () => {
  const { text: narrowed, start, startLine, end } = narrowPassage(passage, "disk quota exceeded", 200);
  assert.match(narrowed, /^(?:INFO all is well\n){2}ERROR disk quota exceeded\n/);
  assert.deepEqual([start, startLine, end], [1_000 + 18 * 17, 51 + 18, passage.end]);
});

test("a passage without a matching line keeps its beginning", () => {
  assert.equal(narrowPassage(passage, "nothing like it", 200).start, 1_000);
});

test("for any text and room, what is left is the end of the passage from the start of a line", () => {
  const lines = fc.array(fc.constantFrom("a weir", "disk quota", "", "long ".repeat(30)), { minLength: 1 });
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 400 }), (given, chars) => {
      const whole = given.join("\n");
      const wide = { text: whole, start: 7, end: 7 + whole.length, startLine: 3, endLine: 3 + given.length, ...place };
      const narrow = narrowPassage(wide, "disk quota", chars);
      const dropped = narrow.start - wide.start;
      assert.equal(narrow.text, whole.slice(dropped));
      assert.equal(whole.slice(0, dropped).split("\n").length - 1, narrow.startLine - wide.startLine);
      assert.ok(dropped === 0 || whole[dropped - 1] === "\n");
    }),
  );
});
