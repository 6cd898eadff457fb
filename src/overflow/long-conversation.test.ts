import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Turn } from "../../test/conversations.ts";
import { refuseMessageSize, wordings } from "../../test/provider.ts";
import { openRecoveringProvider } from "../../test/recovery.ts";
import { countShownChars, isStub, makeStub } from "../answer/stub-text.ts";
import { openaiChat } from "./dialects/openai-chat.ts";

const words = (name: string, count: number): string =>
  `${name} watched the water rise over the old wall. `.repeat(count);

const turn = (name: string, count: number): Turn => ({
  user: `Look at ${name}.`,
  rounds: [[{ tool: "shell", result: { text: words(name, count), form: "text" } }]],
  answer: `I saw ${name}.`,
});

const conversation = (turns: readonly Turn[]) => ({ system: "You watch dams.", turns: [...turns], outputTokens: 100 });

/** The tool results of a request that was sent. */
const resultsOf = (json: string): string[] =>
  openaiChat.findParts(JSON.parse(json)).map(({ content }) => ("text" in content ? content.text : ""));

/** A turn without an answer, so that its result is the newest in the conversation. */
const unanswered = ({ user, rounds }: Turn): Turn => ({ user, rounds });

describe("a conversation that grows long", () => {
  test("shortens the excerpt of a result once it is no longer the newest, and keeps it short", async () => {
    const { post } = await openRecoveringProvider(
      { windowTokens: 1_500, wording: wordings.openai },
      { "overflow.prevent": "off" },
    );
    const [first, second] = [turn("Anna", 400), turn("Bert", 80)];
    const { sent: one } = await post("openai-chat", conversation([unanswered(first)]));
    const [excerpt = ""] = resultsOf(one.at(-1) ?? "");
    assert.ok((countShownChars(excerpt) ?? 0) > 1_000, "the newest result is shown as an excerpt");
    const { sent: two, response } = await post("openai-chat", conversation([first, unanswered(second)]));
    const [old = "", newest = ""] = resultsOf(two.at(-1) ?? "");
    assert.deepEqual([response.status, countShownChars(old)], [200, 300]);
    assert.equal(newest, words("Bert", 80), "the newest result is unchanged while older parts suffice");
    const before = two.length;
    const { sent: three } = await post("openai-chat", conversation([first, unanswered(second)]));
    assert.equal(three.length, before + 1, "the shorter stub is used again for the text that the client resends");
    assert.equal(resultsOf(three.at(-1) ?? "")[0], old);
  });

  test("removes the excerpts of older results before it cuts the newest one", async () => {
    const { post } = await openRecoveringProvider({ windowTokens: 6_600, wording: wordings.openai });
    const older = Array.from({ length: 20 }, (_, at) => turn(`Anna ${at}`, 60));
    const { response, sent } = await post("openai-chat", conversation([...older, unanswered(turn("Bert", 120))]));
    const results = resultsOf(sent.at(-1) ?? "");
    assert.deepEqual([response.status, sent.length, results.at(-1)], [200, 2, words("Bert", 120)]);
    const excerptChars = results.slice(0, -1).map((stub) => countShownChars(stub) ?? Infinity);
    assert.ok(excerptChars[0] === 0 && excerptChars.at(-1) === 300, `the oldest first: ${excerptChars}`);
  });

  test("also removes excerpts from earlier requests", async () => {
    const { post } = await openRecoveringProvider({ windowTokens: 6_600, wording: wordings.openai });
    const older = Array.from({ length: 20 }, (_, at) => turn(`Anna ${at}`, 60));
    const { sent: first } = await post("openai-chat", conversation([...older, unanswered(turn("Bert", 10))]));
    assert.equal(countShownChars(resultsOf(first.at(-1) ?? "")[0] ?? ""), 294);
    const { sent } = await post(
      "openai-chat",
      conversation([...older, turn("Bert", 10), unanswered(turn("Carl", 300))]),
    );
    const results = resultsOf(sent.at(-1) ?? "");
    assert.deepEqual([countShownChars(results[0] ?? ""), results.at(-1)], [0, words("Carl", 300)]);
  });

  test("does not change stubs that the client sends", async () => {
    const { post } = await openRecoveringProvider({ windowTokens: 3_000, wording: wordings.openai });
    const stub = (at: number): string =>
      makeStub(
        {
          ref: `af_${String(at).padStart(32, "0")}`,
          kind: "text",
          sizeBytes: 9,
          text: words("Anna", 60),
          reader: { path: null },
        },
        300,
      );
    const sentBefore = Array.from(
      { length: 10 },
      (_, at): Turn => ({
        ...turn("Anna", 1),
        rounds: [[{ tool: "shell", result: { text: stub(at), form: "text" } }]],
      }),
    );
    const { sent } = await post("openai-chat", conversation([...sentBefore, unanswered(turn("Bert", 150))]));
    assert.deepEqual(
      resultsOf(sent.at(-1) ?? "").slice(0, -1),
      Array.from({ length: 10 }, (_, at) => stub(at)),
    );
  });

  test("is retried if no limit is named and less than half of it can be replaced by stubs", async () => {
    const { post } = await openRecoveringProvider({ windowTokens: 3_000, wording: wordings.responses });
    const heavy = { ...conversation([unanswered(turn("Anna", 100))]), system: words("Nobody", 220) };
    const { response, sent } = await post("openai-chat", heavy);
    assert.deepEqual([response.status, sent.length], [200, 2]);
  });

  test("shrinks in proportion if the provider counts more bytes than we send", async () => {
    const request = conversation([turn("Anna", 100), { user: "Well?", rounds: [] }]);
    const { post } = await openRecoveringProvider({
      instead: (index) => (index === 0 ? refuseMessageSize(4_300_000, 4_194_304) : undefined),
    });
    const { response, sent } = await post("openai-chat", request);
    assert.equal(response.status, 200);
    assert.ok((sent[1] ?? "").length < (sent[0] ?? "").length * 0.976);
  });
});

describe("a provider that names no limit", () => {
  test("gets a request that just fits the limit in the settings", async () => {
    const stubsWith = async (settings: Record<string, unknown>): Promise<number> => {
      const provider = { windowTokens: 9_000, wording: wordings.responses };
      const { post } = await openRecoveringProvider(provider, {
        "overflow.prevent": "off",
        "overflow.headroom": 0,
        ...settings,
      });
      const older = Array.from({ length: 20 }, (_, at) => turn(`Anna ${at}`, 50));
      const { sent, response } = await post("openai-chat", conversation([...older, { user: "Well?", rounds: [] }]));
      assert.deepEqual([response.status, sent.length], [200, 2]);
      return resultsOf(sent.at(-1) ?? "").filter(isStub).length;
    };
    const [withLimit, withoutLimit] = [await stubsWith({ "overflow.limits": ["sim-1=9000"] }), await stubsWith({})];
    assert.ok(withLimit < withoutLimit, `${withLimit} stubs with a known limit, ${withoutLimit} without`);
  });

  test("gets as much as it accepted before, so that the newest result is not cut", async () => {
    const { post } = await openRecoveringProvider({ windowTokens: 3_000, wording: wordings.responses });
    const turns = [turn("Anna", 250), turn("Bert", 120)];
    const { response } = await post(
      "openai-chat",
      conversation([turns[0] ?? turn("", 1), unanswered(turn("Bert", 120))]),
    );
    assert.equal(response.status, 200);
    await post("openai-chat", conversation([...turns, unanswered(turn("Carl", 110))]));
    const { sent, response: last } = await post(
      "openai-chat",
      conversation([...turns, turn("Carl", 110), unanswered(turn("Dora", 130))]),
    );
    assert.equal(last.status, 200);
    assert.equal(resultsOf(sent.at(-1) ?? "").at(-1), words("Dora", 130));
  });
});
