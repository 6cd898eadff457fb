import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { LineTooLongError, splitLines } from "./split-lines.ts";

async function split(chunks: readonly Uint8Array[]): Promise<string[]> {
  const stream = (async function* () {
    yield* chunks;
  })();
  return Array.fromAsync(splitLines(stream));
}

/** The bytes in pieces of these lengths, again and again. */
function cut(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let start = 0, n = 0; start < bytes.length; n++) {
    const length = lengths[n % lengths.length] ?? 1;
    chunks.push(bytes.subarray(start, start + length));
    start += length;
  }
  return chunks;
}

describe("splitLines", () => {
  test("gives the same lines wherever chunks end, inside a character too", async () => {
    const lines = fc.array(
      fc.string({ unit: "grapheme", maxLength: 60 }).map((text) => text.replaceAll(/[\r\n]/g, " ")),
    );
    const lengths = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(lines, lengths, async (texts, sizes) => {
        const bytes = Buffer.from(texts.join("\n"));
        assert.deepEqual(
          await split(cut(bytes, sizes)),
          texts.map((text) => Buffer.from(text).toString()).filter((text) => text !== ""),
        );
      }),
    );
  });

  test("does not mix a long line with the next one, and drops the carriage returns of ends", async () => {
    const long = "x".repeat(5_000_000);
    const bytes = Buffer.from(`${long}\r\nshort\r\n${long.slice(0, 200_000)}y\nlast`);
    assert.deepEqual(await split(cut(bytes, [65_536])), [long, "short", `${long.slice(0, 200_000)}y`, "last"]);
  });

  test("refuses a line that does not end", async () => {
    const chunk = new Uint8Array(1024 * 1024).fill(0x61);
    await assert.rejects(split(Array(65).fill(chunk)), LineTooLongError);
  });
});
