import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SpillwayError } from "../errors.ts";
import { OVERHEAD_CHARS } from "../fit/limits.ts";
import { listPages, type PageResult, type QueryResults, renderSearch } from "./web-results.ts";

const page = (url: string, more: Partial<PageResult> = {}): PageResult => ({
  url,
  title: `Title of ${url}`,
  summary: "A summary.",
  artifactRef: null,
  ...more,
});

const outcome = (query: string, ...urls: string[]): QueryResults => ({
  query,
  results: urls.map((url) => page(url)),
  provider: "exa",
  notes: [],
});

const first = outcome("weirs", "https://a.example/1", "https://a.example/2");
const second = outcome("gates", "https://www.a.example/1/", "https://b.example/3");

test("pages are listed once, in the order of their rank over all queries", () => {
  assert.deepEqual(
    listPages([first, second]).map(({ result, query, urlIndex }) => [result.url, query, urlIndex]),
    [
      ["https://a.example/1", "weirs", 0],
      ["https://a.example/2", "weirs", 1],
      ["https://b.example/3", "gates", 3],
    ],
  );
});

test("the reply says what was found, by whom, what is repeated and how to read it", () => {
  const { summary, notices, body, structured } = renderSearch(
    { outcomes: [first, second], pages: [], responseId: "rs_1", fenceWord: "testword" },
    5_000,
  );
  assert.equal(summary, "[Found 3 pages with exa, showing 3. responseId=rs_1]");
  assert.deepEqual(notices, ["Found more than once and listed once: 1 page."]);
  assert.match(body, /Query "weirs":\n0\. Title of \S+ https:\/\/a\.example\/1\n {3}A summary\.\n1\. /);
  assert.match(body, /Query "gates":\n3\. Title/);
  assert.deepEqual(
    (structured.results as { urlIndex: number }[]).map(({ urlIndex }) => urlIndex),
    [0, 1, 3],
  );
});

test("with little room each query still shows its best page", () => {
  const outcomes = ["a", "b", "c"].map((name) =>
    outcome(name, ...Array.from({ length: 20 }, (_, index) => `https://${name}.example/${index}`)),
  );
  const { structured, notices } = renderSearch({ outcomes, pages: [], responseId: "rs_1", fenceWord: "testword" }, 450);
  const shown = (structured.results as { url: string }[]).map(({ url }) => url);
  for (const name of ["a", "b", "c"]) assert.ok(shown.includes(`https://${name}.example/0`), shown.join());
  assert.match(notices.join(), /Not shown: \d+ more pages; read_artifact lists all/);
});

test("a failed query is named beside the others' results, and an empty one says what to do", () => {
  const error = new SpillwayError("http_status", "exa failed: HTTP 402.", { hint: "Check EXA_API_KEY." });
  const failed: QueryResults = { query: "weirs", results: [], provider: null, notes: [], error };
  const { required, notices } = renderSearch(
    { outcomes: [failed, outcome("gates")], pages: [], responseId: null, fenceWord: "testword" },
    5_000,
  );
  assert.deepEqual(required, ['Query "weirs": exa failed: HTTP 402. Check EXA_API_KEY.']);
  assert.deepEqual(notices, ['Nothing was found for "gates": use other words, or fewer filters.']);
});

const anyPage = fc
  .record({
    host: fc.webUrl(),
    title: fc.string({ unit: "grapheme", maxLength: 300 }),
    summary: fc.string({ unit: "binary", maxLength: 600 }),
    highlights: fc.array(fc.string({ maxLength: 900 }), { maxLength: 3 }),
  })
  .map(({ host, ...rest }) => page(host, rest));

test("for any results and any number of characters the reply fits, and shows only whole results", () => {
  const anyOutcome = fc
    .record({ query: fc.string({ minLength: 1 }), results: fc.array(anyPage, { maxLength: 12 }) })
    .map((each): QueryResults => ({ ...each, provider: "exa", notes: [] }));
  const anyFetched = fc.record({
    url: fc.webUrl(),
    artifactRef: fc.constant(`af_${"0".repeat(32)}`),
    content: fc.string({ unit: "binary", maxLength: 3_000 }),
    error: fc.constant(null),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(anyOutcome, { minLength: 1, maxLength: 4, selector: ({ query }) => query }),
      fc.array(anyFetched, { maxLength: 3 }),
      fc.integer({ min: 0, max: 8_000 }),
      (outcomes, pages, chars) => {
        const { body, structured } = renderSearch(
          { outcomes, pages, responseId: "rs_1", fenceWord: "testword" },
          chars,
        );
        assert.ok(body.length <= chars + OVERHEAD_CHARS, `${body.length} for ${chars}`);
        assert.equal((structured.results as object[]).length, structured.returned_count);
      },
    ),
  );
});
