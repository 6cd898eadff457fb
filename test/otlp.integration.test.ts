/** Traces and metrics as an OpenTelemetry collector gets them, from real processes and real calls. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { defaultSettings } from "../src/config/settings.ts";
import { openSession } from "../src/session/session.ts";
import { openUserProxy } from "../src/surfaces/proxy/user-proxy.ts";
import { readEvents } from "../src/telemetry/event-log.ts";
import { type MetricReading, writeText } from "../src/telemetry/prometheus.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { openCli } from "./cli.ts";
import { startCollector } from "./collector.ts";
import { writeRequest } from "./conversations.ts";
import { openMcp } from "./mcp.ts";
import { serveProvider } from "./provider.ts";
import { connectClient, openServedHttp } from "./served-http.ts";
import { startServer } from "./server.ts";
import { waitUntil } from "./waiting.ts";
import { allKeys, startProviders } from "./web-providers.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const callerSpan = "00f067aa0ba902b7";
const _meta = { traceparent: `00-${traceId}-${callerSpan}-01`, tracestate: "rojo=00f067aa0ba902b7" };

const secretText = "The gate code of weir seven is quetzal.";

/** Spans at once, and metrics at the end only. */
const atOnce = { OTEL_BSP_SCHEDULE_DELAY: "1", OTEL_METRIC_EXPORT_INTERVAL: "86400000" };
const exportTo = (origin: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: origin, ...atOnce });

describe("traces of spillway mcp", () => {
  test("belong to the trace that the caller names in _meta, and hold no content, path or key", async () => {
    await using collector = await startCollector();
    await using site = await startServer((_, response) => {
      response.writeHead(200, { "content-type": "text/plain" }).end(secretText);
    });
    await using mcp = await openMcp();
    const env = {
      ...exportTo(collector.origin),
      OTEL_SERVICE_NAME: "my-agent",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test%20bench",
      OTEL_EXPORTER_OTLP_HEADERS: "x-team=dams,authorization=Bearer%20collector-key",
      SPILLWAY_NETWORK_ALLOW: site.allow,
    };
    const client = mcp.lines({ env });
    await client.open("2025-11-25", "codex-mcp-client");
    const url = `${site.origin}/private-path?token=opensesame`;
    await client.request("tools/call", { name: "fetch_content", arguments: { url }, _meta });
    await client.request("tools/call", { name: "read_artifact", arguments: { artifact_ref: "af_0" }, _meta });
    client.child.stdin.end();
    await client.exited;
    const [call, fetched, extracted] = ["tools/call fetch_content", "fetch", "extract text"].map(collector.find);
    assert.ok(call && fetched && extracted);
    assert.deepEqual(
      [call, fetched, extracted].map((span) => [span.traceId, span.parentSpanId, span.traceState, span.kind]),
      [
        [traceId, callerSpan, _meta.tracestate, 2],
        [traceId, call.spanId, _meta.tracestate, 1],
        [traceId, fetched.spanId, _meta.tracestate, 1],
      ],
    );
    const { "spillway.reply.chars": chars, "spillway.reply.limit_chars": limit, ...named } = call.attributes;
    assert.ok(Number(chars) > secretText.length && Number(limit) >= Number(chars));
    assert.deepEqual(named, {
      "mcp.method.name": "tools/call",
      "jsonrpc.request.id": "2",
      "mcp.protocol.version": "2025-11-25",
      "network.transport": "pipe",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "fetch_content",
      "spillway.client": "Codex",
      "spillway.reply.bound": "default",
    });
    assert.deepEqual(fetched.attributes["server.address"], "127.0.0.1");
    assert.deepEqual(fetched.attributes["http.response.status_code"], 200);
    const failed = collector.find("tools/call read_artifact");
    assert.deepEqual(
      [failed.status.code, failed.attributes["error.type"], failed.attributes["spillway.error.code"]],
      [2, "tool_error", "artifact_not_found"],
    );
    const [durations] = collector.metrics().filter(({ name }) => name === "mcp.server.operation.duration");
    assert.deepEqual(
      durations?.series.map(({ labels }) => labels["gen_ai.tool.name"]),
      ["fetch_content", "read_artifact"],
    );
    const { "service.name": service, "deployment.environment.name": environment } = collector.resource();
    assert.deepEqual([service, environment], ["my-agent", "test bench"]);
    for (const { headers } of collector.requests)
      assert.deepEqual([headers["x-team"], headers.authorization], ["dams", "Bearer collector-key"]);
    const sent = collector.bodies.join("\n");
    for (const secret of ["quetzal", "private-path", "opensesame", "collector-key"])
      assert.ok(!sent.includes(secret), `${secret} was exported`);
  });

  test("begin a trace of their own without one, and leave out what the caller does not sample", async () => {
    await using collector = await startCollector();
    await using mcp = await openMcp();
    const client = mcp.lines({ env: exportTo(collector.origin) });
    await client.open();
    const call = (url: string, meta?: object) =>
      client.request("tools/call", { name: "fetch_content", arguments: { url }, ...(meta && { _meta: meta }) });
    await call("data:text/plain,one");
    await call("data:text/plain,two", { traceparent: `00-${traceId}-${callerSpan}-00` });
    await call("data:text/plain,three", { traceparent: "nonsense" });
    client.child.stdin.end();
    await client.exited;
    const calls = collector.spans.filter(({ kind }) => kind === 2);
    assert.equal(calls.length, 2);
    assert.ok(calls.every((span) => span.parentSpanId === undefined && span.traceId !== traceId));
    assert.notEqual(calls[0]?.traceId, calls[1]?.traceId);
  });
});

describe("what spillway serve exports", () => {
  test("equals its /metrics", async () => {
    await using collector = await startCollector();
    let scraped = "";
    {
      await using served = await openServedHttp({ env: exportTo(collector.origin) });
      const token = served.localToken ?? "";
      await using connected = await connectClient(served.mcpUrl, token, "2026-07-28", "codex-mcp-client");
      const params = { name: "fetch_content", arguments: { url: "data:text/plain,weir" }, _meta };
      await connected.client.callTool(params);
      const response = await fetch(`${served.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
      scraped = await response.text();
    }
    const exported = collector.metrics();
    const isOfProcess = ({ name }: MetricReading) => /^spillway_(?!http|calls|owners|mcp)/.test(name);
    // A metric without a series has two lines in the text, and no point to export.
    const expected = scraped.slice(0, scraped.indexOf("# HELP spillway_http_")).replaceAll(/^# .*\n/gm, "");
    assert.equal(writeText(exported.filter(isOfProcess)).replaceAll(/^# .*\n/gm, ""), expected);
    const requests = writeText(exported.filter(({ name }) => name === "spillway_http_requests_total"));
    const [mcpLine] = /^spillway_http_requests_total\{route="mcp",status="200"\} \d+$/m.exec(scraped) ?? [];
    assert.ok(mcpLine && requests.includes(mcpLine), requests);
    assert.match(requests, /route="metrics",status="200"\} 1/);
    assert.ok(exported.some(({ name }) => name === "process_resident_memory_bytes"));
    const call = collector.find("tools/call fetch_content");
    assert.deepEqual([call.parentSpanId, call.attributes["network.transport"]], [callerSpan, "tcp"]);
    assert.equal(call.attributes["mcp.protocol.version"], "2026-07-28");
  });
});

describe("spans of other work", () => {
  test("a request through the proxy and its retry are chat spans of the caller's trace", async () => {
    await using collector = await startCollector();
    await using provider = await serveProvider({ windowTokens: 3_000 });
    await using folder = await makeTemporaryFolder();
    const settings = {
      ...defaultSettings,
      home: join(folder.path, "home"),
      "proxy.upstreams": [`sim=${provider.url}`],
      "otel.endpoint": collector.origin,
    };
    {
      await using session = await openSession({ settings, cwd: folder.path, env: atOnce });
      await using proxy = await openUserProxy({ session, port: 0, hasToken: false });
      const result = { tool: "shell", result: { text: `${secretText}\n`.repeat(1_000), form: "text" as const } };
      const turns = [
        { user: "And?", rounds: [[result]], answer: "Rain." },
        { user: "And now?", rounds: [] },
      ];
      const conversation = writeRequest("openai-chat", { system: "You watch dams.", turns, outputTokens: 200 });
      const response = await fetch(`${proxy.url}/sim/v1/chat/completions`, {
        method: "POST",
        body: JSON.stringify({ ...conversation, model: "gpt-sim" }),
        headers: { "content-type": "application/json", authorization: "Bearer sk-secret", ..._meta },
      });
      assert.equal(response.status, 200);
      await response.text();
    }
    const [first, second, ...others] = collector.spans.filter(({ name }) => name === "chat gpt-sim");
    assert.equal(others.length, 0);
    assert.deepEqual([first?.traceId, first?.parentSpanId, first?.kind], [traceId, callerSpan, 3]);
    assert.deepEqual([second?.traceId, second?.parentSpanId], [traceId, callerSpan]);
    const common = {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-sim",
      "server.address": "127.0.0.1",
      "server.port": Number(new URL(provider.url).port),
    };
    assert.deepEqual(first?.attributes, {
      ...common,
      "http.response.status_code": 400,
      "spillway.overflow.class": "context_tokens",
      "error.type": "context_tokens",
    });
    assert.deepEqual(second?.attributes, { ...common, "http.request.resend_count": 1 });
    assert.ok(collector.metrics().some(({ name }) => name === "gen_ai.client.operation.duration"));
    assert.ok(!/quetzal|sk-secret/.test(collector.bodies.join("\n")));
  });

  test("a call through the gateway ends with the server's answer, its error, or the client's patience", async () => {
    await using collector = await startCollector();
    await using gateway = await openGateway(exportTo(collector.origin));
    const results = [
      await gateway.request("tools/call", { name: "text", arguments: { chars: 50_000 }, _meta }),
      await gateway.request("tools/call", { name: "unknown", arguments: {}, _meta }),
    ];
    assert.equal(results.length, 2);
    gateway.send("tools/call", { name: "silence", arguments: {}, _meta }, 77);
    gateway.send("notifications/cancelled", { requestId: 77 });
    await gateway.request("tools/call", { name: "pid", arguments: {}, _meta });
    await gateway.end();
    const outcomes = ["text", "unknown", "silence", "pid"].map((tool) => {
      const { traceId: id, parentSpanId, kind, attributes } = collector.find(`tools/call ${tool}`);
      assert.deepEqual([id, parentSpanId, kind], [traceId, callerSpan, 3]);
      return attributes["error.type"];
    });
    assert.deepEqual(outcomes, [undefined, "-32602", "cancelled", undefined]);
    assert.ok(collector.metrics().some(({ name }) => name === "mcp.client.operation.duration"));
  });

  test("code searches and web searches are retrievals", async () => {
    await using collector = await startCollector();
    await using providers = await startProviders({
      pages: [{ url: "https://a.example/", title: "A", summary: "weir" }],
    });
    await using mcp = await openMcp();
    await mcp.write("weir.ts", "export const weir = 1;\n");
    const { "web.addresses": addresses } = providers.settingsFor("exa");
    const web = { SPILLWAY_WEB_PROVIDERS: "exa", SPILLWAY_WEB_ADDRESSES: addresses.join(","), ...allKeys };
    const client = mcp.lines({ env: { ...exportTo(collector.origin), ...web } });
    await client.open();
    await client.request("tools/call", { name: "search_code", arguments: { query: "secret weir question" }, _meta });
    await client.request("tools/call", { name: "web_search", arguments: { query: "secret web question" }, _meta });
    client.child.stdin.end();
    await client.exited;
    const code = collector.find("retrieval code");
    assert.equal(code.parentSpanId, collector.find("tools/call search_code").spanId);
    const asked = collector.find("retrieval exa");
    assert.deepEqual([asked.parentSpanId, asked.kind], [collector.find("tools/call web_search").spanId, 3]);
    assert.equal(asked.attributes["gen_ai.operation.name"], "retrieval");
    assert.ok(!/secret (weir|web)/.test(collector.bodies.join("\n")));
  });
});

/** A gateway in front of the test server, whose messages are read one by one. */
async function openGateway(env: Readonly<Record<string, string>>) {
  const folder = await makeTemporaryFolder();
  const [program, server] = ["../src/surfaces/cli/process.ts", "flooding-server.ts"].map((name) =>
    join(import.meta.dirname, name),
  );
  const args = [program ?? "", "gateway", "--", process.execPath, server ?? ""];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? "", HOME: folder.path, SPILLWAY_HOME: folder.path, ...env },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let nextId = 1;
  const send = (method: string, params: object, id?: number) =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...(id && { id }), method, params })}\n`);
  async function request(method: string, params: object): Promise<unknown> {
    const id = nextId++;
    send(method, params, id);
    for (let { value } = await lines.next(); value; { value } = await lines.next())
      if (JSON.parse(value).id === id) return JSON.parse(value);
    return assert.fail("the gateway has ended");
  }
  const clientInfo = { name: "opencode", version: "1" };
  await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  return {
    send,
    request,
    async end() {
      child.stdin.end();
      await exited;
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await exited;
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe("a collector that does not work", () => {
  test("that cannot be reached costs one event and no answer", async () => {
    await using cli = await openCli();
    await cli.write("weir.txt", "A weir.\n");
    const env = exportTo("http://127.0.0.1:1");
    const { status, out } = await cli.run(["fetch", "weir.txt", "--set", "run=work"], { env });
    assert.deepEqual([status, /A weir\./.test(out)], [0, true]);
    const [{ event, signal, endpoint, code }, ...more] = (await cli.json("events", "work")).filter(
      (each) => each.event === "otel.failed" && each.signal === "traces",
    );
    assert.deepEqual([event, signal, endpoint, more.length], ["otel.failed", "traces", "http://127.0.0.1:1", 0]);
    assert.match(code, /ECONNREFUSED|EADDRNOTAVAIL/);
  });

  test("that never answers delays no call, and no end for long", async () => {
    const held: object[] = [];
    await using collector = await startCollector({
      answer: (_, response) => {
        held.push(response);
        return true;
      },
    });
    await using folder = await makeTemporaryFolder();
    const settings = { ...defaultSettings, home: folder.path, run: "work", "otel.endpoint": collector.origin };
    const session = await openSession({ settings, cwd: folder.path, env: atOnce });
    for (let count = 0; count < 20; count++)
      await session.trace(
        () => ({ name: "work" }),
        async () => count,
      );
    await waitUntil("the collector has a request that it does not answer", () => held.length > 0);
    const later = await session.trace(
      () => ({ name: "later" }),
      async () => "done",
    );
    assert.deepEqual([later, held.length], ["done", 1]);
    await session[Symbol.asyncDispose]();
    const events = await readEvents(session.eventFolder, "work").catch(() => []);
    assert.ok(events.filter(({ event }) => event === "otel.failed").length <= 2);
  });

  test("that refuses is asked again later, and gets what it has not taken", async () => {
    let refusals = 0;
    await using collector = await startCollector({
      answer(request, response) {
        if (request.url !== "/v1/traces" || refusals > 0) return false;
        refusals++;
        response.writeHead(503, { "retry-after": "1" }).end("busy");
        return true;
      },
    });
    await using folder = await makeTemporaryFolder();
    const settings = { ...defaultSettings, home: folder.path, "otel.endpoint": collector.origin };
    {
      await using session = await openSession({ settings, cwd: folder.path, env: atOnce });
      await session.trace(
        () => ({ name: "work" }),
        async () => undefined,
      );
      await waitUntil("the collector has refused", () => refusals > 0);
    }
    assert.equal(collector.find("work").name, "work");
  });

  test("with an address or a protocol that is not ours is named in the log, and nothing is sent", async () => {
    for (const [env, expected] of [
      [{ OTEL_EXPORTER_OTLP_ENDPOINT: "ftp://a.example" }, /not a URL of http or https/],
      [{ ...exportTo("http://127.0.0.1:1"), OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /gRPC is not supported/],
    ] as const) {
      await using folder = await makeTemporaryFolder();
      const logged: string[] = [];
      const settings = { ...defaultSettings, home: folder.path };
      const log = (line: string) => void logged.push(line);
      await using session = await openSession({ settings, cwd: folder.path, env, log });
      assert.match(logged.join("\n"), expected);
      assert.equal(
        await session.trace(
          () => assert.fail("no span"),
          async () => "done",
        ),
        "done",
      );
    }
  });
});
