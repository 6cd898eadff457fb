/** Diffs of configs: exact, and no longer than the changes. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { writeDiff } from "./text-diff.ts";

/** Applies a unified diff, as `patch` does. */
function patch(before: string, diff: string): string {
  const old = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const out: string[] = [];
  let at = 0;
  for (const hunk of diff.split(/^(?=@@ )/m).slice(1)) {
    const [, start = "", length = ""] = /^@@ -(\d+),(\d+) /.exec(hunk) ?? [];
    const first = Number(start) - (length === "0" ? 0 : 1);
    out.push(...old.slice(at, first));
    at = first;
    for (const line of hunk
      .replaceAll("\n\\ No newline at end of file\n", "")
      .match(/[^\n]*\n|[^\n]+$/g)
      ?.slice(1) ?? []) {
      if (line[0] !== "+") assert.equal(old[at++], line.slice(1));
      if (line[0] !== "-") out.push(line.slice(1));
    }
  }
  return [...out, ...old.slice(at)].join("");
}

describe("a diff", () => {
  test("has a hunk for each place that changed, with one line around it", () => {
    const before = "a\nb\nc\nd\ne\nf\ng\n";
    const after = "a\nB\nc\nd\ne\nf\ng\nh\n";
    assert.equal(
      writeDiff("x", before, after),
      "--- x\n+++ x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -7,1 +7,2 @@\n g\n+h\n",
    );
  });

  test("of a new file, and of a deleted one, names /dev/null", () => {
    assert.equal(writeDiff("x", null, "a\n"), "--- /dev/null\n+++ x\n@@ -0,0 +1,1 @@\n+a\n");
    assert.equal(writeDiff("x", "a\n", null), "--- x\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n");
  });

  test("turns the one text into the other, for any texts", () => {
    const texts = fc
      .array(fc.constantFrom("a\n", "b\n", "c\n", "d\n"), { maxLength: 30 })
      .map((lines) => lines.join(""));
    fc.assert(
      fc.property(texts, texts, fc.boolean(), (before, after, isCut) => {
        const text = isCut ? after.slice(0, -1) : after;
        assert.equal(patch(before, writeDiff("x", before, text)), text);
      }),
    );
  });

  test("of texts that have little in common is one hunk", () => {
    const write = (word: string) => Array.from({ length: 1_000 }, (_, index) => `${word} ${index}\n`).join("");
    assert.equal(writeDiff("x", write("a"), write("b")).match(/^@@/gm)?.length, 1);
  });
});
