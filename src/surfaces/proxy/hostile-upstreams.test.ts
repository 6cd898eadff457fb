/** The proxy before upstreams that behave badly: early refusals, resets, odd streams; and who may use it at all. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from "node:http";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { watchedSession } from "../../../test/recovery.ts";
import type { Settings } from "../../config/settings.ts";
import { SpillwayError } from "../../errors.ts";
import { openRecovery } from "../../overflow/open-recovery.ts";
import { openProxy, type ProxyOptions } from "./proxy-server.ts";
import { parseUpstreams } from "./upstreams.ts";

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync<Buffer>(request));
}

/** A proxy before an upstream that does as it is told. */
async function proxied(listener: RequestListener, settings: Partial<Settings> = {}, more: Partial<ProxyOptions> = {}) {
  const upstream = createServer(listener).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const address = upstream.address();
  const direct = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const session = await watchedSession(settings);
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
      await new Promise((done) => upstream.close(done));
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
  for (const [name, type, pieces] of [
    [
      "a list",
      "application/json; charset=UTF-8",
      ['[{"candidates":[{"content":{"parts":[{"text":"one"}]}}]}', ',{"candidates":[]}', "]"],
    ],
    ["lines", "application/x-ndjson", ['{"message":{"content":"one"},"done":false}\n', '{"done":true}\n', ""]],
  ] as const) {
    test(`${name} of JSON is handed on element by element`, async () => {
      let ended = false;
      await using all = await proxied(async (request, response) => {
        await bodyOf(request);
        response.writeHead(200, { "content-type": type });
        response.write(pieces[0]);
        await pause(400);
        ended = true;
        response.end(pieces[1] + pieces[2]);
      });
      const response = await all.post('{"contents":[]}', "/v1beta/models/g:streamGenerateContent");
      const first = await response.body?.getReader().read();
      assert.deepEqual([Buffer.from(first?.value ?? []).toString(), ended], [pieces[0], false]);
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
      await using all = await proxied(async (request, response) => {
        await bodyOf(request);
        response
          .writeHead(200, stream)
          .end(++calls === 1 ? opening : 'data: {"choices":[{"delta":{"content":"ok"}}]}\n\n');
      });
      const response = await all.post(conversation(50_000, { stream: true }));
      assert.deepEqual([calls, /"ok"/.test(await response.text())], [2, true]);
    });
  }
});

describe("an upstream that compresses for who can read it", () => {
  test("is asked not to, so that a refusal inside its stream is seen", async () => {
    let calls = 0;
    await using all = await proxied(async (request, response) => {
      await bodyOf(request);
      const event = `data: ${++calls === 1 ? refusal : '{"ok":1}'}\n\n`;
      const packs = /gzip/.test(String(request.headers["accept-encoding"]));
      response.writeHead(200, { ...stream, ...(packs ? { "content-encoding": "gzip" } : {}) });
      response.end(packs ? gzipSync(event) : event);
    });
    const response = await all.post(conversation(50_000));
    assert.deepEqual([calls, await response.text()], [2, 'data: {"ok":1}\n\n']);
  });
});

describe("an upstream that breaks off", () => {
  for (const how of ["resetAndDestroy", "destroySoon"] as const) {
    test(`after an early 413 (${how}) is heard, and the request recovered`, async () => {
      let calls = 0;
      await using all = await proxied((request, response) => {
        if (++calls === 1) {
          response.writeHead(413, { "content-type": "text/html", connection: "close" });
          response.end("<html>413 Request Entity Too Large</html>", () => request.socket[how]());
        } else void bodyOf(request).then(() => response.writeHead(200, json).end("{}"));
      });
      const response = await all.post(conversation(12_000_000));
      assert.deepEqual([response.status, calls, response.headers.get("x-spillway")], [200, 2, "recovered; stubs=1"]);
    });
  }

  for (const [when, events, waitMs] of [
    ["with its first event", ['data: {"choices":[{"delta":{"content":"one"}}]}\n\n'], 0],
    ["after some events", ['data: {"choices":[{"delta":{"content":"one"}}]}\n\n', "data: {}\n\n"], 60],
    ["while its first event is awaited", [": hello\n\n"], 30],
  ] as const) {
    test(`${when} leaves no client waiting`, { timeout: 5_000 }, async () => {
      await using all = await proxied(async (request, response) => {
        await bodyOf(request);
        response.writeHead(200, stream);
        for (const event of events) response.write(event);
        await pause(waitMs);
        request.socket.resetAndDestroy();
      });
      const told = await all
        .post(conversation(300))
        .then(
          async (response) => (response.status === 200 ? response.text() : response.status),
          () => "broken off",
        )
        .catch(() => "broken off");
      assert.ok(told === "broken off" || told === 502, String(told));
    });
  }

  test("on a kept connection is asked once more over a fresh one, and never a third time", async () => {
    let calls = 0;
    let warm = true;
    const used = new WeakSet<object>();
    await using all = await proxied(async (request, response) => {
      const { socket } = request;
      await bodyOf(request);
      if (!warm) calls++;
      if (!warm && used.has(socket)) return void socket.resetAndDestroy();
      used.add(socket);
      if (warm) return void response.writeHead(200, json).end("{}");
      response.writeHead(400, json).end(refusal);
    });
    await (await all.post(conversation(50_000))).text();
    warm = false;
    const response = await all.post(conversation(50_000));
    assert.deepEqual([response.status, calls, await response.text()], [400, 2, refusal]);
  });
});

describe("an upstream that named a limit twice", () => {
  for (const [usage, cuts] of [
    [{ prompt_tokens: 9_000 }, false],
    [{ prompt_tokens: 5_000 }, true],
  ] as const) {
    test(`and ${cuts ? "keeps to it" : "then takes more"} is ${cuts ? "" : "not "}held to it`, async () => {
      const sent: number[] = [];
      await using all = await proxied(async (request, response) => {
        sent.push((await bodyOf(request)).length);
        // The first and the third are refused, and their smaller ones accepted.
        if (sent.length === 1 || sent.length === 3) response.writeHead(400, json).end(refusal);
        else response.writeHead(200, json).end(JSON.stringify({ choices: [], usage }));
      });
      const body = conversation(24_000, { user: "words ".repeat(2_000) });
      const bodies = ["a", "b", "c", "d"].map((about) => body.replace('"go"', `"go ${about}"`));
      for (const one of bodies) await (await all.post(one)).text();
      assert.deepEqual(
        sent.map((bytes) => bytes === bodies[0]?.length),
        [true, false, true, false, false, !cuts],
      );
    });
  }
});

describe("requests", () => {
  test("in chunks get their stubs back like others", async () => {
    let calls = 0;
    await using all = await proxied(async (request, response) => {
      calls++;
      const { length } = await bodyOf(request);
      response
        .writeHead(length > 30_000 ? 400 : 200, json)
        .end(length > 30_000 ? '{"message":"Input is too long for requested model."}' : "{}");
    });
    const seen = [];
    for (let turn = 0; turn < 3; turn++) {
      const response = await all.post(new Blob([conversation(50_000)]).stream());
      seen.push(response.headers.get("x-spillway"));
    }
    assert.deepEqual([calls, seen], [4, ["recovered; stubs=1", "stubs=1", "stubs=1"]]);
  });

  test("lose the headers that belong to one connection, both ways", async () => {
    let passed: readonly string[] = [];
    await using all = await proxied((request, response) => {
      passed = request.rawHeaders;
      response.writeHead(200, { connection: "x-up", "x-up": "1", "x-kept": "1" }).end("ok");
    });
    const { headers } = await raw(all.proxy.url, "/up/v1/models", {
      connection: "close, x-hop",
      "x-hop": "1",
      "x-stays": "1",
    });
    assert.deepEqual([passed.includes("x-hop"), passed.includes("x-stays")], [false, true]);
    assert.deepEqual([headers["x-up"], headers["x-kept"]], [undefined, "1"]);
  });

  test("in shadow go upstream unchanged, and a compressed refusal is still recorded", async () => {
    let asked: string | undefined;
    const zipped = gzipSync(refusal);
    await using all = await proxied(
      async (request, response) => {
        asked = request.headers["accept-encoding"];
        await bodyOf(request);
        response.writeHead(400, { ...json, "content-encoding": "gzip" }).end(zipped);
      },
      { "runner.enable_model_overflow_fallback": "shadow" },
    );
    const response = await all.post(conversation(50_000), undefined, { "accept-encoding": "gzip" });
    assert.deepEqual([asked, await response.text()], ["gzip", refusal]);
    assert.ok(all.session.events.some((one) => one.event === "overflow.skipped" && one.stubs === 1));
  });

  test("refused in a list are told why in the list", async () => {
    await using all = await proxied(async (request, response) => {
      await bodyOf(request);
      response.writeHead(400, json).end(`[${refusal}]`);
    });
    const response = await all.post(
      '{"contents":[{"role":"user","parts":[{"text":"x"}]}]}',
      "/v1beta/models/g:streamGenerateContent",
    );
    const [{ error }] = JSON.parse(await response.text());
    assert.equal(error.spillway.reason, "nothing_to_shed");
  });
});

describe("who may use the proxy", () => {
  test("only who knows the token, which is no part of what goes upstream", async () => {
    let path: string | undefined;
    await using all = await proxied(
      (request, response) => {
        path = request.url;
        response.end();
      },
      {},
      { token: "t0ken" },
    );
    const origin = new URL(all.proxy.url).origin;
    assert.equal(all.proxy.url, `${origin}/t0ken`);
    for (const wrong of ["/up/v1/models", "/t0ke/up/v1/models", "/t0ken1/up/v1/models", "//up/v1/models", "/"]) {
      assert.equal((await raw(origin, wrong)).status, 403, wrong);
    }
    assert.deepEqual([(await raw(origin, "/t0ken/up/v1/models?a=1")).status, path], [200, "/v1/models?a=1"]);
    assert.equal((await raw(origin, "/t0ken/nowhere")).status, 404);
  });

  test("no page of another site, even where it sends no origin", async () => {
    await using all = await proxied(
      (_, response) => void response.end(),
      {},
      { allowOrigins: ["https://app.example"] },
    );
    const from = async (headers: Record<string, string>) => (await raw(all.proxy.url, "/up/v1/models", headers)).status;
    assert.equal(await from({ "sec-fetch-site": "cross-site" }), 403);
    assert.equal(await from({ "sec-fetch-site": "cross-site", origin: "https://app.example" }), 200);
    assert.equal(await from({ "sec-fetch-site": "none" }), 200);
  });

  test("a port that is taken is said with the setting that changes it", async () => {
    await using all = await proxied((_, response) => void response.end());
    const port = Number(new URL(all.proxy.url).port);
    const options = { recovery: openRecovery(all.session), upstreams: new Map(), port, allowOrigins: [], bodyBytes: 1 };
    await assert.rejects(
      openProxy(options),
      (error) => error instanceof SpillwayError && /proxy\.port/.test(error.hint),
    );
  });
});

function raw(
  url: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: IncomingMessage["headers"] }> {
  const { port, hostname } = new URL(url);
  return new Promise((done, fail) => {
    const request = httpRequest({ port, hostname, path, headers }, (response) => {
      response.resume().once("end", () => done({ status: response.statusCode ?? 0, headers: response.headers }));
    });
    request.on("error", fail).end();
  });
}
