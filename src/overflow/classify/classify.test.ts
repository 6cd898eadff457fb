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

describe("an error page", () => {
  const page = (inner: string) => `<html><head>${inner}</head><body><h1>502 Bad Gateway</h1></body></html>`;
  for (const [what, inner] of [
    ["a script", '<script>if (tokens > 4096) throw "too many tokens: prompt exceeds limit 4096";</script>'],
    ["a script that does not end", "<script>prompt is too long: 5000 tokens > 4096 maximum"],
    ["a template", "<template>prompt is too long: 5000 tokens > 4096 maximum</template>"],
    ["a comment", "<!-- prompt is too long: 5000 tokens > 4096 maximum -->"],
    ["an attribute", `<meta content="${"x ".repeat(400)} prompt is too long: 5000 tokens > 4096 maximum">`],
    ["a style", '<STYLE>.x::after { content: "prompt is too long: 5000 tokens > 4096" }</STYLE >'],
  ] as const) {
    test(`says nothing by the words of ${what}`, () => {
      assert.equal(classify({ status: 502, body: page(inner) }).class, "other");
    });
  }

  test("says something by its text", () => {
    const body = page("<script>x()</script><title>prompt is too long: 5000 tokens > 4096 maximum</title>");
    assert.equal(classify({ status: 400, body }).class, "context_tokens");
  });

  test("with very many scripts costs little", async () => {
    const parts = ["<script>", "<script></script>", "<style", "<!--", "<!-- -->", "<html ", "<", "<a b='"];
    for (const part of parts) {
      const body = `<html>${part.repeat(60_000 / part.length)}`;
      await assertCpuTime(1_000, () => classify({ status: 502, body }), part);
    }
  });
});

describe("an implausible limit", () => {
  test("loses its number and keeps its class", () => {
    const body = "This model's maximum context length is 3 tokens. However, your messages resulted in 9000 tokens.";
    const { class: name, limit, actual } = classify({ status: 400, body });
    assert.deepEqual([name, limit, actual], ["context_tokens", undefined, 9_000]);
  });

  test("decides nothing beside a number that is just as small", () => {
    assert.equal(classifyMessage("The input contains 3 system messages, more than 1").class, "other");
  });
});

describe("an error with a success status", () => {
  const overflow = "Prompt has 9000 tokens, the limit is 8192";
  for (const [what, body] of Object.entries<object>({
    "a status beside its message": { base_resp: { status_code: 2013, status_msg: overflow }, choices: null },
    "the same in camel case": { baseResp: { statusCode: 2013, statusMsg: overflow } },
    "a code beside its message": { code: 1261, message: overflow, data: null },
    "a code in a header": { header: { code: 10907, message: overflow, sid: "1" } },
    "a code as a string": { errcode: "40013", errmsg: overflow },
  })) {
    test(`is found as ${what}`, () => {
      const verdict = classify({ status: 200, body: JSON.stringify(body) });
      assert.deepEqual([verdict.class, verdict.limit], ["context_tokens", 8_192]);
    });
  }

  test("is found in a line of a stream that names it", () => {
    assert.equal(classify({ streamEvent: `error: {"code":400,"message":"${overflow}"}` }).class, "context_tokens");
  });

  for (const [what, body] of Object.entries<object>({
    "a code of success": { base_resp: { status_code: 0, status_msg: overflow } },
    "the status 200": { code: 200, message: overflow, data: {} },
    "a code beside output": { code: 7, message: overflow, choices: [{ message: { content: "fine" } }] },
    "a code that is a program": { code: "print(1)", message: overflow, id: "1" },
  })) {
    test(`is not seen in ${what}`, () => {
      assert.equal(classify({ status: 200, body: JSON.stringify(body) }).class, "other");
    });
  }
});

describe("a gateway's error", () => {
  const inner = (status: number, message: string) => ({ error: { message, status } });
  for (const [what, status, body, expected] of [
    ["in a field", 502, { error: { details: inner(400, "The prompt exceeds the context window") } }, "context_tokens"],
    ["in a field", 400, { error: { inner: inner(429, "Too many tokens, wait") } }, "rate_limit"],
    ["before the message", 502, "Upstream error 413: Request Entity Too Large", "request_bytes"],
    ["before the message", 500, "Error code: 429 - prompt is too long", "rate_limit"],
    ["before the message", 502, 'provider answered status=400 {"message": "Input is too long"}', "context_tokens"],
    ["after the message, about a download", 400, "Error while downloading. Upstream status code: 413", "other"],
    ["nowhere, but counts tokens", 400, "Error: 500 tokens is more than the context length 256", "context_tokens"],
  ] as const) {
    test(`has the status ${what}: ${JSON.stringify(body).slice(0, 60)}`, () => {
      assert.equal(classify({ status, body }).class, expected);
    });
  }
});

describe("a comparison without a subject", () => {
  for (const message of ["5000 > 4096", "exceeds the limit: 300000 > 262144", "Maximum exceeded (9000/8192)"]) {
    test(`says nothing about the request: ${message}`, () => assert.equal(classifyMessage(message).class, "other"));
  }
});
