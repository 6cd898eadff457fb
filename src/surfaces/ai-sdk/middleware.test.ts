import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { requestIn, type Turn } from "../../../test/conversations.ts";
import { faultIn, outputOf, tokensOf, wordings } from "../../../test/provider.ts";
import { watchedSession } from "../../../test/recovery.ts";
import { longTranscript } from "../../../test/transcripts.ts";
import { isStub } from "../../answer/stub-text.ts";
import { aiSdk } from "../../overflow/dialects/ai-sdk.ts";
import type { Request } from "../../overflow/dialects/dialect.ts";
import { ContextOverflowError } from "../../overflow/wire/failure.ts";
import { overflowMiddleware } from "./middleware.ts";

const heavy = "the gate at weir seven opened to 41 percent and the level fell\n".repeat(500);
const turn: Turn = {
  user: "And now?",
  rounds: [[{ tool: "shell", result: { text: heavy, form: "text" } }]],
  answer: "Rain.",
};
const params = requestIn("ai-sdk", {
  system: "You watch dams.",
  turns: [turn, { user: "Well?", rounds: [] }],
  outputTokens: 200,
});

type Answer = { readonly content: readonly unknown[]; readonly finishReason: string };
type Stream = { readonly stream: ReadableStream<unknown> };

/** A model with a window, as a provider package would give it. */
function modelWith(windowTokens: number, inStream = false) {
  const seen: Request[] = [];
  function refusalFor(given: Request): Error | undefined {
    seen.push(given);
    const fault = faultIn("ai-sdk", given);
    const [input, output] = [tokensOf(given), outputOf(given, "ai-sdk")];
    const said = fault ? { status: 400, body: fault } : wordings.openai({ limit: windowTokens, input, output });
    if (!fault && input + output <= windowTokens) return undefined;
    return Object.assign(new Error("Bad Request"), {
      statusCode: said.status,
      responseBody: said.body,
      isRetryable: false,
    });
  }
  const model = {
    provider: "sim",
    modelId: "sim-1",
    async doGenerate(given: Request): Promise<Answer> {
      const refusal = refusalFor(given);
      if (refusal) throw refusal;
      return { content: [{ type: "text", text: "done" }], finishReason: "stop" };
    },
    async doStream(given: Request): Promise<Stream> {
      const refusal = refusalFor(given);
      if (refusal && !inStream) throw refusal;
      const parts = refusal
        ? [{ type: "stream-start" }, { type: "error", error: refusal }]
        : [{ type: "stream-start" }, { type: "text-delta", delta: "done" }];
      return { stream: ReadableStream.from(parts) };
    },
  };
  const call = (given: Request) => ({
    doGenerate: () => model.doGenerate(given),
    doStream: () => model.doStream(given),
    params: given,
    model,
  });
  return { seen, call };
}

describe("the AI SDK middleware", () => {
  test("generates with a smaller prompt after a refusal", async () => {
    const { seen, call } = modelWith(2_000);
    const { content } = await overflowMiddleware({ session: await watchedSession() }).wrapGenerate(call(params));
    assert.deepEqual([content, seen.length], [[{ type: "text", text: "done" }], 2]);
    const contents = aiSdk.parts(seen[1] ?? {}).map((part) => ("text" in part.content ? part.content.text : ""));
    assert.deepEqual(contents.map(isStub), [true]);
  });

  test("streams with a smaller prompt, whether the refusal is thrown or the first part", async () => {
    for (const inStream of [false, true]) {
      const { seen, call } = modelWith(2_000, inStream);
      const { stream } = await overflowMiddleware({ session: await watchedSession() }).wrapStream(call(params));
      assert.deepEqual((await Array.fromAsync(stream)).at(-1), { type: "text-delta", delta: "done" });
      assert.equal(seen.length, 2);
    }
  });

  test("hands what was accepted on with the prompt it was given", async () => {
    const { seen, call } = modelWith(100_000);
    await overflowMiddleware({ session: await watchedSession() }).wrapGenerate(call(params));
    assert.ok(seen.length === 1 && seen[0] === params);
  });

  test("throws what says why when nothing helps, and is not tried again", async () => {
    const { seen, call } = modelWith(50);
    const middleware = overflowMiddleware({ session: await watchedSession() });
    const request = requestIn("ai-sdk", { system: heavy, turns: [{ user: "Well?", rounds: [] }], outputTokens: 20 });
    await assert.rejects(
      async () => middleware.wrapGenerate(call(request)),
      (error) =>
        error instanceof ContextOverflowError &&
        error.report.reason === "nothing_to_shed" &&
        !error.isRetryable &&
        error.cause instanceof Error,
    );
    assert.equal(seen.length, 1);
  });

  test("hands on an answer whose room was taken by thinking, or whose tokens nobody counted", async () => {
    for (const [usage, calls] of [
      [{ outputTokens: { total: 500, text: 0, reasoning: 500 } }, 1],
      [{ outputTokens: 500 }, 1],
      [undefined, 1],
      [{ outputTokens: { total: 0 } }, 2],
    ] as const) {
      const { seen, call } = modelWith(100_000);
      const cut = { content: [], finishReason: "length", usage };
      const doGenerate = async (): Promise<Answer> => {
        seen.push(params);
        return cut;
      };
      const answer = await overflowMiddleware({ session: await watchedSession() }).wrapGenerate({
        ...call(params),
        doGenerate,
      });
      assert.deepEqual([answer === cut, seen.length], [calls === 1, calls]);
    }
  });

  test("hands other errors on as they were thrown", async () => {
    for (const thrown of [
      new TypeError("a bug"),
      Object.assign(new Error("slow down"), { statusCode: 429, responseBody: "{}" }),
      new DOMException("stop", "AbortError"),
    ]) {
      const { call } = modelWith(100);
      const failing = { ...call(params), doGenerate: () => Promise.reject<Answer>(thrown) };
      const middleware = overflowMiddleware({ session: await watchedSession() });
      await assert.rejects(
        async () => middleware.wrapGenerate(failing),
        (error) => error === thrown,
      );
    }
  });

  test("recovers long transcripts", async () => {
    for (const [share, floor] of [
      [0.5, 0.95],
      [0.7, 0.98],
      [0.9, 0.99],
    ] as const) {
      let recovered = 0;
      for (let seed = 1; seed <= 12; seed++) {
        const request = requestIn("ai-sdk", longTranscript(seed));
        const { seen, call } = modelWith(Math.floor((tokensOf(request) + 1_024) * share));
        const answer = await overflowMiddleware({ session: await watchedSession() })
          .wrapGenerate(call(request))
          .catch(() => undefined);
        assert.ok(seen.length <= 2);
        recovered += answer ? 1 : 0;
      }
      assert.ok(recovered / 12 >= floor, `${recovered} of 12 at ${share}`);
    }
  });
});
