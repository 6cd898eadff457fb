import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type FailureContext, findRetryDelayMs, toProviderError, toProviderFailure } from "./provider-errors.ts";
import type { ModelTarget } from "./providers.ts";

const target: ModelTarget = {
  apiFormat: "openai",
  provider: "openai",
  model: "gpt-99",
  baseUrl: undefined,
  key: "sk-secret",
};

/** An error as the AI SDK throws it. */
const thrown = (statusCode: number, responseBody: string, responseHeaders: Record<string, string> = {}): Error =>
  Object.assign(new Error("Bad"), { statusCode, responseBody, responseHeaders, isRetryable: false });

const unreachable = (code: string): Error =>
  new Error("Cannot connect to API", {
    cause: new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code }) }),
  });

/** A connection lost after the headers of a successful response. */
const brokenSuccess = Object.assign(
  new Error("Failed to process successful response", {
    cause: Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }),
  }),
  { statusCode: 200 },
);

/** An error inside a stream. */
const eventOf = (data: object): Error => Object.assign(new Error("x"), { data });

const perMinute = JSON.stringify({
  error: {
    code: 429,
    message: "You exceeded your current quota, please check your plan and billing details.",
    details: [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel" }, { retryDelay: "2.5s" }],
  },
});

const wait = (error: Error, attempt = 1, maxDelayMs = 60_000) =>
  findRetryDelayMs(toProviderFailure(error), attempt, maxDelayMs);

describe("a retry", () => {
  test("follows a transient failure", () => {
    for (const status of [408, 409, 425, 429, 500, 501, 502, 503, 504, 507, 520, 522, 524, 529])
      assert.ok(wait(thrown(status, "{}")) !== undefined, `${status}`);
    for (const code of ["ECONNRESET", "UND_ERR_SOCKET", "EAI_AGAIN"])
      assert.ok(wait(unreachable(code)) !== undefined, code);
    assert.ok(wait(Object.assign(new Error(""), { data: { error: { type: "overloaded_error" } } })) !== undefined);
    assert.ok(wait(new Error("Response stream ended without a finish reason.")) !== undefined);
    assert.ok(wait(brokenSuccess) !== undefined, "an interrupted success has a system error code");
    assert.ok(
      wait(thrown(429, perMinute)) !== undefined,
      "a rate limit is not a spent quota, even if its text mentions billing",
    );
  });

  test("does not follow a failure that waiting cannot help", () => {
    const quota = '{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}';
    const large =
      '{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 90000"}}';
    const overflow =
      '{"error":{"message":"This model\'s maximum context length is 8192 tokens. However, you requested 9000 tokens"}}';
    for (const error of [
      thrown(400, "{}"),
      thrown(401, "{}"),
      thrown(404, "{}"),
      thrown(429, quota),
      thrown(429, large),
      thrown(429, perMinute.replace("PerMinute", "PerDay")),
      eventOf({ error: { type: "server_error", message: JSON.parse(overflow).error.message } }),
      new Error("Cannot convert argument to a ByteString"),
      thrown(500, overflow),
      thrown(503, "{}", { "x-should-retry": "false" }),
      unreachable("ENOTFOUND"),
      unreachable("ECONNREFUSED"),
    ]) {
      assert.equal(wait(error), undefined, JSON.stringify(toProviderFailure(error)));
    }
  });

  test("waits as long as the provider asks, within the limit of the user", (t) => {
    t.mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 0, 1) });
    assert.equal(wait(thrown(429, "{}", { "Retry-After": "7" })), 7_000);
    assert.equal(wait(thrown(429, "{}", { "retry-after-ms": "250" })), 250);
    assert.equal(wait(thrown(429, perMinute)), 2_500);
    const inHalfAMinute = new Date(Date.now() + 30_000).toUTCString();
    assert.equal(wait(thrown(503, "{}", { "retry-after": inHalfAMinute })), 30_000);
    assert.equal(wait(thrown(429, "{}", { "retry-after": "3600" })), undefined);
    for (const attempt of [1, 2, 3, 10]) assert.ok((wait(thrown(503, "{}"), attempt, 2_000) ?? Infinity) <= 2_000);
  });
});

describe("the error of a provider failure", () => {
  const errorFor = (error: unknown, context: Partial<FailureContext> = {}) =>
    toProviderError(toProviderFailure(error), { target, hasStarted: false, isRecoveryOn: true, ...context }, error);
  const cases = [
    [
      thrown(401, '{"error":{"message":"Incorrect API key provided: sk-secret."}}'),
      "provider_refused",
      /does not accept the key \(401: .*\*\*\*/,
    ],
    [
      thrown(404, '{"error":{"message":"The model `gpt-99` does not exist"}}'),
      "model_unknown",
      /openai has no model "gpt-99" \(404: The model/,
    ],
    [thrown(400, '{"error":{"message":"invalid model: gpt-99"}}'), "model_unknown", /has no model "gpt-99"/],
    [unreachable("ENOTFOUND"), "provider_unreachable", /^openai could not be reached \(ENOTFOUND\)\.$/],
    [thrown(500, "<html><body><h1>Oops</h1></body></html>"), "provider_refused", /^openai answered 500: Oops$/],
    [thrown(503, ""), "provider_refused", /^openai answered 503: no reason given$/],
    [
      thrown(400, '[{"error":{"code":400,"message":"API key not valid."}}]'),
      "provider_refused",
      /^openai answered 400: API key not valid\.$/,
    ],
    [
      eventOf({ type: "response.failed", response: { error: { code: "x", message: "boom" } } }),
      "provider_refused",
      /^openai broke off: boom$/,
    ],
    [eventOf({ message: "model not found: gpt-99" }), "model_unknown", /"gpt-99" \(model not found: gpt-99\)\.$/],
    [
      thrown(400, '{"error":{"message":"bad header Bearer sk-secret"}}'),
      "provider_refused",
      /^openai answered 400: bad header Bearer \*\*\*$/,
    ],
    [
      new Error("Cannot convert argument to a ByteString because the character has a value which is greater than 255."),
      "provider_refused",
      /^openai broke off: Cannot convert/,
    ],
    [
      thrown(400, '{"error":{"message":"total message size 4300000 exceeds limit 4194304"}}'),
      "context_overflow",
      /for its size: total message/,
    ],
  ] as const;
  for (const [error, code, words] of cases) {
    test(`is one sentence: ${words.source}`, () => {
      const result = errorFor(error);
      assert.equal(result.code, code);
      assert.match(result.message, words);
      assert.ok(!result.advice.includes("sk-secret") && !result.message.includes("\n") && result.message.length < 500);
    });
  }

  test("after the first word says that the connection broke off, not that it failed", () => {
    assert.match(errorFor(brokenSuccess).message, /^openai could not be reached \(UND_ERR_SOCKET\)\.$/);
    assert.equal(errorFor(brokenSuccess, { hasStarted: true }).message, "openai broke off: UND_ERR_SOCKET");
  });

  test("says how long the provider asks to wait", () => {
    const { hint } = errorFor(thrown(429, "{}", { "retry-after": "7200" }));
    assert.equal(
      hint,
      "Nothing is lost: spillway run --resume continues from here. The provider asks to wait 2 hours.",
    );
  });

  test("asks for a key if there is none", () => {
    const customTarget: ModelTarget = { ...target, apiFormat: "compatible", provider: "my-vllm", key: undefined };
    const result = errorFor(thrown(401, "{}"), { target: customTarget });
    assert.deepEqual([result.code, result.message], ["key_missing", "my-vllm needs a key (401: {})."]);
    assert.match(result.hint, /^Set MY_VLLM_API_KEY,/);
  });

  test("about the size names the fallback setting only if it is off", () => {
    const large = thrown(413, "<html><h1>413 Request Entity Too Large</h1></html>");
    assert.match(errorFor(large).hint, /^Start a new run/);
    assert.match(errorFor(large, { isRecoveryOn: false }).hint, /^Set runner\.enable_model_overflow_fallback=on/);
  });
});
