import assert from "node:assert/strict";
import { test } from "node:test";
import { longTranscript } from "../../test/transcripts.ts";
import { openaiChatSimulator as openaiChat } from "./dialects/openai-chat.simulator.ts";
import { estimateRequest, estimateSamples } from "./estimate-tokens.ts";
import { describeBody } from "./wire/outgoing-request.ts";

const url = new URL(openaiChat.address);

function estimateBoth(request: Readonly<Record<string, unknown>>) {
  const { dialect } = openaiChat;
  const bytes = Buffer.from(JSON.stringify(request));
  const readAt = (offset: number, maxBytes: number) => bytes.subarray(offset, offset + maxBytes);
  const body = { sizeBytes: bytes.length, start: bytes, read: () => bytes, readAt };
  const { sample } = describeBody(dialect, url, body);
  const whole = estimateRequest({ dialect, request, target: { endpoint: "", model: "m" } });
  return { whole, sampled: estimateSamples(sample?.() ?? [], bytes.length) };
}

test("samples of a large request show its tokens within a quarter", () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const { whole, sampled } = estimateBoth(openaiChat.writeRequest(longTranscript(seed)));
    assert.ok(Math.abs(sampled / whole - 1) < 0.25, `${seed}: ${sampled} for ${whole}`);
  }
});

test("attached bytes are not taken for text", () => {
  const picture = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7919) % 251)).toString("base64");
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } };
  const content = [{ type: "text", text: "the gate opened ".repeat(2_000) }, image];
  const { whole, sampled } = estimateBoth({ model: "m", messages: [{ role: "user", content }] });
  assert.ok(sampled < whole * 1.5, `${sampled} for ${whole}`);
});
