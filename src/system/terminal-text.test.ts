import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { assertLinearTime } from "../../test/cpu-time.ts";
import { toLogText, toTerminalText } from "./terminal-text.ts";

describe("text of another program in a terminal", () => {
  for (const [given, shown] of [
    ["\u001b[1;31mfailed\u001b[0m to start", "failed to start"],
    ["\u001b[2J\u001b[Hgone", "gone"],
    ["\u009b31mred", "red"],
    ["\u001b]0;a title\u0007text", "text"],
    ["\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["50 %\r100 %\u0007", "50 %\ufffd100 %\ufffd"],
    ["\u001bc \u001b[12", "\ufffdc \ufffd[12"],
    ["abc\u202edef\u2028", "abc\ufffddef\ufffd"],
    ["a\tb\nGrüße, 日本", "a\tb\nGrüße, 日本"],
    ["an array [1m] of words", "an array [1m] of words"],
  ] as const) {
    test(`${JSON.stringify(given)} is shown as ${JSON.stringify(shown)}`, () =>
      assert.equal(toTerminalText(given), shown));
  }

  test("has no secret in a log, also if colours split it", () => {
    const shown = toLogText("api_key\u001b[0m=sk-a1B2\u001b[1ma1B2a1B2a1B2a1B2");
    assert.match(shown, /^api_key=/);
    assert.doesNotMatch(shown, /a1B2/);
  });

  test("has no control character but tab and line feed", () => {
    const pieces = fc.array(
      fc.constantFrom("\u001b", "[", "]", "0", ";", "m", "\u0007", "\\", "\u009b", "\u001b[", "\r", "a"),
    );
    fc.assert(fc.property(pieces, (all) => assert.doesNotMatch(toTerminalText(all.join("")), /[\p{Cc}--[\t\n]]/v)));
  });

  test("takes linear time", async () => {
    for (const part of ["\u001b[", "\u001b]", "\u001b[0;", "\u009b1"])
      await assertLinearTime(20_000, (count) => toTerminalText(part.repeat(count)), JSON.stringify(part));
  });
});
