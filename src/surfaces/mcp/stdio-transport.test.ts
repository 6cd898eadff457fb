import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { MAX_LINE_BYTES } from "./read-lines.ts";
import { createLineTransport } from "./stdio-transport.ts";

type Answer = { readonly id?: unknown; readonly error?: { readonly code: number; readonly message: string } };

/** A connection whose client sends these chunks, and reads replies unless `reads` is false. */
function connect(chunks: readonly (string | Uint8Array)[], { reads = true } = {}) {
  const [answers, logged, received]: [Answer[], string[], JSONRPCMessage[]] = [[], [], []];
  const stop = new AbortController();
  const transport = createLineTransport({
    input: sendAll(chunks),
    out(line) {
      if (!reads) return new Promise(() => undefined);
      answers.push(JSON.parse(line));
      return Promise.resolve();
    },
    log: (sentence) => logged.push(sentence),
    signal: stop.signal,
  });
  transport.onmessage = (message) => received.push(message);
  return { transport, answers, logged, received, stop };
}

async function* sendAll(chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}

const request = (id: unknown, method = "tools/call", params: unknown = {}): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;

const nothing = { result: {}, jsonrpc: "2.0" as const };

describe("a message that is too long", () => {
  const filler = Buffer.alloc(MAX_LINE_BYTES + 1, "x");
  const head = '{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"id":1,"text":"';
  const tail = '{"jsonrpc":"2.0","method":"tools/call","params":{"id":1,"text":"';
  const cases = [
    { name: "as the first line", chunks: [head, filler, '"}}\n'] },
    { name: "after a line in the same chunk", chunks: [`${request(1, "ping")}${head}`, filler, '"}}\n'] },
    { name: "after a line that ends its chunk", chunks: [request(1, "ping"), head, filler, '"}}\n'] },
    { name: "after a too long line", chunks: [filler, `\n${head}`, filler, '"}}\n'] },
    { name: "in chunks of a few bytes", chunks: ["\n", ...head, filler, '"}}\n'] },
    { name: "with its id at the end", chunks: ["\n", tail, filler, '"},"id":99}\n'] },
    { name: "without a line end", chunks: ["\n", head, filler] },
    { name: "in a batch", chunks: ["\n[", tail, filler, '"},"id":99}]\n'] },
  ];
  for (const { name, chunks } of cases) {
    test(`is answered with an error: ${name}`, async () => {
      const { transport, answers, logged } = connect(chunks);
      transport.onmessage = (message) => "id" in message && void transport.send({ ...nothing, id: message.id ?? 0 });
      await transport.start();
      await transport.ended;
      const answer = answers.find(({ id }) => id === 99);
      assert.equal(answer?.error?.code, -32600);
      assert.match(answer.error.message, /at most 16777216 bytes/);
      assert.ok(answers.every(({ id, error }) => id === 99 || error === undefined));
      assert.match(logged.join(), /skipped a line of \d+ bytes/);
    });
  }

  test("is not answered if it is a response: its id is one of ours", async () => {
    const { transport, answers } = connect(['{"jsonrpc":"2.0","id":99,"result":"', filler, '"}\n']);
    await transport.start();
    await transport.ended;
    assert.deepEqual(answers, []);
  });
});

describe("a request that is not valid", () => {
  const cases = [
    { given: request(5, "initialize", []), code: -32602 },
    { given: request(5, "tools/call", "text"), code: -32602 },
    { given: request(5, "tools/call", { _meta: 5 }), code: -32602 },
    { given: '{"jsonrpc":"2.0","id":5,"method":7}\n', code: -32600 },
    { given: '{"jsonrpc":"1.0","id":5,"method":"ping"}\n', code: -32600 },
    { given: '{"id":5,"method":"ping"}\n', code: -32600 },
    { given: '{"jsonrpc":"2.0","id":5,"method":"ping",}\n', code: -32700 },
  ];
  for (const { given, code } of cases) {
    test(`is answered: ${given.trim()}`, async () => {
      const { transport, answers } = connect([given]);
      await transport.start();
      await transport.ended;
      assert.deepEqual(
        answers.map(({ id, error }) => [id, error?.code]),
        [[5, code]],
      );
    });
  }

  test("is logged if no answer could name it", async () => {
    const lines = [
      '{"jsonrpc":"2.0","id":null,"method":"ping"}',
      '{"jsonrpc":"2.0","id":true,"method":"ping"}',
      "7",
      "x",
    ];
    const { transport, answers, logged, received } = connect([lines.join("\n")]);
    await transport.start();
    await transport.ended;
    assert.deepEqual([answers, received, logged.length], [[], [], 4]);
  });
});

describe("many requests", () => {
  const numbers = Array.from({ length: 10_500 }, (_, index) => index);

  test("are all answered, a few at a time, to a client that reads", async () => {
    const { transport, answers, received } = connect(numbers.slice(0, 1_000).map((id) => request(id)));
    let mostAtWork = 0;
    transport.onmessage = (message) => {
      received.push(message);
      mostAtWork = Math.max(mostAtWork, received.length - answers.length);
      setImmediate(() => void transport.send({ ...nothing, id: "id" in message ? (message.id ?? 0) : 0 }));
    };
    await transport.start();
    await transport.ended;
    assert.deepEqual([answers.length, received.length], [1_000, 1_000]);
    assert.ok(mostAtWork <= 32, `${mostAtWork} at work`);
  });

  test("wait, and are refused beyond a limit", async () => {
    const { transport, answers, received, stop } = connect([...numbers.map((id) => request(id)), request("x", "ping")]);
    await transport.start();
    while (!received.some((message) => "id" in message && message.id === "x")) await new Promise(setImmediate);
    assert.equal(received.length, 33, "32 calls, and the ping, which does not wait for calls");
    assert.equal(answers.length, 10_500 - 32 - 10_000);
    assert.ok(answers.every(({ error }) => error?.code === -32000));
    stop.abort();
    await transport.ended;
  });

  test("are not started after they were cancelled", async () => {
    const cancelled = numbers
      .slice(0, 100)
      .reverse() // The started ones last: each that ends would start another.
      .map((requestId) => ({ method: "notifications/cancelled", params: { requestId } }));
    const lines = cancelled.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const { transport, received } = connect([...numbers.slice(0, 100).map((id) => request(id)), ...lines]);
    await transport.start();
    await transport.ended; // At once: a cancelled request gets no answer.
    assert.equal(received.filter((message) => "id" in message).length, 32);
    assert.equal(received.filter((message) => !("id" in message)).length, 32);
  });
});

describe("after the input has ended", () => {
  test("a client that does not read is given up after three seconds", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { transport, logged } = connect([request(1), request(2)], { reads: false });
    transport.onmessage = (message) => void transport.send({ ...nothing, id: "id" in message ? (message.id ?? 0) : 0 });
    await transport.start();
    for (let second = 0; second < 3; second++) {
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      t.mock.timers.tick(1_000);
    }
    assert.deepEqual(await transport.ended, { unread: true });
    assert.match(logged.join(), /stopped reading/);
  });

  test("a call that does not end is given up after ten seconds", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { transport } = connect([request(1)]);
    let isEnded = false;
    void transport.ended.then(() => (isEnded = true));
    await transport.start();
    for (let second = 0; second < 10; second++) {
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      assert.equal(isEnded, false);
      t.mock.timers.tick(1_000);
    }
    assert.deepEqual(await transport.ended, { unread: false });
  });

  test("requests that wait are answered as long as replies are written", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { transport, answers, received } = connect(Array.from({ length: 50 }, (_, id) => request(id)));
    await transport.start();
    for (let second = 0; second < 20; second++) {
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      await transport.send({ ...nothing, id: second });
      t.mock.timers.tick(1_000);
    }
    assert.deepEqual([answers.length, received.length], [20, 50]);
    for (let id = 20; id < 50; id++) await transport.send({ ...nothing, id });
    assert.deepEqual(await transport.ended, { unread: false });
  });

  test("an open subscription is not waited for", async () => {
    const { transport, received } = connect([request(1, "subscriptions/listen")]);
    await transport.start();
    await transport.ended;
    assert.equal(received.length, 1);
  });
});
