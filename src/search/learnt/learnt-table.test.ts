import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createSegmentBuilder } from "../index/build-segment.ts";
import { chunkText } from "../index/chunk.ts";
import { openSegment, SEGMENT_VERSION } from "../index/index-segment.ts";
import { createView } from "../index/index-view.ts";
import { parseQuery } from "../rank/query.ts";
import { rankFiles } from "../rank/rank.ts";
import { cosineAt, createVectorSum, findQuestionVector, loadLearntTable } from "./learnt-table.ts";
import { decodeTable, encodeTable } from "./word-table-file.ts";

const tablePath = new URL("table.bin", import.meta.url);

test("the table is small, and is the one that indexes of this version were made with", () => {
  const bytes = readFileSync(tablePath);
  assert.ok(bytes.length <= 4_000_000, `${bytes.length} bytes`);
  const digest = createHash("sha256").update(bytes).digest("hex");
  // A new table needs a new version: stored vectors of chunks were made with the old one.
  assert.deepEqual([SEGMENT_VERSION, digest], [8, "faea136cf23059e1c107ffa9c6ccbcac9aac27182d7344437005652d5ff578c3"]);
});

test("a table comes back from its bytes, and other bytes are refused", () => {
  const [questions, codes] = [Float32Array.of(1, -0.5, 0, 0), Float32Array.of(0, 2, 0.25, -4)];
  const bytes = encodeTable({ terms: ["order", "parse"], dimensions: 2, questions, codes });
  const table = decodeTable(bytes);
  assert.deepEqual([table.terms, table.dimensions], [["order", "parse"], 2]);
  for (const [index, value] of codes.entries()) assert.ok(Math.abs((table.codes[index] ?? 9) - value) < 0.02);
  assert.throws(() => decodeTable(Buffer.from("not a table")), RangeError);
  assert.throws(() => decodeTable(bytes.subarray(0, bytes.length - 6)), RangeError);
});

test("a question is nearer to code that means it than to other code", () => {
  const table = loadLearntTable();
  const vectorOf = (terms: readonly string[]): Int8Array => {
    const sum = createVectorSum(table);
    for (const term of terms) sum.add(table.rows.get(term) ?? assert.fail(term));
    const bytes = new Int8Array(64);
    sum.writeTo(bytes, 0);
    return bytes;
  };
  const question = findQuestionVector(parseQuery("throw away old files").terms) ?? assert.fail("no vector");
  const [near, far] = [vectorOf(["delet", "remov", "expir"]), vectorOf(["font", "color", "width"])];
  assert.ok(cosineAt(question, near, 0) > cosineAt(question, far, 0));
});

function rank(files: Readonly<Record<string, string>>, query: string) {
  const builder = createSegmentBuilder();
  for (const [index, [path, text]] of Object.entries(files).entries()) {
    builder.add({ id: index + 1, path, text, chunks: chunkText(text) });
  }
  const segment = openSegment(builder.finish()) ?? assert.fail("no segment");
  return rankFiles(createView([segment], null), parseQuery(query), { limit: 50 });
}

const code = { "a.ts": "function removeExpired(files) {\n  return files.delete();\n}\n" };

test("names, paths and single words are ranked by words alone", () => {
  for (const query of ["removeExpired", "how does removeExpired work on files", "a.ts files delete", "files"]) {
    assert.deepEqual(
      rank(code, query).map(({ parts }) => parts.meaning),
      [null],
      query,
    );
  }
  assert.notEqual(rank(code, "throw away old files")[0]?.parts.meaning, null);
});

test("a repository of pages is ranked by words alone", () => {
  const pages = Object.fromEntries(
    Array.from({ length: 30 }, (_, page) => [`p${page}.md`, "# Old files\n\nDelete.\n"]),
  );
  assert.equal(rank(pages, "throw away old files")[0]?.parts.meaning, null);
});

test("the same files are ranked in the same order however many are returned", () => {
  const files = Object.fromEntries(
    Array.from({ length: 60 }, (_, file) => [
      `f${file}.ts`,
      `function step${file}() {\n  remove(file);\n}\n`.repeat(1 + (file % 9)),
    ]),
  );
  const builder = createSegmentBuilder();
  for (const [index, [path, text]] of Object.entries(files).entries()) {
    builder.add({ id: index + 1, path, text, chunks: chunkText(text) });
  }
  const view = createView([openSegment(builder.finish()) ?? assert.fail("no segment")], null);
  const order = (limit: number) =>
    rankFiles(view, parseQuery("throw away old files"), { limit }).map(({ file }) => file);
  assert.deepEqual(order(10), order(60).slice(0, 10));
});
