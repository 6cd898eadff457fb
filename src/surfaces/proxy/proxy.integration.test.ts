/** The proxy over real sockets, between a client and the simulated provider. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { type Conversation, type Turn, writeRequest } from "../../../test/conversations.ts";
import { openProxiedProvider } from "../../../test/proxied.ts";
import { openWatchedSession } from "../../../test/recovery.ts";
import { waitUntil } from "../../../test/waiting.ts";
import { openRecovery } from "../../overflow/open-recovery.ts";
import { openProxy } from "./proxy-server.ts";
import { parseUpstreams, resolveUpstream } from "./upstreams.ts";

const light = "the level fell by two centimetres\n".repeat(3);
const heavy = "the gate at weir seven opened to 41 percent and the level fell\n".repeat(500);
const turn = (text: string): Turn => ({
  user: "And now?",
  rounds: [[{ tool: "shell", result: { text, form: "text" } }]],
  answer: "Rain.",
});
const conversationOf = (turns: readonly Turn[]): Conversation => ({
  system: "You watch dams.",
  turns,
  outputTokens: 200,
});

const chat = (turns: readonly Turn[], more: object = {}): string =>
  JSON.stringify({ ...writeRequest("openai-chat", conversationOf(turns)), ...more });

describe("the proxy", () => {
  test("passes an accepted request on unchanged, with its keys, and logs none of it", async () => {
    await using setup = await openProxiedProvider({ windowTokens: 100_000 });
    const body = chat([turn(light)]).replace("{", "{ ");
    const response = await setup.post(body, {
      authorization: "Bearer sk-secret",
      "x-api-key": "key-secret",
      "anthropic-version": "2023-06-01",
    });
    assert.match(await response.text(), /done/);
    const [exchange] = setup.provider.exchanges;
    assert.equal(exchange?.json, body);
    assert.deepEqual(
      ["authorization", "x-api-key", "anthropic-version"].map((name) => exchange?.headers[name]),
      ["Bearer sk-secret", "key-secret", "2023-06-01"],
    );
    assert.ok(!JSON.stringify(setup.session.events).includes("secret"));
  });

  test("retries a request that was refused for its size, and says so in a header", async () => {
    await using setup = await openProxiedProvider({ windowTokens: 3_000 });
    const response = await setup.post(chat([turn(heavy), turn(light)]), { "idempotency-key": "k" });
    assert.equal(response.status, 200);
    assert.match(response.headers.get("x-spillway") ?? "", /recovered/);
    assert.deepEqual(
      setup.provider.exchanges.map(({ headers }) => headers["idempotency-key"]),
      ["k", "k-smaller"],
    );
  });

  test("keeps the provider's error format and adds our fields", async () => {
    await using setup = await openProxiedProvider({ windowTokens: 300 });
    const response = await setup.post(chat([{ user: heavy, rounds: [] }]));
    const { error } = JSON.parse(await response.text());
    assert.deepEqual(
      [response.status, error.code, error.spillway.type, setup.provider.exchanges.length],
      [400, "context_length_exceeded", "context_overflow", 1],
    );
  });

  test("passes a stream on event by event, and holds nothing back after the first", async () => {
    let [sentText, receivedText] = ["", ""];
    const afterChunk = async (chunk: string) => {
      const isFirst = sentText === "";
      sentText += chunk;
      if (!isFirst) await waitUntil("the client has all chunks so far", () => receivedText === sentText);
    };
    await using setup = await openProxiedProvider({ windowTokens: 100_000, afterChunk });
    const response = await setup.post(chat([turn(light)], { stream: true }));
    for await (const chunk of response.body ?? []) receivedText += Buffer.from(chunk).toString();
    assert.equal(receivedText, sentText);
  });

  test("recovers from an overflow at the beginning of a stream, but not after content", async () => {
    for (const [overflowInStream, calls] of [
      ["first", 2],
      ["after_content", 1],
    ] as const) {
      await using setup = await openProxiedProvider({ windowTokens: 3_000, overflowInStream });
      const text = await (await setup.post(chat([turn(heavy), turn(light)], { stream: true }))).text();
      assert.deepEqual([setup.provider.exchanges.length, text.includes("three")], [calls, calls === 2]);
    }
  });

  test("passes other endpoints and methods unchanged", async () => {
    await using setup = await openProxiedProvider({});
    const counted = await setup.post(
      "{ not json",
      { authorization: "Bearer t" },
      "/v1/messages/count_tokens?beta=true",
    );
    assert.deepEqual(JSON.parse(await counted.text()), {
      path: "/v1/messages/count_tokens?beta=true",
      method: "POST",
      bytes: 10,
    });
    assert.equal(counted.headers.get("x-echo"), "Bearer t");
    const models = await fetch(`${setup.url}/sim/v1/models`);
    assert.equal(JSON.parse(await models.text()).method, "GET");
  });

  test("streams a body that is too large to hold", async () => {
    await using setup = await openProxiedProvider({ windowTokens: 3_000 }, {}, { bodyBytes: 10_000 });
    const response = await setup.post(chat([turn(heavy), turn(light)]));
    assert.deepEqual([response.status, setup.provider.exchanges.length], [400, 1]);
    const chunked = await fetch(`${setup.url}/sim/v1/chat/completions`, {
      method: "POST",
      body: new Blob([chat([turn(heavy)])]).stream(),
      duplex: "half",
    });
    assert.deepEqual([chunked.status, setup.provider.exchanges.at(-1)?.json], [400, chat([turn(heavy)])]);
  });

  test("sends requests to its upstreams only", async () => {
    await using setup = await openProxiedProvider({});
    for (const path of ["/", "/nowhere/v1", "//evil.example/v1/messages", "/sim@evil.example/x"]) {
      assert.equal(await statusOf(setup.url, path), 404, path);
    }
    assert.equal(await statusOf(setup.url, "http://evil.example/v1/models"), 404);
    assert.equal(await statusOf(setup.url, "/gone/v1/models"), 502);
  });

  test("answers only to local host names, and to web pages only from allowed origins", async () => {
    await using setup = await openProxiedProvider({});
    assert.equal(await statusOf(setup.url, "/sim/v1/models", { host: "evil.example" }), 403);
    assert.equal(
      await statusOf(setup.url, "/sim/v1/models", { host: `rebound.example:${new URL(setup.url).port}` }),
      403,
    );
    assert.equal(await statusOf(setup.url, "/sim/v1/models", { origin: "https://evil.example" }), 403);
    assert.equal(await statusOf(setup.url, "/sim/v1/models", { origin: "null" }), 403);
    assert.equal(await statusOf(setup.url, "/sim/v1/models", { origin: "https://app.example" }), 200);
    assert.equal(await statusOf(setup.url, "/sim/v1/models", { host: `localhost:${new URL(setup.url).port}` }), 200);
  });

  test("listens on 127.0.0.1 only", {
    skip: process.platform !== "linux" && "only Linux answers on every address of 127.0.0.0/8",
  }, async () => {
    await using setup = await openProxiedProvider({});
    const { port } = new URL(setup.url);
    const otherAddress = connect(Number(port), "127.0.0.2");
    const isConnected = await once(otherAddress, "connect").then(
      () => true,
      () => false,
    );
    otherAddress.destroy();
    assert.equal(isConnected, false);
    assert.equal(await statusOf(setup.url, "/sim/v1/models"), 200);
  });

  test("ends the upstream request when the client leaves", async () => {
    const closed = Promise.withResolvers<void>();
    const upstream = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: {}\n\n");
      response.once("close", () => closed.resolve());
    }).listen(0, "127.0.0.1");
    await once(upstream, "listening");
    const address = upstream.address();
    const recovery = openRecovery(await openWatchedSession());
    const upstreams = parseUpstreams([`slow=http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`]);
    await using proxy = await openProxy({ recovery, upstreams, port: 0, allowOrigins: [], bodyBytes: 1_000 });
    const client = new AbortController();
    const response = await fetch(`${proxy.url}/slow/v1/messages`, {
      method: "POST",
      body: "{}",
      signal: client.signal,
    });
    await response.body?.getReader().read();
    client.abort();
    await closed.promise;
    upstream.closeAllConnections();
    upstream.close();
  });

  test("recovers when the upstream refuses a body before it has read it", async () => {
    let calls = 0;
    const upstream = createServer((request, response) => {
      calls++;
      const tooLarge = Number(request.headers["content-length"]) > 1_000_000;
      response.writeHead(tooLarge ? 413 : 200, { "content-type": "application/json" });
      response.end(
        tooLarge ? '{"error":{"message":"Request body is too large; the limit is 1000000 bytes"}}' : '{"ok":true}',
      );
      request.resume();
    }).listen(0, "127.0.0.1");
    await once(upstream, "listening");
    const address = upstream.address();
    const recovery = openRecovery(await openWatchedSession());
    const upstreams = parseUpstreams([`early=http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`]);
    await using proxy = await openProxy({ recovery, upstreams, port: 0, allowOrigins: [], bodyBytes: 2 ** 26 });
    const body = chat([turn(heavy.repeat(120)), turn(light)]);
    const response = await fetch(`${proxy.url}/early/v1/chat/completions`, { method: "POST", body });
    assert.deepEqual([response.status, calls, await response.text()], [200, 2, '{"ok":true}']);
    upstream.closeAllConnections();
    upstream.close();
  });

  test("survives a client that disconnects in the middle of its request", async () => {
    await using setup = await openProxiedProvider({});
    const { port } = new URL(setup.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.end(`POST /sim/v1/messages HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 100\r\n\r\n{"half`);
    socket.resume();
    await once(socket, "close");
    assert.equal(await statusOf(setup.url, "/sim/v1/models"), 200);
  });

  test("inspects nothing when the flag is off", async () => {
    await using setup = await openProxiedProvider(
      { windowTokens: 3_000 },
      { "runner.enable_model_overflow_fallback": "off" },
    );
    const response = await setup.post(chat([turn(heavy)]));
    assert.deepEqual([response.status, setup.provider.exchanges.length, setup.session.events], [400, 1, []]);
  });
});

/** The status of a request whose target and headers are sent exactly as given. */
function statusOf(url: string, path: string, headers: Record<string, string> = {}): Promise<number> {
  const { port, hostname } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, hostname, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", reject).end();
  });
}

describe("upstreams", () => {
  const upstreams = parseUpstreams(["a=https://api.example", "b=https://api.example/v1/"]);
  const cases = [
    ["/a/v1/messages?x=1", "https://api.example/v1/messages?x=1"],
    ["/b/chat/completions", "https://api.example/v1/chat/completions"],
    ["/b", "https://api.example/v1"],
    ["/b/../secret", undefined],
    ["/b/%2e%2e/secret", undefined],
    ["/a@evil.example/x", undefined],
    ["/A/v1", undefined],
    ["a/v1", undefined],
  ] as const;
  for (const [target, expected] of cases) {
    test(`${target} resolves to ${expected ?? "no address"}`, () =>
      assert.equal(resolveUpstream(upstreams, target)?.href, expected));
  }

  for (const line of ["x", "=https://a", "x=ftp://a", "x=https://user@a", "x=https://a?b", "../x=https://a", "x="]) {
    test(`${line} is refused`, () => assert.throws(() => parseUpstreams([line]), /proxy.upstreams cannot hold/));
  }
});
