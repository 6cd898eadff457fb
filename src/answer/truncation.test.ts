import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Bound } from "../fit/budget.ts";
import {
  CUT_NOTICE_CHARS,
  commandAudience,
  fixedAudience,
  formatNextRead,
  makeCutNotice,
  makeTruncationSuffix,
  toolAudience,
  truncateContent,
} from "./truncation.ts";

describe("truncated content", () => {
  test("ends with the contract's notice, in plain digits", () => {
    assert.equal(
      truncateContent("x".repeat(612_345), 30_000),
      `${"x".repeat(30_000)}\n\n[Content truncated at 30000 chars. Total: 612345 chars. Use a higher maxChars to retrieve more.]`,
    );
  });

  test("is unchanged at or under the limit", () => {
    for (const text of ["", "short", "x".repeat(1_000)]) assert.equal(truncateContent(text, 1_000), text);
  });

  test("has the notice too if it is itself the start of something longer", () => {
    const start = "x".repeat(1_000);
    assert.equal(truncateContent(start, 1_000, 5_000), start + makeTruncationSuffix(1_000, 5_000));
    assert.equal(truncateContent(start, 30_000, 5_000), start + makeTruncationSuffix(1_000, 5_000));
  });
});

describe("the notice of a cut", () => {
  const cases: readonly { bound: Bound; limitChars: number; ending: string }[] = [
    { bound: "default", limitChars: 30_000, ending: "Use a higher maxChars to retrieve more.]" },
    { bound: "request", limitChars: 12, ending: "Use a higher maxChars to retrieve more.]" },
    { bound: "request", limitChars: 100_000, ending: "Read on as said above.]" },
    { bound: "ceiling", limitChars: 100_000, ending: "No reply shows more. Read on as said above.]" },
    { bound: "client", limitChars: 7_000, ending: "The client takes no more in one reply. Read on as said above.]" },
    { bound: "turn", limitChars: 7_000, ending: "This reply shares its room with others. Read on as said above.]" },
  ];
  for (const { bound, limitChars, ending } of cases) {
    test(`advises what helps at ${limitChars} by ${bound}`, () => {
      const cut = { limitChars, totalChars: 500_000, bound };
      const notice = makeCutNotice(cut, true, toolAudience);
      assert.equal(notice, `\n\n[Content truncated at ${limitChars} chars. Total: 500000 chars. ${ending}`);
      const fixed = makeCutNotice(cut, true, fixedAudience);
      assert.ok(!fixed.includes("maxChars") && fixed.endsWith("Read on as said above.]"), "without the parameter");
      assert.ok(makeCutNotice(cut, false, fixedAudience).endsWith("The rest was not kept.]"));
      assert.ok(notice.length <= CUT_NOTICE_CHARS && fixed.length <= CUT_NOTICE_CHARS);
    });
  }
});

test("the next call is complete for its audience", () => {
  const next = { ref: "af_1", offset: 30_000, rest: null, mode: "markdown", hasPassword: false } as const;
  assert.equal(formatNextRead(next, toolAudience), "Read on: read_artifact artifact_ref=af_1 offset=30000");
  assert.equal(formatNextRead(next, commandAudience), "Read on: spillway read af_1 --offset 30000");
  const lines = { ...next, rest: { selector: "lines", range: "7@20-10" } } as const;
  assert.equal(formatNextRead(lines, toolAudience), "Read on: read_artifact artifact_ref=af_1 lines=7@20-10");
  assert.equal(formatNextRead(lines, commandAudience), "Read on: spillway read af_1 --lines 7@20-10");
  const raw = { ...next, mode: "raw", hasPassword: true } as const;
  assert.equal(
    formatNextRead(raw, fixedAudience),
    "Read on: read_artifact artifact_ref=af_1 offset=30000 mode=raw, with the same password",
  );
  assert.equal(
    formatNextRead(raw, commandAudience),
    "Read on: spillway read af_1 --offset 30000 --mode raw, with the same password",
  );
});
