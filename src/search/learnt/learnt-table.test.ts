import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { chunkText } from "../index/chunk.ts";
import { createView } from "../index/index-view.ts";
import { createSegmentBuilder } from "../index/segments/build-segment.ts";
import { openSegment } from "../index/segments/index-segment.ts";
import { SEGMENT_VERSION } from "../index/segments/segment-layout.ts";
import { parseQuery } from "../rank/query.ts";
import { rankFiles } from "../rank/rank.ts";
import { cosineAt, createVectorSum, findKeptShare, findQuestionVector, loadLearntTable } from "./learnt-table.ts";
import { decodeTable, encodeTable } from "./word-table-file.ts";

const tablePath = new URL("table.bin", import.meta.url);

test("the table is small, and is the one that indexes of this version were made with", () => {
  const bytes = readFileSync(tablePath);
  assert.ok(bytes.length <= 4_000_000, `${bytes.length} bytes`);
  const digest = createHash("sha256").update(bytes).digest("hex");
  // A new table needs a new version: stored vectors of chunks were made with the old one.
  assert.deepEqual([SEGMENT_VERSION, digest], [11, "bcf5c03b9a0fed6d0c7e4431eecf8ddd05ca34e2a60972ec23d2b51f5ab98458"]);
});

test("a table comes back from its bytes, and other bytes are refused", () => {
  const [questions, codes] = [Float32Array.of(1, -0.5, 0, 0), Float32Array.of(0, 2, 0.25, -4)];
  const kept = Float32Array.of(0.2, 1);
  const bytes = encodeTable({ terms: ["order", "parse"], dimensions: 2, kept, questions, codes });
  const table = decodeTable(bytes);
  assert.deepEqual([table.terms, table.dimensions], [["order", "parse"], 2]);
  assert.deepEqual(table.kept, kept);
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

test("code has the names of a question more often than its everyday words", () => {
  const [name, everyday] = [
    ["token", "cach", "timeout"],
    ["again", "thing", "each"],
  ];
  for (const term of name) assert.ok(findKeptShare(term) > 0.5, term);
  for (const term of everyday) assert.ok(findKeptShare(term) < 0.25, term);
  assert.equal(findKeptShare("qzxv"), 0.45);
});

test("an everyday word of a question counts less than a name, and counts fully beside a name that is spelled", () => {
  const files = {
    "a.ts": "function first() {\n  call(again, things);\n}\n",
    "b.ts": "function second() {\n  call(token, value);\n}\n",
  };
  const chunkOf = (query: string, file: number) =>
    rank(files, query).find((each) => each.file === file)?.parts.chunk ?? 0;
  const [question, withName] = [
    "ask for a token of these things again",
    "ask getToken for a token of these things again",
  ];
  assert.ok(chunkOf(question, 1) > chunkOf(question, 0));
  assert.ok(chunkOf(withName, 1) < chunkOf(withName, 0));
});

test("a file near to the question in what it defines ranks above one that is near in nothing", () => {
  const files = {
    "a.ts": "function paintWidth(files) {\n  return files.width;\n}\n",
    "b.ts": "function removeExpired(files) {\n  return files.clear();\n}\n",
  };
  const [first] = rank(files, "throw away old files");
  assert.equal(first?.file, 1);
});

test("a file ranks above others for what its test says in the words of the question", () => {
  const files = {
    "src/alpha.ts": "function one(files) {\n  return files.sum();\n}\n",
    "src/beta.ts": "function two(files) {\n  return files.sum();\n}\n",
    "test/beta.test.ts": 'test("guests pay for their files at the end of the month", () => two(guests, month));\n',
  };
  const [first, second] = rank(files, "guests pay for files each month").filter(({ file }) => file < 2);
  assert.deepEqual([first?.file, second?.file], [1, 0]);
  assert.ok((first?.parts.tests ?? 0) > 0);
  assert.equal(second?.parts.tests, 0);
});

test("an everyday word finds what code calls it, in a question in words only", () => {
  const others = Array.from({ length: 20 }, (_, file) => [
    `f${file}.ts`,
    "function paint(width) {\n  return width;\n}\n",
  ]);
  const files = { "a.ts": "function show(thumbnail) {\n  return thumbnail;\n}\n", ...Object.fromEntries(others) };
  const chunkOf = (query: string) => rank(files, query).find(({ file }) => file === 0)?.parts.chunk ?? 0;
  assert.ok(chunkOf("small picture of a person") > 0);
  assert.equal(chunkOf("small picture of aPerson"), 0);
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
