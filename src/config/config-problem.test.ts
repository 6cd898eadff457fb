import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { describeProblem, quote } from "./config-problem.ts";

const cases = [
  { name: "plain text", text: "fit", shown: '"fit"' },
  { name: "quotes and backslashes", text: 'a"b\\c', shown: '"a\\"b\\\\c"' },
  { name: "a terminal escape", text: "\u001b[31mred", shown: '"\\u{1b}[31mred"' },
  { name: "a bidi override", text: "a\u202eb", shown: '"a\\u{202e}b"' },
  { name: "text at the limit", text: "x".repeat(60), shown: `"${"x".repeat(60)}"` },
  { name: "text past the limit", text: "x".repeat(61), shown: `"${"x".repeat(60)}..."` },
  { name: "wide characters past the limit", text: "😀".repeat(100), shown: `"${"😀".repeat(60)}..."` },
];

for (const { name, text, shown } of cases) {
  test(`${name} is quoted as ${shown.slice(0, 20)}`, () => assert.equal(quote(text), shown));
}

test("quoted text is short and printable, whatever the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      assert.ok(quote(text).length <= 700);
      assert.doesNotMatch(quote(text), /\p{C}/u);
    }),
  );
});

test("a problem is described by its place and its sentence", () => {
  const rest = { sentence: "It is wrong.", hint: "Fix it." };
  assert.equal(
    describeProblem({ place: { file: "/c", line: 3, column: 5 }, ...rest }),
    "/c, line 3, column 5: It is wrong.",
  );
  assert.equal(describeProblem({ place: { file: "/c" }, ...rest }), "/c: It is wrong.");
  assert.equal(describeProblem({ place: { variable: "SPILLWAY_X" }, ...rest }), "SPILLWAY_X: It is wrong.");
  assert.equal(describeProblem({ place: { flag: "--set x" }, ...rest }), "--set x: It is wrong.");
});
