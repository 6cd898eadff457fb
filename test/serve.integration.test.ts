/** `spillway serve` with clients of the SDK, in the revision with sessions and in the one without. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Queries } from "../src/catalogue/sql.ts";
import { connectClient, openServedHttp, revisions, textOf } from "./served-http.ts";
import { startServer } from "./server.ts";
import { letEventsHappen, waitUntil } from "./waiting.ts";

const accept = "application/json, text/event-stream";

/** Posts one message and returns the answer of any form. */
async function post(url: string, token: string, message: object, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, accept, "content-type": "application/json", ...headers },
    body: JSON.stringify(message),
  });
  const text = await response.text();
  const json = /^data: (.+)$/m.exec(text)?.[1] ?? text;
  return { response, status: response.status, message: json === "" ? undefined : JSON.parse(json) };
}

const initialize = (protocolVersion: string, name = "claude-code") => ({
  jsonrpc: "2.0",
  id: "first",
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name, version: "1" } },
});

/** Begins a session and returns the header of its next requests. */
async function beginSession(url: string, token: string, revision = "2025-11-25", name?: string) {
  const { response, message } = await post(url, token, initialize(revision, name));
  assert.equal(message.result.protocolVersion, revision);
  const id = response.headers.get("mcp-session-id") ?? assert.fail("no session");
  return { "mcp-session-id": id, "mcp-protocol-version": revision };
}

const call = (id: number, name: string, args: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

const refIn = (text: string): string => /af_[0-9a-f]{32}/.exec(text)?.[0] ?? assert.fail(text);
const longText = (word: string): string => `data:text/plain,${`${word} is a river. `.repeat(6_000)}`;

/** Every owner in any table of the catalogue. */
async function listOwners(catalogue: Queries): Promise<string[]> {
  const tables = ["artifacts", "owners", "runs", "uses", "responses", "cache_entries", "jobs", "index_generations"];
  const rows = await Promise.all(
    tables.map((table) => catalogue.all<{ owner: string }>(`SELECT DISTINCT owner FROM ${table}`)),
  );
  return [...new Set(rows.flat().map(({ owner }) => owner))].sort();
}

describe("MCP over HTTP", () => {
  for (const revision of revisions) {
    test(`${revision}: tools, bounded replies, reading on, resources and errors`, async () => {
      await using served = await openServedHttp();
      await using connected = await connectClient(served.mcpUrl, await served.makeToken({ name: "ann" }), revision);
      const { client } = connected;
      assert.equal(client.getNegotiatedProtocolVersion(), revision);
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ["fetch_content", "read_artifact", "search_code", "index_repository"],
      );
      const page = textOf(await client.callTool({ name: "fetch_content", arguments: { url: longText("Elbe") } }));
      assert.ok(page.length < 50_000 && page.includes("Read on: read_artifact"), String(page.length));
      const artifact_ref = refIn(page);
      const read = await client.callTool({ name: "read_artifact", arguments: { artifact_ref, offset: 60_000 } });
      assert.match(textOf(read), /Elbe is a river/);
      const { resources } = await client.listResources();
      assert.ok(resources.some(({ uri }) => uri === `artifact://${artifact_ref}`));
      assert.ok(!resources.some(({ uri }) => uri.startsWith("metrics:")), "metrics are of all owners");
      const { contents } = await client.readResource({ uri: `artifact://${artifact_ref}?offset=60000` });
      assert.match(JSON.stringify(contents), /Elbe is a river/);
      await assert.rejects(client.readResource({ uri: "artifact://af_00000000000000000000000000000000" }));
      await assert.rejects(client.readResource({ uri: "metrics://prometheus" }));
      await assert.rejects(client.callTool({ name: "none", arguments: {} }), /Unknown tool/);
    });

    test(`${revision}: an owner sees nothing of another, and two tokens of one owner see the same`, async () => {
      await using served = await openServedHttp();
      const connect = async (name: string, owner = name) =>
        connectClient(served.mcpUrl, await served.makeToken({ name, owner }), revision);
      await using ann = await connect("ann");
      await using phone = await connect("ann-phone", "ann");
      await using bob = await connect("bob");
      const url = longText("Saale");
      const artifact_ref = refIn(textOf(await ann.client.callTool({ name: "fetch_content", arguments: { url } })));
      const read = (client: typeof ann.client) =>
        client.callTool({ name: "read_artifact", arguments: { artifact_ref } });
      assert.match(textOf(await read(phone.client)), /Saale is a river/);
      const refused = await read(bob.client);
      assert.equal(refused.isError, true);
      assert.doesNotMatch(JSON.stringify(refused), /Saale/);
      await assert.rejects(bob.client.readResource({ uri: `artifact://${artifact_ref}` }));
      const { resources } = await bob.client.listResources();
      assert.deepEqual(
        resources.map(({ uri }) => uri),
        ["health://status"],
      );
      const other = refIn(textOf(await bob.client.callTool({ name: "fetch_content", arguments: { url } })));
      assert.notEqual(other, artifact_ref, "the same bytes have another ref for another owner");
      await bob.client.callTool({ name: "fetch_content", arguments: { urls: [url, "data:text/plain,second"] } });
      assert.deepEqual(await listOwners(served.catalogue), ["ann", "bob"], "the operator owns nothing of this");
    });

    test(`${revision}: local files are off, and on only in the folders of the token`, async () => {
      await using served = await openServedHttp();
      const [inside, outside] = [join(served.folder, "inside.txt"), join(served.home, "tokens.json")];
      await writeFile(inside, "The weir of Ann.");
      const files = await served.makeToken({ name: "files", folders: [served.folder] });
      await using none = await connectClient(served.mcpUrl, await served.makeToken({ name: "none" }), revision);
      const read = async (client: typeof none.client, url: string) =>
        client.callTool({ name: "fetch_content", arguments: { url } });
      for (const path of [inside, `file://${inside}`, "/etc/passwd", ".", outside]) {
        const refused = await read(none.client, path);
        assert.equal(refused.isError, true, path);
        assert.match(textOf(refused), /outside the folders that may be read/, path);
      }
      const search = await none.client.callTool({
        name: "search_code",
        arguments: { query: "weir", repository: served.folder },
      });
      assert.equal(search.isError, true);
      await using some = await connectClient(served.mcpUrl, files, revision);
      assert.match(textOf(await read(some.client, inside)), /The weir of Ann/);
      assert.equal((await read(some.client, "/etc/passwd")).isError, true);
      const status = await some.client.readResource({ uri: "health://status" });
      assert.doesNotMatch(JSON.stringify(status), new RegExp(served.home), "paths of the server are not shown");
    });

    test(`${revision}: progress is reported, and a cancelled call ends its download`, async () => {
      let closed = false;
      await using source = await startServer((_, response) => {
        response.writeHead(200, { "content-type": "text/plain" });
        response.write("begin ");
        response.once("close", () => {
          closed = true;
        });
      });
      await using served = await openServedHttp({ settings: { "network.allow": [source.allow] } });
      await using connected = await connectClient(served.mcpUrl, await served.makeToken({ name: "ann" }), revision);
      const cancel = new AbortController();
      const reports: unknown[] = [];
      const calling = connected.client.callTool(
        { name: "fetch_content", arguments: { url: source.origin } },
        {
          signal: cancel.signal,
          onprogress: (report) => {
            reports.push(report);
            cancel.abort();
          },
        },
      );
      await assert.rejects(calling);
      assert.ok(reports.length > 0);
      await waitUntil("the download ends", () => closed);
    });
  }

  test("clients of older revisions get what they negotiate", async () => {
    await using served = await openServedHttp();
    const token = await served.makeToken({ name: "ann" });
    for (const revision of ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]) {
      const headers = await beginSession(served.mcpUrl, token, revision);
      const { message } = await post(served.mcpUrl, token, { jsonrpc: "2.0", id: 2, method: "tools/list" }, headers);
      assert.equal(message.result.tools.length, 4, revision);
    }
  });

  test("lists may be cached as over stdio, and only privately", async () => {
    await using served = await openServedHttp();
    await using connected = await connectClient(served.mcpUrl, await served.makeToken({ name: "ann" }), "2026-07-28");
    const list = await connected.client.listTools();
    assert.partialDeepStrictEqual(list, { ttlMs: 3_600_000, cacheScope: "private" });
  });

  test("replies are fitted to the client that the handshake or the header names", async () => {
    await using served = await openServedHttp();
    const token = await served.makeToken({ name: "ann" });
    const size = async (name: string, header?: string) => {
      const more = header === undefined ? {} : { "spillway-client": header };
      const { response } = await post(served.mcpUrl, token, initialize("2025-11-25", name), more);
      const headers = { "mcp-session-id": response.headers.get("mcp-session-id") ?? "", ...more };
      const request = call(2, "fetch_content", { url: longText("Unstrut"), maxChars: 100_000 });
      const { message } = await post(served.mcpUrl, token, request, headers);
      return JSON.stringify(message.result).length;
    };
    const [code, named, forced] = [
      await size("claude-code"),
      await size("unknown"),
      await size("unknown", "claude-code"),
    ];
    assert.ok(named > 8_000 && code > 30_000 && Math.abs(forced - code) < 500, `${code} ${named} ${forced}`);
  });

  test("parameters of a wrong form are explained, and arguments as JSON text are read", async () => {
    await using served = await openServedHttp();
    const token = await served.makeToken({ name: "ann" });
    const headers = await beginSession(served.mcpUrl, token);
    const wrong = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { arguments: {} } };
    const { message } = await post(served.mcpUrl, token, wrong, headers);
    assert.equal(message.error.code, -32602);
    const text = {
      ...call(3, "fetch_content", {}),
      params: { name: "fetch_content", arguments: '{"url":"data:,Weir"}' },
    };
    assert.match(textOf((await post(served.mcpUrl, token, text, headers)).message.result), /Weir/);
  });
});

describe("sessions", () => {
  test("belong to the token that began them, until they are ended", async () => {
    await using served = await openServedHttp();
    const [ann, bob] = [await served.makeToken({ name: "ann" }), await served.makeToken({ name: "bob" })];
    const headers = await beginSession(served.mcpUrl, ann);
    const ping = { jsonrpc: "2.0", id: 2, method: "ping" };
    assert.equal((await post(served.mcpUrl, ann, ping, headers)).status, 200);
    const stream = await fetch(served.mcpUrl, {
      headers: { authorization: `Bearer ${ann}`, accept: "text/event-stream", ...headers },
    });
    let hasEnded = false;
    const ended = stream.text().then(() => {
      hasEnded = true;
    });
    assert.equal((await post(served.mcpUrl, bob, ping, headers)).status, 404);
    await letEventsHappen();
    assert.equal(hasEnded, false, "a stranger who knows the id ends nothing");
    const end = (token: string) =>
      fetch(served.mcpUrl, { method: "DELETE", headers: { authorization: `Bearer ${token}`, ...headers } });
    assert.equal((await end(bob)).status, 404);
    assert.equal((await end(ann)).status, 200);
    await ended;
    assert.equal((await post(served.mcpUrl, ann, ping, headers)).status, 404);
  });

  test("end when they are not used for as long as the setting says", async () => {
    let now = Date.now();
    await using served = await openServedHttp({ now: () => now, settings: { "serve.session_keep": 3_600_000 } });
    const token = await served.makeToken({ name: "ann" });
    const headers = await beginSession(served.mcpUrl, token);
    const ping = async () =>
      (await post(served.mcpUrl, token, { jsonrpc: "2.0", id: 2, method: "ping" }, headers)).status;
    now += 3_000_000;
    assert.equal(await ping(), 200);
    now += 3_000_000;
    assert.equal(await ping(), 200, "its use was noted");
    now += 3_600_001;
    assert.equal(await ping(), 404);
    await beginSession(served.mcpUrl, token);
    const rows = await served.catalogue.all("SELECT id FROM mcp_sessions");
    assert.equal(rows.length, 1, "the old row is gone");
  });

  test("any replica answers: of a session, of a ref, of a cancellation", async () => {
    let hasClosed = false;
    await using source = await startServer((_, response) => {
      response.writeHead(200, { "content-type": "text/plain" }).write("begin ");
      response.once("close", () => {
        hasClosed = true;
      });
    });
    const settings = { "network.allow": [source.allow] };
    await using second = await openServedHttp({ settings });
    const token = await second.makeToken({ name: "ann" });
    await using first = await openServedHttp({ settings, home: second.home });
    const headers = await beginSession(first.mcpUrl, token, "2025-06-18", "codex-mcp-client");
    const level = { jsonrpc: "2.0", id: 9, method: "logging/setLevel", params: { level: "debug" } };
    await post(first.mcpUrl, token, level, headers);
    const fetched = await post(first.mcpUrl, token, call(2, "fetch_content", { url: longText("Mulde") }), headers);
    const artifact_ref = refIn(JSON.stringify(fetched.message));
    const read = await post(second.mcpUrl, token, call(3, "read_artifact", { artifact_ref }), headers);
    assert.match(
      JSON.stringify(read.message.result.structuredContent),
      /Mulde is a river/,
      "the client's form is known",
    );
    const rows = await second.catalogue.all("SELECT log_level FROM mcp_sessions");
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ log_level: "debug" }],
    );
    const running = post(first.mcpUrl, token, call(4, "fetch_content", { url: source.origin }), headers);
    await waitUntil("the source is asked", () => source.requests.length > 0);
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 4 } };
    assert.equal((await post(second.mcpUrl, token, cancelled, headers)).status, 202);
    assert.equal((await running).message, undefined, "a cancelled call has no answer");
    await waitUntil("the download ends", () => hasClosed);
    await first.stop();
    const after = await post(second.mcpUrl, token, call(5, "read_artifact", { artifact_ref, offset: 100 }), headers);
    assert.match(JSON.stringify(after.message), /Mulde is a river/);
  });
});

describe("a connection that breaks", () => {
  /** Asks for a source that answers when it is released, and reads no more than the first event of the answer. */
  async function openBroken(served: Awaited<ReturnType<typeof openServedHttp>>, token: string, url: string) {
    const headers = await beginSession(served.mcpUrl, token);
    const cut = new AbortController();
    const response = await fetch(served.mcpUrl, {
      method: "POST",
      signal: cut.signal,
      body: JSON.stringify(call(2, "fetch_content", { url })),
      headers: {
        ...headers,
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
    });
    const { value } = (await response.body?.getReader().read()) ?? {};
    cut.abort();
    const [, id = ""] = /^id: (\S+)$/m.exec(Buffer.from(value ?? []).toString()) ?? [];
    return { headers, id };
  }

  const resume = (url: string, token: string, headers: Record<string, string>, id: string) =>
    fetch(url, {
      headers: { ...headers, authorization: `Bearer ${token}`, accept: "text/event-stream", "last-event-id": id },
    });

  test("is resumed by its session with what was missed, and by no other", async () => {
    const released = Promise.withResolvers<void>();
    await using source = await startServer(async (_, response) => {
      await released.promise;
      response.writeHead(200, { "content-type": "text/plain" }).end("The weir holds.");
    });
    await using served = await openServedHttp({ settings: { "network.allow": [source.allow] } });
    const [ann, bob] = [await served.makeToken({ name: "ann" }), await served.makeToken({ name: "bob" })];
    const { headers, id } = await openBroken(served, ann, source.origin);
    const resumed = await resume(served.mcpUrl, ann, headers, id);
    released.resolve();
    assert.match(await resumed.text(), /The weir holds/);
    assert.match(await (await resume(served.mcpUrl, ann, headers, id)).text(), /The weir holds/, "also afterwards");
    const other = await beginSession(served.mcpUrl, ann);
    const rows = [
      [bob, headers, id, 404],
      [ann, other, id, 400],
      [ann, headers, "unknown", 400],
    ] as const;
    for (const [token, session, eventId, status] of rows)
      assert.equal((await resume(served.mcpUrl, token, session, eventId)).status, status);
  });

  test("of the SDK's client is resumed by itself", async () => {
    const released = Promise.withResolvers<void>();
    await using source = await startServer(async (_, response) => {
      await released.promise;
      response.writeHead(200, { "content-type": "text/plain" }).end("The weir holds.");
    });
    await using served = await openServedHttp({ settings: { "network.allow": [source.allow] } });
    let cuts = 0;
    const cutting: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!String(init?.body ?? "").includes("fetch_content") || cuts > 0) return response;
      cuts++;
      const cut = new TransformStream({
        transform(chunk, controller) {
          controller.enqueue(chunk);
          released.resolve();
          controller.error(new Error("cut"));
        },
      });
      return new Response(response.body?.pipeThrough(cut), response);
    };
    const client = new Client({ name: "opencode", version: "1" }, { versionNegotiation: { mode: "legacy" } });
    const requestInit = { headers: { authorization: `Bearer ${await served.makeToken({ name: "ann" })}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(served.mcpUrl), { requestInit, fetch: cutting }));
    try {
      const result = await client.callTool({ name: "fetch_content", arguments: { url: source.origin } });
      assert.match(textOf(result), /The weir holds/);
      assert.equal(cuts, 1);
    } finally {
      await client.close();
    }
  });
});

describe("stopping", () => {
  test("finishes what runs, ends streams, and takes nothing new", async () => {
    const released = Promise.withResolvers<void>();
    await using source = await startServer(async (_, response) => {
      await released.promise;
      response.writeHead(200, { "content-type": "text/plain" }).end("The weir holds.");
    });
    await using served = await openServedHttp({ settings: { "network.allow": [source.allow] } });
    const token = await served.makeToken({ name: "ann" });
    const headers = await beginSession(served.mcpUrl, token);
    const stream = await fetch(served.mcpUrl, {
      headers: { authorization: `Bearer ${token}`, accept: "text/event-stream", ...headers },
    });
    const running = post(served.mcpUrl, token, call(2, "fetch_content", { url: source.origin }), headers);
    await waitUntil("the source is asked", () => source.requests.length > 0);
    const stopped = served.stop();
    assert.equal(await stream.text(), "", "the stream ends");
    await assert.rejects(fetch(`${served.url}/healthz`), "no new connections");
    released.resolve();
    assert.match(textOf((await running).message.result), /The weir holds/);
    await stopped;
  });
});
