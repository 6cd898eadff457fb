/** How a failed recovery is told inside a success: the event that refuses has the report in it, nothing else changes. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { OverflowReport } from "../../contract/overflow-report.ts";
import { failureStream } from "./failure.ts";

const report: OverflowReport = {
  type: "context_overflow",
  retryable: false,
  reason: "refused_again",
  attempts: 2,
  class: "context_tokens",
  limit: null,
  actual: null,
  unit: null,
  bytes_before: 9,
  bytes_after: 5,
  stubs: [],
  largest_remaining: [],
  hint: "Start anew.",
  upstream: { status: 200, body: null },
};
const { upstream: _, ...fields } = report;
const ours = JSON.stringify(fields);

describe("a refusal inside a success", () => {
  const cases = [
    {
      name: "an error event",
      before: ": hello\n\n",
      event: 'event: error\ndata: {"type":"error","error":{"message":"too long — prompt"}}\n\n',
      told: `event: error\ndata: {"type":"error","error":{"message":"too long — prompt","spillway":${ours}}}\n\n`,
      after: "data: [DONE]\n\n",
    },
    {
      name: "a response that failed",
      before: 'data: {"type":"response.created"}\n\n',
      event: 'data: {"type":"response.failed","response":{"id":"r","error":{"code":"context_length_exceeded"}}}\n\n',
      told: `data: {"type":"response.failed","response":{"id":"r","error":{"code":"context_length_exceeded","spillway":${ours}}}}\n\n`,
      after: "",
    },
    {
      name: "the first element of a list",
      before: "",
      event: '[{"error":{"code":400,"message":"too long"}}',
      told: `[{"error":{"code":400,"message":"too long","spillway":${ours}}}`,
      after: "\n]",
    },
    {
      name: "a line",
      before: "",
      event: '{"error":"the input length exceeds the context length"}\n',
      told: `{"error":"the input length exceeds the context length","spillway":${ours}}\n`,
      after: "",
    },
    {
      name: "a body with a number for an error",
      before: "",
      event: '{"base_resp":{"status_code":2013,"status_msg":"context window exceeds limit"}}',
      told: `{"base_resp":{"status_code":2013,"status_msg":"context window exceeds limit"},"spillway":${ours}}`,
      after: "",
    },
    { name: "no JSON", before: "", event: "data: too {long}\n\n", told: "data: too {long}\n\n", after: "" },
    { name: "no braces", before: "", event: "data: too long\n\n", told: "data: too long\n\n", after: "" },
  ];
  for (const { name, before, event, told, after } of cases) {
    test(name, () => {
      const bytes = Buffer.from(`${before}${event}${after}`);
      for (const at of [0, 3, bytes.length - 1]) {
        const held = [bytes.subarray(0, at), bytes.subarray(at)];
        assert.equal(failureStream(report, held, event).toString("utf8"), `${before}${told}${after}`);
      }
    });
  }

  test("bytes behind it that end inside a character stay as they are", () => {
    const event = 'data: {"error":{"message":"too long"}}\n\n';
    const held = Buffer.concat([Buffer.from(event), Buffer.from("é").subarray(0, 1)]);
    assert.equal(failureStream(report, [held], event).at(-1), 0xc3);
  });
});
