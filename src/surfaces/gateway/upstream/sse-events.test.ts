import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { readEvents, type SseEvent, writeEvent } from "./sse-events.ts";

/** The events of a text that arrives in chunks of so many bytes. */
async function read(text: string, chunkBytes = 1_000): Promise<SseEvent[]> {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let start = 0; start < bytes.length; start += chunkBytes) yield bytes.subarray(start, start + chunkBytes);
  }
  return Array.fromAsync(readEvents(chunks()));
}

describe("server-sent events", () => {
  for (const [name, text, expected] of [
    [
      "with all fields",
      "event: x\nid: 7\nretry: 10\ndata: a\ndata: b\n\n",
      [{ name: "x", id: "7", retryMs: 10, data: "a\nb" }],
    ],
    ["with CRLF and a comment", ": hello\r\ndata: a\r\n\r\n", [{ data: "a" }]],
    ["that prime a stream", "id: 1\ndata:\n\n", [{ id: "1", data: "" }]],
    ["that are cut off", "data: a\n\ndata: b", [{ data: "a" }]],
    ["that are none", "\n\n\n", []],
  ] as const)
    test(`${name} are read`, async () => assert.deepEqual(await read(text), expected));

  test("come back as they were, however they arrive", async () => {
    const event = fc.record({ data: fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n]/g, "")) });
    await fc.assert(
      fc.asyncProperty(fc.array(event), fc.integer({ min: 1, max: 20 }), async (events, chunkBytes) => {
        const sent = events.map(({ data }) => ({ data }));
        assert.deepEqual(await read(sent.map(writeEvent).join(""), chunkBytes), sent);
      }),
    );
  });
});
