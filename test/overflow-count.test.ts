/** `overflow.count_tokens`: the provider's own count decides whether the smaller request fits. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type RequestBody, toFields } from "../src/overflow/dialects/dialect.ts";
import type { Turn } from "../src/overflow/dialects/simulator.ts";
import { httpSimulators } from "../src/overflow/dialects/simulators.ts";
import { withOverflowRecovery } from "../src/overflow/overflow-fetch.ts";
import { countTokens, simulateProvider } from "./provider.ts";
import { openWatchedSession } from "./recovery.ts";

const line = "the gate at weir seven opened to 41 percent and the level fell by two centimetres\n";
const numbers = Array.from({ length: 900 }, (_, index) => `${index * 7919},${index * 104729}\n`).join("");
const turns: Turn[] = [
  ...["a", "b", "c", "d", "e", "f"].map((about, index): Turn => {
    const text = about + (index % 2 === 0 ? numbers : line.repeat(100));
    return {
      user: `Look at ${about}.`,
      rounds: [[{ tool: "shell", result: { text, form: "text" } }]],
      answer: "Seen.",
    };
  }),
  { user: "And now?", rounds: [] },
];

/** A tokenizer that no estimate expects: each digit is two tokens. */
const countDigits = (request: RequestBody): number =>
  countTokens(request) + (JSON.stringify(request).match(/\d/g)?.length ?? 0) * 2;

/** Names the limit, and not the size of the request. */
const nameLimit = ({ limit }: { limit: number }) => ({
  status: 400,
  body: JSON.stringify({ error: { message: `The prompt exceeds the context window of ${limit} tokens.` } }),
});

const counters: Readonly<Record<string, { path: RegExp; answer(tokens: number): object }>> = {
  "anthropic-messages": { path: /\/v1\/messages\/count_tokens$/, answer: (input_tokens) => ({ input_tokens }) },
  "openai-responses": {
    path: /\/v1\/responses\/input_tokens$/,
    answer: (input_tokens) => ({ object: "response.input_tokens", input_tokens }),
  },
  gemini: { path: /\/models\/[^/]+:countTokens$/, answer: (totalTokens) => ({ totalTokens }) },
};

for (const { dialect, writeRequest, address, stream } of httpSimulators) {
  const counter = counters[dialect.name];
  const request = writeRequest({ system: "You watch dams.", turns, outputTokens: 200 });
  const windowTokens = Math.floor(countDigits(request) * 0.45);

  async function send(setting: "on" | "off", options: { broken?: boolean; streams?: boolean } = {}) {
    const provider = simulateProvider({ windowTokens, wording: nameLimit, count: countDigits });
    const counted: { body: RequestBody; headers: Headers }[] = [];
    const session = await openWatchedSession({ "overflow.count_tokens": setting, "overflow.headroom": 0 });
    const fetch = withOverflowRecovery(
      async (input, init) => {
        if (!counter?.path.test(new URL(String(input)).pathname)) return provider.fetch(input, init);
        const body: RequestBody = JSON.parse(String(init?.body));
        counted.push({ body, headers: new Headers(init?.headers) });
        if (options.broken) return new Response("no such endpoint", { status: 404 });
        return Response.json(counter.answer(countDigits(toRequest(body))));
      },
      { session },
    );
    const url = options.streams ? stream.address : address;
    const body = JSON.stringify({ ...request, ...(options.streams ? stream.fields : {}) });
    const response = await fetch(url, { method: "POST", body, headers: { authorization: "Bearer k" } });
    return { status: response.status, sent: provider.exchanges.length, counted, events: session.events };
  }

  /** The Gemini API gets the whole request in a field. */
  const toRequest = (body: RequestBody): RequestBody =>
    "generateContentRequest" in body ? toFields(body.generateContentRequest) : body;

  describe(`a provider with its own way to count, in ${dialect.name}`, () => {
    test("refuses the smaller request where only an estimate is there", async () => {
      const { status, sent, counted } = await send("off");
      assert.deepEqual([status, sent, counted.length], [400, 2, 0]);
    });

    if (counter === undefined) {
      test("is not asked, because it has no counter", async () => assert.equal((await send("on")).counted.length, 0));
      return;
    }

    for (const streams of [false, true]) {
      test(`accepts it where its count was asked for${streams ? ", in a stream" : ""}`, async () => {
        const { status, sent, counted, events } = await send("on", { streams });
        assert.deepEqual([status, sent], [200, 2]);
        assert.ok(counted.length >= 1 && counted.length <= 3, String(counted.length));
        for (const { headers, body } of counted) {
          assert.equal(headers.get("authorization"), "Bearer k");
          assert.ok(!("max_tokens" in body) && !("max_output_tokens" in body) && !("stream" in body));
        }
        assert.equal(events.filter(({ event }) => event === "overflow.recovered").length, 1);
      });
    }

    test("is served by the estimate where its counter does not answer", async () => {
      const { sent, counted } = await send("on", { broken: true });
      assert.deepEqual([sent, counted.length], [2, 1]);
    });
  });
}
