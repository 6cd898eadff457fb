/** The tools that judge the fixtures must themselves fail when they should. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { assertChecks, assertGolden, fixturesFolder, lineDiff } from "./fixtures.ts";

describe("golden files", () => {
  test("a changed line is shown with its neighbours, the rest is left out", () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const changed = lines.with(10, "another line");
    assert.equal(
      lineDiff(lines.join("\n"), changed.join("\n")),
      "  line 8\n  line 9\n- line 10\n+ another line\n  line 11\n  line 12\n  ...",
    );
  });

  test("an added and a removed line are told apart", () => {
    assert.equal(lineDiff("a\nb", "a\nb\nc"), "  a\n  b\n+ c");
    assert.equal(lineDiff("a\nb\nc", "b\nc"), "- a\n  b\n  c");
  });

  test("another text fails and says how to accept it", { skip: process.env.UPDATE_GOLDEN === "1" }, () => {
    const golden = join(fixturesFolder, "pages", "changelog", "expected.md");
    assert.throws(() => assertGolden(golden, "# Something else"), /\+ # Something else[\s\S]*UPDATE_GOLDEN=1/);
  });
});

describe("checks", () => {
  const results = new Map([
    ["contains: a", true],
    ["excludes: b", false],
  ]);

  test("a failed check is accepted only as a known defect", () => {
    assertChecks(results, ["excludes: b"]);
    assert.throws(() => assertChecks(results, []), /not known defects/);
  });

  test("a known defect that was fixed has to be removed from the list", () => {
    assert.throws(() => assertChecks(results, ["excludes: b", "contains: a"]), /no longer exist/);
  });
});
