/** What clients send besides plain JSON: compressed bodies, upgrades, large headers; and when a stream is held. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import * as zlib from "node:zlib";
import { writeRequest } from "../../../test/conversations.ts";
import { openProxiedProvider } from "../../../test/proxied.ts";
import { openWatchedSession } from "../../../test/recovery.ts";
import type { Settings } from "../../config/settings.ts";
import { openRecovery } from "../../overflow/open-recovery.ts";
import { decompress } from "./decompress.ts";
import { openProxy } from "./proxy-server.ts";
import { parseUpstreams } from "./upstreams.ts";

const heavy = "the gate at weir seven opened to 41 percent and the level fell\n".repeat(500);
const body = JSON.stringify(
  writeRequest("openai-chat", {
    system: "You watch dams.",
    turns: [
      { user: "Look.", rounds: [[{ tool: "shell", result: { text: heavy, form: "text" } }]], answer: "Seen." },
      { user: "And now?", rounds: [] },
    ],
    outputTokens: 200,
  }),
);

describe("overflow.count_tokens", () => {
  test("asks the upstream's counter with the caller's headers, and not as one of the two requests", async () => {
    const turns = ["a", "b", "c"].map((about) => ({
      user: "Look.",
      rounds: [[{ tool: "shell", result: { text: about + heavy, form: "text" as const } }]],
      answer: "Seen.",
    }));
    const conversation = { system: "s", turns: [...turns, { user: "And now?", rounds: [] }], outputTokens: 100 };
    const json = JSON.stringify(writeRequest("anthropic-messages", conversation));
    const received: string[] = [];
    // Every byte is a token, which no estimate expects.
    const limit = Math.floor(json.length * 0.6);
    await using upstream = await startUpstream(
      async (request, response) => {
        const bytes = await readAll(request);
        received.push(`${request.url} ${request.headers["x-api-key"]}`);
        if (request.url?.endsWith("/count_tokens")) return void response.end(`{"input_tokens":${bytes.length}}`);
        if (bytes.length <= limit) return void response.end('{"content":[],"usage":{"input_tokens":1}}');
        response.writeHead(400, { "content-type": "application/json" });
        response.end(`{"error":{"message":"The prompt exceeds the context window of ${limit} tokens."}}`);
      },
      { "overflow.count_tokens": "on" },
    );
    const response = await upstream.post(Buffer.from(json), { "x-api-key": "k" }, "/v1/messages");
    assert.equal(response.status, 200);
    const counts = received.filter((each) => each === "/v1/messages/count_tokens k").length;
    assert.ok(counts >= 1 && counts <= 3, received.join());
    assert.equal(received.length - counts, 2);
  });
});

describe("a compressed request", () => {
  for (const [encoding, compress] of Object.entries({
    gzip: zlib.gzipSync,
    br: zlib.brotliCompressSync,
    zstd: zlib.zstdCompressSync,
    deflate: zlib.deflateSync,
  })) {
    test(`(${encoding}) is recovered, and sent on as it was where it is accepted`, async () => {
      const received: { encoding: string | undefined; json: string }[] = [];
      await using upstream = await startUpstream(async (request, response) => {
        const bytes = await readAll(request);
        const given = request.headers["content-encoding"];
        const json = decompress(bytes, given ?? "identity", 2 ** 24);
        received.push({ encoding: given, json: String(json) });
        if ((json?.length ?? 0) < 20_000) return void response.end('{"choices":[]}');
        response.writeHead(400, { "content-type": "application/json" });
        response.end('{"error":{"message":"prompt is too long: 9000 tokens > 4000 maximum"}}');
      });
      const headers = { "content-encoding": encoding };
      const response = await upstream.post(compress(Buffer.from(body)), headers);
      assert.equal(response.status, 200);
      assert.deepEqual(
        received.map((each) => each.encoding),
        [encoding, undefined],
      );
      assert.equal(received[0]?.json, body);
      const short = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });
      await upstream.post(compress(Buffer.from(short)), headers);
      assert.deepEqual(received[2], { encoding, json: short });
    });
  }

  test("in an unknown encoding is passed on, and its refusal reported", async () => {
    await using upstream = await startUpstream(async (request, response) => {
      await readAll(request);
      response.writeHead(413, { "content-type": "application/json" }).end('{"error":{"message":"Request too large"}}');
    });
    const response = await upstream.post(Buffer.from("???"), { "content-encoding": "lzma" });
    const { error } = JSON.parse(await response.text());
    assert.deepEqual([response.status, error.spillway.reason], [413, "not_read"]);
  });
});

describe("a body that is too large to hold", () => {
  test("is streamed, and its refusal reported", async () => {
    await using setup = await openProxiedProvider({ windowTokens: 3_000 }, {}, { bodyBytes: 10_000 });
    const response = await setup.post(body);
    const { error } = JSON.parse(await response.text());
    assert.deepEqual([response.status, error.spillway.reason], [400, "not_read"]);
    assert.equal(setup.session.events.filter(({ event }) => event === "overflow.failed").length, 1);
  });
});

describe("an upgrade", () => {
  test("is refused where plain requests are possible, so that the client sends those", async () => {
    await using upstream = await startUpstream(() => assert.fail("nothing is sent upstream"));
    assert.equal((await upstream.upgrade("/v1/responses")).status, 426);
  });

  test("is passed on anywhere else, and both directions are joined", async () => {
    await using upstream = await startUpstream(() => undefined);
    upstream.server.on("upgrade", (request, socket) => {
      assert.equal(request.headers["sec-websocket-key"], "k");
      socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello ");
      socket.on("data", (chunk) => socket.end(chunk));
    });
    const { status, echo } = await upstream.upgrade("/v1/realtime?model=x");
    assert.deepEqual([status, await echo("again")], [101, "hello again"]);
  });

  test("needs the token and a known upstream", async () => {
    await using upstream = await startUpstream(() => undefined, {}, "token");
    assert.equal((await upstream.upgrade("/v1/realtime", "/wrong/up")).status, 403);
    assert.equal((await upstream.upgrade("/v1/realtime", "/token/nowhere")).status, 404);
  });
});

test("headers of 40 KB are passed both ways", async () => {
  const long = "x".repeat(40_000);
  await using upstream = await startUpstream(async (request, response) => {
    await readAll(request);
    response.writeHead(200, { "x-back": String(request.headers["x-long"]) }).end("{}");
  });
  const { hostname, port } = new URL(upstream.url);
  const request = httpRequest({
    hostname,
    port,
    path: "/up/v1/models",
    headers: { "x-long": long },
    maxHeaderSize: 65_536,
  });
  request.end();
  const [response] = await once(request, "response");
  response.resume();
  assert.deepEqual([response.statusCode, response.headers["x-back"]?.length], [200, 40_000]);
});

describe("a stream", () => {
  const role = 'data: {"choices":[{"delta":{"role":"assistant","content":""}}]}\n\n';
  for (const [size, chars, isHeld] of [
    ["small", 100, false],
    ["large", 30_000, true],
  ] as const) {
    test(`of a ${size} request is ${isHeld ? "held until its first content" : "passed on from its first byte"}`, async () => {
      let sendContent: (() => void) | undefined;
      await using upstream = await startUpstream(async (request, response) => {
        await readAll(request);
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(role);
        sendContent = () => void response.end('data: {"choices":[{"delta":{"content":"one"}}]}\n\n');
        // A request that could overflow waits for content, so it must come by itself.
        if (isHeld) sendContent();
      });
      const json = JSON.stringify({
        model: "m",
        stream: true,
        messages: [{ role: "user", content: "x".repeat(chars) }],
      });
      const response = await upstream.post(Buffer.from(json));
      const reader = response.body?.getReader();
      const first = Buffer.from((await reader?.read())?.value ?? "").toString();
      assert.equal(first.startsWith(role), true);
      if (!isHeld) assert.equal(first, role, "the client has the first event before there is content");
      sendContent?.();
      await reader?.cancel();
    });
  }
});

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A proxy with an upstream `/up` that runs the given listener. */
async function startUpstream(listener: Listener, settings: Partial<Settings> = {}, token?: string) {
  const server = createServer({ maxHeaderSize: 65_536 }, (request, response) => void listener(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const upstreams = parseUpstreams([`up=http://127.0.0.1:${port}`]);
  const recovery = openRecovery(await openWatchedSession(settings));
  const proxy = await openProxy({ recovery, upstreams, port: 0, allowOrigins: [], bodyBytes: 2 ** 24, token });
  const { origin, hostname, port: proxyPort } = new URL(proxy.url);
  return {
    server,
    url: origin,
    post: (bytes: Buffer, headers: Record<string, string> = {}, path = "/v1/chat/completions") =>
      fetch(`${proxy.url}/up${path}`, { method: "POST", body: new Uint8Array(bytes), headers }),
    async upgrade(path: string, prefix = "/up") {
      const headers = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-key": "k" };
      const request = httpRequest({ hostname, port: proxyPort, path: `${prefix}${path}`, headers });
      request.end();
      const upgraded = once(request, "upgrade").then(([response, socket, head]) => ({ response, socket, head }));
      const plain = once(request, "response").then(([response]) => ({ response, socket: undefined, head: undefined }));
      const { response, socket, head } = await Promise.race([upgraded, plain]);
      async function echo(text: string): Promise<string> {
        let received = String(head);
        socket.on("data", (chunk: Buffer) => {
          received += chunk;
        });
        socket.write(text);
        await once(socket, "close");
        return received;
      }
      return { status: response.statusCode, echo };
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync<Buffer>(request));
}
