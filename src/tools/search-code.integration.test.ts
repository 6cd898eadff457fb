import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { closeSchema } from "../../test/schemas.ts";
import { openTools } from "../../test/tools.ts";
import { waitUntil } from "../../test/waiting.ts";
import { type ClientProfile, clientRows, findClientProfile, unknownClient } from "../config/clients.ts";
import type { SearchReply } from "../contract/search-fields.ts";
import { listClientLimits, listLimits, makeBudget } from "../fit/budget.ts";
import { listShownForms } from "../fit/fit-reply.ts";
import { OVERHEAD_CHARS } from "../fit/limits.ts";
import { builtInTools } from "./tools.ts";
import { openTurn } from "./turn-budget.ts";

const ajv = new Ajv2020({ strict: true });
const validators = new Map(builtInTools.map(({ name, output }) => [name, ajv.compile(closeSchema(output))]));

type Bench = Awaited<ReturnType<typeof openTools>>;
type Reply = Awaited<ReturnType<Bench["call"]>>;

function assertHolds(name: string, { structured }: Reply): void {
  const validate = validators.get(name) ?? assert.fail(name);
  assert.ok(validate(structured), JSON.stringify(validate.errors));
}

/** What holds for every reply, whatever the query and the client. */
function assertSearch(reply: Reply): SearchReply {
  assertHolds("search_code", reply);
  const found = reply.structured as unknown as SearchReply;
  const { truncation_info: info } = found;
  assert.equal(info.actual_chars, JSON.stringify(reply.structured).length);
  assert.equal(found.truncated, info.reason !== null);
  assert.deepEqual([info.returned_count, info.original_count], [found.results.length, found.total_count]);
  assert.equal(found.returned_count, found.results.length);
  for (const { file_path, content, spans = [] } of found.results) {
    for (const part of [file_path, content, ...spans.map((span) => span.content)]) {
      assert.ok(reply.text.includes(part), `${part} is in the text too`);
    }
  }
  if (found.next_cursor !== null) assert.ok(reply.text.includes(`cursor=${found.next_cursor}`));
  return found;
}

async function openCode(files = 60, body = "  return weigh(level, spill);\n") {
  const bench = await openTools();
  for (let file = 0; file < files; file++) {
    await bench.write(`src/gauge${file}.ts`, `export function readGauge${file}(level) {\n${body.repeat(20)}}\n`);
  }
  return bench;
}

describe("search_code", () => {
  test("answers with the shape of the contract, complete in both forms", async () => {
    await using bench = await openTools();
    await bench.write("src/router.ts", "// Keeps routes.\nexport class Router {\n  match(path) {}\n}\n");
    const reply = await bench.call("search_code", { query: "router match" });
    const { results, project_id, database_name, repository_id } = assertSearch(reply);
    assert.equal(results[0]?.file_path, "src/router.ts");
    assert.equal(project_id, "default");
    assert.match(reply.text, /^Found 1 result in .*best first\./);
    assert.match(reply.text, /untrusted content/);
    assert.match(reply.text, /1\. src\/router\.ts:1-4\n\/\/ Keeps routes\./);
    assert.ok(database_name.endsWith(repository_id?.slice(0, 8) ?? assert.fail()));
    assert.equal(reply.isError, false);
  });

  for (const [input, sentence] of [
    [{ query: "" }, "Search query cannot be empty"],
    [{ query: " \t" }, "Search query cannot be empty"],
    [{}, "Search query cannot be empty"],
    [{ query: "x", limit: 0 }, "Limit must be between 1 and 50, got 0"],
    [{ query: "x", limit: "51" }, "Limit must be between 1 and 50, got 51"],
    [{ query: "x", file_type: ".py" }, "file_type should not include leading dot (use 'py' not '.py')"],
    [{ query: "x", file_type: "x".repeat(41) }, /^file_type "x+.*" is not an extension$/],
    [{ query: "x", file_type: "src/a.py" }, 'file_type "src/a.py" is not an extension'],
    [{ query: "x", limit: 2.5 }, /^limit must be a whole number/],
    [{ query: "x", limit: "2.5" }, /^limit must be a whole number/],
    [{ query: "x", repository_id: "nope" }, "Invalid repository_id format: nope"],
    [{ query: "x", project_id: "nobody" }, 'There is no project "nobody".'],
    [{ query: "x", cursor: "12" }, "Invalid cursor: 12"],
    [{ query: "x", repo_path: "/" }, "/ is outside the folders that may be read."],
    [{ query: "x", repo_path: ".." }, / is outside the folders that may be read/],
  ] as const) {
    test(`refuses ${JSON.stringify(input)}`, async () => {
      await using bench = await openTools();
      await bench.write("a.ts", "x");
      const reply = await bench.call("search_code", input);
      assertHolds("search_code", reply);
      const [first = "", hint = ""] = reply.text.split("\n");
      if (typeof sentence === "string") assert.equal(first, sentence);
      else assert.match(first, sentence);
      assert.ok(reply.isError && hint.length > 10 && reply.fields.error === first);
    });
  }

  for (const [limit, hint] of [
    ["abc", 'For example "limit": 10, or leave it out.'],
    [{}, 'For example "limit": 10, or leave it out.'],
    [0, "Use a whole number such as 10, or leave it out."],
    [-5, "Use a whole number such as 10, or leave it out."],
    [51, "Use 50, and continue with the cursor."],
  ] as const) {
    test(`item 17: the hint for limit ${JSON.stringify(limit)} works`, async () => {
      await using bench = await openCode(60);
      const { fields, isError } = await bench.call("search_code", { query: "read gauge", limit });
      assert.deepEqual([isError, fields.hint], [true, hint]);
      const advised = Number(/"limit": (\d+)|Use (\d+),|such as (\d+)/.exec(hint)?.slice(1).find(Boolean));
      const found = assertSearch(await bench.call("search_code", { query: "read gauge", limit: advised }));
      assert.equal(found.total_count, advised);
    });
  }

  test("accepts the query by other names, and numbers as strings", async () => {
    await using bench = await openCode(8);
    const reply = await bench.call("search_code", { q: "read gauge", limit: "3", repoPath: "src", top: 9 });
    assert.equal(assertSearch(reply).results.length, 3);
    assert.match(String(reply.fields.notes), /"top"/);
  });

  for (const name of [...clientRows.map((row) => row.name), undefined]) {
    test(`fits ${name ?? "an unknown client"}, with complete results and correct counts`, async () => {
      await using bench = await openCode(60, '  return weigh("level\\t水", spill);\t\n');
      const client = name === undefined ? unknownClient : findClientProfile(name);
      const reply = await bench.call(
        "search_code",
        { query: "read gauge level", limit: 50 },
        { client, notes: ["Mind."] },
      );
      const { results, truncation_info: info } = assertSearch(reply);
      assert.ok(JSON.stringify(reply.structured).length <= 100_000);
      for (const shown of listShownForms(reply, client)) {
        assert.ok(shown.length <= (client?.unaskedChars ?? Infinity), `${shown.length} characters`);
        for (const { unit, max, measure } of listClientLimits(client?.limit)) assert.ok(measure(shown) <= max, unit);
      }
      assert.ok(results.every(({ content }) => content.split("\n").length > 2));
      if (info.reason === null) assert.equal(results.length, 50);
      else {
        assert.ok(results.length < 50);
        const notice = new RegExp(`Results truncated: ${results.length}/50 results fit in [\\d,]+ character limit`);
        assert.match(reply.text, notice);
      }
    });
  }

  test("holds for the rest of a turn, down to almost nothing", async () => {
    await using bench = await openCode(30);
    for (const turnChars of [0, 500, 1_000, 1_500, 3_000, 20_000]) {
      const reply = await bench.call(
        "search_code",
        { query: "read gauge", limit: 30 },
        { turn: openTurn(turnChars + OVERHEAD_CHARS) },
      );
      assertSearch(reply);
      assert.ok(JSON.stringify(reply.structured).length <= Math.max(1_000, turnChars), String(turnChars));
    }
  });

  test("holds for any budget and any content", async () => {
    await using bench = await openTools();
    const nasty = ['\t"\\\u0007', "水面計", "🌊\u2028", "x".repeat(300)];
    for (const [index, text] of nasty.entries()) {
      await bench.write(`n${index}.ts`, `const needle${index} = 1;\n${`${text}\n`.repeat(60)}`);
    }
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9_000 }),
        fc.constantFrom("chars", "bytes", "tokens"),
        async (max, unit) => {
          const client: ClientProfile = { name: "any", form: "both", limit: { [unit]: max } };
          const reply = await bench.call("search_code", { query: "needle" }, { client });
          const found = assertSearch(reply);
          const [limit] = listLimits(makeBudget({ default: Infinity, ceiling: Infinity, client: client.limit })).slice(
            -1,
          );
          // Below some 600 characters not even the counts fit; then they leave all the same, and nothing with them.
          const size = limit?.measure(JSON.stringify(reply.structured)) ?? 0;
          assert.ok(size <= (limit?.max ?? 0) || found.results.length === 0);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("following the cursor gives every result once", async () => {
    await using bench = await openCode(45);
    const client = findClientProfile("vscode");
    const seen: string[] = [];
    let cursor: string | null = "";
    for (let round = 0; round < 45 && cursor !== null; round++) {
      const { results, next_cursor } = assertSearch(
        await bench.call("search_code", { query: "read gauge", limit: 20, cursor }, { client }),
      );
      seen.push(...results.map(({ file_path }) => file_path));
      cursor = next_cursor;
    }
    assert.deepEqual([seen.length, new Set(seen).size, cursor], [45, 45, null]);
  });

  test("keeps a first result that fits no reply, and names it", async () => {
    await using bench = await openTools();
    await bench.write("long.ts", `const needle =\n  "${"spill ".repeat(300)}";\n`);
    const client: ClientProfile = { name: "small", form: "both", limit: { chars: 1_500 } };
    const reply = await bench.call("search_code", { query: "needle" }, { client });
    const { results, truncation_info } = assertSearch(reply);
    assert.equal(truncation_info.reason, "single_result_too_large");
    const { artifact_ref } = results[0] ?? assert.fail();
    assert.ok(artifact_ref && reply.text.includes(artifact_ref));
    const whole = await bench.call("read_artifact", { artifact_ref });
    assert.ok(String(whole.fields.content).length > 1_800);
  });

  test("shows an unknown client the best result as an excerpt with its ref, if it alone is too large", async () => {
    await using bench = await openTools({ "search.context_lines": 50 });
    const lines = Array.from(
      { length: 120 },
      (_, line) => `  gauge${line} = weigh("${"level of the water ".repeat(6)}");`,
    );
    await bench.write("needle.ts", `${lines.join("\n")}\nfunction needle() {}\n${lines.join("\n")}\n`);
    await bench.write("other.ts", "export const other = 1; // needle\n");
    const reply = await bench.call("search_code", { query: "needle" }, { client: unknownClient });
    assert.ok(reply.text.length <= 8_000, `${reply.text.length} characters`);
    const [best] = assertSearch(reply).results;
    const [, ref] = /^1\. needle\.ts:.*all of it: artifact_ref=(af_\w{32})\)$/m.exec(reply.text) ?? [];
    assert.ok(ref !== undefined && best?.cut !== undefined, reply.text.slice(0, 600));
    const whole = await bench.call("read_artifact", { artifact_ref: ref, max_chars: 100_000 });
    assert.ok(String(whole.fields.content).length > 8_000);
  });

  test("reports to log and client what was cut, and emits events without words of the query", async () => {
    await using bench = await openCode(60);
    const [log, informed]: [string[], string[]] = [[], []];
    const more = {
      log: (line: string) => void log.push(line),
      inform: (level: string, message: string) => void informed.push(`${level}: ${message}`),
      client: findClientProfile("vscode"),
    };
    const query = `read gauge ${"secretive ".repeat(20)}`;
    const { truncation_info: info } = assertSearch(await bench.call("search_code", { query, limit: 50 }, more));
    assert.equal(log.length, 1);
    assert.ok(log[0]?.startsWith(`warning: search results truncated: query=${JSON.stringify(query.slice(0, 100))} `));
    assert.match(log[0] ?? "", new RegExp(`original_count=50 .*actual_chars=${info.actual_chars} `));
    assert.match(
      informed[0] ?? "",
      /^warning: Results truncated: \d+\/50 results fit in 7,782 character limit\. For more/,
    );
    const events = bench.events.filter(({ event }) => event.startsWith("search."));
    assert.deepEqual(
      events.map(({ event }) => event),
      ["search.completed", "search.truncated"],
    );
    assert.ok(!JSON.stringify([bench.events, informed]).includes("secretive"));
  });

  test("reports how full a reply is above 70 percent, and nothing below", async () => {
    await using bench = await openCode(9);
    const [log, informed]: [string[], string[]] = [[], []];
    const surface = (turnChars: number) => ({
      log: (line: string) => void log.push(line),
      inform: (_level: string, message: string) => void informed.push(message),
      turn: openTurn(turnChars + OVERHEAD_CHARS),
    });
    const size = JSON.stringify(
      (await bench.call("search_code", { query: "read gauge" }, surface(90_000))).structured,
    ).length;
    assert.deepEqual([log, informed], [[], []]);
    const reply = await bench.call("search_code", { query: "read gauge" }, surface(Math.ceil((size * 1.25) / 0.8)));
    const { truncation_info: info, truncated } = assertSearch(reply);
    assert.equal(truncated, false);
    const percent = Number(((info.actual_chars / info.limit_chars) * 100).toFixed(1));
    assert.ok(percent > 70 && percent <= 100);
    assert.ok(log[0]?.includes(`utilization_pct=${percent} `) && informed[0]?.includes(`utilization_pct=${percent}`));
  });

  test("has a schema with the reason why an index could not be brought up to date", async () => {
    await using bench = await openCode(1);
    const reply = await bench.call("search_code", { query: "gauge" });
    const indexing: SearchReply["indexing"] = { files_done: 1, files_total: 2, error: "The disk is full." };
    assertHolds("search_code", { ...reply, structured: { ...reply.structured, indexing } });
  });

  test("reports the progress of a first indexing, and stops with its caller", async () => {
    await using bench = await openCode(3);
    const stop = AbortSignal.abort(new Error("changed my mind"));
    await assert.rejects(bench.call("search_code", { query: "read gauge" }, { signal: stop }), /changed my mind/);
    assert.equal(assertSearch(await bench.call("search_code", { query: "read gauge" })).results.length, 3);
  });
});

describe("indexing", () => {
  async function ended(bench: Bench, jobId: unknown, input: object = {}): Promise<Reply> {
    let reply: Reply | undefined;
    await waitUntil("the job ends", async () => {
      reply = await bench.call("get_indexing_status", { job_id: jobId, ...input });
      assertHolds("get_indexing_status", reply);
      return !["pending", "running"].includes(String(reply.fields.status));
    });
    return reply ?? assert.fail();
  }

  test("returns a job at once, is followed to its end, and searched by its project", async () => {
    await using bench = await openCode(5);
    await bench.write("src/blob.ts", Buffer.from([0, 1, 2, 0xff, 0]));
    const started = await bench.call("index_repository", { repo_path: ".", project_id: "water" });
    assertHolds("index_repository", started);
    assert.match(started.text, /^\[Indexing of .*: pending \(0 %\)\. job_id=[0-9a-f-]{36}\]\n/);
    const done = await ended(bench, started.fields.job_id, { project_id: "water" });
    assert.equal(done.fields.status, "completed");
    assert.match(done.text, /Indexed 5 files, 1 skipped \(5 files in the index\)/);
    assert.match(done.text, /src\/blob\.ts: /);
    const found = assertSearch(await bench.call("search_code", { query: "read gauge", project_id: "water" }));
    assert.equal(found.project_id, "water");
    assert.equal(
      (await bench.call("get_indexing_status", { job_id: started.fields.job_id })).fields.code,
      "job_not_found",
    );
  });

  test("again says that nothing has changed; force_reindex reads everything", async () => {
    await using bench = await openCode(4);
    const index = async (more: object) =>
      ended(bench, (await bench.call("index_repository", { repo_path: "src", ...more })).fields.job_id);
    assert.equal((await index({})).fields.files_indexed, 4);
    assert.match((await index({})).text, /Repository up to date - no file changes detected since last index \(4 files/);
    assert.equal((await index({ force_reindex: "true" })).fields.files_indexed, 4);
    const found = assertSearch(await bench.call("search_code", { query: "read gauge", repo_path: "src" }));
    assert.equal(found.results.length, 4);
  });

  test("is cancelled by its job, and what was indexed stays", async () => {
    await using bench = await openCode(400);
    const { fields } = await bench.call("index_repository", { repo_path: "." });
    const cancelled = await bench.call("cancel_indexing", { job_id: fields.job_id });
    assertHolds("cancel_indexing", cancelled);
    const done = await ended(bench, fields.job_id);
    assert.deepEqual([done.fields.status, done.fields.error], ["partial", null]);
    assert.match(done.text, /Cancelled; what was indexed before stays\./);
  });

  test("of an empty folder fails with its reason; of a wrong one is an error", async () => {
    await using bench = await openTools();
    const { fields } = await bench.call("index_repository", { repo_path: "." });
    const done = await ended(bench, fields.job_id);
    assert.equal(done.fields.status, "failed");
    assert.match(done.text, /No files to index in .*: it is empty/);
    for (const repo_path of ["none", "/", "/proc"]) {
      const reply = await bench.call("index_repository", { repo_path });
      assert.ok(reply.isError && reply.fields.hint, repo_path);
    }
    for (const job_id of ["nope", "../x", "*", "00000000-0000-0000-0000-000000000000"]) {
      assert.equal((await bench.call("get_indexing_status", { job_id })).fields.code, "job_not_found");
    }
  });

  test("lists skipped files only as far as there is room", async () => {
    await using bench = await openCode(1);
    for (let file = 0; file < 150; file++) await bench.write(`bin/${"long".repeat(20)}${file}.ts`, Buffer.from([0, 1]));
    const { fields } = await bench.call("index_repository", { repo_path: "." });
    const done = await ended(bench, fields.job_id);
    const skipped = done.fields.skipped as unknown[];
    assert.ok(skipped.length > 10 && skipped.length < 150 && done.fields.files_skipped === 150);
    assert.ok(done.text.length <= 4_600 && done.text.includes("Skipped 150 files, including:"));
  });
});
