import assert from "node:assert/strict";
import { test } from "node:test";
import type { Body } from "../kind.ts";
import { readWindows } from "./text-windows.ts";

/** A body that arrives in chunks of this size. */
function chunkedBody(bytes: Uint8Array, chunkBytes: number): Body {
  return {
    sizeBytes: bytes.length,
    read: async (start, end) => bytes.subarray(start, end),
    async *stream() {
      for (let start = 0; start < bytes.length; start += chunkBytes) yield bytes.subarray(start, start + chunkBytes);
    },
  };
}

/** Copies, because a window is valid until the next one. */
async function listWindows(body: Body, isWide: boolean): Promise<string[]> {
  const windows: string[] = [];
  for await (const window of readWindows(body, isWide)) windows.push(Buffer.from(window).toString("latin1"));
  return windows;
}

for (const { name, text } of [
  { name: "lines", text: "A line of text that is not very long.\n".repeat(20_000) },
  { name: "one long line", text: "x".repeat(700_000) },
  { name: "characters of three bytes", text: "水".repeat(150_000) },
  { name: "a short text", text: "short\n" },
  { name: "nothing", text: "" },
]) {
  for (const isWide of [false, true]) {
    test(`${name}: the same windows however the body is chunked${isWide ? ", for wide characters" : ""}`, async () => {
      const bytes = Buffer.from(text);
      const windows = await listWindows(chunkedBody(bytes, bytes.length || 1), isWide);
      assert.equal(windows.join(""), bytes.toString("latin1"));
      for (const chunkBytes of [1_000, 65_536, 300_000])
        assert.deepEqual(await listWindows(chunkedBody(bytes, chunkBytes), isWide), windows, `${chunkBytes}`);
    });
  }
}
