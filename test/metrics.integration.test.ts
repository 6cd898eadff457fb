/** Every metric has a test that moves it through the real path; those of the server are moved here. */
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createMetrics } from "../src/telemetry/metrics.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { writeRequest } from "./conversations.ts";
import { serveProvider } from "./provider.ts";
import { connectClient, openServedHttp } from "./served-http.ts";
import { startServer } from "./server.ts";
import { waitUntil } from "./waiting.ts";

const usage = "test/usage.integration.test.ts";
const fetches = [usage, "count fetches, cache hits, reads and what was kept out of context"] as const;
const overflows = [usage, "count overflow outcomes and the tokens saved"] as const;
const indexing = [usage, "count runs of the code indexer and searches"] as const;
const searches = ["src/search/search.integration.test.ts", "updates the three metrics"] as const;
const averages = ["test/mcp-search.integration.test.ts", "spillway_search_utilization_ratio_average"] as const;
const here = "test/metrics.integration.test.ts";
const answered = [here, "count requests by route and status, with their time"] as const;
const gauges = [here, "show what runs, waits and is open"] as const;

/** The file and the name of the test that moves each metric. */
const tests: Readonly<Record<string, readonly [file: string, name: string]>> = {
  spillway_bytes_in_total: fetches,
  spillway_bytes_out_total: fetches,
  spillway_chars_extracted_total: fetches,
  spillway_chars_kept_out_total: [usage, "count results of wrapped servers that had to be cut"],
  spillway_replies_total: fetches,
  spillway_reply_utilization_ratio: fetches,
  spillway_call_seconds: fetches,
  spillway_answers_total: [usage, "count results of wrapped servers that had to be cut"],
  spillway_fetches_total: fetches,
  spillway_fetch_seconds: fetches,
  spillway_reads_per_ref: fetches,
  spillway_read_chars_total: fetches,
  spillway_overflows_total: [usage, "count requests that stay too large, that are sent with earlier stubs"],
  spillway_overflow_tokens_saved_total: overflows,
  spillway_pool_restarts_total: [
    "src/extract/pool/pool.integration.test.ts",
    "counts the children that it replaces in the metrics",
  ],
  spillway_index_jobs_total: indexing,
  spillway_index_seconds: indexing,
  spillway_web_searches_total: [usage, "count requests to web search providers, by outcome"],
  spillway_search_truncated_total: searches,
  spillway_search_utilization_ratio: searches,
  spillway_search_utilization_ratio_average: averages,
  spillway_search_truncation_ratio: searches,
  spillway_search_truncation_ratio_average: averages,
  spillway_http_requests_total: answered,
  spillway_http_request_seconds: answered,
  spillway_calls_running: gauges,
  spillway_calls_waiting: gauges,
  spillway_owners_open: gauges,
  spillway_mcp_sessions_live: gauges,
  spillway_llm_running: gauges,
  spillway_servers_running: [here, "show how many wrapped servers run"],
  process_resident_memory_bytes: gauges,
};

describe("every metric", () => {
  test("is named with a test that moves it", async () => {
    for (const { name } of createMetrics().read()) assert.ok(name in tests, `${name} has no test`);
    for (const [metric, [file, name]] of Object.entries(tests)) {
      const source = await readFile(join(import.meta.dirname, "..", file), "utf8");
      assert.ok(source.includes(name), `${metric}: ${file} has no test "${name}"`);
    }
  });
});

type Served = Awaited<ReturnType<typeof openServedHttp>>;

async function scrape(served: Served): Promise<string> {
  const headers = { authorization: `Bearer ${served.localToken}` };
  return (await fetch(`${served.url}/metrics`, { headers })).text();
}

const readSeries = (text: string, series: string): number =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1) ?? 0,
  );

describe("the metrics of spillway serve", () => {
  test("count requests by route and status, with their time", async () => {
    await using served = await openServedHttp();
    await fetch(`${served.url}/healthz`);
    await fetch(`${served.url}/mcp`, { method: "POST", body: "{}" });
    const text = await scrape(served);
    assert.equal(readSeries(text, 'spillway_http_requests_total{route="healthz",status="200"}'), 1);
    assert.equal(readSeries(text, 'spillway_http_requests_total{route="mcp",status="401"}'), 1);
    assert.equal(readSeries(text, 'spillway_http_request_seconds_count{route="healthz"}'), 1);
    for (const [, name = ""] of text.matchAll(/^# TYPE (\S+) /gm)) assert.ok(name in tests, `${name} has no test`);
  });

  test("show how many wrapped servers run", async () => {
    await using folder = await makeTemporaryFolder();
    const config = join(folder.path, ".config", "spillway");
    await mkdir(config, { recursive: true });
    const files = { command: process.execPath, args: [join(import.meta.dirname, "flooding-server.ts")] };
    await writeFile(join(config, "gateway.jsonc"), JSON.stringify({ servers: { files } }), { mode: 0o600 });
    const env = { HOME: folder.path, PATH: process.env.PATH ?? "" };
    await using served = await openServedHttp({ settings: { "serve.servers": ["*"] }, env });
    assert.equal(readSeries(await scrape(served), "spillway_servers_running"), 0);
    const url = `${served.url}/servers/files/mcp`;
    await using connected = await connectClient(url, served.localToken ?? "", "2025-11-25");
    await connected.client.callTool({ name: "pid", arguments: {} });
    assert.equal(readSeries(await scrape(served), "spillway_servers_running"), 1);
  });

  test("show what runs, waits and is open", async () => {
    const held: ServerResponse[] = [];
    await using site = await startServer((_, response) => void held.push(response));
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using provider = await serveProvider({ afterChunk: () => gate });
    await using served = await openServedHttp({
      settings: {
        ...{ "serve.calls": 1, "serve.llm": "on", "proxy.upstreams": [`sim=${provider.url}`] },
        ...{ "network.allow": [site.allow], "network.delay": 0 },
      },
    });
    await using connected = await connectClient(served.mcpUrl, served.localToken ?? "", "2025-11-25");
    const call = (path: string) =>
      connected.client.callTool({ name: "fetch_content", arguments: { url: `${site.origin}/${path}` } });
    const calls = [call("one"), call("two")];
    const conversation = { system: "Dams.", turns: [{ user: "And?", rounds: [] }], outputTokens: 20 };
    const asked = fetch(`${served.url}/llm/sim/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ ...writeRequest("openai-chat", conversation), stream: true }),
      headers: { "content-type": "application/json", "spillway-token": served.localToken ?? "" },
    });
    const names = [
      ...["spillway_calls_running", "spillway_calls_waiting", "spillway_owners_open", "spillway_mcp_sessions_live"],
      ...["spillway_llm_running", "process_resident_memory_bytes"],
    ];
    await waitUntil("every gauge has moved", async () => {
      const text = await scrape(served);
      return names.every((name) => readSeries(text, name) > 0);
    });
    release();
    await (await asked).text();
    const answerHeld = () => {
      for (const response of held.splice(0)) response.writeHead(200, { "content-type": "text/plain" }).end("A weir.");
    };
    const answering = setInterval(answerHeld, 20);
    await Promise.all(calls);
    clearInterval(answering);
    await waitUntil("nothing runs any more", async () => {
      const text = await scrape(served);
      return names.slice(0, 2).every((name) => readSeries(text, name) === 0);
    });
  });
});
