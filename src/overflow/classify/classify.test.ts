import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { assertCpuTime } from "../../../test/cpu-time.ts";
import { classify } from "./classify.ts";
import type { Verdict } from "./verdict.ts";
import { findWording, wordings } from "./wordings.ts";

const classifyMessage = (message: string, status: number | null = 400): Verdict =>
  classify({ status, body: JSON.stringify({ error: { message } }) });

describe("the table of wordings", () => {
  for (const row of wordings) {
    test(`understands ${JSON.stringify(row.example.slice(0, 100))} as ${row.class}`, () => {
      assert.equal(findWording(row.example)?.form, row.form);
    });
  }
});

describe("the order of evidence", () => {
  test("status 429 is a rate limit whatever the words say, unless a code names the window", () => {
    assert.equal(classifyMessage("prompt is too long: please reduce the prompt length", 429).class, "rate_limit");
    assert.equal(
      classify({ status: 429, body: { error: { code: "context_length_exceeded" } } }).class,
      "context_tokens",
    );
  });

  test("one request over a minute's tokens is a rate limit with its own subclass", () => {
    const verdict = classifyMessage(
      "Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 12328",
      413,
    );
    assert.deepEqual(
      [verdict.class, verdict.subclass, verdict.limit, verdict.actual, verdict.unit],
      ["rate_limit", "tpm_single_request", 6_000, 12_328, "tokens_per_min"],
    );
    assert.equal(
      classifyMessage("Rate limit reached on tokens per min: Limit 30000, Used 29937, Requested 385", 429).subclass,
      undefined,
    );
  });

  test("a server error needs two figures or a clear wording, a gateway error the figures", () => {
    assert.equal(classifyMessage("the prompt exceeds the context window", 500).class, "context_tokens");
    assert.equal(classifyMessage("the prompt exceeds the context window", 502).class, "other");
    assert.equal(classifyMessage("internal error, prompt_length 9000", 500).class, "other");
    assert.equal(
      classifyMessage("Requested input length 99009 exceeds maximum input length 8192", 500).class,
      "context_tokens",
    );
  });

  test("413 without words means the body, with words what they say", () => {
    assert.equal(classify({ status: 413, body: "" }).class, "request_bytes");
    assert.equal(classifyMessage("Request size exceeds model context window", 413).class, "context_tokens");
  });

  test("the named part decides between content and a mistake", () => {
    const message = (path: string) =>
      `Invalid '${path}': string too long. Expected a string with maximum length 64, but got a string with length 90 instead.`;
    assert.equal(classifyMessage(message("input[3].content")).path, "input[3].content");
    assert.equal(classifyMessage(message("input[3].content")).class, "request_bytes");
    assert.equal(classifyMessage(message("input[3].call_id")).class, "other");
    assert.equal(classifyMessage(message("tools[0].name")).class, "other");
  });

  test("a truncated response is an overflow only if it has no output", () => {
    const classOfFinish = (finish: object) => classify({ finish }).class;
    assert.equal(classOfFinish({ stop_reason: "model_context_window_exceeded" }), "context_tokens");
    assert.equal(
      classOfFinish({ choices: [{ finish_reason: "length", text: "" }], usage: { completion_tokens: 0 } }),
      "context_tokens",
    );
    assert.equal(
      classOfFinish({
        choices: [{ finish_reason: "length", message: { content: "" } }],
        usage: { completion_tokens: 900 },
      }),
      "output_limit",
    );
    assert.equal(classOfFinish({ choices: [{ finish_reason: "stop", message: { content: "length" } }] }), "other");
  });
});

describe("any body", () => {
  test("is classified without throwing", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json(), fc.jsonValue(), fc.string({ unit: "binary" })),
        fc.option(fc.integer({ min: 100, max: 599 })),
        (body, status) => {
          const { class: name, confidence } = classify({ status, body });
          assert.ok(name.length > 0 && confidence >= 0 && confidence <= 1);
          classify({ streamEvent: body });
          classify({ finish: body });
        },
      ),
    );
  });

  test("costs bounded CPU time, even if it is hostile", async () => {
    const hostile = [
      '{"a":'.repeat(50_000),
      "{'a': [".repeat(50_000),
      `${"[".repeat(100_000)}`,
      "prompt is too long ".repeat(50_000),
      "1 ".repeat(300_000),
      "1,".repeat(300_000),
      `max${" ".repeat(200_000)}tokens`,
      "maximum allowed supported total context ".repeat(20_000),
      '"'.repeat(300_000),
      "max_".repeat(15_000),
      "max_tokens ".repeat(6_000),
      "max_tokens got ".repeat(4_300),
      "a.".repeat(100_000),
      "a/b.py".repeat(50_000),
      "100/".repeat(50_000),
      "Error.".repeat(50_000),
      JSON.stringify({ error: { message: '\\"'.repeat(100_000) } }),
    ];
    for (const body of hostile) await assertCpuTime(1_000, () => classify({ status: 400, body }), body.slice(0, 20));
  });
});
