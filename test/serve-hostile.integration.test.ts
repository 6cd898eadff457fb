/** Requests of strangers to `spillway serve`, byte by byte over a socket: everything that is not exactly right is refused. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { sendBeforeReading, sendUntilAnswered } from "./raw-socket.ts";
import { openServedHttp, sendRaw } from "./served-http.ts";
import { letEventsHappen, waitUntil } from "./waiting.ts";

type Served = Awaited<ReturnType<typeof openServedHttp>>;

let served: Served;
let token: string;

before(async () => {
  served = await openServedHttp({
    settings: { "serve.body_bytes": 64 * 1024, "serve.origins": ["https://app.example"] },
  });
  token = await served.makeToken({ name: "ann" });
});
after(() => served[Symbol.asyncDispose]());

const listTools = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const longBody = " ".repeat(5_000_000);

type Parts = {
  readonly line?: string;
  /** Header lines that replace those of the same name; an empty list removes it. */
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly body?: string | Uint8Array;
};

/** A request that would be served, with some parts of it changed. */
function makeRequest({ line = "POST /mcp HTTP/1.1", headers = {}, body = listTools }: Parts): Uint8Array {
  const bytes = Buffer.from(body);
  const lines = Object.entries({
    Host: [`127.0.0.1:${served.port}`],
    Authorization: [`Bearer ${token}`],
    "Content-Type": ["application/json"],
    Accept: ["application/json, text/event-stream"],
    "Content-Length": [String(bytes.length)],
    Connection: ["close"],
    ...headers,
  }).flatMap(([name, values]) => values.map((value) => `${name}: ${value}`));
  return Buffer.concat([Buffer.from(`${[line, ...lines].join("\r\n")}\r\n\r\n`, "latin1"), bytes]);
}

const statusOf = (reply: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(reply)?.[1] ?? 0);

type Row = readonly [what: string, status: number, parts: Parts];

async function checkRows(rows: readonly Row[]): Promise<void> {
  for (const [what, status, parts] of rows) {
    const reply = await sendRaw(served.port, makeRequest(parts));
    assert.equal(statusOf(reply), status, `${what}: ${reply.slice(0, 300)}`);
    assert.equal(reply.split("HTTP/1.1 ").length, 2, `${what} has one answer`);
    assert.doesNotMatch(reply, /"result"|mcp-session-id: /, what);
    // Nothing that was sent comes back, so nothing can be smuggled into logs or pages.
    assert.doesNotMatch(reply, /evil|spw_/i, what);
  }
}

describe("a request with one wrong part is refused", () => {
  test("the unchanged request is let in", async () => {
    // Without a session it is refused by the protocol, after all checks.
    const reply = await sendRaw(served.port, makeRequest({}));
    assert.equal(statusOf(reply), 400);
    assert.match(reply, /Mcp-Session-Id header is required/);
  });

  test("Host", () =>
    checkRows([
      ["none", 400, { headers: { Host: [] } }],
      ["empty", 403, { headers: { Host: [""] } }],
      ["two", 400, { headers: { Host: [`127.0.0.1:${served.port}`, "evil.example"] } }],
      ["two equal ones", 400, { headers: { Host: [`127.0.0.1:${served.port}`, `127.0.0.1:${served.port}`] } }],
      ["another name", 403, { headers: { Host: [`evil.example:${served.port}`] } }],
      ["another port", 403, { headers: { Host: ["127.0.0.1:1"] } }],
      ["no port", 403, { headers: { Host: ["127.0.0.1"] } }],
      ["another spelling of the address", 403, { headers: { Host: [`127.1:${served.port}`] } }],
      ["a name that ends in ours", 403, { headers: { Host: [`evil.localhost:${served.port}`] } }],
      ["a name that begins with ours", 403, { headers: { Host: [`127.0.0.1.evil.example:${served.port}`] } }],
      ["a user part", 403, { headers: { Host: [`127.0.0.1:${served.port}@evil.example`] } }],
      ["a dot at the end", 403, { headers: { Host: [`localhost.:${served.port}`] } }],
      ["a comma", 403, { headers: { Host: [`127.0.0.1:${served.port}, evil.example`] } }],
    ]));

  test("Origin", () =>
    checkRows([
      ["another site", 403, { headers: { Origin: ["https://evil.example"] } }],
      ["null", 403, { headers: { Origin: ["null"] } }],
      ["empty", 403, { headers: { Origin: [""] } }],
      ["an allowed one with a port", 403, { headers: { Origin: ["https://app.example:8443"] } }],
      ["an allowed one over http", 403, { headers: { Origin: ["http://app.example"] } }],
      ["an allowed one as a suffix", 403, { headers: { Origin: ["https://evil-app.example"] } }],
      ["an allowed one as a prefix", 403, { headers: { Origin: ["https://app.example.evil.example"] } }],
      ["an allowed one with a slash", 403, { headers: { Origin: ["https://app.example/"] } }],
      ["an allowed one in capitals", 403, { headers: { Origin: ["https://APP.example"] } }],
      ["two", 400, { headers: { Origin: ["https://app.example", "https://evil.example"] } }],
      ["our host, another port", 403, { headers: { Origin: ["http://127.0.0.1:1"] } }],
      ["a page without Origin", 403, { headers: { "Sec-Fetch-Site": ["cross-site"] } }],
    ]));

  test("the token", () =>
    checkRows([
      ["none", 401, { headers: { Authorization: [] } }],
      ["empty", 401, { headers: { Authorization: [""] } }],
      ["no text", 401, { headers: { Authorization: ["Bearer "] } }],
      ["an unknown one", 401, { headers: { Authorization: ["Bearer evil"] } }],
      ["cut short", 401, { headers: { Authorization: [`Bearer ${token.slice(0, -1)}`] } }],
      ["one character more", 401, { headers: { Authorization: [`Bearer ${token}x`] } }],
      ["in capitals", 401, { headers: { Authorization: [`Bearer ${token.toUpperCase()}`] } }],
      ["another scheme", 401, { headers: { Authorization: [`Basic ${token}`] } }],
      ["without a scheme", 401, { headers: { Authorization: [token] } }],
      ["two spaces", 401, { headers: { Authorization: [`Bearer  ${token}`] } }],
      ["two tokens", 401, { headers: { Authorization: [`Bearer ${token}, Bearer ${token}`] } }],
      ["two headers", 400, { headers: { Authorization: [`Bearer ${token}`, `Bearer ${token}`] } }],
      ["in the query", 401, { line: `POST /mcp?access_token=${token} HTTP/1.1`, headers: { Authorization: [] } }],
      ["a very long one", 431, { headers: { Authorization: [`Bearer ${"a".repeat(20_000)}`] } }],
      ["with other letters", 401, { headers: { Authorization: [`Bearer ${token}\xff`] } }],
    ]));

  test("the method and the path", () =>
    checkRows([
      ["PUT", 405, { line: "PUT /mcp HTTP/1.1" }],
      ["PATCH", 405, { line: "PATCH /mcp HTTP/1.1" }],
      ["TRACE", 405, { line: "TRACE /mcp HTTP/1.1" }],
      ["HEAD", 405, { line: "HEAD /mcp HTTP/1.1" }],
      ["OPTIONS without an origin", 405, { line: "OPTIONS /mcp HTTP/1.1" }],
      ["CONNECT", 405, { line: "CONNECT evil.example:443 HTTP/1.1" }],
      ["an unknown method", 400, { line: "EVIL /mcp HTTP/1.1" }],
      ["GET with a body", 400, { line: "GET /mcp HTTP/1.1" }],
      ["GET without a session", 405, { line: "GET /mcp HTTP/1.1", body: "", headers: { "Content-Length": [] } }],
      ["DELETE without a session", 405, { line: "DELETE /mcp HTTP/1.1", body: "", headers: { "Content-Length": [] } }],
      ["another path", 404, { line: "POST /evil HTTP/1.1" }],
      ["a path with dots", 400, { line: "POST /mcp/../evil HTTP/1.1" }],
      ["an encoded path", 404, { line: "POST /%6dcp HTTP/1.1" }],
      ["dots", 400, { line: "POST /x/../mcp HTTP/1.1" }],
      ["one dot", 400, { line: "POST /./mcp HTTP/1.1" }],
      ["encoded dots", 400, { line: "POST /x/%2E%2e/mcp HTTP/1.1" }],
      ["a backslash", 400, { line: "POST /x\\..\\mcp HTTP/1.1" }],
      ["an encoded slash", 404, { line: "POST /x%2f..%2fmcp HTTP/1.1" }],
      ["a fragment", 400, { line: "POST /mcp#x HTTP/1.1" }],
      ["an absolute target", 400, { line: "POST http://evil.example/mcp HTTP/1.1" }],
      ["two slashes", 400, { line: "POST //evil.example/mcp HTTP/1.1" }],
      ["an asterisk", 400, { line: "OPTIONS * HTTP/1.1" }],
      ["HTTP/1.0", 505, { line: "POST /mcp HTTP/1.0" }],
      ["HTTP/2.0", 505, { line: "POST /mcp HTTP/2.0" }],
      ["an upgrade", 400, { headers: { Connection: ["Upgrade"], Upgrade: ["websocket"] } }],
    ]));

  test("the content type and coding", () =>
    checkRows([
      ["none", 415, { headers: { "Content-Type": [] } }],
      ["a form", 415, { headers: { "Content-Type": ["application/x-www-form-urlencoded"] } }],
      ["text, which a page may send without asking", 415, { headers: { "Content-Type": ["text/plain"] } }],
      ["text with JSON as a parameter", 415, { headers: { "Content-Type": ["text/plain; a=application/json"] } }],
      ["a type that begins so", 415, { headers: { "Content-Type": ["application/json-evil"] } }],
      ["two", 400, { headers: { "Content-Type": ["application/json", "text/plain"] } }],
      ["gzip", 415, { headers: { "Content-Encoding": ["gzip"] } }],
    ]));

  test("the framing", () =>
    checkRows([
      ["a length and chunks", 400, { headers: { "Transfer-Encoding": ["chunked"] } }],
      ["two lengths", 400, { headers: { "Content-Length": ["46", "47"] } }],
      ["two equal lengths", 400, { headers: { "Content-Length": ["46", "46"] } }],
      ["a negative length", 400, { headers: { "Content-Length": ["-1"] } }],
      ["a length in hex", 400, { headers: { "Content-Length": ["0x2e"] } }],
      ["a length with a sign", 400, { headers: { "Content-Length": ["+46"] } }],
      ["an unknown encoding", 501, { headers: { "Content-Length": [], "Transfer-Encoding": ["gzip, chunked"] } }],
      [
        "a broken chunk",
        400,
        { headers: { "Content-Length": [], "Transfer-Encoding": ["chunked"] }, body: "evil\r\n" },
      ],
      [
        "a chunk that is too long for its size",
        400,
        { headers: { "Content-Length": [], "Transfer-Encoding": ["chunked"] }, body: "1\r\nab\r\n0\r\n\r\n" },
      ],
      ["a space before the colon", 400, { headers: { "X-Evil ": ["1"] } }],
      ["a folded header", 400, { headers: { "X-A": ["1\r\n evil"] } }],
      ["a bare line feed", 400, { headers: { "X-A": ["1\nX-Evil: 1"] } }],
      ["a null byte", 400, { headers: { "X-A": ["\0"] } }],
      ["too many bytes of headers", 431, { headers: { "X-A": ["a".repeat(17_000)] } }],
    ]));

  test("what a client breaks off is not logged, so that nothing but errors of ours fills the log", async () => {
    await using own = await openServedHttp({
      settings: { "serve.llm": "on", "proxy.upstreams": ["openai=http://127.0.0.1:9"] },
    });
    const value = await own.makeToken({ name: "ann" });
    const rows = [
      ["/mcp", `Authorization: Bearer ${value}`],
      ["/llm/openai/v1/responses", `Spillway-Token: ${value}`],
    ];
    for (const [path, field] of rows) {
      const head =
        `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${own.port}\r\n${field}\r\n` +
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
      assert.equal(statusOf(await sendRaw(own.port, `${head}evil\r\n`)), 400, path);
      assert.equal(statusOf(await sendRaw(own.port, `${head}1\r\nab\r\n0\r\n\r\n`)), 400, path);
      const leaving = connect(own.port, "127.0.0.1").resume();
      leaving.end(`${head}4\r\n{"a"\r\n`);
      await once(leaving, "close");
    }
    await letEventsHappen();
    assert.deepEqual(own.logged, []);
  });

  test("the body", () =>
    checkRows([
      ["empty", 400, { body: "" }],
      ["not JSON", 400, { body: "evil" }],
      ["half of a message", 400, { body: listTools.slice(0, 20) }],
      ["not UTF-8", 400, { body: Buffer.from([0x22, 0xff, 0x22]) }],
      ["a mark of UTF-16", 400, { body: Buffer.from(listTools, "utf16le") }],
      ["a number", 400, { body: "1" }],
      ["null", 400, { body: "null" }],
      ["a text", 400, { body: '"evil"' }],
      ["an empty batch", 400, { body: "[]" }],
      ["a message of another protocol", 400, { body: '{"jsonrpc":"1.0","id":1,"method":"tools/list"}' }],
      ["very deep", 400, { body: "[".repeat(30_000) + "]".repeat(30_000) }],
      ["longer than allowed", 413, { body: `"${"a".repeat(70_000)}"` }],
      [
        "longer than allowed, in chunks",
        413,
        {
          headers: { "Content-Length": [], "Transfer-Encoding": ["chunked"] },
          body: `${"1000\r\n".concat("a".repeat(4096), "\r\n").repeat(20)}0\r\n\r\n`,
        },
      ],
    ]));

  test("the session", () =>
    checkRows([
      ["an unknown one", 404, { headers: { "Mcp-Session-Id": ["evil"] } }],
      ["two", 400, { headers: { "Mcp-Session-Id": ["a", "b"] } }],
      ["SQL", 404, { headers: { "Mcp-Session-Id": ["' OR 1=1 --"] } }],
      ["an unknown client's profile", 400, { headers: { "Spillway-Client": ["nothing"] } }],
    ]));
});

describe("a refused request has no other effect", () => {
  for (const [what, body] of [
    ["a short body", listTools],
    ["a body of 5 MB", longBody],
  ] as const)
    test(`a second request on the same connection is not served, behind ${what}`, async () => {
      const once = await served.makeToken({ name: `once-${body.length}`, rate: 1 });
      const second = makeRequest({ headers: { Authorization: [`Bearer ${once}`] } });
      const bad = makeRequest({ headers: { Authorization: ["Bearer evil"], Connection: ["keep-alive"] }, body });
      const reply = await sendBeforeReading(served.port, Buffer.concat([bad, second]));
      assert.equal(statusOf(reply), 401);
      assert.equal(reply.split("HTTP/1.1 ").length, 2, reply);
      assert.equal(statusOf(await sendRaw(served.port, second)), 400, "the only request of this minute was not used");
    });

  test("requests of one connection are served in order", async () => {
    const first = makeRequest({ headers: { Connection: ["keep-alive"] } });
    const second = makeRequest({ line: "GET /healthz HTTP/1.1", headers: { "Content-Length": ["0"] }, body: "" });
    const reply = await sendRaw(served.port, Buffer.concat([first, second]));
    assert.match(reply, /^HTTP\/1\.1 400 .*HTTP\/1\.1 200 .*ok\n$/s);
  });

  test("a body is not asked for before the token was checked", async () => {
    const expect = { Expect: ["100-continue"], "Content-Length": ["10"], Authorization: ["Bearer evil"] };
    const reply = await sendUntilAnswered(served.port, makeRequest({ headers: expect, body: "" }));
    assert.equal(statusOf(reply), 401);
    assert.doesNotMatch(reply, /100 Continue/);
  });

  test("metrics need an admin token, probes and the page need none", async () => {
    const get = async (path: string, value?: string) => {
      const headers = value === undefined ? {} : { authorization: `Bearer ${value}` };
      const response = await fetch(`${served.url}${path}`, { headers });
      return { status: response.status, text: await response.text() };
    };
    assert.equal((await get("/metrics")).status, 401);
    assert.equal((await get("/metrics", token)).status, 403);
    const admin = await served.makeToken({ name: "boss", isAdmin: true });
    const { status, text } = await get("/metrics", admin);
    assert.equal(status, 200);
    assert.match(text, /^spillway_http_requests_total\{route="mcp",status="401"\} [1-9]/m);
    assert.deepEqual(await get("/healthz"), { status: 200, text: "ok\n" });
    assert.deepEqual(await get("/readyz"), { status: 200, text: "ready\n" });
    assert.match((await get("/")).text, /^Spillway /);
  });

  test("a client that leaves in the middle of its body is counted apart from failures", async () => {
    await using small = await openServedHttp();
    const admin = await small.makeToken({ name: "boss", isAdmin: true });
    const socket = connect(small.port, "127.0.0.1");
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${small.port}\r\nAuthorization: Bearer ${admin}\r\n` +
        "Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n",
    );
    await once(socket, "data");
    socket.destroy();
    const readMetrics = async () =>
      (await fetch(`${small.url}/metrics`, { headers: { authorization: `Bearer ${admin}` } })).text();
    const isCounted = async () => (await readMetrics()).includes('{route="broken_off",status="499"} 1\n');
    await waitUntil("it is counted", isCounted);
    assert.doesNotMatch(await readMetrics(), /route="failed"/);
  });

  test("an allowed page may ask, and may read the answer", async () => {
    const headers = { Origin: ["https://app.example"], "Content-Length": [], Authorization: [] };
    const reply = await sendRaw(served.port, makeRequest({ line: "OPTIONS /mcp HTTP/1.1", headers, body: "" }));
    assert.equal(statusOf(reply), 204);
    assert.match(reply, /access-control-allow-origin: https:\/\/app\.example\r\n/);
    const answered = await sendRaw(served.port, makeRequest({ headers: { Origin: ["https://app.example"] } }));
    assert.match(answered, /access-control-allow-origin: https:\/\/app\.example\r\n/);
    assert.doesNotMatch(answered, /access-control-allow-credentials/);
  });
});

describe("a client that sends everything before it reads gets its refusal", () => {
  const inChunks = { "Content-Length": [], "Transfer-Encoding": ["chunked"] };
  const chunked = `${`80000\r\n${"a".repeat(0x80000)}\r\n`.repeat(10)}0\r\n\r\n`;
  const rows: readonly Row[] = [
    ["no token", 401, { headers: { Authorization: [] }, body: longBody }],
    ["another path", 404, { line: "POST /llm/openai/v1/chat/completions HTTP/1.1", body: longBody }],
    ["a length that is too large", 413, { body: longBody }],
    ["chunks that are too large together", 413, { headers: inChunks, body: chunked }],
    ["another content type", 415, { headers: { "Content-Type": ["text/plain"] }, body: longBody }],
  ];
  for (const [what, status, parts] of rows)
    test(`${status} for ${what}`, async () => {
      const reply = await sendBeforeReading(served.port, makeRequest(parts));
      assert.equal(statusOf(reply), status, reply.slice(0, 300));
      assert.match(reply, /"message":"[^"]+"\}\}$/);
    });

  test("429 for a rate", async () => {
    const once = await served.makeToken({ name: "hasty", rate: 1 });
    const parts = { headers: { Authorization: [`Bearer ${once}`] } };
    await sendRaw(served.port, makeRequest(parts));
    const reply = await sendBeforeReading(served.port, makeRequest({ ...parts, body: longBody }));
    assert.equal(statusOf(reply), 429, reply);
  });

  test("413 for an announced length, before anything of it was sent", async () => {
    const announced = makeRequest({ body: "", headers: { "Content-Length": ["99999999"] } });
    assert.equal(statusOf(await sendUntilAnswered(served.port, announced)), 413);
  });
});

describe("what a client may use up", () => {
  test("one owner's requests per minute are limited, another's are not touched", async () => {
    const slow = await served.makeToken({ name: "slow", rate: 2 });
    const send = (value: string) =>
      sendRaw(served.port, makeRequest({ headers: { Authorization: [`Bearer ${value}`] } }));
    const statuses = [await send(slow), await send(slow), await send(slow)].map(statusOf);
    assert.deepEqual(statuses, [400, 400, 429]);
    assert.match(await send(slow), /retry-after: \d+\r\n/);
    assert.equal(statusOf(await send(token)), 400);
  });

  test("requests that stay open are limited per owner", async () => {
    await using small = await openServedHttp({ settings: { "serve.owner_waiting": 2 } });
    const [ann, bob] = [await small.makeToken({ name: "ann" }), await small.makeToken({ name: "bob" })];
    const head = (value: string) =>
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${small.port}\r\nAuthorization: Bearer ${value}\r\n` +
      "Content-Type: application/json\r\nContent-Length: 1\r\nConnection: close\r\n\r\n";
    const sockets = [0, 1].map(() => connect(small.port, "127.0.0.1"));
    for (const socket of sockets) socket.write(head(ann));
    // Their bodies never come. The third is refused as soon as the first two are counted.
    let status = 0;
    for (let tries = 0; tries < 100 && status !== 429; tries++)
      status = statusOf(await sendRaw(small.port, `${head(ann)}1`));
    assert.equal(status, 429);
    assert.equal(statusOf(await sendRaw(small.port, `${head(bob)}1`)), 400);
    for (const socket of sockets) socket.destroy();
  });

  test("no token is valid while the token file is broken, and all are again when it is repaired", async () => {
    const { chmod } = await import("node:fs/promises");
    await using small = await openServedHttp();
    const ann = await small.makeToken({ name: "ann" });
    const ask = () => fetch(small.mcpUrl, { method: "GET", headers: { authorization: `Bearer ${ann}` } });
    assert.equal((await ask()).status, 405);
    await chmod(`${small.home}/tokens.json`, 0o666);
    assert.equal((await ask()).status, 500);
    assert.match(small.logged.join("\n"), /other users can write to it/);
    await chmod(`${small.home}/tokens.json`, 0o600);
    assert.equal((await ask()).status, 405);
  });
});
