import assert from "node:assert/strict";
import { test } from "node:test";
import { openReader } from "./index/index-reader.ts";
import { newFile } from "./index/store/index-store.contract.ts";
import { openMemoryStore } from "./index/store/memory-index-store.ts";
import { findResults } from "./ranked-results.ts";
import type { Repository } from "./repository/repository.ts";
import { parseSearchInput } from "./search-input.ts";

/** An index in memory, ready for a query, and the files whose texts were read. */
async function prepare(files: Readonly<Record<string, string>>) {
  const store = openMemoryStore();
  store.write({ put: Object.entries(files).map(([path, text]) => newFile(path, text)) });
  const stored = openReader(store);
  const read: number[] = [];
  const reader = {
    ...stored,
    text(id: number) {
      read.push(id);
      return stored.text(id);
    },
  };
  const repository: Repository = {
    id: "00000000-0000-0000-0000-000000000000",
    project: { id: "default", folder: null, scope: store },
    root: "/nowhere",
    databaseName: "memory",
    store,
    folder: null,
    reader,
    storageProblem: null,
    lockPath: null,
    holds: { count: 0 },
  };
  const prepared = {
    repository,
    view: (await reader.load(null)).view,
    accepted: null,
    filteredFiles: null,
    near: null,
    embedding: null,
    literal: null,
    indexing: null,
    indexedAt: null,
    use: async <T>(work: (open: Repository) => T) => work(repository),
  };
  return { store, prepared, read };
}

const options = { contextLines: 0, isWide: false };

test("files that vanish during a search are counted, so that the next page repeats nothing", async () => {
  const { store, prepared } = await prepare(
    Object.fromEntries(Array.from({ length: 6 }, (_, file) => [`f${file}.ts`, "const needle = 1;\n"])),
  );
  store.write({ remove: ["f0.ts", "f2.ts"] });
  const page = async (cursor: string) =>
    findResults([prepared], parseSearchInput({ query: "needle", limit: 3, cursor }), options);
  const first = await page("c_0");
  assert.deepEqual(
    first.results.map(({ file_path }) => file_path),
    ["f1.ts"],
  );
  assert.deepEqual([first.rankedBefore(0), first.rankedBefore(1), first.hasMore], [1, 3, true]);
  const second = await page(`c_${first.rankedBefore(1)}`);
  assert.deepEqual(
    second.results.map(({ file_path }) => file_path),
    ["f3.ts", "f4.ts", "f5.ts"],
  );
});

test("texts are read once for the results, and others for runs of the query's words only where the index allows one", async () => {
  const words = ["flush", "pending", "frames", "early", "again"];
  const filler = "  return compute(value);\n".repeat(60);
  const scattered = words.map((word) => `// ${word}\n${filler}`).join("");
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, file) => [`f${file}.ts`, scattered]));
  const { prepared, read } = await prepare({ ...many, "z.ts": `${filler}fail("${words.join(" ")}");\n` });
  const { results } = await findResults([prepared], parseSearchInput({ query: words.join(" "), limit: 3 }), options);
  assert.equal(results[0]?.file_path, "z.ts");
  assert.equal(read.length, 3);
});
