import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { anthropicMessages } from "./dialects/anthropic-messages.ts";
import { estimateRequest } from "./estimate-tokens.ts";
import { countPictureTokens } from "./picture-prices.ts";

describe("the tokens of a picture", () => {
  for (const [model, width, height, tokens] of [
    ["claude-haiku-4-5", 1_024, 1_024, 1_369],
    ["claude-haiku-4-5", 4_032, 3_024, 1_568],
    ["anthropic/claude-opus-4-8", 1_920, 1_080, 2_691],
    ["gpt-4o", 1_024, 1_024, 765],
    ["gpt-4o", 2_048, 4_096, 1_105],
    ["gpt-4.1-mini", 1_800, 2_400, 2_489],
    ["gpt-5", 1_024, 1_024, 630],
    ["gpt-6", 1_920, 1_080, 2_448],
    ["gemini-2.5-pro", 300, 300, 258],
    ["gemini-2.5-pro", 960, 540, 1_548],
    ["gemini-3-flash", 4_000, 3_000, 1_120],
    ["a-model-of-ours", 1_024, 1_024, undefined],
  ] as const) {
    test(`${model}, ${width} x ${height}: ${tokens ?? "unknown"}`, () => {
      assert.equal(countPictureTokens(model, { width, height }), tokens);
    });
  }
});

/** The beginning of a picture. The estimate needs no more. */
function pictureOf(kind: string, width: number, height: number): Buffer {
  const be16 = (value: number) => [value >> 8, value & 255];
  const heads: Readonly<Record<string, readonly number[]>> = {
    png: [...Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"), 0, 0, ...be16(width), 0, 0, ...be16(height)],
    jpeg: [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8, ...be16(height), ...be16(width), 3],
  };
  return Buffer.concat([Buffer.from(heads[kind] ?? []), Buffer.alloc(90_000)]);
}

describe("a request with pictures", () => {
  const estimate = (model: string, picture: Buffer) => {
    const image = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: picture.toString("base64") },
    };
    const request = { model, messages: [{ role: "user", content: [image, image, image, image] }] };
    return estimateRequest({ dialect: anthropicMessages, request, target: { endpoint: "", model } });
  };

  for (const kind of ["png", "jpeg"]) {
    test(`counts a small ${kind} as its model does`, () => {
      const [listed, other] = ["claude-haiku-4-5", "mine"].map((model) => estimate(model, pictureOf(kind, 512, 512)));
      assert.ok(Math.abs((listed ?? 0) - 4 * 361) < 100, String(listed));
      assert.ok(Math.abs((other ?? 0) - 4 * 1_600) < 100, String(other));
    });
  }

  test("counts a picture without a readable size as a large one", () => {
    for (const picture of [Buffer.alloc(90_000), Buffer.alloc(90_000, 255), pictureOf("png", 0, 0)])
      assert.ok(Math.abs(estimate("claude-haiku-4-5", picture) - 4 * 1_600) < 100);
  });
});
