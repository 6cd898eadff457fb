/** A failed recovery inside a stream: the event that refuses gets the report, and nothing else changes. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { OverflowReport } from "../../contract/overflow-report.ts";
import { addReportToStream } from "./failure.ts";

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
  hint: "Start a new conversation.",
  upstream: { status: 200, body: null },
};
const { upstream: _, ...fields } = report;
const added = JSON.stringify(fields);

describe("the report is added to", () => {
  const cases = [
    {
      name: "an error event",
      before: ": hello\n\n",
      event: 'event: error\ndata: {"type":"error","error":{"message":"too long — prompt"}}\n\n',
      expected: `event: error\ndata: {"type":"error","error":{"message":"too long — prompt","spillway":${added}}}\n\n`,
      after: "data: [DONE]\n\n",
    },
    {
      name: "a failed response",
      before: 'data: {"type":"response.created"}\n\n',
      event: 'data: {"type":"response.failed","response":{"id":"r","error":{"code":"context_length_exceeded"}}}\n\n',
      expected: `data: {"type":"response.failed","response":{"id":"r","error":{"code":"context_length_exceeded","spillway":${added}}}}\n\n`,
      after: "",
    },
    {
      name: "the first element of a list",
      before: "",
      event: '[{"error":{"code":400,"message":"too long"}}',
      expected: `[{"error":{"code":400,"message":"too long","spillway":${added}}}`,
      after: "\n]",
    },
    {
      name: "a line of JSON",
      before: "",
      event: '{"error":"the input length exceeds the context length"}\n',
      expected: `{"error":"the input length exceeds the context length","spillway":${added}}\n`,
      after: "",
    },
    {
      name: "a body whose error is a number",
      before: "",
      event: '{"base_resp":{"status_code":2013,"status_msg":"context window exceeds limit"}}',
      expected: `{"base_resp":{"status_code":2013,"status_msg":"context window exceeds limit"},"spillway":${added}}`,
      after: "",
    },
    {
      name: "nothing where the event is not JSON",
      before: "",
      event: "data: too {long}\n\n",
      expected: "data: too {long}\n\n",
      after: "",
    },
    {
      name: "nothing where the event has no braces",
      before: "",
      event: "data: too long\n\n",
      expected: "data: too long\n\n",
      after: "",
    },
  ];
  for (const { name, before, event, expected, after } of cases) {
    test(name, () => {
      const bytes = Buffer.from(`${before}${event}${after}`);
      for (const split of [0, 3, bytes.length - 1]) {
        const chunks = [bytes.subarray(0, split), bytes.subarray(split)];
        assert.equal(addReportToStream(report, chunks, event).toString("utf8"), `${before}${expected}${after}`);
      }
    });
  }

  test("the event and no later byte, even if the bytes end inside a character", () => {
    const event = 'data: {"error":{"message":"too long"}}\n\n';
    const bytes = Buffer.concat([Buffer.from(event), Buffer.from("é").subarray(0, 1)]);
    assert.equal(addReportToStream(report, [bytes], event).at(-1), 0xc3);
  });
});
