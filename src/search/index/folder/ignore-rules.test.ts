import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertCpuTime } from "../../../../test/cpu-time.ts";
import { defaultIgnores, matchRules, parseIgnore } from "./ignore-rules.ts";

const cases = [
  { rules: "*.log", path: "a/b/x.log", expected: "ignored" },
  { rules: "*.log", path: "a/b/x.logs", expected: null },
  { rules: "*.log\n!keep.log", path: "keep.log", expected: "kept" },
  { rules: "!keep.log\n*.log", path: "keep.log", expected: "ignored" },
  { rules: "/build", path: "build", expected: "ignored" },
  { rules: "/build", path: "src/build", expected: null },
  { rules: "build/", path: "build", folder: false, expected: null },
  { rules: "build/", path: "src/build", folder: true, expected: "ignored" },
  { rules: "src/gen", path: "src/gen", expected: "ignored" },
  { rules: "src/gen", path: "lib/src/gen", expected: null },
  { rules: "**/gen", path: "lib/src/gen", expected: "ignored" },
  { rules: "src/**/gen", path: "src/gen", expected: "ignored" },
  { rules: "src/**/gen", path: "src/a/b/gen", expected: "ignored" },
  { rules: "src/**", path: "src/a/b", expected: "ignored" },
  { rules: "src/**", path: "src", folder: true, expected: null },
  { rules: "a?c", path: "abc", expected: "ignored" },
  { rules: "a?c", path: "a/c", expected: null },
  { rules: "[a-c]x", path: "bx", expected: "ignored" },
  { rules: "[!a-c]x", path: "bx", expected: null },
  { rules: "[!a-c]x", path: "dx", expected: "ignored" },
  { rules: "[]]x", path: "]x", expected: "ignored" },
  { rules: "[x", path: "[x", expected: null },
  { rules: "[[:alpha:]_]x", path: "qx", expected: "ignored" },
  { rules: "[[:alpha:]_]x", path: "_x", expected: "ignored" },
  { rules: "[[:alpha:]_]x", path: "1x", expected: null },
  { rules: "[![:digit:]]x", path: "1x", expected: null },
  { rules: "[[:letter:]]x", path: "ax", expected: null },
  { rules: "[[:x]", path: ":", expected: "ignored" },
  { rules: "[a-]x", path: "-x", expected: "ignored" },
  { rules: "[\\]-a]x", path: "^x", expected: "ignored" },
  { rules: "[[:lower:]-z]x", path: "-x", expected: "ignored" },
  { rules: "a**/b", path: "ax/y/b", expected: "ignored" },
  { rules: "a**/b", path: "x/b", expected: null },
  { rules: "a?**/b", path: "ax/y/b", expected: null },
  { rules: "a?**/b", path: "axy/b", expected: "ignored" },
  { rules: "***/b", path: "x/y/b", expected: "ignored" },
  { rules: "x/a**", path: "x/ab", expected: "ignored" },
  { rules: "\\#x", path: "#x", expected: "ignored" },
  { rules: "\\!x", path: "!x", expected: "ignored" },
  { rules: "# x", path: "# x", expected: null },
  { rules: "x  ", path: "x", expected: "ignored" },
  { rules: "x\\ ", path: "x ", expected: "ignored" },
  { rules: "\ufeffx", path: "x", expected: "ignored" },
  { rules: "x\t", path: "x", expected: null },
  { rules: "*.tar.gz", path: "a.tar.gz", expected: "ignored" },
  { rules: "/", path: "x", expected: null },
  { rules: "!", path: "x", expected: null },
] as const;

describe("an ignore file", () => {
  for (const { rules, path, expected, ...more } of cases) {
    test(`${JSON.stringify(rules)} gives ${expected} for ${path}`, () => {
      const folder = "folder" in more ? more.folder : false;
      assert.equal(matchRules(parseIgnore(rules), path, folder), expected);
    });
  }

  test("loses the rules that would hide a wanted folder, and no others", () => {
    const rules = parseIgnore("*\n!*.ts\n*.log\nout/\n", ["out", "out/gen"]);
    assert.equal(matchRules(rules, "out/gen/a.js", false), null);
    assert.equal(matchRules(rules, "out/gen/a.log", false), "ignored");
    assert.equal(matchRules(rules, "out/gen/a.ts", false), "kept");
  });

  test("with hostile patterns takes little time", async () => {
    const rules = parseIgnore(`${"*a".repeat(40)}b\n${"**/".repeat(40)}*a*a*a*ab`);
    await assertCpuTime(1_000, () =>
      assert.equal(matchRules(rules, `${"a".repeat(250)}/${"a".repeat(250)}`, false), null),
    );
  });

  test("by default hides third-party code and secrets, and can be overruled", () => {
    assert.equal(matchRules(defaultIgnores, "node_modules", true), "ignored");
    assert.equal(matchRules(defaultIgnores, "deep/.env", false), "ignored");
    assert.equal(matchRules(defaultIgnores, ".env.example", false), "kept");
    assert.equal(matchRules(defaultIgnores, "src/build", true), null);
  });
});
