import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ModelMessage } from "ai";
import fc from "fast-check";
import { INTERRUPTED_CALL_RESULT } from "../../answer/runner-texts.ts";
import { makeToolResult, repairHistory } from "./repair-history.ts";

const call = (id: string) => ({
  type: "tool-call" as const,
  toolCallId: id,
  toolName: "web_fetch",
  input: { url: id },
});
const calls = (...ids: string[]): ModelMessage => ({ role: "assistant", content: ids.map(call) });
const calledWith = (...inputs: unknown[]): ModelMessage => ({
  role: "assistant",
  content: inputs.map((input, index) => ({ ...call(String(index)), input })),
});
const results = (...ids: string[]): ModelMessage => ({
  role: "tool",
  content: ids.map((id) => makeToolResult(call(id), `text of ${id}`, false)),
});
const user: ModelMessage = { role: "user", content: "Go on." };
const interrupted = (...ids: string[]): ModelMessage => ({
  role: "tool",
  content: ids.map((id) => makeToolResult(call(id), INTERRUPTED_CALL_RESULT, true)),
});

describe("a repaired history", () => {
  const cases: readonly { name: string; stored: ModelMessage[]; sent: ModelMessage[] }[] = [
    { name: "complete", stored: [user, calls("a"), results("a")], sent: [user, calls("a"), results("a")] },
    {
      name: "interrupted before any result",
      stored: [user, calls("a", "b")],
      sent: [user, calls("a", "b"), interrupted("a", "b")],
    },
    { name: "with a new task after that", stored: [calls("a"), user], sent: [calls("a"), interrupted("a"), user] },
    {
      name: "with the same id in two turns, one of them interrupted",
      stored: [calls("a"), user, calls("a"), results("a")],
      sent: [calls("a"), interrupted("a"), user, calls("a"), results("a")],
    },
    {
      name: "with arguments that are not objects",
      stored: [calledWith("(not stored)", '{"url":"a"}', ["a"], null), results("0", "1", "2", "3")],
      sent: [calledWith({}, { url: "a" }, {}, {}), results("0", "1", "2", "3")],
    },
    { name: "with an empty answer", stored: [user, { role: "assistant", content: [] }], sent: [user] },
  ];
  for (const { name, stored, sent } of cases) {
    test(`${name}: has a result for every call`, () => {
      const before = structuredClone(stored);
      assert.deepEqual(repairHistory(stored), sent);
      assert.deepEqual(stored, before, "the history itself is not changed");
    });
  }

  test("needs no second repair", () => {
    const message = fc.oneof(
      fc.constant(user),
      fc.subarray(["a", "b", "c"]).map((ids) => calls(...ids)),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (stored) => {
        const repaired = repairHistory(stored);
        assert.deepEqual(repairHistory(repaired), repaired);
      }),
    );
  });
});
