/** The overflow proxy and wrapped servers beside `spillway serve`: the same tokens and owners, and nothing shared between them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Client } from "@modelcontextprotocol/client";
import type { Settings } from "../src/config/settings.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { type Conversation, writeRequest } from "./conversations.ts";
import { type ServedProviderOptions, serveProvider } from "./provider.ts";
import { connectClient, openServedHttp, revisions, sendRaw, textOf } from "./served-http.ts";
import { waitUntil } from "./waiting.ts";

const KEY = "sk-provider-key-1234567890";
const light = "the level fell by two centimetres\n".repeat(3);
const heavyOf = (name: string) => `the gate at weir ${name} opened to 41 percent and the level fell\n`.repeat(500);

const makeBody = (text: string, more: object = {}): string => {
  const turnOf = (result: string) => ({
    user: "And now?",
    rounds: [[{ tool: "shell", result: { text: result, form: "text" as const } }]],
    answer: "Rain.",
  });
  const turns = [turnOf(text), turnOf(light)];
  const conversation: Conversation = { system: "You watch dams.", turns, outputTokens: 200 };
  return JSON.stringify({ ...writeRequest("openai-chat", conversation), ...more });
};

/** A server with a simulated provider, and with tokens of two owners. */
async function openWithProvider(options: ServedProviderOptions, settings: Partial<Settings> = {}) {
  const provider = await serveProvider(options);
  const upstreams = [`sim=${provider.url}`, "gone=http://127.0.0.1:1"];
  const served = await openServedHttp({ settings: { "serve.llm": "on", "proxy.upstreams": upstreams, ...settings } });
  const makeOwner = async (name: string) => ({
    token: await served.makeToken({ name }),
    llmToken: await served.makeToken({ name: `${name}-llm`, owner: name, only: "llm" }),
  });
  return {
    served,
    provider,
    ann: await makeOwner("ann"),
    bob: await makeOwner("bob"),
    ask: (path: string, body: string, headers: Record<string, string> = {}) =>
      fetch(`${served.url}/llm${path}/v1/chat/completions`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", authorization: `Bearer ${KEY}`, ...headers },
      }),
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

const read = async (client: Client, ref: string): Promise<string> =>
  textOf(await client.callTool({ name: "read_artifact", arguments: { artifact_ref: ref } }));

describe("the overflow proxy of spillway serve", () => {
  test("keeps what it removes for the owner of the token, by header or by path, and for no other", async () => {
    await using setup = await openWithProvider({ windowTokens: 3_000 });
    const { served, provider, ann, bob } = setup;
    const replies = [
      await setup.ask("/sim", makeBody(heavyOf("ann")), { "spillway-token": ann.token }),
      await setup.ask(`/${bob.llmToken}/sim`, makeBody(heavyOf("bob"))),
    ];
    for (const reply of replies) assert.match(reply.headers.get("x-spillway") ?? "", /recovered/, await reply.text());
    const stubs = [1, 3].map((index) => provider.exchanges[index]?.json ?? assert.fail());
    const [annRef = "", bobRef = ""] = stubs.map((json) => /af_[0-9a-f]{32}/.exec(json)?.[0] ?? assert.fail(json));
    for (const json of stubs) {
      assert.match(json, /To read it: read_artifact with that artifact_ref/);
      assert.ok(!json.includes(served.home), "no path of the server is shown");
    }
    await using annClient = await connectClient(served.mcpUrl, ann.token, "2026-07-28");
    await using bobClient = await connectClient(served.mcpUrl, bob.token, "2026-07-28");
    assert.match(await read(annClient.client, annRef), /weir ann opened/);
    assert.match(await read(bobClient.client, bobRef), /weir bob opened/);
    assert.doesNotMatch(await read(annClient.client, bobRef), /weir bob opened/);
    assert.doesNotMatch(await read(bobClient.client, annRef), /weir ann opened/);
  });

  test("the provider gets the client's key and nothing of ours; logs and events have none of it", async () => {
    await using setup = await openWithProvider({ windowTokens: 100_000 });
    const { served, provider, ann } = setup;
    const own = {
      "spillway-token": ann.token,
      cookie: "spillway_sign_in=1",
      "x-forwarded-for": "10.0.0.7",
      forwarded: "for=10.0.0.7",
    };
    const reply = await setup.ask("/sim", makeBody(light), { ...own, "x-api-key": KEY, "anthropic-version": "1" });
    assert.equal(reply.status, 200);
    assert.match(reply.headers.get("content-security-policy") ?? "", /sandbox/);
    const headers = provider.exchanges[0]?.headers ?? {};
    assert.deepEqual(
      [headers.authorization, headers["x-api-key"], headers["anthropic-version"]],
      [`Bearer ${KEY}`, KEY, "1"],
    );
    assert.deepEqual(
      Object.keys(own).filter((name) => headers[name] !== undefined),
      [],
    );
    assert.equal((await setup.ask("/gone", makeBody(light), { "spillway-token": ann.token })).status, 502);
    const { localToken = "" } = served;
    const metrics = await (
      await fetch(`${served.url}/metrics`, { headers: { authorization: `Bearer ${localToken}` } })
    ).text();
    assert.match(metrics, /route="llm",status="200"} 1\n/);
    for (const text of [served.logged.join("\n"), metrics])
      assert.ok(!text.includes(KEY) && !text.includes(ann.token) && !text.includes(ann.llmToken));
  });

  test("is refused without a token, and a token that is in addresses opens nothing else", async () => {
    await using setup = await openWithProvider({ windowTokens: 100_000 });
    const { served, provider, ann } = setup;
    const body = makeBody(light);
    const bearer = { authorization: `Bearer ${ann.token}` };
    const rows: readonly [string, number, Promise<Response>][] = [
      ["no token", 401, setup.ask("/sim", body)],
      ["the token in place of the key", 401, setup.ask("/sim", body, bearer)],
      ["an unknown token", 401, setup.ask("/sim", body, { "spillway-token": `${ann.token}x` })],
      ["an unknown token in the path", 401, setup.ask("/spw_unknown/sim", body)],
      ["a token for everything in the path", 403, setup.ask(`/${ann.token}/sim`, body)],
      ["our token as the provider's key", 400, setup.ask(`/${ann.llmToken}/sim`, body, bearer)],
      ["our token as another key", 400, setup.ask(`/${ann.llmToken}/sim`, body, { "x-goog-api-key": ann.token })],
      ["an upstream that is not set", 404, setup.ask("/other", body, { "spillway-token": ann.token })],
      ["a page of another site", 403, setup.ask(`/${ann.llmToken}/sim`, body, { origin: "https://evil.example" })],
      ["its token for our tools", 403, fetch(served.mcpUrl, { headers: { authorization: `Bearer ${ann.llmToken}` } })],
      [
        "its token for signing in",
        403,
        fetch(`${served.url}/sign-in`, { method: "POST", body: new URLSearchParams({ token: ann.llmToken }) }),
      ],
    ];
    for (const [name, status, reply] of rows) assert.equal((await reply).status, status, name);
    const unknown: readonly [Promise<Response>, string][] = [
      [setup.ask("/other", body, { "spillway-token": ann.token }), "/llm/sim, /llm/gone"],
      [setup.ask(`/${ann.llmToken}/other`, body), "/llm/TOKEN/sim, /llm/TOKEN/gone"],
    ];
    for (const [reply, paths] of unknown) {
      const error = { type: "unknown_upstream", message: `The path must begin with one of ${paths}.` };
      assert.deepEqual(await (await reply).json(), { type: "error", error });
    }
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
    const host = `Host: 127.0.0.1:${served.port}\r\n`;
    const tries: readonly [string, string, string][] = [
      ["dots", `GET /llm/${ann.llmToken}/sim/../../../mcp HTTP/1.1\r\n${host}\r\n`, "400"],
      ["encoded dots", `GET /llm/${ann.llmToken}/%2e%2E/mcp HTTP/1.1\r\n${host}\r\n`, "400"],
      ["a foreign host", `GET /llm/${ann.llmToken}/sim/v1/models HTTP/1.1\r\nHost: evil.example\r\n\r\n`, "403"],
      ["a WebSocket", `GET /llm/${ann.llmToken}/sim/v1/responses HTTP/1.1\r\n${host}${upgrade}\r\n`, "426"],
      ["two tokens", `GET /llm/sim/v1/models HTTP/1.1\r\n${host}Spillway-Token: a\r\nSpillway-Token: b\r\n\r\n`, "400"],
    ];
    for (const [name, bytes, status] of tries)
      assert.ok((await sendRaw(served.port, bytes)).startsWith(`HTTP/1.1 ${status} `), name);
    assert.equal(provider.exchanges.length, 0);
  });

  test("is refused in the form of a provider's error, and MCP in its own", async () => {
    await using setup = await openWithProvider({ windowTokens: 100_000 }, { "serve.owner_rate": 1 });
    const { served, ann } = setup;
    const body = makeBody(light);
    const bearer = { authorization: `Bearer ${ann.token}` };
    await (await setup.ask(`/${ann.llmToken}/sim`, body)).text();
    const rows: readonly [type: string, message: RegExp, () => Promise<Response>][] = [
      ["authentication_error", /^Send a valid token: Spillway-Token/, () => setup.ask("/sim", body)],
      [
        "authentication_error",
        /^Send a valid token/,
        () => setup.ask("/sim", body, { "spillway-token": "spw_unknown" }),
      ],
      ["permission_error", /must not be in an address/, () => setup.ask(`/${ann.token}/sim`, body)],
      ["invalid_request_error", /Put your key there/, () => setup.ask(`/${ann.llmToken}/sim`, body, bearer)],
      ["rate_limit_error", /^At most 1 requests per minute/, () => setup.ask(`/${ann.llmToken}/sim`, body)],
      ["permission_error", /./, () => setup.ask("/sim", body, { origin: "https://evil.example" })],
    ];
    for (const [type, message, ask] of rows) {
      const refusal = (await (await ask()).json()) as { type: string; error: { type: string; message: string } };
      assert.deepEqual([refusal.type, refusal.error.type], ["error", type], message.source);
      assert.match(refusal.error.message, message);
    }
    const elsewhere = await Promise.all([served.mcpUrl, `${served.url}/llmx`].map((url) => fetch(url)));
    for (const reply of elsewhere) assert.equal(((await reply.json()) as { jsonrpc?: string }).jsonrpc, "2.0");
  });

  test("counts against the owner's rate", async () => {
    await using setup = await openWithProvider({ windowTokens: 100_000 }, { "serve.owner_rate": 2 });
    const { ann, bob } = setup;
    const statuses = [];
    for (const token of [ann.llmToken, ann.llmToken, ann.llmToken, bob.llmToken])
      statuses.push((await setup.ask(`/${token}/sim`, makeBody(light))).status);
    assert.deepEqual(statuses, [200, 200, 429, 200]);
  });

  test("stopping finishes a stream that runs and takes no new request", async () => {
    const gate = Promise.withResolvers<void>();
    await using setup = await openWithProvider({ windowTokens: 100_000, afterChunk: () => gate.promise });
    const { served, ann } = setup;
    const reply = await setup.ask(`/${ann.llmToken}/sim`, makeBody(light, { stream: true }));
    const waiting = connect(served.port, "127.0.0.1");
    await once(waiting, "connect");
    const stopped = served.stop();
    const isRefused = await setup.ask(`/${ann.llmToken}/sim`, makeBody(light)).then(
      ({ status }) => status === 503,
      () => true,
    );
    assert.ok(isRefused);
    gate.resolve();
    assert.match(await reply.text(), /\[DONE\]/);
    await stopped;
    waiting.destroy();
  });

  test("without the setting there is nothing under /llm and /servers", async () => {
    await using served = await openServedHttp();
    const { localToken = "" } = served;
    for (const path of ["/llm/openai/v1/models", "/servers/mcp"])
      assert.equal(
        (await fetch(`${served.url}${path}`, { headers: { authorization: `Bearer ${localToken}` } })).status,
        404,
      );
  });
});

const flooding = { command: process.execPath, args: [join(import.meta.dirname, "flooding-server.ts")] };
const sdk = (name: string) => ({ command: process.execPath, args: [join(import.meta.dirname, "sdk-server.ts"), name] });

/** A server with wrapped servers of the operator's file. */
async function openWithServers(servers: object, settings: Partial<Settings> = {}, home?: string) {
  const folder = await makeTemporaryFolder();
  const config = join(folder.path, ".config", "spillway");
  await mkdir(config, { recursive: true });
  await writeFile(join(config, "gateway.jsonc"), JSON.stringify({ servers }), { mode: 0o600 });
  const served = await openServedHttp({
    settings: { "serve.servers": ["*"], ...settings },
    env: { HOME: folder.path, PATH: process.env.PATH ?? "" },
    ...(home && { home }),
  });
  const makeToken = (name: string) => (home === undefined ? served.makeToken({ name }) : "");
  const [ann, bob] = [await makeToken("ann"), await makeToken("bob")];
  return {
    served,
    ann,
    bob,
    urlOf: (name: string) => `${served.url}/servers/${name}/mcp`,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const call = async (client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> =>
  textOf(await client.callTool({ name, arguments: args }));

describe("wrapped servers of spillway serve", () => {
  for (const revision of revisions)
    test(`${revision}: large results are kept for the owner of the token, and no other reads them`, async () => {
      await using setup = await openWithServers({ docs: sdk("docs") });
      await using ann = await connectClient(setup.urlOf("docs"), setup.ann, revision);
      await using bob = await connectClient(setup.urlOf("docs"), setup.bob, revision);
      const { tools } = await ann.client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ["text", "name", "read_artifact"],
      );
      assert.equal(await call(bob.client, "name"), "docs");
      const page = await call(ann.client, "text", { chars: 200_000 });
      assert.ok(page.length < 60_000, `${page.length} characters`);
      const ref = /af_[0-9a-f]{32}/.exec(page)?.[0] ?? assert.fail(page.slice(0, 500));
      const query = { artifact_ref: ref, query: "NEEDLE" };
      assert.match(await call(ann.client, "read_artifact", query), /NEEDLE 4711/);
      assert.doesNotMatch(await call(bob.client, "read_artifact", query), /NEEDLE 4711/);
      await using own = await connectClient(setup.served.mcpUrl, setup.ann, revision);
      assert.match(await call(own.client, "read_artifact", query), /NEEDLE 4711/, "also through our own tools");
    });

  test("several are one under prefixes", async () => {
    await using setup = await openWithServers({ docs: sdk("docs"), wiki: sdk("wiki") });
    for (const revision of revisions) {
      await using ann = await connectClient(`${setup.served.url}/servers/mcp`, setup.ann, revision);
      const { tools } = await ann.client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ["docs_text", "docs_name", "wiki_text", "wiki_name", "read_artifact"],
      );
      assert.equal(await call(ann.client, "wiki_name"), "wiki");
    }
  });

  test("every owner has processes of its own, which know the owner's name", async () => {
    await using setup = await openWithServers({ own: { ...flooding, env: { OWNER: "$SPILLWAY_OWNER" } } });
    await using ann = await connectClient(setup.urlOf("own"), setup.ann, "2025-11-25");
    await using bob = await connectClient(setup.urlOf("own"), setup.bob, "2025-11-25");
    assert.deepEqual([await call(ann.client, "owner"), await call(bob.client, "owner")], ["ann", "bob"]);
    assert.notEqual(await call(ann.client, "pid"), await call(bob.client, "pid"));
  });

  test("a session opens nothing for another owner, another token or another server", async () => {
    await using setup = await openWithServers({ docs: sdk("docs"), wiki: sdk("wiki") });
    const { served } = setup;
    await using ann = await connectClient(setup.urlOf("docs"), setup.ann, "2025-11-25");
    const id = ann.transport.sessionId ?? assert.fail();
    const other = await served.makeToken({ name: "ann-ci", owner: "ann" });
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const ask = (url: string, token: string) =>
      fetch(url, {
        method: "POST",
        body,
        headers: {
          authorization: `Bearer ${token}`,
          "mcp-session-id": id,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
      });
    const rows: readonly [string, string, number][] = [
      [setup.urlOf("docs"), setup.bob, 404],
      [setup.urlOf("docs"), other, 404],
      [setup.urlOf("wiki"), setup.ann, 404],
      [served.mcpUrl, setup.ann, 404],
      [setup.urlOf("docs"), "spw_unknown", 401],
      [setup.urlOf("nothing"), setup.ann, 404],
      [setup.urlOf("docs"), setup.ann, 200],
    ];
    for (const [url, token, status] of rows) {
      const reply = await ask(url, token);
      assert.equal(reply.status, status, url);
      await reply.body?.cancel();
    }
  });

  test("a server that dies gives a clear error, and the next call starts it again", async () => {
    await using setup = await openWithServers({ own: flooding });
    await using ann = await connectClient(setup.urlOf("own"), setup.ann, "2025-11-25");
    await assert.rejects(call(ann.client, "crash"), /ended with code 3.*started again by the next call/);
    const pid = Number(await call(ann.client, "pid"));
    process.kill(pid, "SIGKILL");
    await waitUntil("its end was noticed", () => setup.served.logged.some((line) => line.includes("SIGKILL")));
    assert.notEqual(Number(await call(ann.client, "pid")), pid);
  });

  test("where there is room for one, the idle one ends and its session starts it again", async () => {
    await using setup = await openWithServers({ own: flooding }, { "serve.owner_processes": 1 });
    await using one = await connectClient(setup.urlOf("own"), setup.ann, "2025-11-25");
    const first = Number(await call(one.client, "pid"));
    await using two = await connectClient(setup.urlOf("own"), setup.ann, "2025-11-25");
    await call(two.client, "pid");
    await waitUntil("the first process has ended", () => !isRunning(first));
    const again = Number(await call(one.client, "pid"));
    assert.notEqual(again, first, "the session of the first client remains");
  });

  test("another replica answers a session, with a process of its own there", async () => {
    await using setup = await openWithServers({ own: flooding });
    await using ann = await connectClient(setup.urlOf("own"), setup.ann, "2025-11-25");
    const pid = await call(ann.client, "pid");
    await using replica = await openWithServers({ own: flooding }, {}, setup.served.home);
    const reply = await fetch(replica.urlOf("own"), {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "pid" } }),
      headers: {
        authorization: `Bearer ${setup.ann}`,
        "mcp-session-id": ann.transport.sessionId ?? "",
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
    });
    const text = await reply.text();
    assert.match(text, /"text":"\d+"/);
    assert.ok(!text.includes(`"${pid}"`));
  });

  test("stopping ends every process", async () => {
    await using setup = await openWithServers({ own: flooding });
    await using ann = await connectClient(setup.urlOf("own"), setup.ann, "2025-11-25");
    await using bob = await connectClient(setup.urlOf("own"), setup.bob, "2025-11-25");
    const pids = [Number(await call(ann.client, "pid")), Number(await call(bob.client, "pid"))];
    await setup.served.stop();
    assert.deepEqual(pids.filter(isRunning), []);
  });

  test("a batch is not a way around the limits of calls", async () => {
    await using setup = await openWithServers({ own: flooding });
    const body = JSON.stringify(
      Array.from({ length: 21 }, (_, id) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "pid" } })),
    );
    const headers = { authorization: `Bearer ${setup.ann}`, "content-type": "application/json" };
    const reply = await fetch(setup.urlOf("own"), { method: "POST", body, headers });
    assert.equal(reply.status, 400);
    assert.match(await reply.text(), /at most 20 messages/);
  });

  test("what the settings or the file get wrong is said at the start", async () => {
    const rows: readonly [object, Partial<Settings>, RegExp][] = [
      [{ own: flooding }, { "serve.servers": ["wiki"] }, /serve\.servers has "wiki"/],
      [{}, {}, /names no servers/],
      [{ own: { ...flooding, env: { A: "$MISSING" } } }, {}, /variable that is not set/],
    ];
    for (const [servers, settings, sentence] of rows)
      await assert.rejects(openWithServers(servers, settings), sentence);
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // There is no such process.
  }
}
