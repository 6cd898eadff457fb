import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { estimateResponseSize, estimateResultSize, type SearchResult } from "./estimate-results.ts";

const result: SearchResult = {
  chunk_id: "c".repeat(16),
  file_path: "src/main.ts",
  content: "x".repeat(200),
  start_line: 7,
  end_line: 120,
  similarity_score: 0.9,
  context_before: "y".repeat(30),
  context_after: "z".repeat(19),
};

test("a result is estimated from its texts, its line digits and twenty, times 1.2", () => {
  assert.equal(estimateResultSize(result), Math.floor((16 + 11 + 200 + 1 + 3 + 20 + 30 + 19) * 1.2));
});

test("spans count with their exact size", () => {
  const spans = [{ start_line: 200, end_line: 210, content: "\t\t" }];
  assert.equal(estimateResultSize({ ...result, spans }), estimateResultSize(result) + JSON.stringify(spans).length);
});

test("a reply is estimated as its results and 500", () => {
  assert.equal(estimateResponseSize([]), 500);
  assert.equal(estimateResponseSize([result, result]), 500 + 2 * estimateResultSize(result));
});

test("estimates are within a fifth of the real size for 95 % of ordinary code", () => {
  const root = join(import.meta.dirname, "../..");
  const samples = [...codeResults(join(root, "src")), ...codeResults(join(root, "node_modules"))];
  const near = samples.filter((sample) => {
    const actual = JSON.stringify(sample).length;
    return Math.abs(estimateResultSize(sample) - actual) <= actual * 0.2;
  });
  assert.ok(samples.length > 1_000, `only ${samples.length} samples`);
  assert.ok(near.length >= samples.length * 0.95, `${near.length} of ${samples.length}`);
});

/** Pieces of 10 to 60 lines of every source file below a folder, with three lines of context, as search returns them. */
function* codeResults(folder: string): Generator<SearchResult> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => /\.[cm]?[jt]s$/.test(path));
  for (const path of paths.sort()) {
    const lines = readFileSync(join(folder, path), "utf8").split("\n").slice(0, 4_000);
    for (let start = 0; start < lines.length; ) {
      const end = start + 10 + ((start * 7) % 51);
      yield pieceOf(path, lines, start, end);
      start = end;
    }
  }
}

function pieceOf(path: string, lines: string[], start: number, end: number): SearchResult {
  const text = (from: number, to: number) => lines.slice(Math.max(0, from), to).join("\n");
  return {
    chunk_id: `${start}`.padStart(16, "0"),
    file_path: path,
    content: text(start, end),
    start_line: start + 1,
    end_line: Math.min(end, lines.length),
    similarity_score: 0.8125,
    context_before: text(start - 3, start),
    context_after: text(end, end + 3),
  };
}
