import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../../test/bodies.ts";
import { segmentsKey } from "../../artifacts/keys.ts";
import { diskStorage } from "../../artifacts/storage.ts";
import { parseQuery } from "../rank/query.ts";
import { rankFiles } from "../rank/rank.ts";
import { openReader } from "./index-reader.ts";
import { findPart } from "./index-view.ts";
import { publishSegments } from "./segments/publish-segments.ts";
import { openSegmentStore } from "./segments/segment-store.ts";
import { newFile } from "./store/index-store.contract.ts";
import type { Change } from "./store/index-store.ts";
import { openMemoryStore } from "./store/memory-index-store.ts";
import { openSqliteStore } from "./store/sqlite-index-store.ts";
import { updateIndex } from "./update-index.ts";

async function openIndex() {
  const folder = await makeTemporaryFolder();
  const root = join(folder.path, "root");
  const storage = diskStorage(join(folder.path, "home"));
  mkdirSync(root);
  const store = openSqliteStore(join(folder.path, "index.db"));
  const segments = openSegmentStore(
    storage,
    segmentsKey({ owner: "ann", project: "web", repository: "shop" }),
    Date.now,
  );
  const reader = openReader(store);
  const location = { root, store, segments };
  return {
    ...location,
    reader,
    segmentFolder: join(folder.path, "home", "segments", "ann", "web", "shop"),
    signal: new AbortController().signal,
    write(path: string, content: string | Uint8Array) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    update: (signal = new AbortController().signal, now = () => Date.now() + 10_000) =>
      updateIndex(location, { maxFileBytes: 100_000, signal, now }),
    async find(query: string, source = reader): Promise<string[]> {
      const { view } = await source.load(segments);
      return rankFiles(view, parseQuery(query), { limit: 20 }).map(({ file }) => {
        const { segment, firstFile } = findPart(view, file);
        return segment.path(file - firstFile);
      });
    },
    async [Symbol.asyncDispose]() {
      store[Symbol.dispose]();
      await storage.catalogue.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe("an update of the index", () => {
  test("indexes new and changed files, removes deleted ones, and does nothing else", async () => {
    await using index = await openIndex();
    index.write("a.ts", "function parseOrders() {}\n");
    index.write("b.ts", "function sendInvoice() {}\n");
    assert.deepEqual(await index.update().then(({ files, indexed, removed }) => [files, indexed, removed]), [2, 2, 0]);
    assert.deepEqual(await index.update().then(({ files, indexed, removed }) => [files, indexed, removed]), [2, 0, 0]);
    index.write("b.ts", "function sendReminder() {}\n");
    rmSync(join(index.root, "a.ts"));
    assert.deepEqual(await index.update().then(({ files, indexed, removed }) => [files, indexed, removed]), [1, 1, 1]);
    assert.deepEqual(await index.find("parse orders"), []);
    assert.deepEqual(await index.find("invoice"), []);
    assert.deepEqual(await index.find("reminder"), ["b.ts"]);
  });

  test("notices other bytes with an older time and the same size, as after a branch switch", async () => {
    await using index = await openIndex();
    index.write("a.ts", "const first = 1;\n");
    await index.update();
    index.write("next.ts", "const other = 1;\n");
    utimesSync(join(index.root, "next.ts"), new Date(0), new Date(0));
    renameSync(join(index.root, "next.ts"), join(index.root, "a.ts"));
    assert.equal((await index.update()).indexed, 1);
    assert.deepEqual(await index.find("other"), ["a.ts"]);
  });

  test("does not index a file again that was only touched", async () => {
    await using index = await openIndex();
    index.write("a.ts", "const first = 1;\n");
    await index.update();
    const { generation } = index.store.snapshot();
    utimesSync(join(index.root, "a.ts"), new Date(), new Date());
    assert.equal((await index.update()).indexed, 0);
    assert.equal(index.store.generation(), generation);
  });

  test("marks a file that was written just now, to read it again", async () => {
    await using index = await openIndex();
    index.write("a.ts", "const first = 1;\n");
    await index.update(undefined, Date.now);
    assert.match(index.store.files()[0]?.stamp ?? "", /\?$/);
  });

  test("passes over files that are not source, with the reason", async () => {
    await using index = await openIndex();
    index.write("good.ts", "export const good = 1;\n");
    index.write("large.ts", "x = 1\n".repeat(70_000));
    index.write("image.png", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
    index.write(
      "zeros.ts",
      Buffer.concat([Buffer.from("text\n".repeat(20_000)).subarray(0, 90_000), Buffer.alloc(10)]),
    );
    index.write("icon.lua", `local icon = "\x06"\n${"local value = 1\n".repeat(100)}`);
    index.write("noise.lua", `${"local icon = '\x06\x05'\n".repeat(20)}`);
    index.write("bundle.js", `var a=${"1+".repeat(5_000)}1;`);
    index.write("latin.py", Buffer.from("# caf\xe9 na\xefve r\xe9sum\xe9 pour tester\nvalue = 1\n", "latin1"));
    symlinkSync("/etc/passwd", join(index.root, "link.ts"));
    const { files, skipped } = await index.update();
    assert.equal(files, 3);
    const reasons = Object.fromEntries(skipped.map(({ path, reason }) => [path, reason]));
    assert.match(reasons["noise.lua"] ?? "", /not text/);
    assert.match(reasons["large.ts"] ?? "", /larger than/);
    assert.match(reasons["image.png"] ?? "", /not text/);
    assert.match(reasons["zeros.ts"] ?? "", /not text/);
    assert.match(reasons["bundle.js"] ?? "", /lines are too long/);
    assert.equal(reasons["link.ts"], "symbolic link");
    assert.deepEqual(await index.find("café"), ["latin.py"]);
    const second = await index.update();
    assert.deepEqual([second.indexed, second.skippedCount], [0, skipped.length]);
  });

  test("indexes a file that is too large by its definitions, on their lines", async () => {
    await using index = await openIndex();
    const body = "  total = total + weigh(level, spill)\n".repeat(400);
    const parts = Array.from({ length: 10 }, (_, part) => `def gauge_${part}(level, spill):\n${body}`);
    index.write("large.py", parts.join("\n"));
    index.write("data.json", `[${'{"gauge_3": 1},\n'.repeat(3_000)}{}]`);
    const { files, skipped } = await index.update();
    assert.deepEqual([files, skipped.map(({ path }) => path)], [1, ["data.json"]]);
    assert.deepEqual([await index.find("gauge_7"), await index.find("weigh")], [["large.py"], []]);
    const [file = assert.fail()] = index.store.files();
    const stored = index.store.text(file.id) ?? assert.fail();
    assert.equal(file.outline, "larger than 100000 bytes");
    assert.equal(stored.text.split("\n").indexOf("def gauge_7(level, spill):"), 7 * 402);
    assert.ok(stored.chunks.every(({ start, end }) => stored.text.slice(start, end).includes("gauge")));
    assert.equal((await index.update()).indexed, 0);
    const larger = await updateIndex(index, {
      maxFileBytes: 1_000_000,
      signal: index.signal,
      now: () => Date.now() + 10_000,
    });
    assert.deepEqual([larger.indexed, larger.skippedCount], [2, 0]);
    assert.deepEqual(await index.find("weigh"), ["large.py"]);
  });

  test("indexes minified code by the names that it defines", async () => {
    await using index = await openIndex();
    const filler = "var a=1,b=2;a+=b;".repeat(400);
    index.write(
      "bundle.js",
      `${filler}function openFlume(e,t){return e}${filler}class WeirGate{}exports.closeFlume=e;${filler}`,
    );
    const { files, skippedCount } = await index.update();
    assert.deepEqual([files, skippedCount], [1, 0]);
    for (const name of ["openFlume", "WeirGate", "closeFlume"])
      assert.deepEqual(await index.find(name), ["bundle.js"], name);
    const { view } = await index.reader.load(index.segments);
    const [best = assert.fail()] = rankFiles(view, parseQuery("WeirGate"), { limit: 1 });
    assert.ok(best.parts.name > 1, "it counts as the definition");
  });

  test("removes images from a notebook, and keeps its line numbers", async () => {
    await using index = await openIndex();
    const image = Buffer.from(Array.from({ length: 60_000 }, (_, index) => (index * 7_919) % 251)).toString("base64");
    const lines = [
      '   "source": [',
      '    "def plot_orders(path):\\n",',
      `   "image/png": "${image}"`,
      '    "needle"',
      "   ]",
    ];
    index.write("a.ipynb", `{"cells": [\n${lines.join("\n")}\n]}\n`);
    const { files } = await index.update();
    assert.equal(files, 1);
    assert.deepEqual(await index.find("plot_orders"), ["a.ipynb"]);
    const [file = assert.fail()] = index.store.files();
    assert.deepEqual(index.store.text(file.id)?.text.split("\n").slice(3, 5), [
      '   "image/png": "..."',
      '    "needle"',
    ]);
  });

  test("writes nothing and reports no progress for a folder that has not changed", async () => {
    await using index = await openIndex();
    index.write("a.ts", "const first = 1;\n");
    index.write("image.png", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
    await index.update();
    await index.update();
    const changes: Change[] = [];
    const write: typeof index.store.write = (change) => {
      changes.push(change);
      return index.store.write(change);
    };
    const steps: [number, number][] = [];
    const location = { root: index.root, store: { ...index.store, write }, segments: index.segments };
    const { signal } = new AbortController();
    const progress = (done: number, total: number) => void steps.push([done, total]);
    const report = await updateIndex(location, { maxFileBytes: 100_000, signal, now: Date.now, progress });
    assert.deepEqual([changes, steps, report.skippedCount], [[], [[2, 2]], 1]);
  });

  test("applies a changed size limit", async () => {
    await using index = await openIndex();
    index.write("a.ts", `const needle = 1;\n${"const filler = 1;\n".repeat(100)}`);
    const { signal } = new AbortController();
    const location = { root: index.root, store: index.store, segments: index.segments };
    for (const [maxFileBytes, files] of [
      [100, 0],
      [10_000, 1],
      [200, 0],
      [200, 0],
    ] as const) {
      const report = await updateIndex(location, { maxFileBytes, signal, now: () => Date.now() + 10_000 });
      assert.equal(report.files, files, `${maxFileBytes}`);
    }
  });

  test("applies a changed size limit to documents, which is lower", async () => {
    await using index = await openIndex();
    index.write("a.md", "needle in a manual\n".repeat(60));
    index.write("b.ts", "const needle = 1;\n".repeat(60));
    const options = { signal: index.signal, now: () => Date.now() + 10_000 };
    for (const [maxFileBytes, paths] of [
      [10_000, ["a.md", "b.ts"]],
      [2_000, ["b.ts"]],
    ] as const) {
      await updateIndex(index, { ...options, maxFileBytes });
      assert.deepEqual(
        index.store.files().map(({ path }) => path),
        paths,
      );
    }
  });

  test("reports an unreadable file, removes its old text, and indexes it again later", {
    skip: process.getuid?.() === 0,
  }, async () => {
    await using index = await openIndex();
    index.write("a.ts", "const secret = 1;\n");
    index.write("b.ts", "const open = 1;\n");
    await index.update();
    chmodSync(join(index.root, "a.ts"), 0o000);
    const { skipped } = await index.update();
    assert.deepEqual(skipped, [{ path: "a.ts", reason: "permission denied", isRetryable: true }]);
    assert.deepEqual(await index.find("secret"), []);
    chmodSync(join(index.root, "a.ts"), 0o600);
    assert.equal((await index.update()).indexed, 1);
  });

  test("keeps what was stored before an abort, and continues from there", async () => {
    await using index = await openIndex();
    for (let file = 0; file < 1_200; file++) index.write(`f${file}.ts`, `const value${file} = ${file};\n`);
    const stop = new AbortController();
    const location = { root: index.root, store: index.store, segments: index.segments };
    const options = { maxFileBytes: 100_000, now: () => Date.now() + 10_000, signal: stop.signal };
    const progress = (done: number) => {
      if (done === 800) stop.abort();
    };
    await assert.rejects(updateIndex(location, { ...options, progress }));
    const before = index.store.fileCount();
    assert.ok(before >= 500 && before < 1_200, `${before} files`);
    const { indexed, files } = await index.update();
    assert.deepEqual([indexed, files], [1_200 - before, 1_200]);
  });
});

test("more files may be deleted or passed over than a call can have arguments", async () => {
  await using folder = await makeTemporaryFolder();
  writeFileSync(join(folder.path, "a.ts"), "const value = 1;\n");
  const store = openMemoryStore();
  const skip = Array.from({ length: 130_000 }, (_, file) => ({ path: `gone/${file}.png`, stamp: "s", reason: "r" }));
  store.write({ skip });
  const sizes: number[] = [];
  const write: typeof store.write = (change) => {
    sizes.push(change.remove?.length ?? 0);
    return store.write(change);
  };
  const location = { root: folder.path, store: { ...store, write }, segments: null };
  const { signal } = new AbortController();
  const { files, removed } = await updateIndex(location, { maxFileBytes: 1_000, signal, now: Date.now });
  assert.deepEqual([files, removed, store.skippedFiles().length], [1, 0, 0]);
  assert.ok(Math.max(...sizes) <= 1_000, "removed in one step");
});

test("an index in memory and an index of a few large files are searched completely", async () => {
  await using index = await openIndex();
  const filler = "const filler = compute(value);\n".repeat(3_000);
  for (let file = 0; file < 30; file++) index.write(`f${file}.ts`, `const needle${file} = 1;\n${filler}`);
  const store = openMemoryStore();
  const { signal } = new AbortController();
  const options = { maxFileBytes: 1_000_000, signal, now: Date.now };
  await updateIndex({ root: index.root, store, segments: null }, options);
  assert.deepEqual(await index.find("needle29", openReader(store)), ["f29.ts"]);
  await updateIndex({ root: index.root, store: index.store, segments: index.segments }, options);
  assert.deepEqual(await index.find("needle29"), ["f29.ts"]);
  assert.ok(index.store.snapshot().segments.length > 0, "no segment was published");
});

test("a reader beside changes has a few segments in memory, however many there are", async () => {
  const store = openMemoryStore();
  const reader = openReader(store);
  for (let round = 0; round < 30; round++) {
    store.write({ put: [newFile(`f${round}.ts`)] });
    const { view } = await reader.load(null);
    assert.equal(view.liveFiles, round + 1);
    assert.ok(view.parts.length <= 9, `${view.parts.length} segments`);
  }
});

describe("segments", () => {
  test("give the same results as files that are in none", async () => {
    await using index = await openIndex();
    for (let file = 0; file < 250; file++) {
      index.write(
        `src/part${file % 7}/file${file}.ts`,
        `function step${file}(order: Order) {\n  return route${file % 13}(order);\n}\n`,
      );
    }
    await index.update();
    assert.ok(index.store.snapshot().segments.length > 0, "nothing was published");
    const queries = ["route3 order", "step17", "part5 order", "file99"];
    const answers = await Promise.all(queries.map((query) => index.find(query)));
    for (const name of index.store.snapshot().segments) rmSync(join(index.segmentFolder, name));
    const bare = openReader(index.store);
    assert.deepEqual(await Promise.all(queries.map((query) => index.find(query, bare))), answers);
  });

  test("are built with a pause after each file", async () => {
    await using index = await openIndex();
    const store = openMemoryStore();
    store.write({ put: Array.from({ length: 120 }, (_, file) => newFile(`f${file}.ts`)) });
    let pauses = 0;
    await publishSegments({ root: index.root, store, segments: index.segments }, async () => {
      pauses++;
    });
    assert.ok(pauses >= 120, `${pauses} pauses`);
  });

  test("are as large as the index will need them, where more files are to come", async () => {
    const countSegments = async (expectedChars: number): Promise<number> => {
      await using index = await openIndex();
      const store = openMemoryStore();
      const text = `const value = 1;\n${" ".repeat(16_000_000)}`;
      const chunks = [{ start: 0, end: text.length, startLine: 1, endLine: 2 }];
      store.write({ put: ["a.ts", "b.ts", "c.ts"].map((path) => ({ ...newFile(path), text, chunks })) });
      await publishSegments({ root: index.root, store, segments: index.segments }, () => null, expectedChars);
      return store.snapshot().segments.length;
    };
    assert.deepEqual([await countSegments(0), await countSegments(250_000_000)], [2, 1]);
  });

  test("of a large index are merged into fewer, and then nothing is written again", async () => {
    await using index = await openIndex();
    const store = openMemoryStore();
    const location = { root: index.root, store, segments: index.segments };
    const blanks = " ".repeat(16_000_000);
    for (let file = 0; file < 13; file++) {
      const text = `const value${file} = 1;\n${blanks}`;
      const chunks = [{ start: 0, end: text.length, startLine: 1, endLine: 2 }];
      store.write({ put: [{ ...newFile(`f${file}.ts`), text, chunks }] });
      await publishSegments(location, () => null);
    }
    const covered: number[] = [];
    const counting: typeof store.write = (change) => {
      const generation = store.write(change);
      covered.push(new Set(store.snapshot().segments.flatMap((name) => filesOf.get(name) ?? [])).size);
      return generation;
    };
    const filesOf = new Map<string, readonly number[]>();
    const put: typeof index.segments.put = async (bytes) => {
      const name = (await index.segments.put(bytes)) ?? assert.fail();
      filesOf.set(name, [...((await index.segments.outline(name)) ?? assert.fail()).fileIds]);
      return name;
    };
    for (const name of store.snapshot().segments)
      filesOf.set(name, [...((await index.segments.outline(name)) ?? assert.fail()).fileIds]);
    await publishSegments(
      { ...location, store: { ...store, write: counting }, segments: { ...index.segments, put } },
      () => null,
    );
    assert.deepEqual(covered, [13, 13], "until all files are in new segments, they are in the old ones");
    const segments = () => readdirSync(index.segmentFolder);
    assert.ok(segments().length < 13, `${segments().length} segments`);
    const [settled, generation] = [segments(), store.generation()];
    const writes: Change[] = [];
    const write: typeof store.write = (change) => {
      writes.push(change);
      return store.write(change);
    };
    for (let look = 0; look < 3; look++) {
      await publishSegments({ ...location, store: { ...store, write } }, () => null);
    }
    assert.deepEqual(
      writes.filter(({ facts }) => facts === undefined),
      [],
    );
    assert.ok(writes.length <= 1, "looked again and again");
    assert.deepEqual([segments(), store.generation()], [settled, generation]);
    assert.deepEqual(await index.find("value12", openReader(store)), ["f12.ts"]);
  });

  test("that a reader finds damaged are built again although no file changed", async () => {
    await using index = await openIndex();
    for (let file = 0; file < 150; file++) index.write(`f${file}.ts`, `const value${file} = ${file};\n`);
    await index.update();
    await index.update();
    const [name = assert.fail()] = index.store.snapshot().segments;
    const path = join(index.segmentFolder, name);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(7, bytes.length - 100));
    const reader = openReader(index.store);
    assert.deepEqual(await index.find("value149", reader), ["f149.ts"]);
    await index.update();
    assert.notDeepEqual(index.store.snapshot().segments, [name]);
    assert.deepEqual(await index.find("value149"), ["f149.ts"]);
  });

  test("that are damaged are built again, and leftovers are deleted", async () => {
    await using index = await openIndex();
    for (let file = 0; file < 150; file++) index.write(`f${file}.ts`, `const value${file} = ${file};\n`);
    await index.update();
    const [name = assert.fail()] = index.store.snapshot().segments;
    writeFileSync(join(index.segmentFolder, name), "damaged");
    writeFileSync(join(index.segmentFolder, "old.unfinished"), "left by a killed writer");
    assert.deepEqual(await index.find("value149"), ["f149.ts"]);
    index.write("new.ts", "const fresh = 1;\n");
    await index.update();
    const names = readdirSync(index.segmentFolder);
    assert.deepEqual(names, index.store.snapshot().segments);
    assert.ok(!names.includes(name), "the damaged one is still in use");
  });

  test("follow changes: only the newest text of a file counts", async () => {
    await using index = await openIndex();
    for (let file = 0; file < 150; file++) index.write(`f${file}.ts`, `const value${file} = alpha;\n`);
    await index.update();
    for (let round = 0; round < 12; round++) {
      index.write("f7.ts", `const round${round} = beta;\n`);
      await index.update();
      assert.deepEqual(await index.find("beta"), ["f7.ts"]);
      assert.equal((await index.find(`round${round}`)).length, 1);
      assert.ok(!(await index.find("alpha")).includes("f7.ts"));
      assert.equal((await index.reader.load(index.segments)).view.liveFiles, 150);
    }
  });
});
