import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Event } from "./events.ts";
import { countUsage, createUsageCollector, type Usage } from "./usage.ts";

const fetched: Event = {
  ...{ event: "ingest.completed", artifact_ref: null, content_kind: "text", handler: "text", size_bytes: 9_000 },
  ...{ extracted_chars: 8_000, returned_chars: 1_000, limit_chars: 1_000, bound: "request", truncated: true },
  ...{ source_truncated: false, status_code: null, cached: false, duration_ms: 7, error: null },
};
const read: Event = {
  ...{ event: "artifact.read", artifact_ref: "af_1", selector: "lines", returned_chars: 500, total_chars: 5_000 },
  ...{ limit_chars: 1_000, bound: "request", truncated: false },
};
const called: Event = {
  ...{ event: "tool.called", tool: "fetch_content", client: "codex", text_chars: 1_200, text_bytes: 1_300 },
  ...{ structured_chars: 90, limit_chars: 1_000, bound: "client", duration_ms: 9, error: null },
};
const bounded: Event = {
  ...{ event: "gateway.bounded", server: "files", tool: "list", client: "codex", total_chars: 9_000 },
  ...{ returned_chars: 2_000, limit_chars: 2_000, bound: "client" },
};
const origin = { tool: "fetch_content", client: "codex" };
const at = Date.UTC(2026, 10, 16, 23, 59);

/** Counts that are not 0. */
const counted = (usage: Usage) => Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== 0));

describe("usage", () => {
  test("of a tool call is one reply, whatever it fetched", () => {
    const collector = createUsageCollector();
    for (const event of [fetched, fetched, called]) collector.add(event, origin, at);
    const [row, ...others] = collector.take().rows;
    assert.deepEqual([row?.day, row?.client, row?.tool, others], ["2026-11-16", "codex", "fetch_content", []]);
    assert.deepEqual(counted(row?.usage ?? {}), {
      ...{ replies: 1, answers: 2, truncated: 2, bytes_in: 18_000, bytes_out: 1_300, chars_extracted: 16_000 },
      ...{ chars_out: 1_200, chars_allowed: 1_000, chars_kept_out: 14_000, duration_ms: 9 },
    });
    assert.deepEqual(collector.take(), { rows: [], outcomes: [] });
  });

  for (const [name, event, usage] of [
    [
      "a fetch on the command line",
      fetched,
      {
        ...{ replies: 1, chars_out: 1_000, chars_allowed: 1_000, duration_ms: 7, answers: 1, truncated: 1 },
        ...{ bytes_in: 9_000, chars_extracted: 8_000, chars_kept_out: 7_000 },
      },
    ],
    ["a read", read, { replies: 1, chars_out: 500, chars_allowed: 1_000, answers: 1, reads: 1, read_chars: 500 }],
    ["a source that failed", { event: "ingest.failed", source: "x", code: "not_found" }, { replies: 1, errors: 1 }],
    [
      "a result of a wrapped server",
      bounded,
      { replies: 1, chars_out: 2_000, chars_allowed: 2_000, answers: 1, truncated: 1, chars_kept_out: 7_000 },
    ],
    [
      "a request that was sent smaller again",
      { event: "overflow.repeated", dialect: "openai-chat", stubs: 1, bytes_before: 9_000, bytes_after: 1_000 },
      { tokens_saved: 2_000 },
    ],
    ["an event without a count", { event: "store.unavailable", code: "EIO" }, {}],
  ] as const satisfies readonly (readonly [string, Event, Usage])[]) {
    test(`of ${name} counts what it is about`, () => assert.deepEqual(counted(countUsage(event, undefined)), usage));
  }

  test("has outcomes beside counts: how often, how much smaller, and the largest", () => {
    const collector = createUsageCollector();
    const sizes = { bytes_before: 9_000, bytes_after: 4_000, stubs: [], attempts: 2, clamped: false };
    const overflow: Event = { event: "overflow.recovered", dialect: "openai-chat", class: "context_tokens", ...sizes };
    for (const event of [overflow, overflow, called, { ...called, text_chars: 2_000, limit_chars: 3_000 }])
      collector.add(event, event === overflow ? undefined : origin, at);
    collector.add({ ...called, error: "usage" }, origin, at);
    const place = { day: "2026-11-16", bytes_before: 0, bytes_after: 0, count: 2 };
    assert.deepEqual(collector.take().outcomes, [
      {
        ...{ ...place, client: "", tool: "", event: "overflow.recovered", kind: "context_tokens", reason: "" },
        ...{ bytes_before: 18_000, bytes_after: 8_000, largest: 0, largest_limit: 0 },
      },
      {
        ...{ ...place, client: "codex", tool: "fetch_content", event: "tool.called", kind: "client", reason: "" },
        ...{ largest: 2_000, largest_limit: 3_000 },
      },
    ]);
  });

  test("takes memory for clients and tools, not for events", () => {
    const collector = createUsageCollector();
    for (let count = 0; count < 10_000; count++) collector.add(called, origin, at + count);
    const { rows, outcomes } = collector.take();
    assert.deepEqual([rows.length, outcomes.length], [1, 1]);
  });
});
