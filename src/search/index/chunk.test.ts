import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { chunkText, MAX_CHUNK_CHARS } from "./chunk.ts";

const block = (name: string, lines: number): string =>
  `function ${name}() {\n${"  const value = compute(input);\n".repeat(lines)}}\n`;

describe("chunks", () => {
  test("end between functions where possible", () => {
    const text = Array.from({ length: 8 }, (_, index) => block(`step${index}`, 14)).join("\n");
    const chunks = chunkText(text);
    assert.ok(chunks.length > 2);
    for (const { start } of chunks) assert.match(text.slice(start), /^function step/);
  });

  test("keep a comment with the function below it", () => {
    const text = Array.from({ length: 6 }, (_, index) => `// About step ${index}.\n${block(`step${index}`, 18)}`).join(
      "\n",
    );
    for (const { start } of chunkText(text)) assert.match(text.slice(start), /^\/\/ About/);
  });

  test("of a very long line are parts of it", () => {
    const chunks = chunkText("x".repeat(10_000));
    assert.equal(chunks.length, 5);
    assert.ok(chunks.every(({ startLine, endLine }) => startLine === 1 && endLine === 1));
  });

  test("of an empty text do not exist", () => assert.deepEqual(chunkText(""), []));

  test("have every character once, in order, in whole lines, and are bounded", () => {
    const line = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.constant(""),
      fc.constant("    indented(line);"),
      fc.constant("\t}"),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 200 }), fc.constantFrom("\n", "\r\n"), (lines, end) => {
        const text = lines.join(end);
        const chunks = chunkText(text);
        assert.equal(chunks.map((chunk) => text.slice(chunk.start, chunk.end)).join(""), text);
        for (const { start, end: stop, startLine, endLine } of chunks) {
          assert.ok(stop - start <= MAX_CHUNK_CHARS || startLine === endLine);
          assert.equal(text.slice(0, start).split("\n").length, startLine);
          assert.ok(endLine >= startLine);
        }
      }),
    );
  });
});
