/** Conversations through the proxy in every dialect, whole and streamed: one overflow does not repeat on every turn. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { wordings } from "../../../test/provider.ts";
import { openProxiedProvider, type Proxied } from "../../../test/proxied.ts";
import { isStub } from "../../answer/stub-text.ts";
import type { Conversation, HttpSimulator, ToolResult, Turn } from "../../overflow/dialects/simulator.ts";
import { httpSimulators } from "../../overflow/dialects/simulators.ts";

const forms = ["text", "blocks", "error", "picture"] as const;
const lines = (count: number, gate: number): string =>
  `gate ${gate} opened to 41 percent and the level fell\n`.repeat(count);
const resultText = (form: ToolResult["form"], count: number, gate: number): string =>
  form === "picture" ? Buffer.from(lines(count, gate)).toString("base64") : lines(count, gate);

/** Every kind of result at once, each too large to stay. */
const heavy: Turn = {
  user: "Look at all of it.",
  attachment: { mediaType: "image/png", base64: resultText("picture", 400, 0) },
  rounds: [forms.map((form, index) => ({ tool: "shell", result: { form, text: resultText(form, 600, index + 1) } }))],
  answer: "It rains.",
};

/** A small result, of a different kind each turn. */
const light = (turn: number): Turn => {
  const form = forms[turn % 3] ?? "text";
  return {
    user: `And after turn ${turn}?`,
    rounds: [[{ tool: "shell", result: { form, text: resultText(form, 2, turn) } }]],
    answer: "Rain.",
  };
};

const conversationOf = (turns: readonly Turn[]): Conversation => ({
  system: "You watch dams.",
  turns,
  outputTokens: 200,
});

/** Posts the turns and reads the whole answer. */
async function send({ post }: Proxied, simulator: HttpSimulator, turns: readonly Turn[], streams: boolean) {
  const { address, fields } = streams ? simulator.stream : { address: simulator.address, fields: {} };
  const body = JSON.stringify({ ...simulator.writeRequest(conversationOf(turns)), ...fields });
  const response = await post(body, {}, new URL(address).pathname);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe("over 30 turns the client's growing history overflows once", () => {
  for (const simulator of httpSimulators) {
    for (const [how, streams, inStream] of [
      ["whole answers", false, false],
      ["streams", true, false],
      ["refusals inside streams", true, true],
    ] as const) {
      test(`${simulator.dialect.name}, ${how}`, async () => {
        await using setup = await openProxiedProvider(
          { windowTokens: 16_000, wording: simulator.refuse, ...(inStream ? { overflowInStream: "first" } : {}) },
          { "overflow.prevent": "off" },
        );
        const turns = [heavy];
        for (let turn = 1; turn <= 30; turn++) {
          turns.push(light(turn));
          const { status, text } = await send(setup, simulator, turns, streams);
          assert.deepEqual([status, text.includes(streams ? "three" : "done")], [200, true], `turn ${turn}: ${text}`);
        }
        assert.equal(setup.provider.exchanges.length, 31, "one request a turn, and one more");
        const events = setup.session.events.map(({ event }) => event);
        assert.equal(events.filter((event) => event === "overflow.recovered").length, 1);
        assert.equal(events.filter((event) => event === "overflow.repeated").length, 29);
      });
    }
  }
});

describe("after a restart of the proxy", () => {
  for (const simulator of httpSimulators) {
    test(`${simulator.dialect.name}: the next request overflows once more, and gets the same stubs in the same places`, async () => {
      await using setup = await openProxiedProvider(
        { windowTokens: 16_000, wording: simulator.refuse },
        { "overflow.prevent": "off" },
      );
      const turns = [heavy, light(1)];
      await send(setup, simulator, turns, false);
      const before = stubsIn(setup.provider.exchanges.at(-1)?.json ?? "");
      assert.ok(before.length > 0 && before.every(isStub));
      await setup.restart();
      for (const turn of [2, 3, 4]) {
        turns.push(light(turn));
        assert.equal((await send(setup, simulator, turns, false)).status, 200);
        assert.deepEqual(stubsIn(setup.provider.exchanges.at(-1)?.json ?? ""), before);
      }
      assert.equal(setup.provider.exchanges.length, 2 + 4);
    });
  }
});

/** The stubs in a request, in order. */
function stubsIn(json: string): string[] {
  const stubs: string[] = [];
  JSON.parse(json, (_, value) => {
    if (typeof value === "string" && value.startsWith("[Set aside by Spillway")) stubs.push(value);
    return value;
  });
  return stubs;
}

describe("a request that is refused twice inside streams", () => {
  for (const simulator of httpSimulators) {
    test(`${simulator.dialect.name}: the client gets the provider's second refusal, with the report in it`, async () => {
      await using setup = await openProxiedProvider({
        windowTokens: 400,
        wording: wordings.bare,
        overflowInStream: "first",
      });
      const { status, headers, text } = await send(setup, simulator, [heavy, light(1)], true);
      const events = text.split("\n\n").filter((event) => /^data:/m.test(event));
      const refusal = JSON.parse(/^data: (.*)$/m.exec(events.at(-1) ?? "")?.[1] ?? "{}");
      assert.deepEqual([status, setup.provider.exchanges.length], [200, 2]);
      assert.equal(headers.get("x-spillway"), "context_overflow");
      assert.deepEqual([refusal.type, refusal.error.message], ["error", "Input is too long for requested model."]);
      const { type, reason, attempts, retryable, stubs, hint } = refusal.error.spillway;
      assert.deepEqual([type, reason, attempts, retryable], ["context_overflow", "refused_again", 2, false]);
      assert.ok(stubs.length > 0 && hint.length > 0);
    });
  }
});
