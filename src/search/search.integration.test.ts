import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { openSearchedFolder } from "../../test/searched-folder.ts";
import { waitUntil } from "../../test/waiting.ts";
import { formatSearchBody, searchNotices } from "../answer/search-reply.ts";
import type { SearchReply } from "../contract/search-fields.ts";
import { makeBudget } from "../fit/budget.ts";
import { CHARACTER_LIMIT } from "../fit/limits.ts";
import { openSession } from "../session/session.ts";
import { takeLock } from "../system/lock.ts";
import { createMetrics, metrics } from "../telemetry/metrics.ts";
import { readArtifact } from "../verbs/read.ts";
import { closeUnused } from "./repository/repository.ts";
import { cancelIndexingJob, getIndexingStatus, indexRepository, searchCode, startIndexJob } from "./search.ts";
import type { SearchInput } from "./search-input.ts";

const router = `/** Keeps routes. */
export class Router {
  add(path, handler) {
    this.routes.push({ path, handler });
  }

  match(path) {
    return this.routes.find((route) => route.path === path);
  }
}
`;

describe("a code search", () => {
  test("answers with the shape of the contract", async () => {
    await using work = await openSearchedFolder();
    work.write("src/router.ts", router);
    work.write("src/other.ts", "export const unrelated = 1;\n");
    const reply = await work.search("how does the router match a path");
    const [best = assert.fail()] = reply.results;
    assert.equal(best.file_path, "src/router.ts");
    assert.equal(best.content, router.trimEnd());
    assert.deepEqual([best.start_line, best.end_line], [1, 10]);
    assert.ok(best.similarity_score > 0 && best.similarity_score <= 1);
    assert.equal(typeof best.chunk_id, "string");
    assert.deepEqual([best.context_before, best.context_after], ["", ""]);
    assert.equal(reply.total_count, reply.results.length);
    assert.equal(reply.returned_count, reply.results.length);
    assert.equal(reply.truncated, false);
    assert.equal(reply.truncation_info.reason, null);
    assert.equal(reply.truncation_info.actual_chars, JSON.stringify(reply).length);
    assert.equal(reply.project_id, "default");
    assert.match(reply.database_name, /^work-[0-9a-f]{8}$/);
    assert.ok(reply.latency_ms >= 0);
    assert.deepEqual([reply.next_cursor, reply.stale_files], [null, []]);
    assert.ok(Date.parse(reply.indexed_at ?? "") > 0);
  });

  for (const [input, sentence] of [
    [{ query: "" }, "Search query cannot be empty"],
    [{ query: " \t\n" }, "Search query cannot be empty"],
    [{ query: "x", limit: 0 }, "Limit must be between 1 and 50, got 0"],
    [{ query: "x", limit: 51 }, "Limit must be between 1 and 50, got 51"],
    [{ query: "x", limit: 2.5 }, "Limit must be between 1 and 50, got 2.5"],
    [{ query: "x", file_type: ".py" }, "file_type should not include leading dot (use 'py' not '.py')"],
    [{ query: "x", repository_id: "../../etc" }, "Invalid repository_id format: ../../etc"],
    [{ query: "x", repository_id: "*" }, "Invalid repository_id format: *"],
    [{ query: "x", cursor: "c_-1" }, "Invalid cursor: c_-1"],
    [{ query: "x", project_id: "../x" }, "Invalid project_id format: ../x"],
    [{ query: "x", project_id: "unknown" }, 'There is no project "unknown".'],
    [{ query: "x", dir: "none" }, /none does not exist/],
  ] as const) {
    test(`refuses ${JSON.stringify(input)}`, async () => {
      await using work = await openSearchedFolder();
      work.write("a.ts", "x");
      await assert.rejects(searchCode(input, work.session), { name: "SpillwayError", message: sentence });
    });
  }

  test("of an empty folder fails with the reason", async () => {
    await using work = await openSearchedFolder();
    await assert.rejects(work.search("anything"), /No files to index in .*: it is empty/);
  });

  test("without words, or with words that occur nowhere, finds nothing", async () => {
    await using work = await openSearchedFolder();
    work.write("a.ts", "const value = 1;\n");
    for (const query of ["!!!", "zzzqqq", "\u0000", "' OR 7=7; --", "%", "\ud800"]) {
      const { results, truncation_info } = await work.search(query);
      assert.deepEqual(
        [results.length, truncation_info.estimated_chars, truncation_info.estimated_tokens],
        [0, 500, 125],
        query,
      );
    }
  });

  test("filters by extension and by folder", async () => {
    await using work = await openSearchedFolder();
    for (const path of ["src/a.ts", "src/a.py", "lib/deep/a.ts"]) work.write(path, "const needle = 1;\n");
    const paths = async (input: Partial<SearchInput>) =>
      (await work.search("needle", input)).results.map(({ file_path }) => file_path).sort();
    assert.deepEqual(await paths({ file_type: "ts" }), ["lib/deep/a.ts", "src/a.ts"]);
    assert.deepEqual(await paths({ directory: "src" }), ["src/a.py", "src/a.ts"]);
    assert.deepEqual(await paths({ directory: "lib/%", file_type: "ts" }), ["lib/deep/a.ts"]);
  });

  test("shows further matches in a file as spans, and context from the same generation", async () => {
    await using work = await openSearchedFolder({ "search.context_lines": 2 });
    const filler = (name: string) => `function ${name}() {\n${"  compute(alpha, beta, gamma);\n".repeat(40)}}\n\n`;
    const needle = (name: string) => `function ${name}Invoice(order) {\n  return invoiceFor(order);\n}\n\n`;
    const text = filler("one") + needle("send") + filler("two") + needle("print") + filler("three");
    work.write("a.ts", text);
    work.write("b.ts", filler("four"));
    const [first = assert.fail()] = (await work.search("invoice order")).results;
    const lines = text.split("\n");
    assert.match(first.content, /sendInvoice|printInvoice/);
    assert.equal(first.content, lines.slice(first.start_line - 1, first.end_line).join("\n"));
    assert.equal(first.context_before, lines.slice(Math.max(0, first.start_line - 3), first.start_line - 1).join("\n"));
    assert.ok(first.spans?.some(({ content }) => /sendInvoice|printInvoice/.test(content)));
    for (const { start_line, end_line, content } of first.spans ?? []) {
      assert.equal(content, lines.slice(start_line - 1, end_line).join("\n"));
    }
  });

  test("item 16: keeps the lines next to the match where context is cut, and marks the cut", async () => {
    await using work = await openSearchedFolder({ "search.context_lines": 50 });
    const line = (name: string, index: number) => `const ${name}${index} = "${"x".repeat(180)}";`;
    const lines = (name: string) => Array.from({ length: 60 }, (_, index) => line(name, index));
    const text = [...lines("before"), "const needle = 1;", ...lines("after")].join("\n");
    work.write("a.ts", `${text}\n`);
    const [first = assert.fail()] = (await work.search("needle")).results;
    const all = text.split("\n");
    const before = all.slice(0, first.start_line - 1).join("\n");
    const after = all.slice(first.end_line).join("\n");
    assert.ok(first.context_before.startsWith("...") && before.endsWith(first.context_before.slice(3)));
    assert.ok(first.context_after.endsWith("...") && after.startsWith(first.context_after.slice(0, -3)));
    assert.ok(first.context_before.length > 3_000 && first.context_before.length <= 4_000);
    const shown = formatSearchBody({ ...(await work.search("needle")), results: [first] }, "testword");
    const startLine = first.start_line - first.context_before.split("\n").length;
    assert.ok(shown.includes(`1. a.ts:${startLine}-`), "the line numbers count the lines that are shown");
  });

  test("item 16: keeps the match itself where a result is too large for its client", async () => {
    await using work = await openSearchedFolder();
    const filler = (name: string) => Array.from({ length: 400 }, (_, index) => `${name}${index}(a)`).join("; ");
    const line = `${filler("left")}; const needle = 1; ${filler("right")}`;
    work.write("a.ts", `${"const short = 1;\n".repeat(400)}${line}\n`);
    for (const chars of [1_000, 1_100, 1_300, 2_000, 5_000]) {
      const reply = await searchCode({ query: "needle" }, work.session, { budget: makeBudget({ default: chars }) });
      const [first = assert.fail()] = reply.results;
      assert.match(first.content, /^\.\.\..*needle.*\.\.\.$/, `within ${chars} characters`);
      assert.deepEqual(first.cut, chars < 5_000 ? ["context", "content"] : undefined);
      if (chars < 5_000)
        assert.match(
          formatSearchBody(reply, "testword"),
          /context and content cut to fit, all of it: artifact_ref=af_/,
        );
    }
  });

  test("item 16: for any file and any budget, what is shown of the context touches the match", async () => {
    await using work = await openSearchedFolder({ "search.context_lines": 50, "search.refresh_every": 0 });
    const anyLine = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ minLength: 200, maxLength: 900 }));
    const anyLines = fc.array(
      anyLine.map((line) => line.replaceAll(/[\n\r]/g, " ")),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(anyLines, anyLines, fc.integer({ min: 900, max: 12_000 }), async (above, below, chars) => {
        const text = [...above, "const needle = 1;", ...below].join("\n");
        work.write("a.ts", `${text}\n`);
        const reply = await searchCode({ query: "needle" }, work.session, { budget: makeBudget({ default: chars }) });
        const first = reply.results[0];
        if (first === undefined) return;
        const lines = text.split("\n");
        const [before, after] = [lines.slice(0, first.start_line - 1), lines.slice(first.end_line)];
        assertTouches(before.join("\n"), first.context_before, "...", (whole, part) => whole.endsWith(part));
        assertTouches(after.join("\n"), first.context_after, "...", (whole, part) => whole.startsWith(part));
        const isWhole = lines.slice(first.start_line - 1, first.end_line).join("\n") === first.content;
        assert.ok(isWhole || first.content.includes("..."));
        if (reply.truncation_info.reason === "single_result_too_large" && first.artifact_ref !== undefined)
          assert.ok((first.cut?.length ?? 0) > 0);
      }),
      { numRuns: 25 },
    );
  });

  test("shows the matching part of a very long line, once", async () => {
    await using work = await openSearchedFolder();
    const data = Array.from({ length: 900 }, (_, index) => `item${index}(first, second)`).join("; ");
    const line = `${data}; const needle = 1; ${data}; const needle = 2; ${data}`;
    work.write("a.ts", `${"const short = 1;\n".repeat(400)}${line}\n`);
    const [first = assert.fail()] = (await work.search("needle")).results;
    assert.match(first.content, /^\.\.\..*const needle = 1.*\.\.\.$/s);
    assert.deepEqual([first.start_line, first.end_line, first.spans], [401, 401, undefined]);
    assert.ok(first.content.length < 4_100);
  });

  test("counts lines as editors do, whatever separators they contain", async () => {
    await using work = await openSearchedFolder();
    work.write("a.c", "one\f\ntwo\vtwo\nthree\u0085\nfour\rfour\r\nconst needle = 1;\n");
    const [first = assert.fail()] = (await work.search("needle", { explain: true })).results;
    assert.equal(first.content.split("\n")[5 - first.start_line], "const needle = 1;");
    assert.equal(first.end_line, 5);
  });

  test("prefers the file that contains an error text word for word", async () => {
    await using work = await openSearchedFolder();
    const words = "session connection closed before the response was complete";
    for (let file = 0; file < 20; file++)
      work.write(`session/connection${file}.ts`, `${words.split(" ").toReversed().join("; ")};\n`.repeat(5));
    work.write("zz.ts", `${"const other = compute(value);\n".repeat(60)}throw new Error("${words}");\n`);
    assert.equal((await work.search(`Error: ${words}`)).results[0]?.file_path, "zz.ts");
  });

  test("accepts an absolute directory below the root, and refuses one elsewhere", async () => {
    await using work = await openSearchedFolder();
    for (const path of ["src/a.ts", "lib/b.ts"]) work.write(path, "const needle = 1;\n");
    assert.deepEqual(pathsOf(await work.search("needle", { directory: join(work.root, "src") })), ["src/a.ts"]);
    assert.equal((await work.search("needle", { directory: work.root })).total_count, 2);
    assert.deepEqual(pathsOf(await work.search("needle", { directory: "src/../lib" })), ["lib/b.ts"]);
    for (const directory of [dirname(work.root), "..", "src/../../other"]) {
      await assert.rejects(work.search("needle", { directory }), /outside the repository/);
    }
  });

  test("says how many files pass the filters, and when none does", async () => {
    await using work = await openSearchedFolder();
    for (const path of ["src/a.ts", "src/b.py"]) work.write(path, "const needle = 1;\n");
    const none = await work.search("needle", { directory: "srcc" });
    assert.deepEqual([none.total_count, none.filtered_files], [0, 0]);
    assert.deepEqual(searchNotices(none), [
      "No indexed file matches the filters: check the directory and the file type.",
    ]);
    writeFileSync(join(work.root, "src/a.ts"), "const needle = 2;\n");
    assert.equal((await work.search("needle", { file_type: "ts" })).filtered_files, 1);
    assert.equal((await work.search("needle")).filtered_files, undefined);
  });

  test("says on its last page that no more are ranked", async () => {
    await using work = await openSearchedFolder();
    for (let file = 0; file < 510; file++) work.write(`f${file}.ts`, "const needle = 1;\n");
    const before = await work.search("needle", { limit: 50, cursor: "c_440" });
    assert.deepEqual([before.next_cursor, before.ranked_limit], ["c_490", undefined]);
    const last = await work.search("needle", { limit: 50, cursor: "c_490" });
    assert.deepEqual([last.total_count, last.next_cursor, last.ranked_limit], [10, null, 500]);
    const cut = await searchCode({ query: "needle", limit: 50, cursor: "c_490" }, work.session, {
      budget: makeBudget({ default: 1_500 }),
    });
    assert.deepEqual([cut.truncated, cut.ranked_limit], [true, undefined]);
    assert.match(searchNotices(last)[0] ?? "", /^Only the best 500 results are ranked, and these are the last/);
    await assert.rejects(work.search("needle", { cursor: "c_9999" }), /past the last result: 500 are ranked/);
  });

  for (const query of ["lib/app.py:150", 'File "lib/app.py", line 150, in open', "app.py(150): error"]) {
    test(`shows the line that the query names: ${query}`, async () => {
      await using work = await openSearchedFolder();
      const lines = Array.from(
        { length: 200 },
        (_, index) => `value${index + 1} = open(error, ${index})  # a line of some length`,
      );
      work.write("lib/app.py", `${lines.join("\n")}\n`);
      work.write("app.rb", "value = 150\n");
      const [first = assert.fail()] = (await work.search(query)).results;
      assert.ok(first.start_line <= 150 && first.end_line >= 150, `${first.start_line}-${first.end_line}`);
      assert.equal(first.content, lines.slice(first.start_line - 1, first.end_line).join("\n"));
      assert.ok((await work.search("lib/app.py:9999")).results.length > 0);
    });
  }

  test("makes hidden characters in a name visible, and gives the name in a form that can be used", async () => {
    await using work = await openSearchedFolder({ "search.refresh_every": 3_600_000 });
    const path = "src/safe\u202est.\n.ts";
    work.write(path, "const needle = 1;\n");
    const [first = assert.fail()] = (await work.search("needle")).results;
    assert.equal(first.file_path, "src/safe\\u{202e}st.\\u{a}.ts");
    assert.equal(decodeURIComponent(first.encoded_path ?? ""), path);
    writeFileSync(join(work.root, path), "const other = 1;\n");
    const stale = await work.search("needle");
    assert.deepEqual(stale.stale_files, [first.file_path]);
    assert.ok(formatSearchBody(stale, "testword").includes(`hidden characters in its name: ${first.encoded_path}`));
  });

  test("shows the best span first, the others in the order of their lines, and neighbours as one", async () => {
    await using work = await openSearchedFolder();
    const filler = "  pump();\n".repeat(60);
    const names = ["valveReport", "closeValve", "valveList"];
    const [report, close, list] = names.map((name) => `function ${name}() {\n${filler}}\n\n`);
    const small = "function testValve() {\n}\n\nfunction cleanValve() {\n}\n\n";
    work.write("a.ts", `${report}${close}${small}${list}function valve() {\n${filler}}\n`);
    const [result = assert.fail()] = (await work.search("valve")).results;
    const spans = result.spans ?? [];
    assert.match(result.content, /^function valve\(/);
    const shown = spans.map(({ content }) => content.split("\n").filter((line) => line.startsWith("function")));
    const named = (...own: string[]) => own.map((name) => `function ${name}() {`);
    assert.deepEqual(shown, [named("valveReport"), named("closeValve"), named("testValve", "cleanValve", "valveList")]);
  });

  test("explains how a query was parsed, on request", async () => {
    await using work = await openSearchedFolder();
    work.write("a.ts", "const needle = 1;\n");
    for (const [query, kind] of [
      ["parseOrder", "symbol"],
      ["src/a.ts", "path"],
      ["how are orders parsed", "words"],
    ] as const) {
      assert.equal((await work.search(query, { explain: true })).question?.kind, kind, query);
    }
    const { question } = await work.search("how are orders parsed", { explain: true });
    assert.deepEqual(question?.terms, ["order", "pars"]);
    assert.ok(question?.names.includes("ordersparsed"));
    const { question: everyday } = await work.search("pictures of orders", { explain: true });
    assert.ok(everyday?.code_words.includes("imag"));
    assert.equal((await work.search("needle")).question, undefined);
  });

  test("still looks for changes when the clock is set back", async () => {
    await using work = await openSearchedFolder({ "search.refresh_every": 20 });
    let time = Date.now();
    const session = { ...work.session, now: () => time };
    work.write("a.ts", "const needle = 1;\n");
    await searchCode({ query: "needle" }, session);
    time -= 3_600_000;
    work.write("b.ts", "const needle = 2;\n");
    await waitUntil("the new file is found", async () => {
      return (await searchCode({ query: "needle" }, session)).total_count === 2;
    });
  });

  test("finds a file by its folder alone", async () => {
    await using work = await openSearchedFolder();
    work.write("billing/a.ts", "const other = 1;\n");
    work.write("b.ts", "const value = 1;\n");
    assert.deepEqual(pathsOf(await work.search("billing")), ["billing/a.ts"]);
  });

  test("marks files that changed after they were indexed, and shows the indexed lines", async () => {
    await using work = await openSearchedFolder({ "search.refresh_every": 3_600_000 });
    work.write("a.ts", "before();\nconst needle = 1;\nafter();\n");
    await work.search("needle");
    writeFileSync(join(work.root, "a.ts"), "other();\nconst changed = 1;\nelsewhere();\n");
    const reply = await work.search("needle");
    assert.deepEqual(reply.stale_files, ["a.ts"]);
    assert.equal(reply.results[0]?.stale, true);
    assert.match(reply.results[0]?.content ?? "", /needle/);
    assert.doesNotMatch(JSON.stringify(reply.results), /elsewhere|other/);
    assert.match(searchNotices(reply).join(), /Changed since they were indexed: 1 file/);
  });

  test("sees changes at the next search", async () => {
    await using work = await openSearchedFolder();
    work.write("a.ts", "const needle = 1;\n");
    assert.equal((await work.search("needle")).total_count, 1);
    work.write("b.ts", "const needle = 2;\n");
    rmSync(join(work.root, "a.ts"));
    assert.deepEqual(
      (await work.search("needle")).results.map(({ file_path }) => file_path),
      ["b.ts"],
    );
  });

  test("gives every result once when continued with the cursor", async () => {
    await using work = await openSearchedFolder();
    for (let file = 0; file < 23; file++) work.write(`f${file}.ts`, `const needle${file} = needle;\n`);
    const paths: string[] = [];
    let cursor: string | null = "c_0";
    for (let page = 0; page < 10 && cursor !== null; page++) {
      const reply = await work.search("needle", { limit: 5, cursor });
      paths.push(...reply.results.map(({ file_path }) => file_path));
      cursor = reply.next_cursor;
    }
    assert.deepEqual([paths.length, new Set(paths).size, cursor], [23, 23, null]);
  });

  test("explains a score, on request", async () => {
    await using work = await openSearchedFolder();
    work.write("src/router.ts", router);
    const [first] = (await work.search("router match", { explain: true })).results;
    assert.ok((first?.explain?.stem ?? 0) > 0 && first?.explain?.role === 1);
  });

  test("gives the same reply to the same query", async () => {
    await using work = await openSearchedFolder();
    for (let file = 0; file < 30; file++) work.write(`d${file % 3}/f${file}.ts`, "const needle = other;\n");
    const paths = async () =>
      (await work.search("needle other", { limit: 50 })).results.map(({ file_path }) => file_path);
    assert.deepEqual(await paths(), await paths());
  });
});

describe("the budget of a search", () => {
  const hostile = ['"\\\t\u2028'.repeat(40), "漢字かな交じり文".repeat(20), '\t\t"quoted\\path"\t'.repeat(20)];

  test("holds for escapes, tabs and wide characters at limit 50", async () => {
    await using work = await openSearchedFolder({ "search.context_lines": 50 });
    for (let file = 0; file < 60; file++) {
      const line = hostile[file % hostile.length] ?? "";
      work.write(`f${file}.ts`, `const needle = 1;\n${`${line}\n`.repeat(100)}const needle2 = needle;\n`);
    }
    const reply = await work.search("needle", { limit: 50 });
    const size = JSON.stringify(reply).length;
    assert.ok(size <= CHARACTER_LIMIT, `${size} characters`);
    assert.equal(size, reply.truncation_info.actual_chars);
    assert.equal(reply.truncated, true);
    assert.equal(reply.total_count, 50);
    assert.ok(reply.returned_count < 50 && reply.returned_count > 0);
    assert.equal(reply.next_cursor, `c_${reply.returned_count}`);
    assert.match(
      searchNotices(reply)[0] ?? "",
      /^Results truncated: \d+\/50 results fit in 80,000 character limit\. For more: a smaller limit, a filter, or cursor=c_\d+\.$/,
    );
  });

  test("can be lowered by the client, down to one result that is stored as an artifact", async () => {
    await using work = await openSearchedFolder();
    work.write("a.ts", `const needle = "${"x".repeat(3_000)}";\n`);
    const budget = makeBudget({ default: 1_500 });
    const reply = await searchCode({ query: "needle" }, work.session, { budget });
    assert.ok(JSON.stringify(reply).length <= 1_500);
    assert.equal(reply.truncation_info.reason, "single_result_too_large");
    const ref = reply.results[0]?.artifact_ref ?? assert.fail("no ref");
    assert.equal((await work.session.store.find(ref)).content_kind, "text");
  });

  test("keeps a large result from a page as the source that was found", async () => {
    await using work = await openSearchedFolder();
    const start = "<html><body><p>needle</p><script>";
    work.write("page.html", `${start}${"x".repeat(3_000)}\n`);
    const reply = await searchCode({ query: "needle" }, work.session, { budget: makeBudget({ default: 1_500 }) });
    const ref = reply.results[0]?.artifact_ref ?? assert.fail("no ref");
    const { fields } = await readArtifact(ref, {}, work.session);
    assert.equal(fields.content_kind, "text");
    assert.ok(fields.content?.startsWith(start));
  });

  test("updates the three metrics", async () => {
    await using work = await openSearchedFolder({ "search.context_lines": 50 });
    for (let file = 0; file < 50; file++)
      work.write(`f${file}.ts`, `const needle = 1;\n${"\t\t\t\t\n".repeat(2)}${'"\\"'.repeat(900)}\n`);
    const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics.prometheus())?.[1]);
    const names = [
      "spillway_search_truncated_total",
      "spillway_search_utilization_ratio_count",
      "spillway_search_truncation_ratio_sum",
    ];
    const before = names.map(read);
    const { truncated } = await work.search("needle", { limit: 50 });
    assert.equal(truncated, true);
    for (const [index, name] of names.entries()) assert.ok(read(name) > (before[index] ?? 0), name);
  });

  test("is counted above the last bucket too", () => {
    const freshMetrics = createMetrics();
    const event = {
      event: "search.completed",
      returned_count: 1,
      original_count: 1,
      truncated: false,
      duration_ms: 1,
      indexing: false,
    } as const;
    freshMetrics.add({ ...event, actual_chars: 500, limit_chars: 100 });
    assert.match(
      freshMetrics.prometheus(),
      /utilization_ratio_bucket\{le="1"\} 0\n.*le="\+Inf"\} 1\n.*_sum 5\n.*_count 1/,
    );
  });
});

describe("projects", () => {
  test("never see each other's repositories, results or jobs", async () => {
    await using work = await openSearchedFolder();
    work.write("a.ts", "const needle = 1;\n");
    const job = await (await startIndexJob({ project_id: "red" }, work.session)).waitForEnd();
    assert.equal(job.status, "completed");
    assert.equal(
      (await getIndexingStatus({ job_id: job.job_id, project_id: "red" }, work.session)).status,
      "completed",
    );
    await assert.rejects(getIndexingStatus({ job_id: job.job_id }, work.session), /No job/);
    await (await startIndexJob({ project_id: "blue", repo_path: dirname(work.root) }, work.session)).waitForEnd();
    const input = { project_id: "red", repository_id: job.repository_id };
    assert.equal((await work.search("needle", input)).total_count, 1);
    await assert.rejects(work.search("needle", { ...input, project_id: "blue" }), /No repository/);
  });

  test("are named by the nearest project file, and a broken one is an error", async () => {
    await using work = await openSearchedFolder();
    work.write("a.ts", "const needle = 1;\n");
    work.write(".spillway/project.json", '{"project_id": "team-x"}');
    assert.equal((await work.search("needle")).project_id, "team-x");
    for (const broken of ["{", "{}", '{"project_id": 7}', '{"project_id": "../up"}', "[]"]) {
      work.write(".spillway/project.json", broken);
      await assert.rejects(work.search("needle"), { name: "SpillwayError" }, broken);
    }
  });
});

describe("an indexing job", () => {
  test("returns at once, can be followed, and reports that nothing changed", async () => {
    await using work = await openSearchedFolder();
    for (let file = 0; file < 40; file++) work.write(`f${file}.ts`, `const value = ${file};\n`);
    const first = await indexRepository({}, work.session);
    assert.equal(first.status, "pending");
    const again = await startIndexJob({}, work.session);
    assert.equal(again.record().job_id, first.job_id, "one job per repository");
    const done = await again.waitForEnd();
    assert.deepEqual([done.status, done.files_indexed, done.progress], ["completed", 40, 1]);
    assert.deepEqual(await getIndexingStatus({ job_id: first.job_id }, work.session), done);
    const second = await (await startIndexJob({}, work.session)).waitForEnd();
    assert.equal(
      second.message,
      "Repository up to date - no file changes detected since last index (40 files already indexed)",
    );
  });

  test("of an empty folder fails with the reason", async () => {
    await using work = await openSearchedFolder();
    const { status, error } = await (await startIndexJob({}, work.session)).waitForEnd();
    assert.equal(status, "failed");
    assert.match(error ?? "", /^No files to index in/);
  });

  test("of a folder whose files are all skipped fails with their reasons", async () => {
    await using work = await openSearchedFolder({ "search.file_bytes": 1_000 });
    work.write("large.ts", "const line = 1;\n".repeat(1_000));
    work.write("blob.bin", "\0\u0001\u0002".repeat(50));
    const { status, error } = await (await startIndexJob({}, work.session)).waitForEnd();
    assert.equal(status, "failed");
    assert.match(error ?? "", /: all 2 files were skipped \((?=.*larger than 4 KB).*not text.*\)\.$/);
  });

  test("can be cancelled, and the next one continues", async () => {
    await using work = await openSearchedFolder();
    for (let file = 0; file < 300; file++) work.write(`f${file}.ts`, `const value${file} = ${file};\n`.repeat(10));
    const job = await startIndexJob({}, work.session);
    await cancelIndexingJob({ job_id: job.record().job_id }, work.session);
    const stopped = await job.waitForEnd();
    assert.deepEqual([stopped.status, stopped.error], ["partial", null]);
    const next = await (await startIndexJob({}, work.session)).waitForEnd();
    assert.equal(next.status, "completed");
    assert.equal((await work.search("value299")).results[0]?.file_path, "f299.ts");
  });

  test("that is unknown is an error, whatever its id looks like", async () => {
    await using work = await openSearchedFolder();
    for (const job_id of ["", "*", "../../x", "0".repeat(36), crypto.randomUUID()]) {
      await assert.rejects(getIndexingStatus({ job_id }, work.session), /No job/, job_id);
    }
  });

  test("lets searches answer with what is indexed so far, and they say so", async () => {
    await using work = await openSearchedFolder({ "search.wait": 0 });
    for (let file = 0; file < 300; file++) work.write(`f${file}.ts`, `const needle${file} = needle;\n`.repeat(20));
    const reply = await work.search("needle");
    assert.ok(reply.indexing !== undefined);
    assert.match(searchNotices(reply).join(), /still being built/);
    await (await startIndexJob({}, work.session)).waitForEnd();
    assert.equal((await work.search("needle299")).indexing, undefined);
  });

  test("is waited for where a search would miss files whose part of the index is gone, and the reply says so", async () => {
    await using work = await openSearchedFolder({ "search.wait": 0, "search.refresh_wait": 0 });
    const filler = "const filler = 1;\n".repeat(5_000);
    for (let file = 0; file < 120; file++) work.write(`f${file}.ts`, `const needle${file} = 1;\n${filler}`);
    const { repository_id } = await searchCode({ query: "needle1" }, work.session, { complete: true });
    const folder = join(work.session.searchFolder ?? "", "default", repository_id ?? "");
    assert.ok(closeUnused(folder));
    rmSync(join(work.root, "..", "home", "segments"), { recursive: true });
    const lock = takeLock(join(folder, "lock.db")) ?? assert.fail();
    const reply = await work.search("needle1");
    assert.ok((reply.indexing?.files_missing ?? 0) > 0, JSON.stringify(reply.indexing));
    assert.match(searchNotices(reply).join(), /being rebuilt and \d+ files of it could not be searched/);
    assert.ok(closeUnused(folder), "what was built in memory is gone");
    const patient = { ...work.session, settings: { ...work.session.settings, "search.wait": 60_000 } };
    const all = await searchCode({ query: "needle119" }, patient, { progress: () => lock[Symbol.dispose]() });
    assert.deepEqual([all.results[0]?.file_path, all.indexing], ["f119.ts", undefined]);
  });

  test("that finds nothing any more says so for every search", async () => {
    await using work = await openSearchedFolder();
    work.write("a.ts", "const needle = 1;\n");
    for (let round = 0; round < 3; round++) assert.equal((await work.search("needle")).results.length, 1);
    rmSync(join(work.root, "a.ts"));
    for (let round = 0; round < 4; round++)
      assert.match((await work.search("needle")).indexing?.error ?? "", /No files to index/, `search ${round}`);
    work.write("a.ts", "const needle = 2;\n");
    for (let round = 0; round < 2; round++) {
      const { results, indexing } = await work.search("needle");
      assert.deepEqual([results.length, indexing], [1, undefined]);
    }
  });

  test("of a folder that may not be read any more fails with that reason, and keeps the index", {
    skip: process.getuid?.() === 0,
  }, async () => {
    await using work = await openSearchedFolder();
    work.write("a.ts", "const needle = 1;\n");
    for (const mode of [0o000, 0o600, 0o300]) {
      await work.search("needle");
      chmodSync(work.root, mode);
      await assert.rejects(work.search("needle", { dir: work.root }), /work cannot be read\./);
      chmodSync(work.root, 0o700);
      assert.equal((await work.search("needle")).results.length, 1);
    }
  });

  test("of another process is waited for, and a complete index is not reported as unfinished", async () => {
    await using work = await openSearchedFolder({ "search.refresh_wait": 100 });
    work.write("a.ts", "const needle = 1;\n");
    const { repository_id } = await work.search("needle");
    const lockPath = join(work.session.searchFolder ?? "", "default", repository_id ?? "", "lock.db");
    let lock: ReturnType<typeof takeLock> = takeLock(lockPath) ?? assert.fail();
    const late = await work.search("needle");
    assert.match(searchNotices(late).join(), /checked for changes/);
    const patient = { ...work.session, settings: { ...work.session.settings, "search.refresh_wait": 60_000 } };
    const progress = () => {
      lock?.[Symbol.dispose]();
      lock = null;
    };
    const reply = await searchCode({ query: "needle" }, patient, { progress });
    assert.equal(reply.indexing, undefined);
  });

  test("is waited for where a complete answer is required", async () => {
    await using work = await openSearchedFolder({ "search.wait": 0 });
    for (let file = 0; file < 200; file++) work.write(`f${file}.ts`, `const needle${file} = needle;\n`.repeat(20));
    const reply = await searchCode({ query: "needle199" }, work.session, { complete: true });
    assert.deepEqual([reply.indexing, reply.results[0]?.file_path], [undefined, "f199.ts"]);
  });
});

test("a confined session searches only below its folder, and no session searches the kernel's files", async () => {
  await using work = await openSearchedFolder({}, { confined: true });
  work.write("a.ts", "const needle = 1;\n");
  assert.equal((await work.search("needle")).total_count, 1);
  await assert.rejects(work.search("needle", { dir: ".." }), /outside the folders that may be read/);
  symlinkSync(dirname(work.root), join(work.root, "up"));
  await assert.rejects(work.search("needle", { dir: "up" }), /outside the folders that may be read/);
  await using free = await openSearchedFolder();
  const { repository_id } = await (
    await startIndexJob({ repo_path: dirname(work.root) }, { ...work.session, roots: [dirname(work.root)] })
  ).waitForEnd();
  await assert.rejects(work.search("needle", { repository_id }), /outside the folders that may be read/);
  if (existsSync("/proc")) await assert.rejects(free.search("needle", { dir: "/proc" }), { code: "source_refused" });
});

test("our own data inside the folder is not indexed", async () => {
  await using work = await openSearchedFolder();
  const settings = { ...work.session.settings, home: join(work.root, ".data") };
  await using session = await openSession({ settings, cwd: work.root });
  work.write("a.ts", "const needle = 1;\n");
  work.write(".data/notes.txt", "needle\n");
  const { results } = await searchCode({ query: "needle" }, session);
  assert.deepEqual(
    results.map(({ file_path }) => file_path),
    ["a.ts"],
  );
});

test("a search answers where the data folder cannot be written", async () => {
  await using work = await openSearchedFolder();
  work.write("home", "a file where the folder should be\n");
  const settings = { ...work.session.settings, home: join(work.root, "home") };
  await using session = await openSession({ settings, cwd: work.root });
  work.write("a.ts", "const needle = 1;\n");
  assert.equal((await searchCode({ query: "needle" }, session)).total_count, 1);
});

test("a job whose record cannot be written still indexes", async () => {
  await using work = await openSearchedFolder();
  work.write("a.ts", "const needle = 1;\n");
  mkdirSync(join(work.session.settings.home ?? "", "catalogue.db"), { recursive: true }); // A folder for the database.
  assert.equal((await work.search("needle")).total_count, 1);
  assert.equal((await (await startIndexJob({}, work.session)).waitForEnd()).status, "completed");
});

test("a search of an index that cannot be updated answers from it and says so", async () => {
  await using work = await openSearchedFolder();
  work.write("a.ts", "const needle = 1;\n");
  await work.search("needle");
  const aside = `${work.root}-aside`;
  renameSync(work.root, aside);
  mkdirSync(work.root);
  const reply = await work.search("needle");
  assert.match(reply.indexing?.error ?? "", /^No files to index/);
  assert.match(searchNotices(reply).join(), /could not be updated and dates from \d{4}-.*No files to index/);
});

test("a damaged index is built again", async () => {
  await using work = await openSearchedFolder();
  work.write("a.ts", "const needle = 1;\n");
  const { repository_id, repository_path } = await (
    await startIndexJob({ project_id: "once" }, work.session)
  ).waitForEnd();
  const indexFolder = join(work.session.searchFolder ?? "", "other", repository_id);
  mkdirSync(indexFolder, { recursive: true });
  writeFileSync(join(indexFolder, "index.db"), "not a database, but long enough to be read as one".repeat(100));
  const { total_count } = await work.search("needle", { project_id: "other", dir: repository_path });
  assert.equal(total_count, 1);
});

describe("damage", () => {
  const damage: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
    "random bytes after the first page": (bytes) => Buffer.concat([bytes.subarray(0, 16_384), noise(bytes.length)]),
    "random bytes all over": (bytes) => noise(bytes.length + 20_000),
    zeros: (bytes) => Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length)]),
  };
  const noise = (length: number) => Buffer.from(Array.from({ length }, (_, index) => (index * 2_654_435_761) >>> 13));

  for (const what of ["index.db", "lock.db", "segments"]) {
    for (const [how, spoil] of Object.entries(damage)) {
      for (const when of ["before it is opened", "while it is open"]) {
        test(`to ${what} by ${how} ${when} is repaired`, async () => {
          await using work = await openSearchedFolder();
          // Only an index of many files has segments.
          const files = what === "segments" ? 120 : 10;
          for (let file = 0; file < files; file++) work.write(`f${file}.ts`, `const needle${file} = value;\n`);
          const { repository_id } = await work.search("needle7");
          const indexFolder = join(work.session.searchFolder ?? "", "default", repository_id ?? "");
          if (when === "before it is opened") assert.ok(closeUnused(indexFolder));
          const paths = what === "segments" ? segmentFiles(work) : [join(indexFolder, what)];
          assert.ok(paths.length > 0);
          for (const path of paths) writeFileSync(path, spoil(readFileSync(path)));
          if (what === "index.db") rmSync(join(indexFolder, "index.db-wal"), { force: true });
          for (let again = 0; again < 2; again++) {
            work.write("new.ts", `const needle${again}new = value;\n`);
            assert.deepEqual(pathsOf(await work.search("needle7")), ["f7.ts"]);
            assert.deepEqual(pathsOf(await work.search(`needle${again}new`)), ["new.ts"]);
          }
        });
      }
    }
  }
});

function segmentFiles({ session }: Awaited<ReturnType<typeof openSearchedFolder>>): string[] {
  const folder = join(session.searchFolder ?? "", "..", "..", "segments");
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

function assertTouches(whole: string, shown: string, mark: string, touches: (whole: string, part: string) => boolean) {
  const part = [shown, shown.replace(mark, ""), shown.slice(0, -mark.length)].find((text) => touches(whole, text));
  assert.ok(part !== undefined, JSON.stringify(shown.slice(0, 80)));
}

const pathsOf = ({ results }: SearchReply): string[] => results.map(({ file_path }) => file_path);

test("only the owner can read the index", { skip: process.platform === "win32" }, async () => {
  await using work = await openSearchedFolder();
  work.write("a.ts", "const needle = 1;\n");
  const { repository_id } = await work.search("needle");
  const indexFolder = join(work.session.searchFolder ?? "", "default", repository_id ?? "");
  for (const name of readdirSync(indexFolder)) assert.equal(statSync(join(indexFolder, name)).mode & 0o077, 0, name);
});

test("more folders than are kept open can be searched at once", async () => {
  await using work = await openSearchedFolder();
  const folders = Array.from({ length: 40 }, (_, index) => `r${index}`);
  for (const folder of folders) work.write(`${folder}/a.ts`, `const needle${folder} = 1;\n`.repeat(200));
  const twice = [...folders, ...folders];
  const replies = await Promise.all(twice.map((dir) => work.search(`needle${dir}`, { dir })));
  assert.deepEqual(
    replies.map(({ total_count }) => total_count),
    twice.map(() => 1),
  );
});

test("sessions in memory have nothing in common", async () => {
  await using one = await openSearchedFolder({}, { inMemory: true });
  await using other = await openSearchedFolder({}, { inMemory: true });
  one.write("a.ts", "const needle = 1;\n");
  const job = await (await startIndexJob({}, one.session)).waitForEnd();
  await assert.rejects(getIndexingStatus({ job_id: job.job_id }, other.session), /No job/);
  await assert.rejects(other.search("needle", { repository_id: job.repository_id }), /No repository/);
});

test("a session in memory can search", async () => {
  await using work = await openSearchedFolder({}, { inMemory: true });
  work.write("a.ts", "const needle = 1;\n");
  assert.equal((await work.search("needle")).total_count, 1);
});

test("a search that waits for an index reports progress and can be aborted", async () => {
  await using work = await openSearchedFolder({ "search.wait": 1_300 });
  work.write("a.ts", "const needle = 1;\n");
  const job = await startIndexJob({}, work.session);
  const { repository_id } = await job.waitForEnd();
  work.write("b.ts", "const needle = 2;\n");
  using _lock = takeLock(join(work.session.searchFolder ?? "", "default", repository_id ?? "", "lock.db"));
  const messages: string[] = [];
  const slow = { ...work.session, settings: { ...work.session.settings, "search.refresh_wait": 1_300 } };
  const reply = await searchCode({ query: "needle" }, slow, { progress: (message) => void messages.push(message) });
  assert.equal(reply.returned_count, 1);
  assert.ok(messages.length > 0 && messages.every((message) => message === "Indexed 0 of 0 files"), messages.join());
  assert.ok(reply.indexing !== undefined);
  const stop = new AbortController();
  const settings = { ...work.session.settings, "search.refresh_wait": 600_000 };
  const aborted = searchCode(
    { query: "needle" },
    { ...work.session, settings, signal: stop.signal },
    {
      progress: () => stop.abort(),
    },
  );
  await assert.rejects(aborted, { name: "AbortError" });
});

test("the further spans of an outline are lines of the file", async () => {
  await using work = await openSearchedFolder();
  const gate = (n: number) => [`function openGate${n}(level) {`, `  lift(level, ${n}, "a gate of the dam");`, "}"];
  const lines = Array.from({ length: 70_000 }, (_, n) => gate(n)).flat();
  work.write("gates.js", lines.join("\n"));
  const [found] = (await work.search("openGate500")).results;
  assert.equal(found?.definitions_only, true);
  assert.ok((found?.spans ?? []).length > 1);
  for (const { start_line, end_line, content } of found?.spans ?? [])
    assert.equal(content, lines.slice(start_line - 1, end_line).join("\n"));
});
