/** The contract of every dialect, over generated conversations: what is edited, and above all what is not. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type Conversation, type Result, requestIn, type Turn } from "../../../test/conversations.ts";
import { faultIn } from "../../../test/provider.ts";
import { isStub } from "../../answer/stub-text.ts";
import type { Verdict } from "../classify/verdict.ts";
import type { Keep } from "../keep.ts";
import { planShedding } from "../plan.ts";
import { shed, stubEdit } from "../shed.ts";
import { applyEdits, type Path, spliceEdits } from "../wire/edits.ts";
import { aiSdk } from "./ai-sdk.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import type { Dialect, Part, Request } from "./dialect.ts";
import { dialectFor, dialects } from "./dialects.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40 }),
  fc
    .tuple(fc.string({ minLength: 1, maxLength: 60, unit: "grapheme" }), fc.integer({ min: 20, max: 300 }))
    .map(([piece, times]) => piece.repeat(times)),
);
const base64 = fc.uint8Array({ minLength: 30, maxLength: 3_000 }).map((bytes) => Buffer.from(bytes).toString("base64"));
const result: fc.Arbitrary<Result> = fc.oneof(
  fc.record({ text, form: fc.constantFrom("text" as const, "blocks" as const, "error" as const) }),
  fc.record({ text: base64, form: fc.constant("picture" as const) }),
);
const round = fc.array(fc.record({ tool: fc.constantFrom("shell", "fetch_page"), result }), {
  minLength: 1,
  maxLength: 3,
});
const turn: fc.Arbitrary<Turn> = fc.record(
  {
    user: fc.string({ minLength: 1 }),
    rounds: fc.array(round, { maxLength: 3 }),
    answer: fc.string({ minLength: 1 }),
    attachment: fc.record({ mediaType: fc.constantFrom("image/png", "application/pdf"), base64 }),
  },
  { requiredKeys: ["user", "rounds", "answer"] },
);
const conversations: fc.Arbitrary<Conversation> = fc.record({
  system: fc.string({ minLength: 1 }),
  turns: fc
    .tuple(fc.array(turn, { maxLength: 4 }), fc.string({ minLength: 1 }), fc.array(round, { maxLength: 2 }))
    .map(([turns, user, rounds]) => [...turns, { user, rounds }]),
  outputTokens: fc.integer({ min: 1, max: 64_000 }),
});

const verdicts: fc.Arbitrary<Verdict> = fc.oneof(
  fc.record({ class: fc.constant("context_tokens" as const), confidence: fc.constant(0.9) }),
  fc.record({
    class: fc.constant("context_tokens" as const),
    confidence: fc.constant(0.9),
    limit: fc.integer({ min: 100, max: 20_000 }),
    unit: fc.constant("tokens" as const),
  }),
  fc.record({
    class: fc.constant("request_bytes" as const),
    confidence: fc.constant(0.9),
    limit: fc.integer({ min: 500, max: 60_000 }),
    unit: fc.constant("bytes" as const),
  }),
);

/** Keeps nothing, but says so the way the store does. */
const keep: Keep = async ({ content }) => ({
  ref: `af_${"ab".repeat(16)}`,
  path: null,
  sizeBytes: "text" in content ? content.text.length : content.base64.length,
  sha256: "",
  kind: "text",
});

async function rewrite(dialect: Dialect, request: Request, verdict: Verdict) {
  const json = JSON.stringify(request);
  const plan = planShedding(request, dialect, verdict, { wireBytes: Buffer.byteLength(json) });
  const { clamp, stubs } = await shed({ dialect, request, json, target: { endpoint: "", model: "" } }, plan, keep);
  const edits = [...clamp, ...stubs.map(stubEdit)];
  return { plan, edits, request: applyEdits(request, edits), json: spliceEdits(json, edits) };
}

const contentOf = ({ content }: Part): string => ("text" in content ? content.text : content.base64);

/** Where the output room is written. */
function roomPaths(dialect: Dialect, request: Request): Path[] {
  const lowered = dialect.outputRoom(request)?.lowered(1) ?? [];
  return lowered.map(({ at }) => at);
}

for (const dialect of [...dialects, aiSdk]) {
  describe(dialect.name, () => {
    test("a generated conversation is one that a strict provider takes", () => {
      fc.assert(
        fc.property(conversations, (conversation) =>
          assert.equal(faultIn(dialect.name, requestIn(dialect.name, conversation)), undefined),
        ),
        { numRuns: 50 },
      );
    });

    test("a rewritten request is valid, and only the contents of parts have changed", async () => {
      await fc.assert(
        fc.asyncProperty(conversations, verdicts, async (conversation, verdict) => {
          const request = requestIn(dialect.name, conversation);
          const after = await rewrite(dialect, request, verdict);
          assert.equal(faultIn(dialect.name, after.request), undefined);
          assert.deepEqual(JSON.parse(after.json), JSON.parse(JSON.stringify(after.request)));
          const editable = [...dialect.parts(request).map(({ at }) => at), ...roomPaths(dialect, request)];
          const changed = after.edits.map(({ at }) => ({ at, value: null }));
          for (const { at } of changed)
            assert.ok(
              editable.some((path) => path.join(".") === at.join(".")),
              at.join("."),
            );
          assert.deepEqual(applyEdits(after.request, changed), applyEdits(request, changed));
          const stubs = dialect.parts(after.request).map(contentOf).filter(isStub);
          assert.equal(stubs.length, after.plan.sheds.length);
        }),
        { numRuns: 60 },
      );
    });

    test("while older parts suffice, the newest exchange stays byte for byte", async () => {
      await fc.assert(
        fc.asyncProperty(conversations, verdicts, async (conversation, verdict) => {
          const request = requestIn(dialect.name, conversation);
          const { plan } = await rewrite(dialect, request, verdict);
          const firstNewest = plan.sheds.findIndex(({ part }) => part.newest);
          const olderAfter = plan.sheds.slice(firstNewest + 1).some(({ part }) => !part.newest);
          assert.ok(firstNewest < 0 || !olderAfter, "an older part was left while a newer one was cut");
        }),
        { numRuns: 60 },
      );
    });

    test("rewriting again what is wholly rewritten changes no byte", async () => {
      await fc.assert(
        fc.asyncProperty(conversations, async (conversation) => {
          const request = requestIn(dialect.name, conversation);
          const all: Verdict = { class: "request_bytes", confidence: 1, limit: 1, unit: "bytes" };
          const once = await rewrite(dialect, request, all);
          const twice = await rewrite(dialect, once.request, all);
          assert.deepEqual(
            twice.plan.sheds.filter(({ part }) => isStub(contentOf(part))),
            [],
          );
          assert.equal(twice.json, JSON.stringify(once.request));
          const bytes: Verdict = {
            class: "request_bytes",
            confidence: 1,
            limit: Buffer.byteLength(JSON.stringify(request)) / 2,
            unit: "bytes",
          };
          const half = await rewrite(dialect, request, bytes);
          if (half.plan.fits) assert.equal((await rewrite(dialect, half.request, bytes)).json, half.json);
        }),
        { numRuns: 40 },
      );
    });

    test("an opening stays the same while the conversation grows", () => {
      fc.assert(
        fc.property(conversations, turn, (conversation, next) => {
          const longer = {
            ...conversation,
            turns: [...conversation.turns.map((one) => ({ answer: "a", ...one })), next],
          };
          const before = requestIn(dialect.name, {
            ...conversation,
            turns: conversation.turns.map((one) => ({ answer: "a", ...one })),
          });
          assert.deepEqual(dialect.opening(requestIn(dialect.name, longer)), dialect.opening(before));
        }),
        { numRuns: 30 },
      );
    });

    test("what is no request at all has no parts and throws nothing", () => {
      fc.assert(
        fc.property(
          fc.dictionary(
            fc.constantFrom("messages", "input", "contents", "prompt", "tools", "max_tokens", "generationConfig"),
            fc.jsonValue({ maxDepth: 5 }),
          ),
          (request) => {
            dialect.parts(request as Request);
            dialect.outputRoom(request as Request);
            dialect.serverState(request as Request);
            dialect.opening(request as Request);
            dialect.toolNames(request as Request);
          },
        ),
      );
    });
  });
}

test("only the endpoints that take conversations have a dialect", () => {
  const cases = [
    ["POST", "/v1/chat/completions", "openai-chat"],
    ["POST", "/openai/deployments/x/chat/completions", "openai-chat"],
    ["POST", "/v1/responses", "openai-responses"],
    ["POST", "/v1/messages", "anthropic-messages"],
    ["POST", "/v1beta/models/gemini-3-pro:streamGenerateContent", "gemini"],
    ["POST", "/v1/messages/count_tokens", undefined],
    ["POST", "/v1/threads/t_1/messages", undefined],
    ["POST", "/v1/responses/compact", undefined],
    ["POST", "/v1beta/models/gemini-3-pro:countTokens", undefined],
    ["GET", "/v1/messages", undefined],
  ] as const;
  for (const [method, path, name] of cases) assert.equal(dialectFor(method, path)?.name, name, path);
});

describe("a cache mark", () => {
  const mark = { cache_control: { type: "ephemeral" } };
  const data = Buffer.from("pixels").toString("base64");
  const url = `data:image/png;base64,${data}`;
  const cases = [
    [
      anthropicMessages,
      { type: "image", source: { type: "base64", media_type: "image/png", data } },
      "messages",
      "text",
    ],
    [openaiChat, { type: "image_url", image_url: { url } }, "messages", "text"],
    [openaiResponses, { type: "input_image", image_url: url }, "input", "input_text"],
  ] as const;
  for (const [dialect, picture, list, type] of cases) {
    test(`stays on the picture's place in ${dialect.name}`, () => {
      const request = { [list]: [{ role: "user", content: [{ ...picture, ...mark }] }] };
      const [part] = dialect.parts(request);
      assert.deepEqual(part?.replacement("a stub"), { type, text: "a stub", ...mark });
    });
  }
});
