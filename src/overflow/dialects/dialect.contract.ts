/** The contract of every dialect, over generated conversations: which values a rewrite may change, and which it may not. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { isStub } from "../../answer/stub-text.ts";
import { applyEdits, type Path, spliceEdits } from "../../system/json-edits.ts";
import { classify } from "../classify/classify.ts";
import { isOverflow, type Verdict } from "../classify/verdict.ts";
import type { Keep } from "../keep-part.ts";
import { planShedding } from "../plan/plan.ts";
import { makeStubEdit, shed } from "../shed.ts";
import { createRefusalScanner } from "../wire/refusal-scanner.ts";
import type { Dialect, Part, RequestBody, WrittenRole } from "./dialect.ts";
import {
  type Conversation,
  type HttpSimulator,
  offeredTools,
  type Simulator,
  type ToolResult,
  type Turn,
  writeErrorEvent,
} from "./simulator.ts";

/** Tests every promise of a dialect with the requests of its simulator. */
export function dialectContract(dialect: Dialect, simulator: Simulator): void {
  describe(dialect.name, () => {
    test("a generated conversation passes the checks of a strict provider", () => {
      fc.assert(
        fc.property(conversations, (conversation) =>
          assert.equal(simulator.findFault(simulator.writeRequest(conversation)), undefined),
        ),
      );
    });

    test("a rewritten request is valid, and only the contents of parts have changed", async () => {
      await fc.assert(
        fc.asyncProperty(conversations, verdicts, async (conversation, verdict) => {
          const request = simulator.writeRequest(conversation);
          const after = await rewrite(dialect, request, verdict);
          assert.equal(simulator.findFault(after.request), undefined);
          assert.deepEqual(JSON.parse(after.json), JSON.parse(JSON.stringify(after.request)));
          assertOnlyPartsChanged(dialect, request, after);
          const stubs = dialect.findParts(after.request).map(contentOf).filter(isStub);
          assert.equal(stubs.length, after.plan.replacements.length);
        }),
      );
    });

    test("what the model and the user wrote is replaced only on request, and only in earlier turns", async () => {
      await fc.assert(
        fc.asyncProperty(writtenConversations, verdicts, async (conversation, verdict) => {
          const request = simulator.writeRequest(conversation);
          const after = await rewrite(dialect, request, verdict, ["call", "paste"]);
          assert.equal(simulator.findFault(after.request), undefined);
          assert.deepEqual(JSON.parse(after.json), JSON.parse(JSON.stringify(after.request)));
          assertOnlyPartsChanged(dialect, request, after);
          assert.equal(countStubs(after.json) - countStubs(JSON.stringify(request)), after.plan.replacements.length);
          for (const text of currentTexts(conversation)) assert.ok(includesText(after.json, text));
          const { plan } = await rewrite(dialect, request, verdict);
          assert.ok(plan.replacements.every(({ part }) => part.role !== "call" && part.role !== "paste"));
        }),
      );
    });

    test("while older parts suffice, the newest exchange stays byte for byte", async () => {
      await fc.assert(
        fc.asyncProperty(conversations, verdicts, async (conversation, verdict) => {
          const { plan } = await rewrite(dialect, simulator.writeRequest(conversation), verdict);
          const firstNewest = plan.replacements.findIndex(({ part }) => part.isNewest);
          const olderAfter = plan.replacements.slice(firstNewest + 1).some(({ part }) => !part.isNewest);
          assert.ok(firstNewest < 0 || !olderAfter, "an older part stayed while a newer one was cut");
        }),
      );
    });

    test("rewriting a rewritten request changes no byte", async () => {
      await fc.assert(
        fc.asyncProperty(conversations, async (conversation) => {
          const request = simulator.writeRequest(conversation);
          const once = await rewrite(dialect, request, byteLimit(1));
          const twice = await rewrite(dialect, once.request, byteLimit(1));
          assert.deepEqual(
            twice.plan.replacements.filter(({ part }) => isStub(contentOf(part))),
            [],
          );
          assert.equal(twice.json, JSON.stringify(once.request));
          const halfLimit = byteLimit(Buffer.byteLength(JSON.stringify(request)) / 2);
          const half = await rewrite(dialect, request, halfLimit);
          if (half.plan.fits) assert.equal((await rewrite(dialect, half.request, halfLimit)).json, half.json);
        }),
      );
    });

    test("the opening stays the same while the conversation grows", () => {
      fc.assert(
        fc.property(conversations, turns, (conversation, next) => {
          const before = { ...conversation, turns: conversation.turns.map((turn) => ({ answer: "a", ...turn })) };
          const longer = { ...before, turns: [...before.turns, next] };
          const [opening, sameOpening] = [before, longer].map((each) =>
            dialect.findOpening(simulator.writeRequest(each)),
          );
          assert.deepEqual(sameOpening, opening);
        }),
      );
    });

    test("finds the output and the tools that a request asks for", () => {
      fc.assert(
        fc.property(conversations, (conversation) => {
          const request = simulator.writeRequest(conversation);
          assert.equal(dialect.findOutputLimit(request)?.tokens, simulator.countOutput(request));
          assert.equal(dialect.sharesWindow, simulator.sharesWindow);
          assert.deepEqual(dialect.findToolNames(request), offeredTools);
        }),
        { numRuns: 10 },
      );
    });

    test("finds what was written in earlier turns", () => {
      if (dialect.findWrittenParts === undefined) return;
      const [paste, code] = ["pasted line\n".repeat(900), "const gate = 7;\n".repeat(200)];
      const call = { tool: "shell", result: { text: "ok", form: "text" as const } };
      // Where the first of parallel calls is signed, it stays.
      const turn = { user: paste, rounds: [[call, { ...call, writes: code }]], answer: "Written." };
      const request = simulator.writeRequest({
        system: "s",
        turns: [turn, { user: paste, rounds: [] }],
        outputTokens: 1,
      });
      const found = dialect
        .findWrittenParts(request)
        .map(({ role, content, tool }) => [role, contentOf({ content }), tool]);
      assert.deepEqual(found, [
        ["paste", paste, undefined],
        ["call", code, "shell"],
      ]);
    });

    test("does not throw on JSON of any other shape", () => {
      const fields = Object.keys(simulator.writeRequest({ system: "s", turns: [], outputTokens: 1 }));
      const values = fc.dictionary(fc.constantFrom(...fields), fc.jsonValue({ maxDepth: 5 }));
      fc.assert(
        fc.property(values, (request) => {
          dialect.findParts(request);
          dialect.findWrittenParts?.(request);
          dialect.findOutputLimit(request);
          dialect.findServerState(request);
          dialect.findOpening(request);
          dialect.findToolNames(request);
        }),
      );
    });

    if (isHttp(simulator)) testEndpoint(dialect, simulator);
  });
}

const isHttp = (simulator: Simulator): simulator is HttpSimulator => "address" in simulator;

function testEndpoint(dialect: Dialect, simulator: HttpSimulator): void {
  const { address, stream, path, refuse, asksForStream, writeStream } = simulator;

  test("is recognised by the paths that its requests are posted to", () => {
    for (const { pathname } of [new URL(address), new URL(stream.address)]) {
      assert.match(pathname, dialect.endpoint);
      assert.match(pathname, path);
    }
    assert.ok(asksForStream(new URL(stream.address).pathname, JSON.stringify(stream.fields)));
    assert.ok(!asksForStream(new URL(address).pathname, "{}"));
  });

  test("a refusal is found behind the events with which a stream begins", () => {
    const { body } = refuse({ limit: 8_192, input: 9_000, output: 500 });
    const beginning = writeStream({ ends: "in the middle" }, { input: 1, output: 0 }, 0).join("");
    const scanner = createRefusalScanner("text/event-stream", { dialects: [dialect] });
    const result = scanner?.scan(Buffer.from(`${beginning}${writeErrorEvent(body)}`));
    assert.equal(result?.status, "refused", beginning);
  });

  test("its provider's refusal is classified as an overflow", () => {
    const refusal = refuse({ limit: 8_192, input: 9_000, output: 500 });
    assert.ok(isOverflow(classify(refusal)), refusal.body);
  });
}

const texts = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40 }),
  fc
    .tuple(fc.string({ minLength: 1, maxLength: 60, unit: "grapheme" }), fc.integer({ min: 20, max: 300 }))
    .map(([text, times]) => text.repeat(times)),
);
const base64 = fc.uint8Array({ minLength: 30, maxLength: 3_000 }).map((bytes) => Buffer.from(bytes).toString("base64"));
const results: fc.Arbitrary<ToolResult> = fc.oneof(
  fc.record({ text: texts, form: fc.constantFrom("text" as const, "blocks" as const, "error" as const) }),
  fc.record({ text: base64, form: fc.constant("picture" as const) }),
);
const rounds = fc.array(fc.record({ tool: fc.constantFrom("shell", "fetch_page"), result: results }), {
  minLength: 1,
  maxLength: 3,
});
const turns: fc.Arbitrary<Turn> = fc.record(
  {
    user: fc.string({ minLength: 1 }),
    rounds: fc.array(rounds, { maxLength: 3 }),
    answer: fc.string({ minLength: 1 }),
    attachment: fc.record({ mediaType: fc.constantFrom("image/png", "application/pdf"), base64 }),
  },
  { requiredKeys: ["user", "rounds", "answer"] },
);
const conversations: fc.Arbitrary<Conversation> = fc.record({
  system: fc.string({ minLength: 1 }),
  turns: fc
    .tuple(fc.array(turns, { maxLength: 4 }), fc.string({ minLength: 1 }), fc.array(rounds, { maxLength: 2 }))
    .map(([earlier, user, open]) => [...earlier, { user, rounds: open }]),
  outputTokens: fc.integer({ min: 1, max: 64_000 }),
});

/** Conversations in which the model writes files and the user pastes logs, also in the current turn. */
const longTexts = fc
  .tuple(fc.string({ minLength: 4, maxLength: 30, unit: "grapheme" }), fc.integer({ min: 300, max: 900 }))
  .map(([text, times]) => text.repeat(times));
const writingRounds = fc.array(
  fc.record({ tool: fc.constant("shell"), result: results, writes: fc.oneof(texts, longTexts) }),
  { minLength: 1, maxLength: 3 },
);
const writtenConversations: fc.Arbitrary<Conversation> = fc.record({
  system: fc.string({ minLength: 1 }),
  turns: fc
    .array(fc.tuple(fc.oneof(texts, longTexts), fc.array(writingRounds, { minLength: 1, maxLength: 2 })), {
      minLength: 1,
      maxLength: 4,
    })
    .map((all) =>
      all.map(
        ([user, open], index): Turn => ({ user, rounds: open, ...(index < all.length - 1 ? { answer: "a" } : {}) }),
      ),
    ),
  outputTokens: fc.integer({ min: 1, max: 64_000 }),
});

/** What the user and the model wrote in the current turn. */
function currentTexts({ turns }: Conversation): string[] {
  const { user = "", rounds = [] } = turns.at(-1) ?? {};
  return [user, ...rounds.flat().flatMap(({ writes }) => writes ?? [])];
}

/** Whether JSON holds a text: as a value, or in a value that is JSON itself. */
export function includesText(json: string, text: string): boolean {
  const escaped = JSON.stringify(text).slice(1, -1);
  return json.includes(escaped) || json.includes(JSON.stringify(escaped).slice(1, -1));
}

const countStubs = (json: string): number => json.split("Set aside by Spillway to fit the model's limit:").length - 1;

const verdicts: fc.Arbitrary<Verdict> = fc.oneof(
  fc.record({ class: fc.constant("context_tokens" as const), confidence: fc.constant(0.9) }),
  fc.record({
    class: fc.constant("context_tokens" as const),
    confidence: fc.constant(0.9),
    limit: fc.integer({ min: 100, max: 20_000 }),
    unit: fc.constant("tokens" as const),
  }),
  fc.integer({ min: 500, max: 60_000 }).map(byteLimit),
);

function byteLimit(limit: number): Verdict {
  return { class: "request_bytes", confidence: 1, limit, unit: "bytes" };
}

/** Stores nothing, and answers as the store does. */
const keepNothing: Keep = async ({ content }) => ({
  ref: `af_${"ab".repeat(16)}`,
  path: null,
  isRemote: false,
  sizeBytes: "text" in content ? content.text.length : content.base64.length,
  sha256: "",
  kind: "text",
});

type Rewritten = Awaited<ReturnType<typeof rewrite>>;

async function rewrite(dialect: Dialect, request: RequestBody, verdict: Verdict, written: readonly WrittenRole[] = []) {
  const json = JSON.stringify(request);
  const plan = planShedding(request, dialect, verdict, { wireBytes: Buffer.byteLength(json), written });
  const outgoing = { dialect, request, json, target: { endpoint: "", model: "" } };
  const { clamp, stubs } = await shed(outgoing, plan, keepNothing);
  const edits = [...clamp, ...stubs.map(makeStubEdit)];
  return { plan, edits, request: applyEdits(request, edits), json: spliceEdits(json, edits) };
}

function assertOnlyPartsChanged(dialect: Dialect, request: RequestBody, after: Rewritten): void {
  const parts = [...dialect.findParts(request), ...(dialect.findWrittenParts?.(request) ?? [])];
  const editable = [...parts.map(({ path }) => path), ...outputPaths(dialect, request)];
  const editablePaths = new Set(editable.map((path) => path.join(".")));
  for (const { path } of after.edits) assert.ok(editablePaths.has(path.join(".")), path.join("."));
  const blanks = after.edits.map(({ path }) => ({ path, value: null }));
  assert.deepEqual(applyEdits(after.request, blanks), applyEdits(request, blanks));
}

const contentOf = ({ content }: Pick<Part, "content">): string => ("text" in content ? content.text : content.base64);

/** Where the output limit is written. */
function outputPaths(dialect: Dialect, request: RequestBody): Path[] {
  return (dialect.findOutputLimit(request)?.lowerTo(1) ?? []).map(({ path }) => path);
}
