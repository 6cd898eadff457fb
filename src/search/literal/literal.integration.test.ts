import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { openSearchedFolder } from "../../../test/searched-folder.ts";
import { searchNotices } from "../../answer/search-reply.ts";
import type { SearchReply } from "../../contract/search-fields.ts";
import { startIndexJob } from "../search.ts";
import { findLiteral } from "../search-input.ts";

const pathsOf = ({ results }: SearchReply): string[] => results.map(({ file_path }) => file_path);

describe("a text that is searched exactly as written", () => {
  const files = {
    "src/pipe.c": "int flow(struct pipe *foo) {\n  foo->bar(1);\n  xfoo->bar(2);\n  return foo->barrel(3);\n}\n",
    "src/gate.ts": "export const open = () => {\n  close();\n};\nconst mark = '🚰';\n",
    "src/plain.ts": "// foo bar: the words alone\nexport function foo(bar) {}\n",
    "test/gate.test.ts": "test('opens', () => {});\n",
  };
  const open = async () => {
    const work = await openSearchedFolder();
    for (const [path, text] of Object.entries(files)) work.write(path, text);
    return work;
  };

  for (const [query, paths, occurrences] of [
    ['"foo->bar("', ["src/pipe.c"], 2],
    ['"=> {"', ["src/gate.ts", "test/gate.test.ts"], 2],
    ["=> {", ["src/gate.ts", "test/gate.test.ts"], 2],
    ["🚰", ["src/gate.ts"], 1],
    ['"oo->ba"', ["src/pipe.c"], 3],
    ['"{\n  close"', ["src/gate.ts"], 1],
    ['"{\r\n  close"', ["src/gate.ts"], 1],
    ['"Foo->bar("', [], 0],
    ['"bar foo"', [], 0],
  ] as const) {
    test(`${JSON.stringify(query)} is in ${paths.length} files`, async () => {
      await using work = await open();
      const reply = await work.search(query);
      assert.deepEqual(pathsOf(reply), paths);
      assert.deepEqual(reply.literal, { files: paths.length, occurrences });
      const literal = findLiteral(query) ?? assert.fail();
      for (const { content } of reply.results) assert.ok(content.includes(literal), content);
    });
  }

  test("is shown by its lines, the defining one first", async () => {
    await using work = await openSearchedFolder();
    work.write("a.ts", `${"run(gauge);\n".repeat(20)}\nfunction gauge() {\n  return 1;\n}\n`);
    const [result = assert.fail()] = (await work.search('"gauge("')).results;
    assert.deepEqual([result.start_line, result.content.split("\n")[0]], [22, "function gauge() {"]);
    const [call = assert.fail()] = (await work.search('"run(gauge)"')).results;
    assert.deepEqual([call.start_line, call.spans?.length ?? 0], [1, 0], "the first span has the next lines too");
  });

  test("on lines that follow each other is shown as one span, and not in endless ones", async () => {
    await using work = await openSearchedFolder();
    const filler = "pump();\n".repeat(60);
    const long = `run(gauge, "${"spill ".repeat(400)}");\n`;
    work.write("a.ts", `run(gauge);\n${filler}run(gauge);\nrun(gauge);\n${filler}${long}${filler}run(gauge);\n`);
    const [result = assert.fail()] = (await work.search('"run(gauge"')).results;
    const lines = result.spans?.map(({ start_line, end_line }) => [start_line, end_line]);
    assert.deepEqual(lines, [
      [62, 63],
      [185, 185],
    ]);
  });

  test("says what was found, and what to do where nothing was", async () => {
    await using work = await open();
    assert.match(
      searchNotices(await work.search('"foo->bar("')).join(" "),
      /Exactly this text: 2 occurrences in 1 file\./,
    );
    const missing = searchNotices(await work.search('"no such text"')).join(" ");
    assert.match(
      missing,
      /No indexed file contains exactly this text\. Without quotes, files are found by its words\./,
    );
    assert.ok((await work.search("foo bar")).results.length > 0, "the hint works");
  });

  test("keeps its totals over all pages, and each file comes once", async () => {
    await using work = await openSearchedFolder();
    for (let file = 0; file < 25; file++) work.write(`f${file}.ts`, `a ?? b;\n`.repeat(file + 1));
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 5; page++) {
      const reply = await work.search('"?? b"', { limit: 7, cursor });
      assert.deepEqual(reply.literal, { files: 25, occurrences: 325 });
      seen.push(...pathsOf(reply));
      if (reply.next_cursor === null) break;
      cursor = reply.next_cursor;
    }
    assert.deepEqual([seen.length, new Set(seen).size, seen[0]], [25, 25, "f24.ts"]);
  });

  test("can be filtered, and needs no quotes where the caller says so", async () => {
    await using work = await open();
    const { literal, results } = await work.search("=> {", { literal: true, directory: "test" });
    assert.deepEqual([literal, results.length], [{ files: 1, occurrences: 1 }, 1]);
    assert.deepEqual((await work.search("foo bar", { literal: true })).literal, { files: 1, occurrences: 1 });
    assert.equal((await work.search("foo bar")).literal, undefined);
    await assert.rejects(work.search("\u200b", { literal: true }), /no visible character/);
  });

  test("is found in every repository of a project", async () => {
    await using work = await openSearchedFolder();
    for (const name of ["one", "two"]) {
      work.write(`${name}/deep/x.ts`, `const ${name} = a ?.[0];\n`);
      const job = await startIndexJob({ repo_path: join(work.root, name), project_id: "both" }, work.session);
      await job.waitForEnd();
    }
    const reply = await work.search('"?.[0]"', { project_id: "both" });
    assert.deepEqual([reply.literal, pathsOf(reply)], [{ files: 2, occurrences: 2 }, ["deep/x.ts", "deep/x.ts"]]);
  });

  test("is counted as a plain count of the files does, for any part of them", async () => {
    await using work = await openSearchedFolder();
    const texts = [
      ...Object.values(files),
      "const a_b = $x.y_z + ünïcödé('日本語');\nlet q = `a`; // -- ok\n",
      `${"wide ".repeat(900)}end_of_line\n`,
    ];
    for (const [file, text] of texts.entries()) work.write(`f${file}.txt`, text);
    const slices = fc
      .tuple(fc.nat(texts.length - 1), fc.nat(5_000), fc.integer({ min: 1, max: 30 }))
      .map(([file, start, length]) => {
        const text = texts[file] ?? "";
        return text.slice(start % text.length, (start % text.length) + length);
      })
      .filter((slice) => slice.isWellFormed() && slice.trim() !== "");
    await fc.assert(
      fc.asyncProperty(slices, async (slice) => {
        const counts = texts.map((text) => text.split(slice).length - 1).filter((count) => count > 0);
        const { literal } = await work.search(slice, { literal: true });
        assert.deepEqual(literal, { files: counts.length, occurrences: counts.reduce((sum, count) => sum + count, 0) });
      }),
      { numRuns: 60 },
    );
  });
});

describe("a search that finds nothing", () => {
  test("says that files are not indexed, how many, and which is the largest", async () => {
    await using work = await openSearchedFolder({ "search.file_bytes": 4_000 });
    work.write("a.ts", "export const flume = 1;\n");
    work.write("data/large.json", `[${"1,\n".repeat(2_000)}1]`);
    work.write("data/small.json", `[${"1,\n".repeat(500)}1]`);
    work.write("logo.bin", "\0\u0001\u0002".repeat(50));
    const expected = { count: 2, largest: "data/large.json", largest_bytes: 6_003 };
    const nothing = await work.search("qqqq zzzz");
    assert.deepEqual([nothing.results.length, nothing.skipped_files], [0, expected]);
    assert.match(
      searchNotices(nothing).join(" "),
      /2 text files are not indexed \(.*\); the largest is data\/large\.json \(.*\)\. Fetch such a file by its path/,
    );
    assert.deepEqual((await work.search('"1,1,1"')).skipped_files, expected);
    assert.equal((await work.search("flume")).skipped_files, undefined);
    assert.equal((await work.search("qqqq zzzz", { directory: "src" })).skipped_files, undefined);
    const weir = await work.search("flumeGate");
    assert.deepEqual([weir.results.length > 0, weir.skipped_files], [true, expected], "a name that no file defines");
  });

  test("marks a file of which only the definitions are indexed", async () => {
    await using work = await openSearchedFolder({ "search.file_bytes": 4_000 });
    work.write("large.py", `def open_gate():\n${"    turn(wheel)\n".repeat(600)}`);
    const [result = assert.fail()] = (await work.search("open_gate")).results;
    assert.deepEqual([result.definitions_only, result.content], [true, "def open_gate():"]);
  });
});
