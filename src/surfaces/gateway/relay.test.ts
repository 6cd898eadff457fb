import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { controlTimeouts } from "../../../test/timeouts.ts";
import { waitUntil } from "../../../test/waiting.ts";
import { defaultSettings } from "../../config/settings.ts";
import { openSession } from "../../session/session.ts";
import type { Event } from "../../telemetry/events.ts";
import { boundToolResult } from "./bound-tool-result.ts";
import type { JsonObject } from "./json-rpc.ts";
import { createRelay } from "./relay.ts";
import { countChars } from "./result-editor.ts";
import { openToolPins } from "./tools/tool-pins.ts";
import { makeToolRules, type RelayMode, type RulesOptions } from "./tools/tool-rules.ts";

/** A relay between two lists of lines. */
async function openRelay(
  options: { mode?: RelayMode; rules?: RulesOptions; client?: string; configName?: string } = {},
) {
  const { mode = "bound", client = "Codex", rules = { mode }, configName } = options;
  const clock = { now: Date.now() };
  const opened = await openSession({ inMemory: true, settings: defaultSettings, env: {}, now: () => clock.now });
  const events: Event[] = [];
  const session = { ...opened, emit: (event: Event) => void events.push(event) };
  const [toClient, toServer, logged]: [string[], string[], string[]] = [[], [], []];
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  const relay = createRelay({
    session,
    server: "test",
    rules: makeToolRules(rules),
    pins: openToolPins({ folder: null, server: "test", source: "", rule: "show", log: () => undefined }),
    configName,
    client,
    async toClient(line) {
      toClient.push(line);
      resolve();
    },
    async toServer(line) {
      toServer.push(line);
    },
    log: (sentence) => logged.push(sentence),
  });
  /** Sends a request and the server's result, and returns the line that the client gets. */
  async function exchange(method: string, params: object, result: object): Promise<string> {
    const id = toServer.length + 1;
    await relay.fromClient(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    await relay.fromServer(JSON.stringify({ jsonrpc: "2.0", id, result }));
    return toClient.at(-1) ?? "";
  }
  const call = async (result: object): Promise<JsonObject & { content: { text: string }[] }> =>
    JSON.parse(await exchange("tools/call", { name: "t", arguments: {} }, result)).result;
  return {
    relay,
    session,
    events,
    clock,
    toClient,
    toServer,
    logged,
    answered,
    exchange,
    call,
    [Symbol.asyncDispose]: session[Symbol.asyncDispose],
  };
}

const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `item ${id}` }));
const textResult = (text: string) => ({ content: [{ type: "text", text }] });
const findRef = (text: string): string => /af_[0-9a-f]{32}/.exec(text)?.[0] ?? assert.fail(`no ref in ${text}`);

describe("a line", () => {
  for (const line of [
    '{"jsonrpc":"2.0", "method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","id":9,"method":"future/method","params":{"n":12345678901234567890}}',
    "no JSON at all",
  ]) {
    test(`from the client passes as it is: ${line}`, async () => {
      await using setup = await openRelay();
      await setup.relay.fromClient(line);
      assert.deepEqual(setup.toServer, [line]);
    });
    test(`from the server passes as it is: ${line}`, async () => {
      await using setup = await openRelay();
      await setup.relay.fromServer(line);
      assert.deepEqual(setup.toClient, [line]);
    });
  }

  test("that answers a request of the server passes as it is", async () => {
    await using setup = await openRelay();
    const line = '{"id":7,"jsonrpc":"2.0","result":{ "roots":[] }}';
    await setup.relay.fromClient(line);
    assert.deepEqual(setup.toServer, [line]);
  });

  test("with a batch is taken message by message", async () => {
    await using setup = await openRelay();
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } };
    await setup.relay.fromClient(JSON.stringify([call, { ...call, id: 2 }]));
    assert.equal(setup.toServer.length, 2);
    const answer = { jsonrpc: "2.0", id: 1, result: textResult("word ".repeat(20_000)) };
    await setup.relay.fromServer(JSON.stringify([answer, { ...answer, id: 2 }]));
    assert.deepEqual(
      setup.toClient.map((line) => line.length < 40_000),
      [true, true],
    );
  });

  test("with a second answer to a request is dropped", async () => {
    await using setup = await openRelay();
    await setup.exchange("tools/call", { name: "t" }, textResult("ok"));
    await setup.relay.fromServer('{"jsonrpc":"2.0","id":1,"result":{}}');
    assert.equal(setup.toClient.length, 1);
    assert.match(setup.logged.join(), /a second or late answer/);
  });

  test("with a small result passes byte for byte, odd numbers and spaces included", async () => {
    await using setup = await openRelay();
    await setup.relay.fromClient('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}');
    const line =
      '{ "id":1, "jsonrpc":"2.0", "result":{"content":[{"type":"text","text":"ok"}],"n":12345678901234567890} }';
    await setup.relay.fromServer(line);
    assert.deepEqual(setup.toClient, [line]);
  });
});

describe("a result that is too large", () => {
  test("becomes a first page, and the rest is read by its ref", async () => {
    await using setup = await openRelay();
    const whole = JSON.stringify(rows(9_000));
    const { content } = await setup.call(textResult(whole));
    const [{ text } = assert.fail()] = content;
    assert.ok(text.length <= 38_000, `${text.length} characters`);
    const [, notice = "", page = ""] =
      /^(\[This[^\n]*)\n\[Begin untrusted[^\n]*\n\n([\s\S]*)\n\n\[End untrusted[^\n]*$/.exec(text) ?? [];
    assert.match(notice, /^\[This result has 276,781 characters; .*JSON with 9,000 items\. Read on: read_artifact /);
    const [data = "", names] = page.split("\n\n");
    assert.equal(names, "[Keys of the items: id, name]");
    assert.ok(whole.startsWith(data) && data.endsWith("},"));
    assert.match(notice, new RegExp(`offset=${data.length}\\b`));
    await setup.relay.fromClient(
      JSON.stringify({
        jsonrpc: "2.0",
        id: "r",
        method: "tools/call",
        params: { name: "read_artifact", arguments: { artifact_ref: findRef(notice), query: "item 8765" } },
      }),
    );
    while (!setup.toClient.at(-1)?.includes('"id":"r"')) await new Promise(setImmediate);
    assert.match(setup.toClient.at(-1) ?? "", /"id\\":8765/);
    assert.equal(setup.toServer.length, 1, "the server does not see the call of our tool");
  });

  test("is an event with its sizes, unless everything passes", async () => {
    await using setup = await openRelay();
    const { content } = await setup.call(textResult("A weir.\n".repeat(20_000)));
    const [event, ...others] = setup.events;
    assert.deepEqual(others, []);
    assert.ok(event?.event === "gateway.bounded");
    assert.deepEqual(
      [event.server, event.tool, event.total_chars, event.returned_chars],
      ["test", "t", 160_000, content[0]?.text.length],
    );
    assert.ok(event.returned_chars <= event.limit_chars);
    await using annotated = await openRelay({ mode: "annotate" });
    await annotated.call(textResult("A weir.\n".repeat(20_000)));
    assert.deepEqual(annotated.events, []);
  });

  test("in many blocks counts as one", async () => {
    await using setup = await openRelay();
    const blocks = Array.from({ length: 100 }, (_, index) => ({
      type: "text",
      text: `${index} ${"words ".repeat(200)}`,
    }));
    const { content } = await setup.call({ content: blocks });
    assert.equal(content.length, 1);
    assert.match(content[0]?.text ?? "", /first page/);
  });

  test("keeps the head and the tail of a log", async () => {
    await using setup = await openRelay();
    const log = Array.from({ length: 5_000 }, (_, n) => `2026-01-01 00:00:${n % 60} INFO request ${n} done`).join("\n");
    const { content } = await setup.call(textResult(log));
    assert.match(
      content[0]?.text ?? "",
      /request 0 done[\s\S]*characters left out[\s\S]*request 4999 done\n\n\[End untrusted/,
    );
  });

  test("is only annotated in the mode that says so", async () => {
    await using setup = await openRelay({ mode: "annotate" });
    const whole = "word ".repeat(20_000);
    const { content } = await setup.call(textResult(whole));
    assert.deepEqual([content[0]?.text, content.length], [whole, 2]);
    findRef(content[1]?.text ?? "");
  });
});

describe("structured content", () => {
  const listing = (outputSchema: object) => ({ tools: [{ name: "t", inputSchema: { type: "object" }, outputSchema }] });

  test("with a list keeps its declared shape, with fewer items", async () => {
    await using setup = await openRelay({ client: "opencode" });
    const schema = { type: "object", properties: { items: { type: "array" }, total: { type: "integer" } } };
    const listed = JSON.parse(await setup.exchange("tools/list", {}, listing(schema))).result.tools;
    assert.deepEqual(listed[0].outputSchema, schema);
    const { structuredContent } = await setup.call({
      content: [],
      structuredContent: { items: rows(9_000), total: 9_000 },
    });
    const { items, total } = structuredContent as { items: unknown[]; total: number };
    assert.equal(total, 9_000);
    assert.ok(items.length > 0 && items.length < 9_000);
  });

  test("is not declared to a client whose model would see nothing else, so that it sees the notice", async () => {
    await using setup = await openRelay({ client: "Claude Code" });
    const schema = { type: "object", properties: { items: { type: "array" } } };
    const listed = JSON.parse(await setup.exchange("tools/list", {}, listing(schema))).result.tools;
    assert.equal(listed[0].outputSchema, undefined);
    const result = await setup.call({ content: [], structuredContent: { items: rows(9_000) } });
    assert.equal(result.structuredContent, undefined);
    assert.match(result.content[0]?.text ?? "", /Lists: "items" \(9,000 items\)/);
  });

  test("of a shape that cannot be trimmed is not declared, so that no client rejects a bounded result", async () => {
    await using setup = await openRelay();
    const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
    const listed = JSON.parse(await setup.exchange("tools/list", {}, listing(schema))).result.tools;
    assert.equal(listed[0].outputSchema, undefined);
    const result = await setup.call({ content: [], structuredContent: { text: "x".repeat(100_000) } });
    assert.equal(result.structuredContent, undefined);
  });
});

describe("the listing", () => {
  test("has our tool once, on the last page", async () => {
    await using setup = await openRelay();
    const names = async (result: object) =>
      JSON.parse(await setup.exchange("tools/list", {}, result)).result.tools.map(({ name }: { name: string }) => name);
    assert.deepEqual(await names({ tools: [{ name: "a" }], nextCursor: "2" }), ["a"]);
    assert.deepEqual(await names({ tools: [{ name: "b" }] }), ["b", "read_artifact"]);
  });

  test("leaves its name to a server's own tool", async () => {
    await using setup = await openRelay();
    const listed = JSON.parse(await setup.exchange("tools/list", {}, { tools: [{ name: "read_artifact" }] })).result
      .tools;
    assert.deepEqual(
      listed.map(({ name }: { name: string }) => name),
      ["read_artifact", "spillway_read_artifact"],
    );
  });
});

describe("binary inside a result", () => {
  const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(400_000, 7)]).toString("base64");

  test("is kept and named: a large picture, an embedded file, base64 in text", async () => {
    await using setup = await openRelay();
    const { content } = await setup.call({
      content: [
        { type: "image", data: png, mimeType: "image/png" },
        { type: "resource", resource: { uri: "x:1", blob: png, mimeType: "image/png" } },
        { type: "text", text: `before data:image/png;base64,${png} after` },
      ],
    });
    for (const { text } of content)
      assert.match(text, /\[image, 400 KB, kept\. Read it: read_artifact artifact_ref=af_/);
    assert.match(content[2]?.text ?? "", /^before \[image.*\] after$/);
  });

  test("that is a small picture passes", async () => {
    await using setup = await openRelay();
    const small = { content: [{ type: "image", data: png.slice(0, 4_000), mimeType: "image/png" }] };
    assert.deepEqual(await setup.call(small), small);
  });
});

describe("the rules of a server", () => {
  test("set the mode of single tools", async () => {
    await using setup = await openRelay({ rules: { mode: "bound", modes: { "t*": "off" } } });
    const result = textResult("word ".repeat(20_000));
    assert.deepEqual(await setup.call(result), result);
  });

  test("leave results whole for clients whose scripts read them, with a ref added", async () => {
    await using setup = await openRelay({ rules: {}, client: "pi" });
    const { content } = await setup.call(textResult("word ".repeat(20_000)));
    assert.deepEqual([content.length, content[0]?.text.length], [2, 100_000]);
  });

  test("refuse calls of tools that are not offered, without asking the server", async () => {
    await using setup = await openRelay({ rules: { allow: ["t*"], deny: ["t_delete"] } });
    for (const name of ["t_delete", "other"])
      await setup.relay.fromClient(
        JSON.stringify({ jsonrpc: "2.0", id: name, method: "tools/call", params: { name } }),
      );
    assert.deepEqual(setup.toServer, []);
    assert.match(setup.toClient.join("\n"), /t_delete is not offered[\s\S]*other is not offered/);
  });
});

test("a result that asks for input passes as it is", async () => {
  await using setup = await openRelay();
  const result = { resultType: "input_required", inputRequests: {}, requestState: "x".repeat(100_000) };
  assert.deepEqual(await setup.call(result), result);
});

test("the read-on call is spelled as the client spells tools of a server that its config names", async () => {
  for (const [client, name] of [
    ["Claude Code", "mcp__my_files__read_artifact"],
    ["opencode", "my_files_read_artifact"],
    ["Codex", "mcp__my_files__read_artifact"],
  ] as const) {
    await using setup = await openRelay({ client, configName: "my files" });
    const { content } = await setup.call(textResult("word ".repeat(20_000)));
    assert.match(content[0]?.text ?? "", new RegExp(`Read on: ${name} artifact_ref=`));
  }
});

test("every open request gets an error when the server is gone", async () => {
  await using setup = await openRelay();
  await setup.relay.fromClient('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"t"}}');
  await setup.relay.fail("The server ended with code 1.");
  assert.deepEqual(JSON.parse(setup.toClient[0] ?? ""), {
    jsonrpc: "2.0",
    id: 5,
    error: { code: -32000, message: "The server ended with code 1." },
  });
});

test("a client whose limit is not known gets 8,000 characters, through a hook too", async () => {
  const long = "The level of the river was 4 m.\n".repeat(4_000);
  const sizes: Record<string, readonly number[]> = {};
  for (const client of ["a new client", "Cursor", "Zed", "none"]) {
    await using test = await openRelay({ client });
    const { session } = test;
    const bounded = await boundToolResult(textResult(long), { session, tool: "t", client });
    sizes[client] = [await test.call(textResult(long)), bounded].map((result) => countChars(result));
  }
  for (const client of ["a new client", "Cursor"])
    assert.ok(
      sizes[client]?.every((size) => size > 6_500 && size <= 8_000),
      JSON.stringify(sizes),
    );
  for (const client of ["Zed", "none"])
    assert.ok(
      sizes[client]?.every((size) => size > 28_000),
      JSON.stringify(sizes),
    );
});

describe("calls at the same time", () => {
  const long = "The level of the river was 4 m.\n".repeat(4_000);
  const request = (id: number) => JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "t" } });
  const answer = (id: number, text: string) => JSON.stringify({ jsonrpc: "2.0", id, result: textResult(text) });
  const readChars = (line: string): number => JSON.parse(line).result.content[0].text.length;

  test("share the characters of a turn, and what one does not use goes to the others", async () => {
    await using test = await openRelay({ client: "opencode" });
    for (let id = 1; id <= 6; id++) await test.relay.fromClient(request(id));
    await test.relay.fromServer(answer(1, "short"));
    for (let id = 2; id <= 6; id++) await test.relay.fromServer(answer(id, long));
    const sizes = test.toClient.map(readChars);
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= 60_000, String(sizes));
    assert.ok(
      sizes.slice(1).every((size) => size > 9_000 && size < 13_000),
      String(sizes),
    );
    for (const line of test.toClient.slice(1)) assert.match(line, /Read on: read_artifact artifact_ref=af_/);
  });

  test("do not limit a call that is alone, and a call that never ends limits no later turn", async () => {
    await using test = await openRelay({ client: "opencode" });
    for (let id = 1; id <= 6; id++) {
      await test.relay.fromClient(request(id));
      await test.relay.fromServer(answer(id, long));
    }
    assert.ok(test.toClient.map(readChars).every((size) => size > 28_000));
    await test.relay.fromClient(request(7));
    test.clock.now += 5_000;
    await test.relay.fromClient(request(8));
    await test.relay.fromServer(answer(8, long));
    assert.ok(readChars(test.toClient.at(-1) ?? "") > 28_000);
  });
});

describe("a call without an answer", () => {
  const TIMEOUT_MS = 30 * 60_000;

  test("ends with an error, the server hears of it, and a late answer is dropped", async (context) => {
    const timeouts = controlTimeouts(context);
    await using test = await openRelay();
    await test.relay.fromClient('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}');
    await test.relay.fromClient('{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{}}');
    timeouts.expire(TIMEOUT_MS);
    await test.answered;
    assert.equal(test.toClient.length, 1);
    assert.match(test.toClient[0] ?? "", /"id":1,"error":.*did not answer within 30 minutes.*gateway\.call_timeout/);
    await waitUntil("the server was told", () => test.toServer.length === 3);
    assert.match(test.toServer[2] ?? "", /notifications\/cancelled.*"requestId":1/);
    await test.relay.fromServer('{"jsonrpc":"2.0","id":1,"result":{}}');
    assert.equal(test.toClient.length, 1);
    assert.match(test.logged.join(), /late answer to request 1 was dropped/);
  });

  test("that the client has cancelled is not waited for", async (context) => {
    const timeouts = controlTimeouts(context);
    await using test = await openRelay();
    await test.relay.fromClient('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}');
    await test.relay.fromClient('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
    timeouts.expire(TIMEOUT_MS);
    assert.deepEqual(test.toClient, []);
  });

  test("has more time after progress", async (context) => {
    const timers: AbortController[] = [];
    context.mock.method(AbortSignal, "timeout", () => {
      timers.push(new AbortController());
      return timers.at(-1)?.signal;
    });
    await using test = await openRelay();
    const params = { name: "t", _meta: { progressToken: "p" } };
    await test.relay.fromClient(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
    const first = timers.length;
    await test.relay.fromServer(
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}',
    );
    assert.equal(timers.length, first + 1);
    timers[first - 1]?.abort();
    assert.equal(test.toClient.length, 1);
    timers.at(-1)?.abort();
    await waitUntil("the call has ended", () => test.toClient.length === 2);
  });
});
