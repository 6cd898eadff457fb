import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { makeTemporaryFolder } from "../../test/bodies.ts";
import { memoryObjects } from "../artifacts/memory-objects.ts";
import { isIndexedText, openTextIndex } from "./text-index.ts";

async function openText(body: string | Buffer, charset: string | null = "utf-8") {
  const folder = await makeTemporaryFolder();
  const path = join(folder.path, "body");
  await writeFile(path, body);
  const size_bytes = Buffer.byteLength(body);
  const source = {
    objects: memoryObjects(),
    facts: { size_bytes, charset, media_type: "text/plain" },
    content: { path },
    handler: { name: "text" },
    signal: new AbortController().signal,
  };
  return { source, path, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const lines = Array.from({ length: 40_000 }, (_, line) => `${line} – the level is ${line % 7}, größer 🌊\n`);

describe("the index of a long text", () => {
  for (const { name, text } of [
    { name: "with short lines", text: lines.join("") },
    { name: "in one line of characters of several bytes", text: "ä€🌊".repeat(100_000) },
    {
      name: "in ASCII",
      text: Array.from({ length: 40_000 }, (_, line) => `${line}: served in\t${line % 900} ms\n`).join(""),
    },
    { name: "without a line end after the last line", text: `${lines.join("")}the end` },
  ]) {
    test(`gives back every character of a text ${name}, with true offsets and lines`, async () => {
      await using opened = await openText(text);
      const { size, ended, segments } = await openTextIndex(opened.source, "extracts/abc/x.");
      assert.deepEqual([size.chars, ended], [text.length, { failed: null }]);
      assert.equal(size.lineEnds, text.split("\n").length - 1);
      let joined = "";
      for await (const { text: part, offset, line } of segments()) {
        assert.deepEqual([offset, line], [joined.length, joined.split("\n").length]);
        joined += part;
      }
      assert.ok(joined === text);
      assert.ok(size.segments > 2, "the text has several parts");
    });
  }

  test("begins at the part that a place is in", async () => {
    const text = lines.join("");
    await using opened = await openText(text);
    const index = await openTextIndex(opened.source, "extracts/abc/x.");
    for (const chars of [0, 1, 300_000, text.length - 1]) {
      const { value } = await index.segmentsFrom({ chars }).next();
      assert.ok(value && value.offset <= chars && chars < value.offset + value.text.length, String(chars));
    }
    const { value } = await index.segmentsFrom({ lineEnds: 39_999 }).next();
    assert.ok(value?.text.includes("39999 – the level"));
  });

  test("is made once, and again if it was damaged", async () => {
    await using opened = await openText(lines.join(""));
    const { objects } = opened.source;
    await openTextIndex(opened.source, "extracts/abc/x.");
    const before = await objects.head("extracts/abc/x.index");
    await openTextIndex(opened.source, "extracts/abc/x.");
    assert.deepEqual(await objects.head("extracts/abc/x.index"), before);
    await objects.put("extracts/abc/x.index", Buffer.from("[[1,"));
    assert.equal((await openTextIndex(opened.source, "extracts/abc/x.")).size.chars, lines.join("").length);
  });

  test("reads charsets of one byte, and cleans every part", async () => {
    const body = Buffer.from("l\xe4nge \x1b[31mred\x1b[0m\r\n".repeat(40_000), "latin1");
    await using opened = await openText(body, "windows-1252");
    const { size, segments } = await openTextIndex(opened.source, "extracts/abc/x.");
    assert.equal(size.chars, "länge red\n".length * 40_000);
    const parts = await Array.fromAsync(segments(), ({ text }) => text);
    assert.ok(parts.join("") === "länge red\n".repeat(40_000));
  });

  test("counts exactly the text that is read, whatever is cleaned from it", async () => {
    const pieces = fc.constantFrom(
      "a",
      "b c",
      "\n",
      "\r\n",
      "\r",
      "\t",
      "ä",
      "🌊",
      "\0",
      "\x7f",
      "\x1b[0m",
      "\ufeff",
      "\u200b",
    );
    const plain = fc.constantFrom("a", "b c", "\n", "\t", "~");
    const text = fc.oneof(fc.array(pieces, { minLength: 1 }), fc.array(plain, { minLength: 1 }));
    await fc.assert(
      fc.asyncProperty(text, async (words) => {
        await using opened = await openText(words.join(""));
        const { size, segments } = await openTextIndex(opened.source, "extracts/abc/x.");
        const read = (await Array.fromAsync(segments(), (part) => part.text)).join("");
        assert.deepEqual([size.chars, size.lineEnds], [read.length, read.split("\n").length - 1]);
      }),
      { numRuns: 60 },
    );
  });

  test("is for texts in a file, in a charset with safe line ends, and without headings", async () => {
    await using opened = await openText("x");
    const { source } = opened;
    assert.equal(isIndexedText(source), true);
    assert.equal(isIndexedText({ ...source, content: { bytes: new Uint8Array() } }), false);
    assert.equal(isIndexedText({ ...source, handler: { name: "pdf" } }), false);
    for (const charset of ["utf-16le", "iso-2022-jp"])
      assert.equal(isIndexedText({ ...source, facts: { ...source.facts, charset } }), false, charset);
    assert.equal(isIndexedText({ ...source, facts: { ...source.facts, media_type: "text/markdown" } }), false);
  });
});
