import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertLinearTime } from "../../test/cpu-time.ts";
import { makeFolderMatcher } from "./filter-files.ts";

const cases: readonly (readonly [directory: string, path: string, matches: boolean])[] = [
  ["src", "src/a.ts", true],
  ["src/", "src/a.ts", true],
  ["./src", "src/a.ts", true],
  ["/src", "src/a.ts", true],
  ["src", "src2/a.ts", false],
  ["src", "lib/src/a.ts", false],
  ["src/a.ts", "src/a.ts", true],
  ["%/src", "lib/src/a.ts", true],
  ["src/%/tests", "src/a/b/tests/x.ts", true],
  ["src/%/tests", "src/a/tests2/x.ts", false],
  ["src/%/tests", "src/a/tests2/tests/x.ts", true],
  ["src%", "src2/a.ts", true],
  ["%", "anything", true],
  ["", "anything", true],
  [".", "anything", true],
  ["s_c", "src/a.ts", false],
  ["s_c", "s_c/a.ts", true],
  ["src\\deep", "src/deep/a.ts", true],
  ["' OR 1=1 --", "src/a.ts", false],
  ["../other", "src/a.ts", false],
  ["a.*", "abc/x", false],
  ["100\\%", "100%/x", true],
  ["100\\%", "1000/x", false],
];

describe("a directory filter", () => {
  for (const [directory, path, matches] of cases) {
    test(`${JSON.stringify(directory)} ${matches ? "matches" : "does not match"} ${path}`, () =>
      assert.equal(makeFolderMatcher(directory)(path), matches));
  }

  test("with many wildcards takes time linear in the path", () => {
    const matches = makeFolderMatcher(`${"%a".repeat(60)}%b`);
    return assertLinearTime(50_000, (length) => assert.equal(matches("a".repeat(length)), false));
  });
});
