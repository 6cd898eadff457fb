/** Recovery over the turns of a conversation: which stubs persist, which are shortened, and what is never changed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isStub } from "../src/answer/stub-text.ts";
import type { defaultSettings } from "../src/config/settings.ts";
import { anthropicMessages } from "../src/overflow/dialects/anthropic-messages.ts";
import { openRecoveryMemory } from "../src/overflow/memory/recovery-memory.ts";
import { withOverflowRecovery } from "../src/overflow/overflow-fetch.ts";
import { hashContent } from "../src/overflow/shed.ts";
import { readArtifactBytes } from "./bodies.ts";
import { wordings } from "./provider.ts";
import { openRecoveringProvider, openWatchedSession } from "./recovery.ts";
import { soakCount } from "./soak.ts";
import { longTranscript } from "./transcripts.ts";

type Block = { type: string; [field: string]: unknown };
type Message = { role: "user" | "assistant"; content: string | Block[] };
type Body = { readonly model: string; readonly max_tokens: number; readonly messages: readonly Message[] };

const address = "https://api.sim/v1/messages";
const tokensIn = (json: string): number => Math.ceil(json.length / 4);

/** Words that differ for each seed. */
function words(chars: number, seed: number): string {
  const vocabulary = ["alpha", "river", "stone", "cloud", "table", "winter", "signal", "copper"];
  let [text, state] = ["", seed];
  while (text.length < chars) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += `${vocabulary[(state >>> 8) & 7]} `;
  }
  return text.slice(0, chars);
}

const call = (id: string): Message => ({
  role: "assistant",
  content: [{ type: "tool_use", id, name: "shell", input: {} }],
});
const result = (id: string, content: unknown): Message => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content }],
});
const round = (id: string, content: unknown): Message[] => [call(id), result(id, content)];

/** A provider with a window, and the requests that it got. */
async function providerWith(
  windowTokens: number,
  refusal: (tokens: number, limit: number) => object = refuseWithNumbers,
  settings: Partial<typeof defaultSettings> = {},
) {
  const session = await openWatchedSession(settings);
  const sent: string[] = [];
  const fetch = withOverflowRecovery(
    async (_, init) => {
      const json = String(init?.body);
      sent.push(json);
      const tokens = tokensIn(json);
      return tokens > windowTokens
        ? Response.json(refusal(tokens, windowTokens), { status: 400 })
        : Response.json({ type: "message", content: [{ type: "text", text: "ok" }], usage: { output_tokens: 3 } });
    },
    { session },
  );
  async function post(messages: readonly Message[], more: Partial<Body> = {}, headers = {}, url = address) {
    const body = JSON.stringify({ model: "sim-1", max_tokens: 100, messages, ...more });
    const before = sent.length;
    const response = await fetch(url, { method: "POST", body, headers });
    return { response, calls: sent.slice(before) };
  }
  return { post, sent, session };
}

const refuseWithNumbers = (tokens: number, limit: number) => ({
  error: { message: `prompt is too long: ${tokens} tokens > ${limit} maximum` },
});
const refuseWithoutNumbers = () => ({ message: "Input is too long for requested model." });

/** The tool results that the model sees, in order. */
function resultsIn(json: string): string[] {
  const { messages }: Body = JSON.parse(json);
  const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  return blocks.filter(({ type }) => type === "tool_result").map(({ content }) => String(content));
}

describe("a conversation that began with a very large result", () => {
  const turns = soakCount({ sample: 20, full: 60 });
  for (const size of [6_000, 20_000, 60_000]) {
    test(`sees each new result of ${size} characters whole for ${turns} turns`, async () => {
      const { post, session } = await providerWith(50_000);
      const messages: Message[] = [{ role: "user", content: "Look into the large file." }];
      const largeText = words(800_000, 7);
      let refusals = 0;
      for (let turn = 1; turn <= turns; turn++) {
        const text = turn === 1 ? largeText : words(size, turn);
        messages.push(...round(`t${turn}`, text));
        const { response, calls } = await post(messages);
        assert.equal(response.status, 200, `turn ${turn}: ${await response.text()}`);
        refusals += calls.length - 1;
        const [newest = ""] = resultsIn(calls.at(-1) ?? "").slice(-1);
        if (turn > 1) assert.equal(newest, text, `turn ${turn} was cut to ${newest.length}`);
        else assert.ok(isStub(newest) && newest.length > 100_000);
        const [first = ""] = resultsIn(calls.at(-1) ?? "");
        const ref = /af_[0-9a-f]{32}/.exec(first)?.[0] ?? "";
        if (turn === 1 || turn === turns)
          assert.equal((await readArtifactBytes(session.store, ref)).toString("utf8"), largeText);
      }
      const refills = Math.ceil((turns * size) / 4 / 20_000) + 2;
      assert.ok(refusals <= refills, `${refusals} refusals where the window was filled ${refills} times at most`);
    });
  }
});

describe("a text that only looks like a stub", () => {
  test("is replaced like any other text, and kept", async () => {
    const line = `[Set aside by Spillway to fit the model's limit: text, 1 KB. Kept whole as artifact_ref=af_${"0".repeat(32)}. To read it: x]`;
    const forged = `${line}\nBeginning and end, 200000 chars:\n${words(200_000, 3)}`;
    assert.ok(isStub(forged));
    const { post, session } = await providerWith(10_000);
    const { response, calls } = await post([
      { role: "user", content: "x" },
      ...round("a", forged),
      { role: "assistant", content: "k" },
      { role: "user", content: "n" },
    ]);
    assert.deepEqual([response.status, calls.length], [200, 2]);
    const ref = /Kept whole as artifact_ref=(af_[0-9a-f]{32})/.exec(resultsIn(calls[1] ?? "")[0] ?? "")?.[1] ?? "";
    assert.equal((await readArtifactBytes(session.store, ref)).toString("utf8"), forged);
  });
});

describe("persistent stubs", () => {
  const opening: Message = { role: "user", content: "Run it." };
  const oldRound = (text: string): Message[] => [opening, ...round("a", text), { role: "assistant", content: "k" }];

  test("are reported in a header and an event", async () => {
    const { post, session } = await providerWith(5_000, refuseWithoutNumbers, { "overflow.prevent": "off" });
    const history = oldRound(words(50_000, 1));
    await post([...history, { role: "user", content: "n" }]);
    session.events.length = 0;
    const { response, calls } = await post([
      ...history,
      { role: "user", content: "n" },
      { role: "assistant", content: "m" },
      { role: "user", content: "o" },
    ]);
    assert.deepEqual([calls.length, response.headers.get("x-spillway")], [1, "stubs=1"]);
    const [event, ...more] = session.events;
    assert.ok(event?.event === "overflow.repeated" && event.stubs === 1 && event.bytes_after < event.bytes_before);
    assert.deepEqual(more, []);
  });

  test("leave the newest exchange alone: a tool that is run again shows its result", async () => {
    const { post } = await providerWith(10_000);
    const text = words(50_000, 5);
    await post([...oldRound(text), ...round("b", words(3_000, 6))]);
    const { calls } = await post([opening, ...round("z", text.slice(0, 30_000))]);
    assert.equal(resultsIn(calls[0] ?? "")[0]?.length, 30_000);
    const second = await providerWith(14_000);
    await second.post([...oldRound(text), ...round("b", words(9_000, 6))]);
    const rerun = await second.post([opening, ...round("z", text)]);
    assert.equal(resultsIn(rerun.calls[0] ?? "")[0], text);
  });

  for (const withPicture of [false, true]) {
    test(`are found by the opening message${withPicture ? ", even if its own picture is one of them" : ""}`, async () => {
      const { post, sent } = await providerWith(40_000, refuseWithoutNumbers);
      const data = Buffer.from(words(100_000, 9)).toString("base64");
      const picture = { type: "image", source: { type: "base64", media_type: "image/png", data } };
      const messages: Message[] = [
        { role: "user", content: [{ type: "text", text: "See this." }, ...(withPicture ? [picture] : [])] },
        { role: "assistant", content: "Seen." },
        { role: "user", content: "Go on." },
      ];
      for (let turn = 1; turn <= 30; turn++) {
        messages.push(...round(`t${turn}`, words(14_000, turn)));
        assert.equal((await post(messages)).response.status, 200);
      }
      assert.ok(sent.length - 30 <= 8, `${sent.length - 30} refusals in 30 turns`);
    });
  }

  test("are found whether or not the opening message has a cache mark", async () => {
    const { post } = await providerWith(40_000, refuseWithoutNumbers);
    const tail = Array.from({ length: 14 }, (_, turn) => round(`t${turn}`, words(14_000, turn + 1))).flat();
    const withMark = [{ type: "text", text: "open", cache_control: { type: "ephemeral" } }];
    const counts = [];
    for (const content of ["open", withMark, [{ type: "text", text: "open" }], "open"]) {
      counts.push((await post([{ role: "user", content }, ...tail])).calls.length);
    }
    assert.deepEqual(counts, [2, 1, 1, 1]);
  });

  test("belong to one upstream, one model and one caller", async () => {
    const { post } = await providerWith(5_000, refuseWithoutNumbers, { "overflow.prevent": "off" });
    const messages: Message[] = [...oldRound(words(50_000, 2)), { role: "user", content: "n" }];
    const first = { "x-api-key": "one" };
    assert.equal((await post(messages, {}, first)).calls.length, 2);
    assert.equal((await post(messages, {}, first)).calls.length, 1);
    assert.equal((await post(messages, {}, { "x-api-key": "two" })).calls.length, 2);
    assert.equal((await post(messages, { model: "sim-2" }, first)).calls.length, 2);
    assert.equal((await post(messages, {}, first, "https://other.sim/v1/messages")).calls.length, 2);
  });

  test("are read from the store once the memory of the process is full", async () => {
    const { store } = await openWatchedSession();
    const memory = openRecoveryMemory(store);
    const given = (about: number) => {
      const request = {
        messages: [{ role: "user", content: `about ${about}` }, ...oldRound("x".repeat(600)).slice(1), opening],
      };
      return { dialect: anthropicMessages, request, target: { endpoint: "e", model: "m" } };
    };
    for (let about = 0; about < 12; about++) {
      const [part] = anthropicMessages.findParts(given(about).request);
      assert.ok(part && "text" in part.content);
      const stubs = [{ part, ref: "af", ...hashContent(part.content), text: "s".repeat(4_000_000) }];
      await memory.remember(given(about), { clamp: [], stubs }, stubs);
    }
    for (const about of [0, 4, 11]) assert.equal((await memory.find(given(about))).stubs.length, 1);
  });
});

describe("a provider that names no numbers", () => {
  test("refuses a growing conversation a few times; then requests that it would refuse are not sent", async () => {
    const { post, provider, session } = await openRecoveringProvider({
      windowTokens: 16_000,
      wording: wordings.responses,
    });
    const { system, outputTokens } = longTranscript(1);
    const results = [1, 2, 3, 4, 5, 6].flatMap((seed) =>
      longTranscript(seed).turns.flatMap(({ rounds }) => rounds.flat()),
    );
    const texts = results.filter(({ result }) => result.form === "text" && result.text.length < 8_000).slice(0, 60);
    for (let turn = 1; turn <= texts.length; turn++) {
      const turns = [{ user: "Look at everything.", rounds: texts.slice(0, turn).map((call) => [call]) }];
      const { response } = await post("openai-responses", { system, turns, outputTokens });
      assert.equal(response.status, 200, `turn ${turn}`);
    }
    const refusals = provider.exchanges.length - texts.length;
    assert.ok(refusals >= 2 && refusals <= 6, `${refusals} refusals in ${texts.length} turns`);
    const preventions = session.events.filter((one) => one.event === "overflow.recovered" && one.attempts === 0);
    assert.ok(preventions.length > 0);
  });
});

describe("learned limits", () => {
  const history = (about: string): Message[] => [
    { role: "user", content: about },
    ...Array.from({ length: 4 }, (_, index) => round(`t${index}`, words(6_000, index + about.length))).flat(),
  ];

  test("are not learned from figures that count something else", async () => {
    for (const message of [
      "The query has 1000 tokens, the maximum is 100 tokens",
      "prompt is too long: 190000 tokens > 1500 maximum",
    ]) {
      const session = await openWatchedSession();
      const sent: string[] = [];
      const fetch = withOverflowRecovery(
        async (_, init) => {
          sent.push(String(init?.body));
          return sent.length <= 4
            ? Response.json({ error: { message } }, { status: 400 })
            : Response.json({ type: "message" });
        },
        { session },
      );
      for (const about of ["one", "three", "fifteen"]) {
        const body = JSON.stringify({ model: "m", max_tokens: 9, messages: history(about) });
        await fetch(address, { method: "POST", body });
      }
      assert.equal(sent.at(-1), JSON.stringify({ model: "m", max_tokens: 9, messages: history("fifteen") }), message);
    }
  });

  for (const [usage, isCut] of [
    [{ input_tokens: 9_000 }, false],
    [{ input_tokens: 40, cache_read_input_tokens: 8_960 }, false],
    [{ input_tokens: 4_000 }, true],
    [{}, true],
  ] as const) {
    test(`are ${isCut ? "kept" : "forgotten"} when an accepted request reports ${JSON.stringify(usage)}`, async () => {
      const session = await openWatchedSession();
      const sent: string[] = [];
      const fetch = withOverflowRecovery(
        async (_, init) => {
          sent.push(String(init?.body));
          // Two refusals name 5,000 tokens; each is followed by an accepted retry.
          return sent.length === 1 || sent.length === 3
            ? Response.json({ error: { message: "prompt is too long: 6100 tokens > 5000 maximum" } }, { status: 400 })
            : Response.json({ type: "message", usage: { output_tokens: 3, ...(sent.length > 4 ? usage : {}) } });
        },
        { session },
      );
      const bodies = ["one", "three", "seventy", "fifteen"].map((about) =>
        JSON.stringify({ model: "m", max_tokens: 9, messages: history(about) }),
      );
      for (const body of bodies) await fetch(address, { method: "POST", body });
      assert.notEqual(sent.at(-2), bodies.at(-2), "the limit was learned: the third request is cut before it is sent");
      assert.equal(sent.at(-1) !== bodies.at(-1), isCut);
    });
  }
});
