/** Recovery from end to end, against a provider that is as strict as the real ones. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isStub } from "../src/answer/stub-text.ts";
import type { ArtifactStore } from "../src/artifacts/artifact-store.ts";
import type { OverflowReport } from "../src/contract/overflow-report.ts";
import { SpillwayError } from "../src/errors.ts";
import { anthropicMessagesSimulator as anthropic } from "../src/overflow/dialects/anthropic-messages.simulator.ts";
import type { Dialect, Part, RequestBody } from "../src/overflow/dialects/dialect.ts";
import { openaiChatSimulator as openaiChat } from "../src/overflow/dialects/openai-chat.simulator.ts";
import type { Conversation, Simulator, Turn } from "../src/overflow/dialects/simulator.ts";
import { httpSimulators } from "../src/overflow/dialects/simulators.ts";
import { withOverflowRecovery } from "../src/overflow/overflow-fetch.ts";
import { applyEdits } from "../src/system/json-edits.ts";
import { readArtifactBytes } from "./bodies.ts";
import { countTokens, simulateProvider, wordings } from "./provider.ts";
import { openRecoveringProvider, openWatchedSession } from "./recovery.ts";
import { soakCount } from "./soak.ts";
import { longTranscript } from "./transcripts.ts";

const line = "the gate at weir seven opened to 41 percent and the level fell by two centimetres\n";
const heavy = line.repeat(400);
const light = line.repeat(3);

const turn = (text: string, more: Partial<Turn> = {}): Turn => ({
  user: "What happened?",
  rounds: [[{ tool: "shell", result: { text, form: "text" } }]],
  answer: "It rained.",
  ...more,
});
/** A turn that the model has not answered yet. */
const open = (text: string): Turn => {
  const { answer: _, ...rest } = turn(text);
  return rest;
};
const conversationOf = (turns: readonly Turn[], outputTokens = 500): Conversation => ({
  system: "You watch dams.",
  turns,
  outputTokens,
});

const partsOf = (dialect: Dialect, json: string): readonly Part[] => dialect.findParts(JSON.parse(json) as RequestBody);
const texts = (parts: readonly Part[]): string[] =>
  parts.map(({ content }) => ("text" in content ? content.text : content.base64));
/** A window that holds this share of a conversation and its output. */
const windowOf = ({ writeRequest }: Simulator, conversation: Conversation, share: number): number =>
  Math.floor((countTokens(writeRequest(conversation)) + conversation.outputTokens) * share);

/** The provider's error as a client sees it. */
async function errorOf(response: Response): Promise<{ readonly spillway: OverflowReport }> {
  return JSON.parse(await response.text()).error;
}

async function failToKeep(): Promise<never> {
  throw new SpillwayError("store_unavailable", "The artifact could not be kept: the disk is full.", {
    hint: "Free space.",
  });
}

/** Asserts that each stub names an artifact whose bytes were in the request (as text, base64 or JSON) and no longer are. */
async function assertReadable(before: string, after: string, store: ArtifactStore): Promise<number> {
  const refs = stringsIn(JSON.parse(after))
    .filter(isStub)
    .map((stub) => /artifact_ref=(af_[0-9a-f]{32})/.exec(stub)?.[1] ?? "");
  for (const ref of refs) {
    const bytes = await readArtifactBytes(store, ref);
    const forms = [JSON.stringify(bytes.toString("utf8")), `${bytes.toString("base64")}"`, bytes.toString("utf8")];
    const form = forms.find((each) => before.includes(each)) ?? assert.fail(`${ref} was never sent`);
    assert.ok(!after.includes(form), `${ref} is still there`);
  }
  return refs.length;
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

for (const simulator of httpSimulators) {
  const { dialect, address, writeRequest } = simulator;
  const { name } = dialect;
  describe(`recovery in ${name}`, () => {
    test("sends a smaller, valid request once, and the newest exchange stays byte for byte", async () => {
      const conversation = conversationOf([turn(heavy), turn(light), open(`newest ${light}`)]);
      const { post } = await openRecoveringProvider({ windowTokens: 4_000, wording: wordings.openai });
      const { json, response, sent, events } = await post(name, conversation);
      assert.deepEqual([response.status, sent.length], [200, 2]);
      assert.ok((sent[1]?.length ?? 0) < json.length / 2);
      const [before, after] = [partsOf(dialect, json), partsOf(dialect, sent[1] ?? "")];
      assert.deepEqual(
        texts(after.filter(({ isNewest }) => isNewest)),
        texts(before.filter(({ isNewest }) => isNewest)),
      );
      assert.deepEqual(texts(after).map(isStub), [true, false, false]);
      assert.match(response.headers.get("x-spillway") ?? "", /recovered; stubs=1/);
      assert.deepEqual(
        events.map(({ event }) => event),
        ["overflow.classified", "overflow.recovered"],
      );
    });

    test("keeps every replaced text, byte for byte, under the ref in its stub", async () => {
      const { post, session } = await openRecoveringProvider({ windowTokens: 3_000 });
      const { json, response, sent } = await post(
        name,
        conversationOf([turn(heavy), turn(`${heavy}ünï 水位 🌊`), open(light)]),
      );
      assert.equal(response.status, 200);
      const [before, after] = [texts(partsOf(dialect, json)), texts(partsOf(dialect, sent[1] ?? ""))];
      const stubs = after.filter(isStub);
      assert.equal(stubs.length, 2);
      for (const [index, text] of after.entries()) {
        if (!isStub(text)) continue;
        const ref = /artifact_ref=(af_[0-9a-f]{32})/.exec(text)?.[1] ?? assert.fail("no ref");
        assert.equal((await readArtifactBytes(session.store, ref)).toString("utf8"), before[index]);
      }
    });

    test("does not change a byte of a request that was rewritten before", async () => {
      const { post, fetch, provider } = await openRecoveringProvider({ windowTokens: 4_000 });
      const { sent } = await post(name, conversationOf([turn(heavy), turn(light), open(`first\n${heavy}last`)]));
      const rewritten = sent[1] ?? assert.fail("nothing was rewritten");
      const response = await fetch(address, { method: "POST", body: rewritten });
      assert.deepEqual(
        [response.status, provider.exchanges.length, provider.exchanges[2]?.json === rewritten],
        [200, 3, true],
      );
    });

    test("shows the beginning and end of the newest result when that is the large one", async () => {
      const { post } = await openRecoveringProvider({ windowTokens: 4_000 });
      const { response, sent } = await post(name, conversationOf([turn(light), open(`first\n${heavy}last`)]));
      assert.equal(response.status, 200);
      const stub = texts(partsOf(dialect, sent[1] ?? "")).find(isStub) ?? assert.fail("no stub");
      assert.match(stub, /first/);
      assert.match(stub, /last$/);
      assert.ok(stub.length > 3_000, `${stub.length} characters shown`);
    });

    test("sends exactly one request when nothing can be replaced, and reports why", async () => {
      const { post } = await openRecoveringProvider({ windowTokens: 1_500 });
      const { response, sent } = await post(name, { ...conversationOf([{ user: heavy, rounds: [] }]) });
      assert.deepEqual([response.status, sent.length], [400, 1]);
      const { spillway } = await errorOf(response);
      assert.equal(spillway.type, "context_overflow");
      assert.deepEqual([spillway.reason, spillway.retryable, spillway.attempts], ["nothing_to_shed", false, 1]);
      assert.equal(response.headers.get("x-should-retry"), "false");
    });

    test("never sends a third request", async () => {
      const always = wordings.openai({ limit: 100_000, input: 120_000, output: 100 });
      const { post } = await openRecoveringProvider({ always });
      const { response, sent } = await post(name, conversationOf([turn(heavy), turn(heavy), open(light)]));
      assert.deepEqual([response.status, sent.length], [400, 2]);
      const { spillway, ...provider } = await errorOf(response);
      assert.deepEqual(provider, JSON.parse(always.body).error);
      assert.equal(spillway.reason, "refused_again");
      assert.ok(spillway.bytes_after < spillway.bytes_before && spillway.stubs.length > 0);
    });

    test("names the reading tool where the request offers it, and the command line otherwise", async () => {
      for (const [tools, instruction] of [
        [{}, /To read it: read_artifact with that artifact_ref/],
        [{ tools: [] }, /To read it: spillway read af_[0-9a-f]{32} /],
      ] as const) {
        const { post } = await openRecoveringProvider({ windowTokens: 3_000 });
        const { sent } = await post(name, conversationOf([turn(heavy), open(light)]), tools);
        const stubs = stringsIn(JSON.parse(sent[1] ?? "{}")).filter(isStub);
        assert.ok(stubs.length > 0 && stubs.every((stub) => instruction.test(stub)), stubs[0]);
      }
    });

    test("reports a second refusal inside a stream in the provider's own event", async () => {
      const { postStream } = await openRecoveringProvider({
        windowTokens: 300,
        wording: wordings.bare,
        overflowInStream: "first",
      });
      const { response, sent } = await postStream(name, conversationOf([turn(heavy), open(light)]));
      const text = await response.text();
      const [, data = "{}"] = /^data: (.*"error".*)$/m.exec(text) ?? [];
      const { error } = JSON.parse(data);
      assert.deepEqual(
        [response.status, sent.length, error.message, error.spillway.reason],
        [200, 2, "Input is too long for requested model.", "refused_again"],
      );
    });

    test("keeps the body within a byte limit", async () => {
      const { post } = await openRecoveringProvider({ bodyBytes: 30_000 });
      const { response, sent } = await post(name, conversationOf([turn(heavy), turn(heavy), open(light)]));
      assert.equal(response.status, 200);
      assert.ok(Buffer.byteLength(sent[1] ?? "") <= 30_000);
    });

    test("keeps parallel calls, block arrays, errors and pictures paired and in order", async () => {
      const round = [
        { tool: "shell", result: { text: heavy, form: "blocks" as const } },
        { tool: "shell", result: { text: `E${heavy}`, form: "error" as const } },
        { tool: "fetch_page", result: { text: Buffer.from(heavy).toString("base64"), form: "picture" as const } },
      ];
      const attachment = { mediaType: "image/png", base64: Buffer.from(heavy.repeat(2)).toString("base64") };
      const conversation = conversationOf([{ ...turn(light), attachment, rounds: [round] }, open(light)]);
      const { post } = await openRecoveringProvider({ windowTokens: 4_500 });
      const { json, response, sent } = await post(name, conversation);
      assert.equal(response.status, 200, await response.text());
      assertSameSkeleton(dialect, json, sent[1] ?? "");
    });

    test("passes on rate limits, overload, quota errors and invalid requests", async () => {
      for (const [status, message] of [
        [429, "Rate limit reached for tokens per min: Limit 30000, Requested 61337"],
        [529, "Overloaded"],
        [400, "Your credit balance is too low to access the API."],
        [400, "messages.1: `tool_use` ids were found without `tool_result` blocks"],
        [413, "Request too large for model on tokens per minute (TPM): Limit 6000, Requested 12328"],
      ] as const) {
        const body = JSON.stringify({ error: { message } });
        const { post } = await openRecoveringProvider({ always: { status, body } });
        const { response, sent } = await post(name, conversationOf([turn(heavy), open(light)]));
        assert.deepEqual([response.status, sent.length, await response.text()], [status, 1, body]);
      }
    });

    test("does nothing in shadow mode but an event, and nothing at all when it is off", async () => {
      const conversation = conversationOf([turn(heavy), open(light)]);
      for (const mode of ["shadow", "off"] as const) {
        const { post } = await openRecoveringProvider(
          { windowTokens: 3_000 },
          { "runner.enable_model_overflow_fallback": mode },
        );
        const { response, sent, events } = await post(name, conversation);
        assert.deepEqual([response.status, sent.length], [400, 1]);
        assert.ok(!(await response.text()).includes("spillway"));
        const skipped = events.find(({ event }) => event === "overflow.skipped");
        if (mode === "off") assert.deepEqual(events, []);
        else assert.ok(skipped?.event === "overflow.skipped" && skipped.reason === "shadow" && skipped.stubs === 1);
      }
    });

    test("recovers when the overflow is the first event of a stream, but never after content", async () => {
      const conversation = conversationOf([turn(heavy), open(light)]);
      const outcomes = [];
      for (const overflowInStream of ["first", "after_content"] as const) {
        const { postStream } = await openRecoveringProvider({ windowTokens: 3_000, overflowInStream });
        const { response, sent } = await postStream(name, conversation);
        const text = await response.text();
        outcomes.push([sent.length, text.includes("three"), text.includes("error")]);
      }
      assert.deepEqual(outcomes, [
        [2, true, false],
        [1, false, true],
      ]);
    });

    test("does not change the conversation when nothing can be kept", async () => {
      const session = await openWatchedSession();
      const store = { ...session.store, keep: failToKeep };
      const provider = simulateProvider({ windowTokens: 3_000 });
      const fetch = withOverflowRecovery(provider.fetch, { session: { ...session, store } });
      const body = JSON.stringify(writeRequest(conversationOf([turn(heavy), open(light)])));
      const response = await fetch(address, { method: "POST", body });
      assert.deepEqual([response.status, provider.exchanges.length], [400, 1]);
      assert.equal((await errorOf(response)).spillway.reason, "not_kept");
    });

    test("keeps its stubs: a growing history overflows once, not on every turn", async () => {
      const { post, provider } = await openRecoveringProvider({ windowTokens: 9_000 }, { "overflow.prevent": "off" });
      const turns = [turn(heavy), turn(heavy)];
      for (let count = 0; count < 30; count++) {
        turns.push(turn(light));
        const { response } = await post(name, conversationOf([...turns, open(light)]));
        assert.equal(response.status, 200);
      }
      assert.equal(provider.exchanges.filter(({ status }) => status === 400).length, 1);
      assert.equal(provider.exchanges.length, 31);
    });

    test("applies a limit once two refusals have named it", async () => {
      const { fetch, provider, session } = await openRecoveringProvider({
        windowTokens: 5_000,
        wording: wordings.moonshot,
      });
      const ask = (about: string) =>
        fetch(address, {
          method: "POST",
          body: JSON.stringify(writeRequest(conversationOf([turn(heavy, { user: about }), turn(heavy), open(light)]))),
        });
      for (const about of ["one", "two", "three", "four"]) assert.equal((await ask(about)).status, 200);
      assert.deepEqual(
        provider.exchanges.map(({ status }) => status),
        [400, 200, 400, 200, 200, 200],
      );
      const preventions = session.events.filter(
        (event) => event.event === "overflow.recovered" && event.attempts === 0,
      );
      assert.equal(preventions.length, 2);
    });

    test("applies a limit from the settings before the first request", async () => {
      const limits = { "overflow.limits": ["sim-1=5000"] };
      const { post } = await openRecoveringProvider({ windowTokens: 5_000 }, limits);
      const { response, sent } = await post(name, conversationOf([turn(heavy), turn(heavy), open(light)]));
      assert.deepEqual([response.status, sent.length], [200, 1]);
    });
  });
}

/** Outside of its parts and its output room a rewritten request is the same, and every call has its result. */
function assertSameSkeleton(dialect: Dialect, before: string, after: string): void {
  const request: RequestBody = JSON.parse(before);
  const output = dialect.findOutputLimit(request)?.lowerTo(1) ?? [];
  const blanks = [...dialect.findParts(request), ...output].map(({ path }) => ({ path, value: null }));
  assert.deepEqual(applyEdits(JSON.parse(after), blanks), applyEdits(request, blanks));
  assert.deepEqual(callIdsIn(after), callIdsIn(before));
}

const callIdsIn = (json: string): string[] => json.match(/call_\d_\d_\d/g) ?? [];

describe("the output limit", () => {
  for (const simulator of httpSimulators.filter(({ sharesWindow }) => sharesWindow)) {
    for (const [provider, wording] of Object.entries({ OpenAI: wordings.openai, Anthropic: wordings.anthropic })) {
      const { dialect } = simulator;
      test(`of ${dialect.name} is lowered where the input alone fits, and nothing is removed (as ${provider} refuses)`, async () => {
        const conversation = conversationOf([turn(heavy), open(light)], 30_000);
        const { post } = await openRecoveringProvider({
          windowTokens: windowOf(simulator, conversation, 0.6),
          wording,
        });
        const { json, response, sent, events } = await post(dialect.name, conversation);
        assert.deepEqual([response.status, sent.length], [200, 2]);
        assert.deepEqual(texts(partsOf(dialect, sent[1] ?? "")), texts(partsOf(dialect, json)));
        const outputLimit = dialect.findOutputLimit(JSON.parse(sent[1] ?? ""))?.tokens ?? 0;
        assert.ok(outputLimit < 30_000 && outputLimit > 10_000, `${outputLimit} tokens of output`);
        assert.ok(
          events.some((event) => event.event === "overflow.recovered" && event.clamped && event.stubs.length === 0),
        );
      });
    }
  }

  test("stays above the thinking budget", async () => {
    const conversation = conversationOf([turn(heavy), open(light)], 30_000);
    const { post } = await openRecoveringProvider({
      windowTokens: windowOf(anthropic, conversation, 0.6),
      wording: wordings.anthropic,
    });
    const { response, sent } = await post("anthropic-messages", conversation, {
      thinking: { type: "enabled", budget_tokens: 25_000 },
    });
    assert.equal(response.status, 200);
    const { max_tokens, thinking } = JSON.parse(sent[1] ?? "");
    assert.ok(max_tokens > thinking.budget_tokens && thinking.budget_tokens >= 1_024);
  });

  test("is lowered to the most that a model can write", async () => {
    let calls = 0;
    const session = await openWatchedSession();
    const fetch = withOverflowRecovery(
      async (_, init) => {
        calls++;
        const { max_tokens } = JSON.parse(String(init?.body));
        const body =
          max_tokens > 4_096
            ? {
                error: {
                  message: `max_tokens: ${max_tokens} > 4096, which is the maximum allowed number of output tokens`,
                },
              }
            : { ok: true };
        return Response.json(body, { status: max_tokens > 4_096 ? 400 : 200 });
      },
      { session },
    );
    const response = await fetch(anthropic.address, {
      method: "POST",
      body: JSON.stringify(anthropic.writeRequest(conversationOf([open(light)], 9_000))),
    });
    assert.deepEqual([response.status, calls], [200, 2]);
  });
});

describe("the fetch wrapper", () => {
  test("passes an accepted request on by reference and its response unchanged", async () => {
    const body = JSON.stringify(openaiChat.writeRequest(conversationOf([open(light)])));
    for (const given of [body, Buffer.from(body)]) {
      let sent: unknown;
      const answer = '{"choices":[{"message":{"content":"ok"}}]}';
      const inner: typeof fetch = async (_, init) => {
        sent = init?.body;
        return new Response(answer, { headers: { "content-type": "application/json", "x-request-id": "r1" } });
      };
      const response = await withOverflowRecovery(inner, { session: await openWatchedSession() })(openaiChat.address, {
        method: "POST",
        body: given,
      });
      assert.equal(sent, given);
      assert.deepEqual([await response.text(), response.headers.get("x-request-id")], [answer, "r1"]);
    }
  });

  test("does not inspect other endpoints, other methods or bodies that it cannot read twice", async () => {
    const answer = JSON.stringify({ error: { code: "context_length_exceeded", message: "too long" } });
    for (const [address, init] of [
      ["https://api.sim/v1/messages/count_tokens", { method: "POST", body: "{}" }],
      ["https://api.sim/v1/models", { method: "GET" }],
      ["https://api.sim/v1/messages", { method: "POST", body: new FormData() }],
    ] as const) {
      let calls = 0;
      const given = new Response(answer, { status: 400 });
      const inner: typeof fetch = async () => {
        calls++;
        return given;
      };
      const response = await withOverflowRecovery(inner, { session: await openWatchedSession() })(address, init);
      assert.ok(response === given && calls === 1, address);
    }
  });

  test("fails at once where the provider stores the conversation, and says so", async () => {
    const { post } = await openRecoveringProvider({ windowTokens: 2_000 });
    const { response, sent } = await post("openai-responses", conversationOf([turn(heavy), open(light)]), {
      previous_response_id: "resp_1",
    });
    assert.deepEqual([response.status, sent.length], [400, 1]);
    const { spillway } = await errorOf(response);
    assert.equal(spillway.reason, "server_state");
    assert.match(spillway.hint, /conversation/);
  });

  test("gives a retry a new idempotency key", async () => {
    const { fetch, provider } = await openRecoveringProvider({ windowTokens: 3_000 });
    const body = JSON.stringify(openaiChat.writeRequest(conversationOf([turn(heavy), open(light)])));
    await fetch(openaiChat.address, {
      method: "POST",
      body,
      headers: { "idempotency-key": "k1", authorization: "Bearer secret" },
    });
    assert.deepEqual(
      provider.exchanges.map(({ headers }) => headers["idempotency-key"]),
      ["k1", "k1-smaller"],
    );
    assert.deepEqual(
      provider.exchanges.map(({ headers }) => headers.authorization),
      ["Bearer secret", "Bearer secret"],
    );
  });

  test("stops when the caller aborts", async () => {
    const aborted = AbortSignal.abort();
    const inner: typeof fetch = async (_, init) => {
      init?.signal?.throwIfAborted();
      return new Response("never");
    };
    const wrapped = withOverflowRecovery(inner, { session: await openWatchedSession() });
    await assert.rejects(wrapped(openaiChat.address, { method: "POST", body: "{}", signal: aborted }), /abort/i);
  });

  test("recovers from an answer that was cut before its first token", async () => {
    const bodies = [
      { choices: [{ message: { content: "" }, finish_reason: "length" }], usage: { completion_tokens: 0 } },
      { choices: [{ message: { content: "fine" }, finish_reason: "stop" }] },
    ];
    let calls = 0;
    const inner: typeof fetch = async () => Response.json(bodies[calls++]);
    const body = JSON.stringify(openaiChat.writeRequest(conversationOf([turn(heavy), open(light)])));
    const response = await withOverflowRecovery(inner, { session: await openWatchedSession() })(openaiChat.address, {
      method: "POST",
      body,
    });
    assert.equal(calls, 2);
    assert.match(await response.text(), /fine/);
  });

  test("takes an empty refusal for an overflow only near a known limit", async () => {
    const conversation = conversationOf([turn(heavy), open(light)]);
    const limit = windowOf(openaiChat, conversation, 1.05);
    for (const [limits, calls] of [
      [[`sim-1=${limit}`], 2],
      [[`sim-1=${limit * 10}`], 1],
      [[], 1],
    ] as const) {
      const { post } = await openRecoveringProvider(
        { always: { status: 400, body: "" } },
        { "overflow.limits": limits },
      );
      assert.equal((await post("openai-chat", conversation)).sent.length, calls);
    }
  });

  test("replaces only the picture that an error names", async () => {
    const base64 = Buffer.from(heavy).toString("base64");
    const attachment = { mediaType: "image/png", base64 };
    const conversation = conversationOf([
      turn(heavy, { attachment }),
      turn(heavy, { attachment: { ...attachment, base64: `AAAA${base64}` } }),
      open(light),
    ]);
    let calls = 0;
    let sent = "";
    const message =
      "messages.4.content.0.image.source.base64: image exceeds 5 MB maximum: 9427836 bytes > 5242880 bytes";
    const inner: typeof fetch = async (_, init) => {
      sent = String(init?.body);
      return calls++ === 0 ? Response.json({ error: { message } }, { status: 400 }) : Response.json({ ok: true });
    };
    const request = anthropic.writeRequest(conversation);
    await withOverflowRecovery(inner, { session: await openWatchedSession() })(anthropic.address, {
      method: "POST",
      body: JSON.stringify(request),
    });
    const kinds = JSON.parse(sent).messages.map(({ content }: { content: { type: string }[] }) => content[0]?.type);
    assert.deepEqual([calls, kinds[0], kinds[4]], [2, "image", "text"]);
    assert.equal(texts(partsOf(anthropic.dialect, sent)).filter(isStub).length, 0);
  });
});

describe("long transcripts", () => {
  const shares = [
    { share: 0.5, floor: 0.95 },
    { share: 0.7, floor: 0.98 },
    { share: 0.9, floor: 0.99 },
  ];
  for (const simulator of httpSimulators) {
    const { name } = simulator.dialect;
    test(`in ${name} are recovered`, async () => {
      for (const { share, floor } of shares) {
        let recoveredCount = 0;
        const seeds = Array.from({ length: soakCount({ sample: 1, full: 12 }) }, (_, seed) => 1_000 + seed);
        for (const seed of seeds) {
          const conversation = longTranscript(seed);
          const { post, session } = await openRecoveringProvider({
            windowTokens: windowOf(simulator, conversation, share),
            wording: simulator.refuse,
          });
          const { json, response, sent, events } = await post(name, conversation);
          assert.ok(sent.length <= 2);
          const stubs = await assertReadable(json, sent[1] ?? json, session.store);
          const last = events.at(-1);
          assert.ok(
            last && "stubs" in last && Array.isArray(last.stubs) && last.stubs.length === stubs,
            `${stubs} stubs`,
          );
          assert.ok(stubs > 0 || sent.length === 1);
          recoveredCount += response.status === 200 ? 1 : 0;
        }
        assert.ok(recoveredCount / seeds.length >= floor, `${recoveredCount} of ${seeds.length} at ${share}`);
      }
    });
  }
});

describe("a retry that got no answer", () => {
  const busy = { status: 503, body: '{"error":{"message":"busy"}}' };
  for (const simulator of httpSimulators) {
    const { name } = simulator.dialect;
    test(`replaces the large request when that is sent again, the newest exchange included (${name})`, async () => {
      const conversation = conversationOf([open(heavy)]);
      const windowTokens = windowOf(simulator, conversation, 0.6);
      const setup = await openRecoveringProvider({
        windowTokens,
        wording: wordings.openai,
        instead: (index) => (index === 1 ? busy : undefined),
      });
      const first = await setup.post(name, conversation);
      assert.equal(first.response.status, 503);
      const second = await setup.post(name, conversation);
      assert.equal(second.response.status, 200);
      const [large, smaller, again] = second.sent;
      assert.deepEqual([second.sent.length, again], [3, smaller]);
      assert.notEqual(large, smaller);
      assert.equal(setup.session.events.filter(({ event }) => event === "overflow.recovered").length, 1);
      const third = await setup.post(name, conversation);
      assert.deepEqual([third.sent.length, third.sent[3]], [4, smaller], "the same request gives the same bytes");
    });
  }

  test("is not used for another caller", async () => {
    const conversation = conversationOf([open(heavy)]);
    const windowTokens = windowOf(openaiChat, conversation, 0.6);
    const setup = await openRecoveringProvider({
      windowTokens,
      wording: wordings.openai,
      instead: (index) => (index === 1 ? busy : undefined),
    });
    const { json } = await setup.post("openai-chat", conversation);
    const headers = { authorization: "Bearer another" };
    await setup.fetch(openaiChat.address, { method: "POST", body: json, headers });
    assert.equal(setup.provider.exchanges[2]?.json, json);
  });
});
