import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { assertLinearTime } from "../../test/cpu-time.ts";
import { type ClientLimit, makeBudget } from "./budget.ts";
import type { ReturnedResult } from "./draft-reply.ts";
import { estimateResponseSize, type SearchResult } from "./estimate-results.ts";
import { CUT_MARK } from "./excerpt.ts";
import { truncateResultsBySize } from "./fit-results.ts";
import { CHARACTER_LIMIT } from "./limits.ts";

const base: SearchResult = {
  chunk_id: "0123456789abcdef",
  file_path: "src/server/handlers/orders.ts",
  content: "",
  start_line: 10,
  end_line: 42,
  similarity_score: 0.5,
  context_before: "",
  context_after: "",
};

/** Results of these content lengths, best first. */
const ofSizes = (...sizes: number[]) =>
  sizes.map((size, rank) => ({
    ...base,
    chunk_id: `rank${rank}`,
    content: "x".repeat(size),
    similarity_score: 1 - rank / 100,
  }));

const clientBudget = (client: ClientLimit) => makeBudget({ default: CHARACTER_LIMIT, client });

test("no results: counts are zero and the estimate is the empty reply", () => {
  const { reply, ...rest } = truncateResultsBySize([]);
  assert.deepEqual(reply, {
    results: [],
    returned_count: 0,
    truncated: false,
    truncation_info: {
      reason: null,
      original_count: 0,
      returned_count: 0,
      estimated_chars: 500,
      actual_chars: JSON.stringify(reply).length,
      limit_chars: 80_000,
      estimated_tokens: 125,
      limit_tokens: 20_000,
    },
  });
  assert.deepEqual(rest, { utilization: JSON.stringify(reply).length / 80_000, overrun: null, oversized: null });
});

test("results are returned best first; equal ones keep their order", () => {
  const scores = [0.2, 0.9, 0.5, 0.9];
  const results = scores.map((similarity_score, index) => ({ ...base, chunk_id: `${index}`, similarity_score }));
  const { reply } = truncateResultsBySize(results);
  const order = reply.results.map(({ chunk_id }) => chunk_id);
  assert.deepEqual(order, ["1", "3", "2", "0"]);
  assert.deepEqual(
    results.map(({ chunk_id }) => chunk_id),
    ["0", "1", "2", "3"],
    "the given list stays as it was",
  );
});

test("how many results are returned, and why not more", () => {
  const cases = [
    { name: "all fit", sizes: [20_000, 20_000, 20_000], returned: 3, reason: null },
    { name: "the estimate admits a prefix", sizes: Array(50).fill(4_000), returned: 16, reason: "character_limit" },
    { name: "the top three are measured", sizes: [26_000, 26_000, 26_000], returned: 3, reason: null },
    { name: "the fourth is not", sizes: [25_000, 25_000, 25_000, 10], returned: 3, reason: "character_limit" },
    { name: "two of three", sizes: [30_000, 30_000, 30_000], returned: 2, reason: "character_limit" },
    { name: "nothing smaller is pulled up", sizes: [10, 90_000, 10], returned: 1, reason: "character_limit" },
    { name: "one under the hard limit", sizes: [99_000], returned: 1, reason: "single_result_too_large" },
    { name: "one over the hard limit", sizes: [200_000], returned: 1, reason: "single_result_too_large" },
    { name: "one large before others", sizes: [90_000, 10, 10], returned: 1, reason: "single_result_too_large" },
  ];
  for (const { name, sizes, returned, reason } of cases) {
    const { reply } = truncateResultsBySize(ofSizes(...sizes));
    const { original_count, returned_count, estimated_chars, reason: given } = reply.truncation_info;
    assert.deepEqual([given, original_count, returned_count], [reason, sizes.length, returned], name);
    assert.equal(estimated_chars, estimateResponseSize(reply.results), name);
  }
});

test("the envelope is made for the returned results and is part of the measured reply", () => {
  const envelope = (returned: readonly SearchResult[]) => ({
    next_cursor: `c_${returned.length}`,
    project_id: "p".repeat(900),
  });
  const { reply } = truncateResultsBySize(ofSizes(...Array(50).fill(4_000)), 80_000, 100_000, { envelope });
  assert.equal(reply.next_cursor, `c_${reply.returned_count}`);
  assert.equal(reply.truncation_info.actual_chars, JSON.stringify(reply).length);
});

test("what the estimate misses is measured, dropped and reported", () => {
  const results = ofSizes(...Array(50).fill(4_000)).map((result) => ({ ...result, content: "\u0001".repeat(4_000) }));
  const { reply, overrun } = truncateResultsBySize(results);
  assert.deepEqual([reply.returned_count, reply.truncation_info.reason], [4, "character_limit"]);
  assert.ok(overrun !== null && overrun.estimated_size <= 80_000 && overrun.actual_size > overrun.limit);
  assert.deepEqual([overrun.unit, overrun.limit], ["chars", 100_000]);
});

test("a client's limit lowers both limits, in whichever unit it counts", () => {
  const results = ofSizes(...Array(50).fill(1_000));
  const cases = [
    { name: "characters", client: { chars: 20_000 }, reason: "character_limit", chars: 16_000, tokens: 4_000 },
    { name: "bytes", client: { bytes: 20_000 }, reason: "character_limit", chars: 16_000, tokens: 4_000 },
    { name: "tokens", client: { tokens: 5_000 }, reason: "token_estimate", chars: 80_000, tokens: 4_000 },
  ];
  for (const { name, client, reason, chars, tokens } of cases) {
    const { reply, overrun } = truncateResultsBySize(results, 80_000, 100_000, { budget: clientBudget(client) });
    const { limit_chars, limit_tokens, actual_chars } = reply.truncation_info;
    assert.deepEqual([reply.truncation_info.reason, limit_chars, limit_tokens], [reason, chars, tokens], name);
    assert.ok(actual_chars <= 20_000 && actual_chars > 10_000 && overrun === null, name);
  }
});

test("a tokenizer that counts more than the estimate drops results and says that tokens bound", () => {
  const tokens = { max: 5_000, count: (text: string) => text.length };
  const results = ofSizes(...Array(50).fill(500));
  const { reply, overrun } = truncateResultsBySize(results, 80_000, 100_000, { budget: clientBudget({ tokens }) });
  assert.equal(reply.truncation_info.reason, "token_estimate");
  assert.ok(JSON.stringify(reply).length <= 5_000 && reply.returned_count > 0);
  assert.deepEqual([overrun?.unit, overrun?.limit], ["tokens", 5_000]);
});

test("the tokenizer of a named model decides how many are admitted, and its count is reported", () => {
  const results = ofSizes(...Array(50).fill(500));
  const counted: string[] = [];
  const count = (text: string) => counted.push(text) * 0 + text.length;
  const tokens = { model: "any", max: 10_000, count };
  const { reply, overrun } = truncateResultsBySize(results, 80_000, 100_000, { budget: clientBudget({ tokens }) });
  const { reason, estimated_tokens, limit_tokens } = reply.truncation_info;
  assert.deepEqual([reason, limit_tokens, overrun], ["token_estimate", 8_000, null]);
  assert.equal(estimated_tokens, 125 + reply.results.reduce((sum, result) => sum + JSON.stringify(result).length, 0));
  assert.ok(estimated_tokens <= limit_tokens && reply.returned_count > 5);
  const countedAgain = counted.filter((text) => text === JSON.stringify(reply.results[0]));
  assert.equal(countedAgain.length, 1, "a result is counted once");
});

test("one result at exactly the hard limit is complete; with one character more it is not", () => {
  const exact = truncateResultsBySize(ofSizes(90_000)).reply.truncation_info.actual_chars;
  assert.equal(truncateResultsBySize(ofSizes(90_000), 80_000, exact).oversized, null);
  const { reply, oversized } = truncateResultsBySize(ofSizes(90_001), 80_000, exact);
  assert.ok(oversized !== null && reply.truncation_info.actual_chars <= exact);
});

const noContext = { context_before: "", context_after: "" };

test("one result past the hard limit loses its context first, then its spans, and names the artifact with all of it", () => {
  const context = "y".repeat(10_000);
  const huge = { ...base, content: "x".repeat(90_000), context_before: context, context_after: context, spans: [1, 2] };
  const planned = truncateResultsBySize([huge]);
  assert.equal(planned.oversized, huge);
  const { reply } = truncateResultsBySize([huge], 80_000, 100_000, { artifactRef: "af_1" });
  const [result] = reply.results;
  assert.deepEqual({ ...result, ...noContext }, { ...huge, ...noContext, artifact_ref: "af_1", cut: ["context"] });
  assert.match(result?.context_before ?? "", /^\.{3}y{4000,}$/);
  assert.match(result?.context_after ?? "", /^y{4000,}\.{3}$/);
  const wide = { ...huge, spans: ["z".repeat(9_000)] };
  const tight = truncateResultsBySize([wide], 80_000, 100_000, { artifactRef: "af_1" });
  assert.ok(JSON.stringify(tight.reply).length <= 100_000);
  const narrow = truncateResultsBySize([{ ...huge, spans: ["z".repeat(20_000)] }], 80_000, 100_000);
  assert.deepEqual([narrow.reply.results[0]?.spans, narrow.reply.results[0]?.content.length], [[], 90_000]);
  assert.deepEqual(narrow.reply.results[0]?.cut, ["context", "spans"]);
});

test("under a tight limit, the context next to the match stays as far as it fits", () => {
  const lines = (word: string) => Array.from({ length: 40 }, (_, line) => `${word} ${line}`).join("\n");
  const result = { ...base, content: "the match", context_before: lines("before"), context_after: lines("after") };
  for (let limit = 1_000; limit < 2_000; limit += 37) {
    const { reply } = truncateResultsBySize([result], limit, limit, { artifactRef: "af_1" });
    const [{ content, context_before, context_after, cut } = assert.fail("nothing is left")] = reply.results;
    assert.ok(JSON.stringify(reply).length <= limit);
    assert.equal(content, "the match");
    if (cut === undefined) continue;
    assert.deepEqual(cut, ["context"]);
    assert.ok(result.context_before.endsWith(context_before.replace("...", "")));
    assert.ok(result.context_after.startsWith(context_after.replace("...", "")));
    assert.ok(
      limit < 1_100 || (context_before.endsWith("before 39") && context_after.startsWith("after 0")),
      `${limit}`,
    );
  }
});

test("one result too large without context is an excerpt that fills the reply", () => {
  const huge = { ...base, content: "🌊".repeat(90_000) };
  const { reply } = truncateResultsBySize([huge], 80_000, 100_000, { artifactRef: "af_1" });
  const [excerpt] = reply.results;
  assert.ok(excerpt !== undefined);
  assertExcerpt(excerpt.content, huge.content, 0);
  assert.deepEqual({ ...excerpt, content: "" }, { ...base, artifact_ref: "af_1", cut: ["content"] });
  assert.ok(reply.truncation_info.actual_chars > 99_990);
});

test("when keeping failed, the excerpt has a null ref", () => {
  const { reply } = truncateResultsBySize(ofSizes(200_000), 80_000, 100_000, { artifactRef: null });
  assert.equal(reply.results[0]?.artifact_ref, null);
});

test("a result whose path alone is too long leaves only the counts", () => {
  const { reply, oversized } = truncateResultsBySize([{ ...base, file_path: "d/".repeat(2_000) }], 800, 1_000);
  assert.deepEqual([reply.results, reply.truncated, oversized?.file_path.length], [[], true, 4_000]);
});

test("the length a reply states is its own, also where one more digit changes it", () => {
  for (let size = 9_000; size < 10_000; size += 1) {
    const { reply } = truncateResultsBySize(ofSizes(size));
    assert.equal(reply.truncation_info.actual_chars, JSON.stringify(reply).length, `content of ${size}`);
  }
});

test("measuring and truncating takes time in proportion to the number of results", async () => {
  const results = (count: number) => ofSizes(...Array(count).fill(1_200));
  await assertLinearTime(2_000, (count) => truncateResultsBySize(results(count)));
});

/** What sizes are made of: plain code, escapes, control characters, CJK, pairs and their lone halves. */
const pieces = [
  "const x = 1;\n",
  '\t\t"quoted\\path"\r\n',
  "\u0000\u001b[0m\u2028",
  "日本語テキスト",
  "🌊🏔️",
  "\ud83c",
  "\udf0a",
  "",
];

const anyContent = fc
  .tuple(fc.constantFrom(...pieces), fc.string({ unit: "binary", maxLength: 20 }), fc.nat(900))
  .map(([piece, points, times]) => (piece + points).repeat(times));

const anyResult: fc.Arbitrary<SearchResult> = fc.record(
  {
    chunk_id: fc.string({ maxLength: 16 }),
    file_path: fc.string({ unit: "binary", maxLength: 20 }),
    content: anyContent,
    start_line: fc.nat(),
    end_line: fc.nat(),
    similarity_score: fc.double({ min: 0, max: 1, noNaN: true }),
    context_before: fc.string({ unit: "binary" }),
    context_after: fc.string({ unit: "binary" }),
    spans: fc.array(fc.record({ start_line: fc.nat(), content: fc.string() }), { maxLength: 3 }),
  },
  { requiredKeys: Object.keys(base) as (keyof SearchResult)[] },
);

const anySearch = fc.record({
  results: fc.array(anyResult, { maxLength: 12 }),
  hardLimit: fc.integer({ min: 1_000, max: 60_000 }),
  client: fc.record(
    {
      chars: fc.integer({ min: 1_000, max: 60_000 }),
      bytes: fc.integer({ min: 1_000, max: 60_000 }),
      tokens: fc.integer({ min: 250, max: 15_000 }),
    },
    { requiredKeys: [] },
  ),
});

const envelope = () => ({ total_count: 12, project_id: "spillway", database_name: "index.db", latency_ms: 12.5 });

test("for any results and limits the serialized reply fits every limit and states its exact length", () => {
  fc.assert(
    fc.property(anySearch, ({ results, hardLimit, client }) => {
      const options = { envelope, budget: clientBudget(client), artifactRef: `af_${"0".repeat(32)}` };
      const { reply } = truncateResultsBySize(results, hardLimit * 0.8, hardLimit, options);
      const json = JSON.stringify(reply);
      assert.ok(json.length <= Math.min(hardLimit, client.chars ?? hardLimit));
      assert.ok(Buffer.byteLength(json) <= (client.bytes ?? Infinity));
      assert.ok(json.length / 4 <= (client.tokens ?? Infinity));
      assert.equal(reply.truncation_info.actual_chars, json.length);
    }),
  );
});

test("for any results and limits the reply is a ranked start of whole results, or an excerpt of the first", () => {
  fc.assert(
    fc.property(anySearch, ({ results, hardLimit }) => {
      const focusOf = ({ content }: SearchResult) => Math.floor(content.length / 2);
      const { reply, oversized } = truncateResultsBySize(results, hardLimit * 0.8, hardLimit, { envelope, focusOf });
      const ranked = results.toSorted((one, other) => other.similarity_score - one.similarity_score);
      if (oversized === null) assert.deepEqual(reply.results, ranked.slice(0, reply.returned_count));
      else assertCut(reply.results[0] ?? assert.fail(), ranked[0] ?? assert.fail(), focusOf);
      assert.ok(results.length === 0 || reply.returned_count > 0);
    }),
  );
});

test("for any results and limits counts and flags agree, and the same input gives the same reply", () => {
  fc.assert(
    fc.property(anySearch, ({ results, hardLimit }) => {
      const fitted = truncateResultsBySize(results, hardLimit * 0.8, hardLimit, { envelope });
      const { reply } = fitted;
      assert.equal(reply.truncated, reply.truncation_info.reason !== null);
      assert.ok(reply.truncated || reply.returned_count === results.length);
      assert.deepEqual(
        [reply.returned_count, results.length],
        [reply.results.length, reply.truncation_info.original_count],
      );
      assert.deepEqual(truncateResultsBySize(results, hardLimit * 0.8, hardLimit, { envelope }), fitted);
    }),
  );
});

/** Item 16: whatever a result has lost is marked, and what is left of its content is the part that matters. */
function assertCut(
  returned: ReturnedResult<SearchResult>,
  whole: SearchResult,
  focusOf: (result: SearchResult) => number,
): void {
  const isWhole = (part: "context_before" | "context_after") => returned[part] === whole[part];
  const lost = [
    ...(isWhole("context_before") && isWhole("context_after") ? [] : ["context"]),
    ...((returned.spans?.length ?? 0) === (whole.spans?.length ?? 0) ? [] : ["spans"]),
    ...(returned.content === whole.content ? [] : ["content"]),
  ];
  assert.deepEqual(returned.cut ?? [], lost);
  assert.ok(isWhole("context_before") || whole.context_before.endsWith(returned.context_before.replace(CUT_MARK, "")));
  assert.ok(isWhole("context_after") || whole.context_after.startsWith(returned.context_after.replace(/\.{3}$/, "")));
  if (lost.includes("content")) assertExcerpt(returned.content, whole.content, focusOf(whole));
}

/** One part of the content, with dots at each cut, that contains the character at the focus where there is room. */
function assertExcerpt(excerpt: string, content: string, focus: number): void {
  if (excerpt.length < 12) return;
  const isCutBefore = !content.startsWith(excerpt.slice(0, -3));
  const isCutAfter = !content.endsWith(excerpt.slice(3));
  const text = excerpt.slice(isCutBefore ? 3 : 0, excerpt.length - (isCutAfter ? 3 : 0));
  if (isCutBefore) assert.ok(excerpt.startsWith(CUT_MARK));
  if (isCutAfter) assert.ok(excerpt.endsWith(CUT_MARK));
  const near = content.slice(Math.max(0, focus - text.length), focus + text.length);
  assert.ok(near.includes(text) && excerpt.length < content.length);
  assert.ok(!content.isWellFormed() || text.isWellFormed());
}
