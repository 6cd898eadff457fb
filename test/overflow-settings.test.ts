/** Settings that change what recovery does: rules for tools, when to act, what the client learns, limits per minute. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { countShownChars, isStub } from "../src/answer/stub-text.ts";
import { includesText } from "../src/overflow/dialects/dialect.contract.ts";
import type { Turn } from "../src/overflow/dialects/simulator.ts";
import { findHttpSimulator, httpSimulators } from "../src/overflow/dialects/simulators.ts";
import { findModelWindow, findServiceBytes } from "../src/overflow/limits/model-windows.ts";
import { openRecovery } from "../src/overflow/open-recovery.ts";
import { withOverflowRecovery } from "../src/overflow/overflow-fetch.ts";
import { readArtifactBytes } from "./bodies.ts";
import { countTokens } from "./provider.ts";
import { openRecoveringProvider, openWatchedSession } from "./recovery.ts";

const line = "the gate at weir seven opened to 41 percent and the level fell by two centimetres\n";
const turn = (tool: string, lines: number, about: string): Turn => ({
  user: `Look at ${about}.`,
  rounds: [[{ tool, result: { text: about + line.repeat(lines), form: "text" } }]],
  answer: "Seen.",
});
const conversationOf = (turns: readonly Turn[]) => ({ system: "You watch dams.", turns, outputTokens: 200 });
const last: Turn = { user: "And now?", rounds: [] };

for (const simulator of httpSimulators) {
  const { dialect, writeRequest, refuse } = simulator;
  const { name } = dialect;
  const textsIn = (json = "{}"): string[] =>
    dialect.findParts(JSON.parse(json)).flatMap(({ content }) => ("text" in content ? [content.text] : []));
  const windowOf = (turns: readonly Turn[], share: number) =>
    Math.floor((countTokens(writeRequest(conversationOf(turns))) + 200) * share);

  describe(`overflow.tools in ${name}`, () => {
    const turns = [turn("fetch_page", 60, "a"), turn("shell", 60, "b"), turn("fetch_page", 60, "c"), last];
    const limits = (tokens: number) => ({ "overflow.limits": [`sim-1=${tokens}`], "overflow.headroom": 0 });

    for (const [rule, expected] of [
      [[], [true, false, false]],
      [["fetch_page=keep"], [false, true, false]],
      [["shell=first"], [false, true, false]],
    ] as const) {
      test(`${rule.join() || "no rule"} decides what is removed`, async () => {
        const windowTokens = windowOf(turns, 0.8);
        const settings = { ...limits(windowTokens), "overflow.tools": [...rule] };
        const { post } = await openRecoveringProvider({ windowTokens, wording: refuse }, settings);
        const { response, sent } = await post(name, conversationOf(turns));
        assert.deepEqual([response.status, textsIn(sent.at(-1)).map(isStub)], [200, expected]);
      });
    }

    test("a number cuts longer results to their beginning and end before they are sent, the newest included", async () => {
      const { answer: _, ...newest } = turn("shell", 400, "newest");
      const conversation = conversationOf([turn("shell", 400, "a"), turn("shell", 10, "b"), newest]);
      const { post, provider } = await openRecoveringProvider({}, { "overflow.tools": ["shell=2000"] });
      const { response, sent } = await post(name, conversation);
      assert.deepEqual([response.status, response.headers.get("x-spillway")], [200, "stubs=2"]);
      assert.deepEqual(textsIn(sent[0]).map(countShownChars), [2_000, undefined, 2_000]);
      await post(name, conversation);
      assert.equal(provider.exchanges[1]?.json, sent[0], "the same bytes again");
    });
  });

  describe(`what was written in earlier turns, in ${name}`, () => {
    const [file, log] = [`file:\n${line.repeat(120)}`, `log:\n${line.repeat(150)}`];
    const shell = { tool: "shell", result: { text: "done", form: "text" as const } };
    // The first of parallel calls may be signed.
    const turns: Turn[] = [
      { user: log, rounds: [[shell, { ...shell, writes: file }]], answer: "Written." },
      { user: "And now?", rounds: [[shell, { ...shell, writes: `newest ${file}` }]] },
    ];
    const conversation = conversationOf(turns);
    const windowTokens = windowOf(turns, 0.75);

    for (const [setting, text, other] of [
      ["overflow.calls", file, log],
      ["overflow.pastes", log, file],
    ] as const) {
      test(`${setting} replaces it where nothing else helps, and it can be read back`, async () => {
        const settings = { "overflow.headroom": 0, [setting]: "on" as const };
        const { post, session, provider } = await openRecoveringProvider({ windowTokens, wording: refuse }, settings);
        const { response, sent } = await post(name, conversation);
        const after = sent.at(-1) ?? "";
        assert.deepEqual([response.status, sent.length], [200, 2]);
        assert.ok(includesText(after, other) && includesText(after, `newest ${file}`));
        assert.ok(!includesText(after.replaceAll("newest file", ""), text));
        const ref = /artifact_ref=(af_[0-9a-f]{32})/.exec(after)?.[1] ?? assert.fail("no ref");
        assert.equal((await readArtifactBytes(session.store, ref)).toString("utf8"), text);
        await post(name, conversation);
        assert.deepEqual([provider.exchanges.length, provider.exchanges.at(-1)?.json], [3, after]);
      });
    }

    test("stays as long as neither is set", async () => {
      const { post } = await openRecoveringProvider({ windowTokens, wording: refuse }, { "overflow.headroom": 0 });
      const { response, sent } = await post(name, conversation);
      assert.deepEqual([response.ok, sent.length], [false, 1]);
    });

    test("a rule to keep a tool keeps what was given to it", async () => {
      const settings = { "overflow.calls": "on" as const, "overflow.tools": ["shell=keep"] };
      const { post } = await openRecoveringProvider({ windowTokens, wording: refuse }, settings);
      assert.equal((await post(name, conversation)).response.ok, false);
    });
  });

  describe(`overflow.at in ${name}`, () => {
    test("makes a request smaller before its window is full", async () => {
      const turns = [turn("shell", 60, "a"), turn("shell", 60, "b"), turn("shell", 60, "c"), last];
      const windowTokens = windowOf(turns, 1.2);
      const settings = { "overflow.limits": [`sim-1=${windowTokens}`], "overflow.at": 60 };
      const { post } = await openRecoveringProvider({ windowTokens, wording: refuse }, settings);
      const { sent, response } = await post(name, conversationOf(turns));
      assert.deepEqual([response.status, sent.length, textsIn(sent[0]).some(isStub)], [200, 1, true]);
    });
  });

  describe(`overflow.tell_client in ${name}`, () => {
    test("passes every second refusal on as it came", async () => {
      const { post } = await openRecoveringProvider({ windowTokens: 2_000 }, { "overflow.tell_client": 2 });
      const statuses = [];
      for (const count of [1, 2, 3, 4]) {
        const turns = Array.from({ length: count }, (_, index) => turn("shell", 400, `turn ${index}`));
        const { response } = await post(name, conversationOf([...turns, last]));
        statuses.push([response.status, response.headers.get("x-spillway")?.startsWith("context_overflow") ?? false]);
      }
      assert.deepEqual(
        statuses.map(([status]) => status),
        [200, 400, 200, 400],
      );
      assert.ok(statuses.every(([, isReport]) => !isReport));
    });
  });
}

describe("overflow.rate_limits", () => {
  const tooLarge = (limit: number, requested: number) => ({
    status: 413,
    body: JSON.stringify({
      error: {
        message: `Request too large for model on tokens per minute (TPM): Limit ${limit}, Requested ${requested}, please reduce your message size and try again.`,
        type: "tokens",
        code: "rate_limit_exceeded",
      },
    }),
  });
  const turns = [turn("shell", 300, "a"), turn("shell", 300, "b"), last];
  const { address, writeRequest } = findHttpSimulator("openai-chat");
  const request = writeRequest({ ...conversationOf(turns), outputTokens: 4_000 });
  const tokens = countTokens(request) + 4_000;

  async function send(limit: number, setting: "on" | "off") {
    const session = await openWatchedSession({ "overflow.rate_limits": setting });
    const sent: { tokens: number; output: number }[] = [];
    const fetch = withOverflowRecovery(
      async (_, init) => {
        const body = JSON.parse(String(init?.body));
        sent.push({ tokens: countTokens(body), output: body.max_completion_tokens ?? body.max_tokens });
        const requested = (sent.at(-1)?.tokens ?? 0) + (sent.at(-1)?.output ?? 0);
        const { status, body: text } = tooLarge(limit, requested);
        return requested > limit ? new Response(text, { status }) : Response.json({ ok: true });
      },
      { session },
    );
    const { status } = await fetch(address, { method: "POST", body: JSON.stringify(request) });
    return { status, sent };
  }

  test("off: the refusal is passed on", async () => {
    const { status, sent } = await send(tokens - 100, "off");
    assert.deepEqual([status, sent.length], [413, 1]);
  });

  test("on: first the output limit is lowered, then the input removed", async () => {
    const lowered = await send(tokens - 1_000, "on");
    assert.deepEqual([lowered.status, lowered.sent[1]?.tokens], [200, lowered.sent[0]?.tokens]);
    const removed = await send(6_000, "on");
    assert.equal(removed.status, 200);
    assert.ok((removed.sent[1]?.tokens ?? 0) < (removed.sent[0]?.tokens ?? 0));
  });
});

describe("what is listed of models and services", () => {
  for (const [model, tokens] of [
    ["claude-sonnet-4-5", 200_000],
    ["anthropic/claude-opus-4-1", 200_000],
    ["gpt-4o-mini", 128_000],
    ["gpt-4", 8_192],
    ["gemini-2.5-pro", 1_048_576],
    ["my-own-model", undefined],
  ] as const) {
    test(`${model}: ${tokens ?? "nothing"}`, () => assert.equal(findModelWindow({ endpoint: "e", model }), tokens));
  }

  test("the largest request of a service", () => {
    assert.equal(findServiceBytes({ endpoint: "api.anthropic.com", model: "m" }), 32 * 1024 * 1024);
    assert.equal(findServiceBytes({ endpoint: "127.0.0.1:1", model: "m" }), undefined);
  });
});

test("a bad rule is refused with a hint", async () => {
  for (const rule of ["shell", "=keep", "shell=10", "shell=often"]) {
    const session = await openWatchedSession({ "overflow.tools": [rule] });
    assert.throws(() => openRecovery(session), /overflow\.tools cannot hold/);
  }
});
