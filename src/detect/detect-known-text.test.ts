import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { detectKnownText } from "./detect.ts";

describe("what was read as text", () => {
  for (const { text, name, mediaType } of [
    { text: "%PDF-1.7\n1 0 obj <<>>", mediaType: "text/plain" },
    { text: "%PDF-1.7\n1 0 obj <<>>", name: "notes.md", mediaType: "text/plain" },
    { text: "<html><p>words", mediaType: "text/plain" },
    { text: "\u0000\u0001\u0002\u0003", mediaType: "text/plain" },
    { text: "", mediaType: "text/plain" },
    { text: "# words", name: "notes.md", mediaType: "text/markdown" },
  ]) {
    test(`stays text: ${JSON.stringify(text)}${name === undefined ? "" : ` in ${name}`}`, () => {
      const detection = detectKnownText(Buffer.from(text), name);
      assert.deepEqual([detection.kind, detection.mediaType, detection.charset], ["text", mediaType, "utf-8"]);
    });
  }

  test("says what its beginning looked like", () => {
    const { signals } = detectKnownText(Buffer.from("%PDF-1.7\n1 0 obj <<>>"));
    assert.deepEqual(
      [signals.magic, signals.notes.at(-1)],
      ["application/pdf", "It begins like application/pdf, but was read as text."],
    );
  });
});
