/** Recovery that lands: without numbers, the same way again, with nothing removed that could have stayed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isStub } from "../src/answer/stub-text.ts";
import type { Conversation, HttpSimulator, Turn } from "../src/overflow/dialects/simulator.ts";
import { findHttpSimulator, httpSimulators } from "../src/overflow/dialects/simulators.ts";
import { withOverflowRecovery } from "../src/overflow/overflow-fetch.ts";
import { countTokens, simulateProvider, wordings } from "./provider.ts";
import { openRecoveringProvider, openWatchedSession } from "./recovery.ts";
import { longTranscript } from "./transcripts.ts";

const line = "the gate at weir seven opened to 41 percent and the level fell by two centimetres\n";
const call = (text: string) => [{ tool: "shell", result: { text, form: "text" as const } }];
const turn = (chars: number, about: string): Turn => ({
  user: `Look at ${about}.`,
  rounds: [call(about.concat(line.repeat(Math.ceil(chars / line.length))))],
  answer: "Seen.",
});
const open = ({ user, rounds }: Turn): Turn => ({ user, rounds });
const conversationOf = (turns: readonly Turn[]): Conversation => ({
  system: "You watch dams.",
  turns,
  outputTokens: 200,
});
const tokensOf = ({ writeRequest }: HttpSimulator, turns: readonly Turn[]): number =>
  countTokens(writeRequest(conversationOf(turns))) + 200;

/** How a provider refuses without any number. */
const unnumbered = {
  "Prompt is too long": () => ({
    status: 400,
    body: '{"type":"error","error":{"type":"invalid_request_error","message":"Prompt is too long"}}',
  }),
  "the wording of OpenAI Responses": wordings.responses,
};

for (const simulator of httpSimulators) {
  const { name } = simulator.dialect;
  describe(`a refusal without a number in ${name}`, () => {
    for (const [how, wording] of Object.entries(unnumbered)) {
      test(`(${how}) is recovered at once where requests were accepted before`, async () => {
        const older = Array.from({ length: 5 }, (_, index) => turn(6_000, `turn ${index}`));
        const windowTokens = Math.floor(tokensOf(simulator, [...older, turn(6_000, "six")]) * 1.2);
        const { post } = await openRecoveringProvider({ windowTokens, wording });
        for (let count = 1; count <= older.length; count++) {
          const { response } = await post(name, conversationOf(older.slice(0, count)));
          assert.equal(response.status, 200);
        }
        const { response, sent } = await post(name, conversationOf([...older, open(turn(160_000, "all"))]));
        assert.deepEqual([response.status, sent.length], [200, 5 + 2]);
      });

      test(`(${how}) is recovered at the second try where the newest result alone is 3.3 times the window`, async () => {
        const turns = [turn(2_000, "a little"), open(turn(100_000, "everything"))];
        const windowTokens = Math.floor(tokensOf(simulator, turns) / 3.3);
        const { post } = await openRecoveringProvider({ windowTokens, wording });
        await post(name, conversationOf(turns));
        const { response, sent } = await post(name, conversationOf(turns));
        assert.equal(response.status, 200);
        assert.ok(sent.length <= 4, `${sent.length} requests`);
        const again = await post(name, conversationOf(turns));
        assert.deepEqual([again.response.status, again.sent.length - sent.length], [200, 1]);
        assert.equal(again.sent.at(-1), sent.at(-1), "the same bytes again");
      });
    }

    test("by a bare 413 is recovered at the second try at 2.5 times the limit", async () => {
      const turns = [turn(2_000, "a little"), open(turn(100_000, "everything"))];
      const bytes = Buffer.byteLength(JSON.stringify(simulator.writeRequest(conversationOf(turns))));
      const bytesWording = () => ({ status: 413, body: "<html><h1>413 Request Entity Too Large</h1></html>" });
      const { post } = await openRecoveringProvider({ bodyBytes: Math.floor(bytes / 2.5), bytesWording });
      await post(name, conversationOf(turns));
      const { response, sent } = await post(name, conversationOf(turns));
      assert.deepEqual([response.status, sent.length <= 4], [200, true]);
    });
  });

  describe(`a recovered request in ${name}`, () => {
    test("gives the same bytes with one upstream call, the newest exchange included, also after a restart", async () => {
      const session = await openWatchedSession();
      for (const seed of [1, 2, 3, 4, 5]) {
        const conversation = longTranscript(seed);
        const newest = { user: "And this?", rounds: [call(line.repeat(400))] };
        const request = simulator.writeRequest({ ...conversation, turns: [...conversation.turns, newest] });
        const windowTokens = Math.floor(countTokens(request) * 0.3) + 1_100;
        const provider = simulateProvider({ windowTokens, wording: wordings.openai });
        // Each wrapper is a new process on the same store.
        const post = async (fetch = withOverflowRecovery(provider.fetch, { session })) => {
          const before = provider.exchanges.length;
          const { status } = await fetch(simulator.address, { method: "POST", body: JSON.stringify(request) });
          return { status, fetch, sent: provider.exchanges.slice(before).map(({ json }) => json) };
        };
        const first = await post();
        assert.deepEqual([first.status, first.sent.length], [200, 2], `seed ${seed}`);
        for (const again of [await post(first.fetch), await post(first.fetch), await post(), await post()]) {
          assert.deepEqual(again.sent, [first.sent[1]], `seed ${seed}`);
        }
      }
    });

    test("keeps everything else where an attachment of the current turn alone is too large", async () => {
      const picture = { mediaType: "application/pdf", base64: Buffer.from(line.repeat(2_000)).toString("base64") };
      const older = Array.from({ length: 6 }, (_, index) => turn(5_000, `turn ${index}`));
      const turns = [...older, { user: "Read this.", attachment: picture, rounds: [] }];
      const { writeRequest, address, dialect } = simulator;
      const request = writeRequest(conversationOf(turns));
      const body = JSON.stringify(request);
      const provider = simulateProvider({ bodyBytes: Math.floor(body.length * 0.6) });
      const fetch = withOverflowRecovery(provider.fetch, { session: await openWatchedSession() });
      const { status } = await fetch(address, { method: "POST", body });
      const after = dialect.findParts(JSON.parse(provider.exchanges.at(-1)?.json ?? "{}"));
      const texts = after.flatMap(({ content }) => ("text" in content ? [content.text] : []));
      assert.deepEqual([status, texts.filter(isStub).length, texts.length], [200, 0, 6]);
    });

    test("loses no more older results than the headroom asks for", async () => {
      const turns = [
        ...Array.from({ length: 12 }, (_, index) => turn(4_000, `turn ${index}`)),
        open(turn(400, "last")),
      ];
      const windowTokens = Math.floor(tokensOf(simulator, turns) * 0.9);
      const stubCounts = [];
      for (const headroom of [0, 35, 60]) {
        const { post } = await openRecoveringProvider(
          { windowTokens, wording: simulator.refuse },
          { "overflow.headroom": headroom, "overflow.limits": [`sim-1=${windowTokens}`] },
        );
        const { sent, response } = await post(name, conversationOf(turns));
        assert.equal(response.status, 200);
        const texts = simulator.dialect.findParts(JSON.parse(sent.at(-1) ?? "{}")).map(({ content }) => content);
        stubCounts.push(texts.findLastIndex((content) => "text" in content && isStub(content.text)) + 1);
      }
      const [none = 0, some = 0, most = 0] = stubCounts;
      assert.ok(none >= 1 && none <= 4 && none < some && some < most && most <= 12, `stubs up to ${stubCounts}`);
    });
  });
}

describe("a refused request that cannot be read", () => {
  test("is reported and not passed over", async () => {
    const { session, fetch } = await openRecoveringProvider({
      always: { status: 413, body: '{"error":{"message":"Request too large"}}' },
    });
    const { address } = findHttpSimulator("openai-chat");
    const response = await fetch(address, { method: "POST", body: Buffer.from([0x7b, 0xff, 0x7d]) });
    const { error } = JSON.parse(await response.text());
    assert.deepEqual(
      [response.headers.get("x-spillway"), error.spillway.reason, error.spillway.attempts],
      ["context_overflow", "not_read", 1],
    );
    assert.equal(session.events.filter(({ event }) => event === "overflow.failed").length, 1);
  });
});

describe("recovering a large request", () => {
  test("is done in steps: no turn of the event loop takes most of the work", async () => {
    const turns = [
      ...Array.from({ length: 30 }, (_, index) => turn(100_000, `turn ${index}`)),
      open(turn(400, "last")),
    ];
    const { address, writeRequest } = findHttpSimulator("openai-chat");
    const body = JSON.stringify(writeRequest(conversationOf(turns)));
    const refusal = { error: { message: "prompt is too long: 900000 tokens > 450000 maximum" } };
    let calls = 0;
    const fetch = withOverflowRecovery(
      async () => (++calls === 1 ? Response.json(refusal, { status: 400 }) : Response.json({ ok: true })),
      { session: await openWatchedSession() },
    );
    const turnCpuMs: number[] = [];
    let [before, isDone] = [process.cpuUsage(), false];
    const tick = () => {
      const { user, system } = process.cpuUsage(before);
      turnCpuMs.push((user + system) / 1_000);
      before = process.cpuUsage();
      if (!isDone) setImmediate(tick);
    };
    setImmediate(tick);
    const response = await fetch(address, { method: "POST", body });
    isDone = true;
    const total = turnCpuMs.reduce((sum, ms) => sum + ms, 0);
    assert.deepEqual([response.status, calls], [200, 2]);
    assert.ok(turnCpuMs.length >= 6 && Math.max(...turnCpuMs) < total * 0.8, `${turnCpuMs.length} turns, ${total} ms`);
  });
});
