/** Answers as no server should give them: what reaches the client fits, is JSON, and has the id of its request. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defaultSettings } from "../../config/settings.ts";
import { openSession } from "../../session/session.ts";
import { openMergedLink } from "./merged-link.ts";
import { createRelay } from "./relay.ts";
import { openToolPins } from "./tools/tool-pins.ts";
import { makeToolRules } from "./tools/tool-rules.ts";

/** A page for opencode has 30,000 characters; a line has escapes and the rest of the message. */
const MAX_LINE_CHARS = 40_000;

async function openRelay() {
  const session = await openSession({ inMemory: true, settings: defaultSettings, env: {} });
  const [toClient, toServer, logged]: [string[], string[], string[]] = [[], [], []];
  const relay = createRelay({
    session,
    server: "hostile",
    rules: makeToolRules({}),
    pins: openToolPins({ folder: null, server: "hostile", source: "", rule: "show", log: () => undefined }),
    client: "opencode",
    toClient: async (line) => void toClient.push(line),
    toServer: async (line) => void toServer.push(line),
    log: (sentence) => logged.push(sentence),
  });
  /** The line that answers a request, after the server's answer without its id. */
  async function ask(answer: string, method = "tools/call", params: object = { name: "t" }): Promise<string> {
    const id = toServer.length + 1;
    await relay.fromClient(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    await relay.fromServer(`{"jsonrpc":"2.0","id":${id},${answer}}`);
    return toClient.at(-1) ?? assert.fail("nothing was passed");
  }
  return { ask, toClient, toServer, logged, [Symbol.asyncDispose]: session[Symbol.asyncDispose] };
}

const long = "The level of the river was 4 m.\n".repeat(16_000);
const block = (value: object) => JSON.stringify(value);
const nested = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
const result = (json: string) => `"result":${json}`;
const content = (...blocks: readonly string[]) => result(`{"content":[${blocks.join(",")}]}`);
const text = block({ type: "text", text: long });

const large: Readonly<Record<string, string>> = {
  "a long text beside blocks that are not blocks": content("null", "5", '"x"', "[]", text),
  "a block of an unknown type": content(block({ type: "future", words: long })),
  "a long text beside a block with 50,000 nested lists": content(text, `{"type":"future","words":${nested}}`),
  "a long text with 50,000 nested lists in its metadata": result(`{"content":[${text}],"_meta":{"x":${nested}}}`),
  "structured content with 50,000 nested lists": result(`{"content":[],"structuredContent":{"x":${nested}}}`),
  "100,000 blocks": content(...Array(100_000).fill('{"type":"text","text":"x"}')),
  "10,000 links": content(...Array(10_000).fill('{"type":"resource_link","uri":"a:b","name":"b"}')),
  "an embedded text": content(block({ type: "resource", resource: { uri: "a:b", text: long } })),
  "a sound that is not base64": content(block({ type: "audio", data: long, mimeType: "x" })),
  "a data URI in a text": content(
    block({ type: "text", text: `see data:image/png;base64,${Buffer.alloc(400_000, 7).toString("base64")} there` }),
  ),
  "structured content that is a text": result(JSON.stringify({ content: [], structuredContent: long })),
  "an error as a result": result(JSON.stringify({ content: [{ type: "text", text: long }], isError: "yes" })),
  "an error of the protocol with a long message": `"error":${JSON.stringify({ code: -32000, message: long })}`,
  "an error of the protocol with much data": `"error":${JSON.stringify({ code: 1, message: "no", data: [long] })}`,
};

const passing: Readonly<Record<string, string>> = {
  "no content": result("{}"),
  "content that is null": result('{"content":null}'),
  "content that is a text": result('{"content":"x"}'),
  "a text block without text": content('{"type":"text"}'),
  "a text that is a number": content('{"type":"text","text":5}'),
  "a result that is a list": result("[1]"),
  "a result that is null": result("null"),
  "both a result and an error": `"error":{"code":1,"message":"x"},${content('{"type":"text","text":"y"}')}`,
  "a task": result('{"task":{"taskId":"1","status":"working"}}'),
  "a field twice": `${result("{}")},${result("{}")}`,
};

describe("an answer that is too large", () => {
  for (const [name, answer] of Object.entries(large))
    test(name, async () => {
      await using relay = await openRelay();
      const line = await relay.ask(answer);
      assert.ok(line.length < MAX_LINE_CHARS, `${line.length} characters: ${line.slice(0, 300)}`);
      assert.equal(JSON.parse(line).id, 1);
      assert.match(line, /artifact_ref=af_[0-9a-f]{32}/);
    });
});

describe("an answer that is odd and small passes as it is", () => {
  for (const [name, answer] of Object.entries(passing))
    test(name, async () => {
      await using relay = await openRelay();
      assert.equal(await relay.ask(answer), `{"jsonrpc":"2.0","id":1,${answer}}`);
    });
});

describe("the result of a task", () => {
  test("is bounded where it is asked for, in both revisions of tasks", async () => {
    await using relay = await openRelay();
    await relay.ask(result('{"task":{"taskId":"old","status":"working"}}'));
    await relay.ask(result('{"resultType":"task","taskId":"new","status":"working"}'));
    const old = await relay.ask(content(text), "tasks/result", { taskId: "old" });
    const done = `{"resultType":"complete","taskId":"new","status":"completed","result":{"content":[${text}]}}`;
    const inner = await relay.ask(result(done), "tasks/get", { taskId: "new" });
    for (const line of [old, inner]) assert.ok(line.length < MAX_LINE_CHARS, `${line.length} characters`);
    assert.match(JSON.parse(inner).result.result.content[0].text, /^\[This result has 512,000 characters/);
    assert.equal(JSON.parse(inner).result.status, "completed");
  });

  test("passes while the task is at work", async () => {
    await using relay = await openRelay();
    const answer = result('{"resultType":"complete","taskId":"1","status":"working"}');
    assert.equal(await relay.ask(answer, "tasks/get", { taskId: "1" }), `{"jsonrpc":"2.0","id":1,${answer}}`);
  });
});

describe("a list of tools", () => {
  const list = async (tools: string) => {
    await using relay = await openRelay();
    const line = await relay.ask(result(`{"tools":${tools}}`), "tools/list", {});
    return { line, tools: JSON.parse(line).result.tools as { name: unknown }[] };
  };

  test("that is not a list, or has what is not a tool, still has our tool", async () => {
    for (const tools of ["null", "5", "{}", '[null,5,"x",{}]', '[{"name":5}]', '[{"name":"__proto__"}]'])
      assert.equal((await list(tools)).tools.at(-1)?.name, "read_artifact", tools);
  });

  test("with 50,000 nested lists in a schema passes", async () => {
    assert.match((await list(`[{"name":"deep","inputSchema":{"x":${nested}}}]`)).line, /"deep"/);
  });

  test("that is too long is shortened, and its full text is kept", async () => {
    const tools = Array.from({ length: 200 }, (_, n) => ({ name: `t${n}`, description: "word ".repeat(500) }));
    const { line } = await list(JSON.stringify(tools));
    assert.ok(line.length < 70_000, `${line.length} characters`);
    assert.match(line, /Full definitions of hostile: artifact_ref=af_/);
  });
});

test("an answer that cannot be merged with others becomes an error", async () => {
  await using session = await openSession({ inMemory: true, settings: defaultSettings, env: {} });
  const { promise: passed, resolve } = Promise.withResolvers<string>();
  const link = openMergedLink({
    session,
    servers: [
      {
        name: "deep",
        open: (toClient) => ({
          async fromClient(line) {
            await toClient(`{"jsonrpc":"2.0","id":${JSON.stringify(JSON.parse(line).id)},"result":{"x":${nested}}}`);
          },
          ended: new Promise(() => undefined),
          stop: async () => undefined,
        }),
      },
    ],
    toClient: async (line) => resolve(line),
    log: () => undefined,
  });
  await link.fromClient('{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"a:b"}}');
  assert.equal(JSON.parse(await passed).id, 7);
  assert.match(await passed, /"error":\{"code":-32603/);
});
