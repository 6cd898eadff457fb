/** Metrics and usage, moved by what users really do. */
import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { describe, test } from "node:test";
import { addUsageRows, readUsage, sumUsage } from "../src/catalogue/usage-rows.ts";
import { findClientProfile } from "../src/config/clients.ts";
import { defaultSettings, type Settings } from "../src/config/settings.ts";
import { findHttpSimulator } from "../src/overflow/dialects/simulators.ts";
import { withOverflowRecovery } from "../src/overflow/overflow-fetch.ts";
import { openSession } from "../src/session/session.ts";
import { createRelay } from "../src/surfaces/gateway/relay.ts";
import { openToolPins } from "../src/surfaces/gateway/tools/tool-pins.ts";
import { makeToolRules } from "../src/surfaces/gateway/tools/tool-rules.ts";
import { metrics } from "../src/telemetry/metrics.ts";
import { dayOf, type UsageCount, usageNames } from "../src/telemetry/usage.ts";
import { callTool } from "../src/tools/call-tool.ts";
import { findTool } from "../src/tools/tools.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { openCli } from "./cli.ts";
import { measureCpuMs } from "./cpu-time.ts";
import { simulateProvider } from "./provider.ts";
import { startServer } from "./server.ts";
import { patientSearch, waitUntil } from "./waiting.ts";
import { allKeys, startProviders } from "./web-providers.ts";

const text = "A weir is a barrier across a river.\n".repeat(2_000);
const codex = findClientProfile("codex-mcp-client") ?? assert.fail("no such client");

/** The value of a metric; 0 for a series that was not counted yet. */
function readMetric(series: string): number {
  const line = metrics
    .prometheus()
    .split("\n")
    .find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 0);
}

/** Runs the work and says by how much it moved each of these metrics. */
async function measureMoves(series: readonly string[], work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = series.map(readMetric);
  await work();
  return Object.fromEntries(series.map((name, index) => [name, readMetric(name) - (before[index] ?? 0)]));
}

/** A session on a store of its own, whose tools a client calls. */
async function openWork(settings: Partial<Settings> = {}) {
  const folder = await makeTemporaryFolder();
  const all = { ...defaultSettings, ...patientSearch, home: join(folder.path, "home"), run: "work", ...settings };
  const session = await openSession({ settings: all, cwd: folder.path });
  return {
    folder: folder.path,
    session,
    async call(name: string, input: object) {
      const tool = findTool(name) ?? assert.fail(name);
      const reply = await callTool(tool, input, { ...session, client: codex });
      assert.equal(reply.isError, false, reply.text);
      return reply;
    },
    /** Ends the session and reads what the catalogue has. */
    async readTotals(): Promise<Readonly<Record<UsageCount, number>>> {
      await session[Symbol.asyncDispose]();
      const later = await openSession({ settings: all, cwd: folder.path });
      const { catalogue, ownerId: owner } = later.store;
      const totals = sumUsage(await readUsage(catalogue, { owner, by: "client", since: "2020-01-01" }));
      await later[Symbol.asyncDispose]();
      return totals;
    },
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

describe("metrics and usage", () => {
  test("count fetches, cache hits, reads and what was kept out of context", async () => {
    await using server = await startServer((_, response) => {
      response.writeHead(200, { "content-type": "text/plain", "cache-control": "max-age=600" }).end(text);
    });
    await using work = await openWork({ "network.allow": [server.allow] });
    const series = [
      "spillway_bytes_in_total",
      "spillway_bytes_out_total",
      "spillway_chars_extracted_total",
      "spillway_chars_kept_out_total",
      'spillway_fetches_total{cached="true"}',
      'spillway_fetches_total{cached="false"}',
      'spillway_answers_total{kind="fetch",truncated="true"}',
      'spillway_answers_total{kind="read",truncated="false"}',
      "spillway_reads_per_ref_count",
      "spillway_reads_per_ref_sum",
      "spillway_read_chars_total",
      "spillway_fetch_seconds_count",
      `spillway_replies_total{client="${codex.name}",tool="fetch_content",bound="request",outcome="ok"}`,
      `spillway_reply_utilization_ratio_count{client="${codex.name}"}`,
      'spillway_call_seconds_count{tool="fetch_content"}',
    ];
    const moves = await measureMoves(series, async () => {
      const url = `${server.origin}/weir.txt`;
      const { structured } = await work.call("fetch_content", { url, max_chars: 1_000 });
      await work.call("fetch_content", { url, max_chars: 1_000 });
      for (const lines of ["1-2", "3-4"]) await work.call("read_artifact", { artifact_ref: refOf(structured), lines });
    });
    assert.equal(moves.spillway_bytes_in_total, text.length);
    assert.equal(moves.spillway_chars_extracted_total, 2 * text.length);
    assert.ok((moves.spillway_chars_kept_out_total ?? 0) >= 2 * (text.length - 1_000));
    assert.ok((moves.spillway_bytes_out_total ?? 0) > 2_000);
    assert.equal(moves.spillway_reads_per_ref_sum, 1 + 2, "the second read of the ref is its second");
    assert.deepEqual(
      series.slice(4).map((name) => moves[name]),
      [1, 1, 2, 2, 2, 3, moves.spillway_read_chars_total, 2, 2, 4, 2],
    );
    const totals = await work.readTotals();
    const expected = {
      replies: 4,
      answers: 4,
      truncated: 2,
      cache_hits: 1,
      reads: 2,
      bytes_in: text.length,
      errors: 0,
    };
    for (const [name, count] of Object.entries(expected)) assert.equal(totals[name as UsageCount], count, name);
    assert.equal(totals.chars_kept_out, moves.spillway_chars_kept_out_total);
    assert.equal(totals.read_chars, moves.spillway_read_chars_total);
    assert.equal(totals.bytes_out, moves.spillway_bytes_out_total);
  });

  test("count overflow outcomes and the tokens saved", async () => {
    await using work = await openWork();
    const { address, writeRequest } = findHttpSimulator("openai-chat");
    const result = { tool: "shell", result: { text: text.slice(0, 40_000), form: "text" as const } };
    const turns = [
      { user: "What happened?", rounds: [[result]], answer: "It rained." },
      { user: "And?", rounds: [] },
    ];
    const body = JSON.stringify(writeRequest({ system: "You watch dams.", turns, outputTokens: 500 }));
    const series = [
      'spillway_overflows_total{outcome="recovered",class="context_tokens"}',
      'spillway_overflows_total{outcome="classified",class="context_tokens"}',
      "spillway_overflow_tokens_saved_total",
    ];
    const moves = await measureMoves(series, async () => {
      const fetch = withOverflowRecovery(simulateProvider({ windowTokens: 4_000 }).fetch, { session: work.session });
      assert.equal((await fetch(address, { method: "POST", body })).status, 200);
    });
    assert.deepEqual([moves[series[0] ?? ""], moves[series[1] ?? ""]], [1, 1]);
    assert.ok((moves.spillway_overflow_tokens_saved_total ?? 0) > 5_000);
    const { overflows_recovered, tokens_saved } = await work.readTotals();
    assert.deepEqual([overflows_recovered, tokens_saved], [1, moves.spillway_overflow_tokens_saved_total]);
  });

  test("count requests that stay too large, that are sent with earlier stubs, and that are passed on", async () => {
    await using work = await openWork();
    const { address, writeRequest } = findHttpSimulator("openai-chat");
    const result = { tool: "shell", result: { text: text.slice(0, 40_000), form: "text" as const } };
    const bodyOf = (user: string, rounds: (typeof result)[][]) => {
      const turns = [
        { user, rounds, answer: "It rained." },
        { user: "And?", rounds: [] },
      ];
      return JSON.stringify(writeRequest({ system: "You watch dams.", turns, outputTokens: 500 }));
    };
    const overflow = (outcome: string, of = "context_tokens") =>
      `spillway_overflows_total{outcome="${outcome}",class="${of}"}`;
    const series = [overflow("recovered"), overflow("repeated", ""), overflow("failed"), overflow("skipped")];
    const moves = await measureMoves(series, async () => {
      const provider = simulateProvider({ windowTokens: 4_000 });
      const fetch = withOverflowRecovery(provider.fetch, { session: work.session });
      for (const body of [bodyOf("What?", [[result]]), bodyOf("What?", [[result]]), bodyOf(text.slice(0, 60_000), [])])
        await fetch(address, { method: "POST", body });
      const shadowed = { ...work.session.settings, "runner.enable_model_overflow_fallback": "shadow" } as const;
      const passing = withOverflowRecovery(simulateProvider({ windowTokens: 4_000 }).fetch, {
        session: { ...work.session, settings: shadowed },
      });
      await passing(address, { method: "POST", body: bodyOf("Why?", [[result]]) });
    });
    assert.deepEqual(
      series.map((name) => moves[name]),
      [1, 1, 1, 1],
    );
    const { overflows_recovered, overflows_failed } = await work.readTotals();
    assert.deepEqual([overflows_recovered, overflows_failed], [1, 1]);
  });

  test("count requests to web search providers, by outcome, and replies that are errors", async () => {
    let isBroken = false;
    await using providers = await startProviders({
      pages: [{ url: "https://a.example/", title: "A", summary: "weir" }],
      fault(_, response) {
        if (isBroken) response.writeHead(400).end("{}");
        return isBroken;
      },
    });
    await using work = await openWork({ ...providers.settingsFor("exa"), "network.tries": 1 });
    const tool = findTool("web_search") ?? assert.fail();
    const ask = () => callTool(tool, { query: "weir" }, { ...work.session, env: allKeys, client: codex });
    const series = [
      'spillway_web_searches_total{provider="exa",outcome="ok"}',
      'spillway_web_searches_total{provider="exa",outcome="error"}',
      `spillway_replies_total{client="${codex.name}",tool="read_artifact",bound="smallest",outcome="error"}`,
    ];
    const moves = await measureMoves(series, async () => {
      await ask();
      isBroken = true;
      await ask();
      const read = findTool("read_artifact") ?? assert.fail();
      assert.equal((await callTool(read, { artifact_ref: "af_0" }, { ...work.session, client: codex })).isError, true);
    });
    assert.deepEqual(
      series.map((name) => moves[name]),
      [1, 1, 1],
    );
    const { web_searches, errors } = await work.readTotals();
    assert.equal(web_searches, 2);
    assert.ok(errors >= 1);
  });

  test("count results of wrapped servers that had to be cut", async () => {
    await using work = await openWork();
    const relay = createRelay({
      ...{ session: work.session, server: "files", client: "Codex", configName: undefined },
      rules: makeToolRules({ mode: "bound" }),
      pins: openToolPins({ folder: null, server: "files", source: "", rule: "show", log: () => undefined }),
      toClient: async () => undefined,
      toServer: async () => undefined,
      log: () => undefined,
    });
    const series = ['spillway_answers_total{kind="gateway",truncated="true"}', "spillway_chars_kept_out_total"];
    const moves = await measureMoves(series, async () => {
      const message = { jsonrpc: "2.0", id: 1 };
      const params = { name: "list", arguments: {} };
      await relay.fromClient(JSON.stringify({ ...message, method: "tools/call", params }));
      await relay.fromServer(JSON.stringify({ ...message, result: { content: [{ type: "text", text }] } }));
    });
    assert.equal(moves[series[0] ?? ""], 1);
    assert.ok((moves.spillway_chars_kept_out_total ?? 0) > 30_000);
    assert.equal((await work.readTotals()).chars_kept_out, moves.spillway_chars_kept_out_total);
  });

  test("count runs of the code indexer and searches", async () => {
    await using work = await openWork();
    await writeFile(join(work.folder, "weir.ts"), "export const weir = 1;\n");
    const series = [
      'spillway_index_jobs_total{status="completed"}',
      "spillway_index_seconds_count",
      'spillway_answers_total{kind="search",truncated="false"}',
    ];
    const moves = await measureMoves(series, async () => {
      await work.call("search_code", { query: "weir" });
      await waitUntil("the index is built", () => readMetric(series[0] ?? "") > 0);
    });
    for (const name of series) assert.ok((moves[name] ?? 0) >= 1, name);
    assert.ok((await work.readTotals()).index_jobs >= 1);
  });
});

const refOf = (structured: Readonly<Record<string, unknown>>): string =>
  /af_[0-9a-f]{32}/.exec(JSON.stringify(structured))?.[0] ?? assert.fail("no ref");

describe("a session without anything to count", () => {
  test("leaves no file of counts", async () => {
    await using folder = await makeTemporaryFolder();
    await using session = await openSession({ settings: { ...defaultSettings, home: folder.path }, cwd: folder.path });
    const artifact_ref = `af_${"0".repeat(32)}`;
    session.emit({ event: "artifact.swept", artifact_ref, reason: "removed", size_bytes: 1 });
    await session[Symbol.asyncDispose]();
    const files = await readdir(folder.path, { recursive: true });
    assert.deepEqual(
      files.filter((file) => file.endsWith(".jsonl")).map((file) => file.split(sep)[0]),
      ["events"],
    );
  });
});

describe("spillway stats", () => {
  test("shows days, runs, clients and tools, as a table and as JSON", async () => {
    await using cli = await openCli();
    await cli.write("weir.txt", text);
    const [{ artifact_ref }] = await cli.json("fetch", "weir.txt", "--max-chars", "1000", "--set", "run=one");
    await cli.run(["read", artifact_ref, "--lines", "1-2", "--set", "run=two"]);
    const today = dayOf(Date.now());
    const [day] = await cli.json("stats");
    assert.ok(day.day === today || day.day < today, "midnight may have passed");
    assert.deepEqual([day.replies, day.truncated, day.reads], [2, 1, 1]);
    assert.deepEqual(Object.keys(day), ["day", ...usageNames]);
    assert.deepEqual((await cli.json("stats", "--by", "run")).map(({ run }) => run).sort(), ["one", "two"]);
    const { out } = await cli.run(["stats", "--by", "tool"]);
    assert.match(out, /^tool +replies +truncated .*\n\(no tool\) +2 +50 % +72 KB/);
    assert.match(out, /71,000 characters kept out of context; 1 read brought 72 of them back\./);
  });

  test("of an empty store says what to try, and of wrong options what is right", async () => {
    await using cli = await openCli();
    assert.match((await cli.run(["stats"])).out, /Nothing was counted in the last 30 days\. Try: spillway fetch/);
    for (const [args, expected] of [
      [["--by", "week"], /cannot group by "week"[\s\S]*Groups: day, run, client, tool/],
      [["--days", "401"], /from 1 to 400, got "401"/],
      [["--days", "-1"], /days/],
      [["today"], /today/],
    ] as const) {
      const { status, err } = await cli.run(["stats", ...args]);
      assert.equal(status, 2, args.join(" "));
      assert.match(err, expected);
    }
  });

  test("adds up a busy year in little time", async () => {
    await using work = await openWork();
    const { catalogue, ownerId: owner } = work.session.store;
    const now = Date.now();
    const days = Array.from({ length: 365 }, (_, ago) => dayOf(now - ago * 86_400_000));
    const tools = Array.from({ length: 60 }, (_, tool) => ({
      client: `client ${tool % 6}`,
      tool: `tool ${tool % 10}`,
    }));
    const rows = days.flatMap((day) => tools.map((each) => ({ day, ...each, usage: { replies: 1_000 } })));
    await addUsageRows(catalogue, { owner, run: "all", now, batch: "year" }, { rows, outcomes: [] });
    const cpuMs = await measureCpuMs(() => readUsage(catalogue, { owner, by: "tool", since: "2020-01-01" }));
    assert.ok(cpuMs < 2_000, `${cpuMs} ms`);
    await work.session[Symbol.asyncDispose]();
  });
});

describe("spillway events --follow", () => {
  test("prints what other processes do until it is ended", async () => {
    await using cli = await openCli();
    await cli.write("weir.txt", "A weir.\n");
    const stop = new AbortController();
    let printed = "";
    const following = cli.run(["events", "--follow", "work", "--json"], {
      signal: stop.signal,
      onOut(line) {
        printed += line;
        if (line.includes("run.summary")) stop.abort();
      },
    });
    await cli.run(["fetch", "weir.txt", "--set", "run=work"]);
    await following;
    assert.deepEqual(
      printed
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).event),
      ["ingest.classified", "ingest.completed", "run.summary"],
    );
  });

  test("is not a listing", async () => {
    await using cli = await openCli();
    const { status, err } = await cli.run(["events", "--follow", "--list"]);
    assert.equal(status, 2);
    assert.match(err, /--list or --follow, not both/);
  });
});

describe("spillway stats --outcomes", () => {
  test("says how sources were treated and why, for all of the time or by day, run, client or tool", async () => {
    await using cli = await openCli();
    await cli.write("weir.txt", text);
    await cli.write("weir.bin", new Uint8Array([0, 1, 2, 255, 254, 0, 0, 7]));
    for (const run of ["one", "two"]) await cli.run(["fetch", "weir.txt", "--set", `run=${run}`]);
    await cli.run(["fetch", "weir.bin", "--set", "run=two"]);
    await cli.run(["fetch", "missing.txt", "--set", "run=two"]);
    const outcomes = await cli.json("stats", "--outcomes");
    assert.deepEqual(
      outcomes.map(({ event, kind, reason, count }) => [event, kind, reason, count]),
      [
        ["ingest.classified", "text", "extension", 2],
        ["ingest.classified", "unknown_binary", "fallback", 1],
        ["ingest.failed", "", "source_not_found", 1],
      ],
    );
    assert.equal(outcomes[0].bytes_before, 2 * text.length);
    const byRun = await cli.json("stats", "--outcomes", "--by", "run");
    assert.deepEqual(byRun.map(({ run, kind, count }) => [run, kind, count]).sort(), [
      ["one", "text", 1],
      ["two", "", 1],
      ["two", "text", 1],
      ["two", "unknown_binary", 1],
    ]);
    const { out } = await cli.run(["stats", "--outcomes"]);
    assert.match(out, /^event +kind +reason +count +bytes before/);
    assert.match(out, /ingest\.classified +text +extension +2 +144 KB/);
    assert.match((await cli.run(["stats", "--outcomes", "--by", "week"])).err, /cannot group by "week"/);
  });
});
