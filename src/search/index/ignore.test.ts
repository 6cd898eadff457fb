import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defaultIgnores, matchRules, parseIgnore } from "./ignore.ts";

const cases = [
  { rules: "*.log", path: "a/b/x.log", says: "ignored" },
  { rules: "*.log", path: "a/b/x.logs", says: null },
  { rules: "*.log\n!keep.log", path: "keep.log", says: "kept" },
  { rules: "!keep.log\n*.log", path: "keep.log", says: "ignored" },
  { rules: "/build", path: "build", says: "ignored" },
  { rules: "/build", path: "src/build", says: null },
  { rules: "build/", path: "build", folder: false, says: null },
  { rules: "build/", path: "src/build", folder: true, says: "ignored" },
  { rules: "src/gen", path: "src/gen", says: "ignored" },
  { rules: "src/gen", path: "lib/src/gen", says: null },
  { rules: "**/gen", path: "lib/src/gen", says: "ignored" },
  { rules: "src/**/gen", path: "src/gen", says: "ignored" },
  { rules: "src/**/gen", path: "src/a/b/gen", says: "ignored" },
  { rules: "src/**", path: "src/a/b", says: "ignored" },
  { rules: "src/**", path: "src", folder: true, says: null },
  { rules: "a?c", path: "abc", says: "ignored" },
  { rules: "a?c", path: "a/c", says: null },
  { rules: "[a-c]x", path: "bx", says: "ignored" },
  { rules: "[!a-c]x", path: "bx", says: null },
  { rules: "[!a-c]x", path: "dx", says: "ignored" },
  { rules: "[]]x", path: "]x", says: "ignored" },
  { rules: "[x", path: "[x", says: null },
  { rules: "[[:alpha:]_]x", path: "qx", says: "ignored" },
  { rules: "[[:alpha:]_]x", path: "_x", says: "ignored" },
  { rules: "[[:alpha:]_]x", path: "1x", says: null },
  { rules: "[![:digit:]]x", path: "1x", says: null },
  { rules: "[[:letter:]]x", path: "ax", says: null },
  { rules: "[[:x]", path: ":", says: "ignored" },
  { rules: "[a-]x", path: "-x", says: "ignored" },
  { rules: "[\\]-a]x", path: "^x", says: "ignored" },
  { rules: "[[:lower:]-z]x", path: "-x", says: "ignored" },
  { rules: "a**/b", path: "ax/y/b", says: "ignored" },
  { rules: "a**/b", path: "x/b", says: null },
  { rules: "a?**/b", path: "ax/y/b", says: null },
  { rules: "a?**/b", path: "axy/b", says: "ignored" },
  { rules: "***/b", path: "x/y/b", says: "ignored" },
  { rules: "x/a**", path: "x/ab", says: "ignored" },
  { rules: "\\#x", path: "#x", says: "ignored" },
  { rules: "\\!x", path: "!x", says: "ignored" },
  { rules: "# x", path: "# x", says: null },
  { rules: "x  ", path: "x", says: "ignored" },
  { rules: "x\\ ", path: "x ", says: "ignored" },
  { rules: "\ufeffx", path: "x", says: "ignored" },
  { rules: "x\t", path: "x", says: null },
  { rules: "*.tar.gz", path: "a.tar.gz", says: "ignored" },
  { rules: "/", path: "x", says: null },
  { rules: "!", path: "x", says: null },
] as const;

describe("an ignore file", () => {
  for (const { rules, path, says, ...more } of cases) {
    test(`${JSON.stringify(rules)} says ${says} of ${path}`, () => {
      const folder = "folder" in more ? more.folder : false;
      assert.equal(matchRules(parseIgnore(rules), path, folder), says);
    });
  }

  test("loses the rules that hide what was named, and no others", () => {
    const rules = parseIgnore("*\n!*.ts\n*.log\nout/\n", ["out", "out/gen"]);
    assert.equal(matchRules(rules, "out/gen/a.js", false), null);
    assert.equal(matchRules(rules, "out/gen/a.log", false), "ignored");
    assert.equal(matchRules(rules, "out/gen/a.ts", false), "kept");
  });

  test("of a stranger costs no more than its length times the name's", () => {
    const started = performance.now();
    const rules = parseIgnore(`${"*a".repeat(40)}b\n${"**/".repeat(40)}*a*a*a*ab`);
    assert.equal(matchRules(rules, `${"a".repeat(250)}/${"a".repeat(250)}`, false), null);
    assert.ok(performance.now() - started < 200);
  });

  test("by default hides other people's code and secrets, and can be overruled", () => {
    assert.equal(matchRules(defaultIgnores, "node_modules", true), "ignored");
    assert.equal(matchRules(defaultIgnores, "deep/.env", false), "ignored");
    assert.equal(matchRules(defaultIgnores, ".env.example", false), "kept");
    assert.equal(matchRules(defaultIgnores, "src/build", true), null);
  });
});
