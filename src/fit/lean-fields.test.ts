import assert from "node:assert/strict";
import { test } from "node:test";
import { toLeanFields } from "./lean-fields.ts";

test("a model gets what it can act on, and nothing twice", () => {
  const fields = {
    responseId: "rs_1",
    artifact_ref: "af_1",
    artifact_path: "/data/blobs/1",
    source_url: "https://example.org/a",
    url: "https://example.org/a",
    title: "A",
    status_code: 200,
    page_count: null,
    truncated: false,
    has_more: false,
    next_offset: 0,
    limit_chars: 30_000,
    warnings: [],
    content: "text",
    notes: [],
  };
  assert.deepEqual(toLeanFields(fields), {
    artifact_ref: "af_1",
    source_url: "https://example.org/a",
    title: "A",
    next_offset: 0,
    content: "text",
    notes: [],
  });
});

test("handles stay where a reply is about several sources, or nothing was kept", () => {
  const results = [{ url: "a", artifact_ref: "af_1", handler: "text", has_more: true, content: "" }];
  assert.deepEqual(toLeanFields({ responseId: "rs_1", results, notes: ["Mind."] }), {
    responseId: "rs_1",
    results: [{ url: "a", artifact_ref: "af_1", has_more: true }],
    notes: ["Mind."],
  });
  assert.deepEqual(toLeanFields({ responseId: "rs_1", artifact_ref: null }), { responseId: "rs_1", notes: [] });
});

test("a search says how many results were left out, and only then", () => {
  const truncation_info = { reason: "character_limit", original_count: 9, returned_count: 2, actual_chars: 10 };
  const results = [{ chunk_id: "1", file_path: "a.ts", start_line: 1, similarity_score: 0.5, context_before: "" }];
  const lean = toLeanFields({ results, truncated: true, truncation_info, next_cursor: "c", notes: [] });
  assert.deepEqual(lean, {
    results: [{ file_path: "a.ts", start_line: 1 }],
    truncated: true,
    next_cursor: "c",
    truncation_info: { reason: "character_limit", original_count: 9, returned_count: 2 },
    notes: [],
  });
  assert.ok(!("truncation_info" in toLeanFields({ results, truncated: false, truncation_info })));
});

test("the lines of a code result are one text, each span after its place", () => {
  const spans = [{ start_line: 9, end_line: 9, content: "  x();" }];
  const result = { file_path: "a.ts", repository_id: "r", start_line: 3, end_line: 4, content: "b\nc", spans };
  const fields = {
    results: [{ ...result, context_before: "a", context_after: "" }],
    repository_id: "r",
    total_count: 1,
  };
  assert.deepEqual(toLeanFields(fields), {
    results: [{ file_path: "a.ts", content: "2-4: a\nb\nc\n9:   x();" }],
    notes: [],
  });
  assert.deepEqual(toLeanFields({ job_id: "j", repository_id: "r" }), { job_id: "j", repository_id: "r", notes: [] });
});
