/** The proxy with upstreams that behave badly (early refusals, resets, odd streams), and its access control. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from "node:http";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { sendBeforeReading } from "../../../test/raw-socket.ts";
import { openWatchedSession } from "../../../test/recovery.ts";
import { letEventsHappen } from "../../../test/waiting.ts";
import type { Settings } from "../../config/settings.ts";
import { SpillwayError } from "../../errors.ts";
import { openRecovery } from "../../overflow/open-recovery.ts";
import { openProxy, type ProxyOptions } from "./proxy-server.ts";
import { parseUpstreams } from "./upstreams.ts";

async function readBody(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync<Buffer>(request));
}

/** A proxy with an upstream that runs the given listener. */
async function startProxy(
  listener: RequestListener,
  settings: Partial<Settings> = {},
  more: Partial<ProxyOptions> = {},
) {
  const upstream = createServer(listener).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const address = upstream.address();
  const direct = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const session = await openWatchedSession(settings);
  const upstreams = parseUpstreams([`up=${direct}`]);
  const proxy = await openProxy({
    recovery: openRecovery(session),
    upstreams,
    port: 0,
    allowOrigins: [],
    bodyBytes: 2 ** 26,
    ...more,
  });
  return {
    proxy,
    session,
    post: (body: string | ReadableStream, path = "/v1/chat/completions", headers: Record<string, string> = {}) =>
      fetch(`${proxy.url}/up${path}`, { method: "POST", body, headers, duplex: "half" }),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      upstream.closeAllConnections();
      await new Promise((resolve) => upstream.close(resolve));
    },
  };
}

const conversation = (chars: number, more: object = {}): string =>
  JSON.stringify({
    model: "m",
    messages: [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "a", content: "the level fell ".repeat(chars / 15) },
      { role: "assistant", content: "k" },
      { role: "user", content: "n" },
    ],
    ...more,
  });

const refusal = JSON.stringify({
  error: {
    message: "This model's maximum context length is 6000 tokens. However, your messages resulted in 9000 tokens.",
    code: "context_length_exceeded",
  },
});
const json = { "content-type": "application/json" };
const stream = { "content-type": "text/event-stream" };

describe("an upstream that streams", () => {
  for (const [name, type, chunks] of [
    [
      "a list",
      "application/json; charset=UTF-8",
      ['[{"candidates":[{"content":{"parts":[{"text":"one"}]}}]}', ',{"candidates":[]}', "]"],
    ],
    ["lines", "application/x-ndjson", ['{"message":{"content":"one"},"done":false}\n', '{"done":true}\n', ""]],
  ] as const) {
    test(`${name} of JSON is passed on element by element`, async () => {
      const firstReceived = Promise.withResolvers<void>();
      await using setup = await startProxy(async (request, response) => {
        await readBody(request);
        response.writeHead(200, { "content-type": type });
        response.write(chunks[0]);
        await firstReceived.promise;
        response.end(chunks[1] + chunks[2]);
      });
      const response = await setup.post('{"contents":[]}', "/v1beta/models/g:streamGenerateContent");
      const reader = response.body?.getReader();
      assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), chunks[0]);
      firstReceived.resolve();
      assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), chunks[1] + chunks[2]);
    });
  }

  const openings = {
    "without a last blank line": `data: ${refusal}\n`,
    "as plain JSON": refusal,
    "with CRLF": `event: error\r\ndata: ${refusal}\r\n\r\n`,
    "after the chunk that only names the role": `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\ndata: ${refusal}\n\n`,
    "after message_start": `event: message_start\ndata: {"type":"message_start","message":{"content":[]}}\n\ndata: ${refusal}\n\n`,
    "after many comments": `${": wait\n\n".repeat(20)}data: ${refusal}\n\n`,
  };
  for (const [name, opening] of Object.entries(openings)) {
    test(`a refusal ${name} is recovered`, async () => {
      let calls = 0;
      await using setup = await startProxy(async (request, response) => {
        await readBody(request);
        response
          .writeHead(200, stream)
          .end(++calls === 1 ? opening : 'data: {"choices":[{"delta":{"content":"ok"}}]}\n\n');
      });
      const response = await setup.post(conversation(50_000, { stream: true }));
      assert.deepEqual([calls, /"ok"/.test(await response.text())], [2, true]);
    });
  }
});

describe("an upstream that compresses its responses", () => {
  test("is asked not to, so that a refusal inside its stream is found", async () => {
    let calls = 0;
    await using setup = await startProxy(async (request, response) => {
      await readBody(request);
      const event = `data: ${++calls === 1 ? refusal : '{"ok":1}'}\n\n`;
      const compresses = /gzip/.test(String(request.headers["accept-encoding"]));
      response.writeHead(200, { ...stream, ...(compresses ? { "content-encoding": "gzip" } : {}) });
      response.end(compresses ? gzipSync(event) : event);
    });
    const response = await setup.post(conversation(50_000));
    assert.deepEqual([calls, await response.text()], [2, 'data: {"ok":1}\n\n']);
  });
});

describe("an upstream that closes its connection", () => {
  for (const how of ["resetAndDestroy", "destroySoon"] as const) {
    test(`after an early 413 (${how}): the request is recovered`, async () => {
      let calls = 0;
      await using setup = await startProxy((request, response) => {
        if (++calls === 1) {
          response.writeHead(413, { "content-type": "text/html", connection: "close" });
          response.end("<html>413 Request Entity Too Large</html>", () => request.socket[how]());
        } else void readBody(request).then(() => response.writeHead(200, json).end("{}"));
      });
      const response = await setup.post(conversation(12_000_000));
      assert.deepEqual([response.status, calls, response.headers.get("x-spillway")], [200, 2, "recovered; stubs=1"]);
    });
  }

  for (const [when, events, arrive] of [
    ["with its first event", ['data: {"choices":[{"delta":{"content":"one"}}]}\n\n'], false],
    ["after some events", ['data: {"choices":[{"delta":{"content":"one"}}]}\n\n', "data: {}\n\n"], true],
    ["before its first event", [": hello\n\n"], true],
  ] as const) {
    test(`${when}: the client's request ends`, async () => {
      await using setup = await startProxy(async (request, response) => {
        await readBody(request);
        response.writeHead(200, stream);
        for (const event of events) response.write(event);
        if (arrive) await letEventsHappen();
        request.socket.resetAndDestroy();
      });
      const outcome = await setup
        .post(conversation(300))
        .then(
          async (response) => (response.status === 200 ? response.text() : response.status),
          () => "broken off",
        )
        .catch(() => "broken off");
      assert.ok(outcome === "broken off" || outcome === 502, String(outcome));
    });
  }

  test("when the connection was kept: that does not count as a request, and the overflow is recovered", async () => {
    const calls: string[] = [];
    let isWarmingUp = true;
    const usedSockets = new WeakSet<object>();
    await using setup = await startProxy(async (request, response) => {
      const { socket } = request;
      const { length } = await readBody(request);
      const isStale = !isWarmingUp && usedSockets.has(socket);
      usedSockets.add(socket);
      calls.push(isStale ? "reset" : length > 40_000 && !isWarmingUp ? "refused" : "accepted");
      if (isStale) return void socket.resetAndDestroy();
      if (calls.at(-1) === "accepted") return void response.writeHead(200, json).end("{}");
      response.writeHead(400, json).end(refusal);
    });
    await (await setup.post(conversation(50_000))).text();
    isWarmingUp = false;
    const response = await setup.post(conversation(50_000));
    assert.deepEqual([response.status, calls], [200, ["accepted", "reset", "refused", "accepted"]]);
    assert.match(response.headers.get("x-spillway") ?? "", /recovered/);
  });

  test("on every second use of a connection: each overflow is recovered or reported", async () => {
    const usedSockets = new WeakSet<object>();
    let accepts = false;
    await using setup = await startProxy(async (request, response) => {
      const { socket } = request;
      const { length } = await readBody(request);
      if (usedSockets.has(socket)) return void socket.resetAndDestroy();
      usedSockets.add(socket);
      if (length > 40_000 || !accepts) response.writeHead(400, json).end(refusal);
      else response.writeHead(200, json).end("{}");
    });
    for (let count = 0; count < 40; count++) {
      accepts = count % 2 === 0;
      const response = await setup.post(conversation(50_000).replace('"go"', `"go ${count}"`));
      const { error } = JSON.parse(await response.text());
      const isReported =
        response.headers.get("x-spillway") === "context_overflow" && error?.spillway.type === "context_overflow";
      assert.deepEqual([response.status, isReported], accepts ? [200, false] : [400, true]);
    }
    assert.equal(setup.session.events.filter(({ event }) => event === "overflow.failed").length, 20);
  });
});

describe("an upstream that named a limit twice", () => {
  for (const [usage, isCut] of [
    [{ prompt_tokens: 9_000 }, false],
    [{ prompt_tokens: 5_000 }, true],
  ] as const) {
    test(`and then accepts ${isCut ? "less" : "more"}: the limit is ${isCut ? "applied" : "dropped"}`, async () => {
      const sentBytes: number[] = [];
      await using setup = await startProxy(async (request, response) => {
        sentBytes.push((await readBody(request)).length);
        // The first and the third request are refused, and their retries accepted.
        if (sentBytes.length === 1 || sentBytes.length === 3) response.writeHead(400, json).end(refusal);
        else
          response
            .writeHead(200, json)
            .end(JSON.stringify({ choices: [], ...(sentBytes.length > 4 ? { usage } : {}) }));
      });
      const body = conversation(24_000, { user: "words ".repeat(2_000) });
      const bodies = ["a", "b", "c", "d"].map((name) => body.replace('"go"', `"go ${name}"`));
      for (const each of bodies) await (await setup.post(each)).text();
      assert.deepEqual(
        sentBytes.map((bytes) => bytes === bodies[0]?.length),
        [true, false, true, false, false, !isCut],
      );
    });
  }
});

describe("requests", () => {
  test("with a chunked body get their stubs too", async () => {
    let calls = 0;
    await using setup = await startProxy(async (request, response) => {
      calls++;
      const { length } = await readBody(request);
      response
        .writeHead(length > 30_000 ? 400 : 200, json)
        .end(length > 30_000 ? '{"message":"Input is too long for requested model."}' : "{}");
    });
    const outcomes = [];
    for (let turn = 0; turn < 3; turn++) {
      const response = await setup.post(new Blob([conversation(50_000)]).stream());
      outcomes.push(response.headers.get("x-spillway"));
    }
    assert.deepEqual([calls, outcomes], [4, ["recovered; stubs=1", "stubs=1", "stubs=1"]]);
  });

  test("and responses lose the headers that belong to one connection", async () => {
    let upstreamHeaders: readonly string[] = [];
    await using setup = await startProxy((request, response) => {
      upstreamHeaders = request.rawHeaders;
      response.writeHead(200, { connection: "x-up", "x-up": "1", "x-kept": "1" }).end("ok");
    });
    const { headers } = await requestRaw(setup.proxy.url, "/up/v1/models", {
      connection: "close, x-hop",
      "x-hop": "1",
      "x-stays": "1",
    });
    assert.deepEqual(
      ["x-hop", "x-stays"].map((name) => upstreamHeaders.includes(name)),
      [false, true],
    );
    assert.deepEqual([headers["x-up"], headers["x-kept"]], [undefined, "1"]);
  });

  test("go upstream unchanged in shadow mode, and a compressed refusal is still recorded", async () => {
    let acceptEncoding: string | undefined;
    const compressed = gzipSync(refusal);
    await using setup = await startProxy(
      async (request, response) => {
        acceptEncoding = request.headers["accept-encoding"];
        await readBody(request);
        response.writeHead(400, { ...json, "content-encoding": "gzip" }).end(compressed);
      },
      { "runner.enable_model_overflow_fallback": "shadow" },
    );
    const response = await setup.post(conversation(50_000), undefined, { "accept-encoding": "gzip" });
    assert.deepEqual([acceptEncoding, await response.text()], ["gzip", refusal]);
    assert.ok(setup.session.events.some((one) => one.event === "overflow.skipped" && one.stubs === 1));
  });

  test("that are refused in a list get the report in that list", async () => {
    await using setup = await startProxy(async (request, response) => {
      await readBody(request);
      response.writeHead(400, json).end(`[${refusal}]`);
    });
    const response = await setup.post(
      '{"contents":[{"role":"user","parts":[{"text":"x"}]}]}',
      "/v1beta/models/g:streamGenerateContent",
    );
    const [{ error }] = JSON.parse(await response.text());
    assert.equal(error.spillway.reason, "nothing_to_shed");
  });
});

describe("access to the proxy", () => {
  test("requires the token, which is not sent upstream", async () => {
    let upstreamPath: string | undefined;
    await using setup = await startProxy(
      (request, response) => {
        upstreamPath = request.url;
        response.end();
      },
      {},
      { token: "t0ken" },
    );
    const origin = new URL(setup.proxy.url).origin;
    assert.equal(setup.proxy.url, `${origin}/t0ken`);
    for (const path of ["/up/v1/models", "/t0ke/up/v1/models", "/t0ken1/up/v1/models", "//up/v1/models", "/"]) {
      assert.equal((await requestRaw(origin, path)).status, 403, path);
    }
    assert.deepEqual(
      [(await requestRaw(origin, "/t0ken/up/v1/models?a=1")).status, upstreamPath],
      [200, "/v1/models?a=1"],
    );
    assert.equal((await requestRaw(origin, "/t0ken/nowhere")).status, 404);
  });

  test("sends its refusal to a client that sends everything before it reads", async () => {
    await using setup = await startProxy((_, response) => void response.end(), {}, { token: "t0ken" });
    const { host, port } = new URL(setup.proxy.url);
    const body = " ".repeat(5_000_000);
    const head = `Host: ${host}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
    const post = (path: string) => sendBeforeReading(Number(port), `POST ${path} HTTP/1.1\r\n${head}${body}`);
    assert.match(await post("/up/v1/files"), /^HTTP\/1\.1 403 /);
    assert.match(await post("/t0ken/nowhere"), /^HTTP\/1\.1 404 .*must begin with one of \/TOKEN\/up\."/s);
  });

  test("is denied to pages of other sites, even without an origin header", async () => {
    await using setup = await startProxy(
      (_, response) => void response.end(),
      {},
      { allowOrigins: ["https://app.example"] },
    );
    const statusWith = async (headers: Record<string, string>) =>
      (await requestRaw(setup.proxy.url, "/up/v1/models", headers)).status;
    assert.equal(await statusWith({ "sec-fetch-site": "cross-site" }), 403);
    assert.equal(await statusWith({ "sec-fetch-site": "cross-site", origin: "https://app.example" }), 200);
    assert.equal(await statusWith({ "sec-fetch-site": "none" }), 200);
  });

  test("fails on a port that is taken, with the setting in the hint", async () => {
    await using setup = await startProxy((_, response) => void response.end());
    const port = Number(new URL(setup.proxy.url).port);
    const options = {
      recovery: openRecovery(setup.session),
      upstreams: new Map(),
      port,
      allowOrigins: [],
      bodyBytes: 1,
    };
    await assert.rejects(
      openProxy(options),
      (error) => error instanceof SpillwayError && /proxy\.port/.test(error.hint),
    );
  });
});

/** A request whose path and headers are sent exactly as given. */
function requestRaw(
  url: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: IncomingMessage["headers"] }> {
  const { port, hostname } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, hostname, path, headers }, (response) => {
      response.resume().once("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
    });
    request.on("error", reject).end();
  });
}
