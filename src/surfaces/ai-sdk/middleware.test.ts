import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Turn, writeRequest } from "../../../test/conversations.ts";
import { countOutput, countTokens, findFault, wordings } from "../../../test/provider.ts";
import { openWatchedSession } from "../../../test/recovery.ts";
import { soakCount } from "../../../test/soak.ts";
import { longTranscript } from "../../../test/transcripts.ts";
import { isStub } from "../../answer/stub-text.ts";
import { aiSdk } from "../../overflow/dialects/ai-sdk.ts";
import type { RequestBody } from "../../overflow/dialects/dialect.ts";
import { ContextOverflowError } from "../../overflow/wire/failure.ts";
import { overflowMiddleware } from "./middleware.ts";

const heavy = "the gate at weir seven opened to 41 percent and the level fell\n".repeat(500);
const turn: Turn = {
  user: "And now?",
  rounds: [[{ tool: "shell", result: { text: heavy, form: "text" } }]],
  answer: "Rain.",
};
const params = writeRequest("ai-sdk", {
  system: "You watch dams.",
  turns: [turn, { user: "Well?", rounds: [] }],
  outputTokens: 200,
});

type Answer = { readonly content: readonly unknown[]; readonly finishReason: string };
type Stream = { readonly stream: ReadableStream<unknown> };

/** A model with a context window, as a provider package returns it. */
function modelWith(windowTokens: number, inStream = false) {
  const requests: RequestBody[] = [];
  function refusalFor(request: RequestBody): Error | undefined {
    requests.push(request);
    const fault = findFault("ai-sdk", request);
    const [input, output] = [countTokens(request), countOutput(request, "ai-sdk")];
    const response = fault ? { status: 400, body: fault } : wordings.openai({ limit: windowTokens, input, output });
    if (!fault && input + output <= windowTokens) return undefined;
    return Object.assign(new Error("Bad Request"), {
      statusCode: response.status,
      responseBody: response.body,
      isRetryable: false,
    });
  }
  const model = {
    provider: "sim",
    modelId: "sim-1",
    async doGenerate(request: RequestBody): Promise<Answer> {
      const refusal = refusalFor(request);
      if (refusal) throw refusal;
      return { content: [{ type: "text", text: "done" }], finishReason: "stop" };
    },
    async doStream(request: RequestBody): Promise<Stream> {
      const refusal = refusalFor(request);
      if (refusal && !inStream) throw refusal;
      const parts = refusal
        ? [{ type: "stream-start" }, { type: "error", error: refusal }]
        : [{ type: "stream-start" }, { type: "text-delta", delta: "done" }];
      return { stream: ReadableStream.from(parts) };
    },
  };
  const call = (request: RequestBody) => ({
    doGenerate: () => model.doGenerate(request),
    doStream: () => model.doStream(request),
    params: request,
    model,
  });
  return { requests, call };
}

describe("the AI SDK middleware", () => {
  test("generates with a smaller prompt after a refusal", async () => {
    const { requests, call } = modelWith(2_000);
    const { content } = await overflowMiddleware({ session: await openWatchedSession() }).wrapGenerate(call(params));
    assert.deepEqual([content, requests.length], [[{ type: "text", text: "done" }], 2]);
    const contents = aiSdk
      .findParts(requests[1] ?? {})
      .map((part) => ("text" in part.content ? part.content.text : ""));
    assert.deepEqual(contents.map(isStub), [true]);
  });

  test("streams with a smaller prompt, whether the refusal is thrown or is the first part", async () => {
    for (const inStream of [false, true]) {
      const { requests, call } = modelWith(2_000, inStream);
      const { stream } = await overflowMiddleware({ session: await openWatchedSession() }).wrapStream(call(params));
      assert.deepEqual((await Array.fromAsync(stream)).at(-1), { type: "text-delta", delta: "done" });
      assert.equal(requests.length, 2);
    }
  });

  test("sends an accepted prompt once and unchanged", async () => {
    const { requests, call } = modelWith(100_000);
    await overflowMiddleware({ session: await openWatchedSession() }).wrapGenerate(call(params));
    assert.ok(requests.length === 1 && requests[0] === params);
  });

  test("throws an error with the reason when nothing helps, and does not retry", async () => {
    const { requests, call } = modelWith(50);
    const middleware = overflowMiddleware({ session: await openWatchedSession() });
    const request = writeRequest("ai-sdk", { system: heavy, turns: [{ user: "Well?", rounds: [] }], outputTokens: 20 });
    await assert.rejects(
      async () => middleware.wrapGenerate(call(request)),
      (error) =>
        error instanceof ContextOverflowError &&
        error.report.reason === "nothing_to_shed" &&
        !error.isRetryable &&
        error.cause instanceof Error,
    );
    assert.equal(requests.length, 1);
  });

  test("accepts an empty answer that spent its tokens on reasoning or has no token count", async () => {
    for (const [usage, calls] of [
      [{ outputTokens: { total: 500, text: 0, reasoning: 500 } }, 1],
      [{ outputTokens: 500 }, 1],
      [undefined, 1],
      [{ outputTokens: { total: 0 } }, 2],
    ] as const) {
      const { requests, call } = modelWith(100_000);
      const cut = { content: [], finishReason: "length", usage };
      const doGenerate = async (): Promise<Answer> => {
        requests.push(params);
        return cut;
      };
      const answer = await overflowMiddleware({ session: await openWatchedSession() }).wrapGenerate({
        ...call(params),
        doGenerate,
      });
      assert.deepEqual([answer === cut, requests.length], [calls === 1, calls]);
    }
  });

  test("rethrows other errors unchanged", async () => {
    for (const thrown of [
      new TypeError("a bug"),
      Object.assign(new Error("slow down"), { statusCode: 429, responseBody: "{}" }),
      new DOMException("stop", "AbortError"),
    ]) {
      const { call } = modelWith(100);
      const failing = { ...call(params), doGenerate: () => Promise.reject<Answer>(thrown) };
      const middleware = overflowMiddleware({ session: await openWatchedSession() });
      await assert.rejects(
        async () => middleware.wrapGenerate(failing),
        (error) => error === thrown,
      );
    }
  });

  test("recovers long transcripts", async () => {
    const seeds = soakCount({ sample: 2, full: 12 });
    for (const [share, floor] of [
      [0.5, 0.95],
      [0.7, 0.98],
      [0.9, 0.99],
    ] as const) {
      let recovered = 0;
      for (let seed = 1; seed <= seeds; seed++) {
        const request = writeRequest("ai-sdk", longTranscript(seed));
        const { requests, call } = modelWith(Math.floor((countTokens(request) + 1_024) * share));
        const answer = await overflowMiddleware({ session: await openWatchedSession() })
          .wrapGenerate(call(request))
          .catch(() => undefined);
        assert.ok(requests.length <= 2);
        recovered += answer ? 1 : 0;
      }
      assert.ok(recovered / seeds >= floor, `${recovered} of ${seeds} at ${share}`);
    }
  });
});
