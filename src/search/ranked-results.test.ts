import assert from "node:assert/strict";
import { test } from "node:test";
import { openReader } from "./index/index-reader.ts";
import { newFile } from "./index/store/index-store.contract.ts";
import { openMemoryStore } from "./index/store/memory-index-store.ts";
import { findResults } from "./ranked-results.ts";
import type { Repository } from "./repository/repository.ts";
import { parseSearchInput } from "./search-input.ts";

test("files that vanish during a search are counted, so that the next page repeats nothing", async () => {
  const store = openMemoryStore();
  store.write({ put: Array.from({ length: 6 }, (_, file) => newFile(`f${file}.ts`, "const needle = 1;\n")) });
  const reader = openReader(store);
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
  const { view } = await reader.load(null);
  store.write({ remove: ["f0.ts", "f2.ts"] });
  const prepared = {
    repository,
    view,
    accepted: null,
    filteredFiles: null,
    near: null,
    embedding: null,
    literal: null,
    indexing: null,
    indexedAt: null,
    use: async <T>(work: (open: Repository) => T) => work(repository),
  };
  const options = { contextLines: 0, isWide: false };
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
