/** Answers that the user's own model writes from the passages of a fetch, with a simulated provider. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openMcp } from "./mcp.ts";
import { type ServedProviderOptions, serveProvider } from "./provider.ts";
import { runnerDialects, runnerEnvironment, runnerModels } from "./runner.ts";
import { startServer } from "./server.ts";
import { controlTimeouts } from "./timeouts.ts";
import { openTools } from "./tools.ts";

const facts = Array.from({ length: 40 }, (_, index) => `<p>Weir ${index} holds ${index * 7} barrels of water.</p>`);
const page = `<!doctype html><title>Weirs</title><main><h1>Weirs</h1>${facts.join("")}</main>`;
const prompt = "How much does weir 6 hold?";
const said = "Weir 6 holds 42 barrels (lines 15-15).";

/** Tools whose settings name a simulated model, and a page to ask about. */
async function openAsked(options: ServedProviderOptions = {}, model: string | null = "sim:sim-1") {
  const provider = await serveProvider({ script: () => ({ text: said }), ...options });
  const server = await startServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(page);
  });
  const { SPILLWAY_RUNNER_ENDPOINTS = "", ...env } = runnerEnvironment(provider.url);
  const tools = await openTools({
    "network.allow": [server.allow],
    "runner.endpoints": SPILLWAY_RUNNER_ENDPOINTS.split(","),
    "web.answer_model": model,
  });
  return {
    provider,
    server,
    ask: (input: object = {}) =>
      tools.call("fetch_content", { url: `${server.origin}/weirs`, prompt, ...input }, { env }),
    async [Symbol.asyncDispose]() {
      await tools[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

describe("an answer", () => {
  for (const dialect of runnerDialects) {
    test(`is written by a model of ${dialect}, above its passages and with the ref`, async () => {
      await using setup = await openAsked({}, runnerModels[dialect]);
      const { text, fields } = await setup.ask();
      assert.equal(fields.answer, said);
      assert.equal(fields.answer_model, runnerModels[dialect]);
      assert.match(
        text,
        /\[Answer by \S+, written from the passages below; check it against them\.\]\nWeir 6 holds 42/,
      );
      assert.ok(text.indexOf(said) < text.indexOf("\n[Passages]\n"), text);
      assert.match(text.slice(text.indexOf("[Passages]")), /Weir 6 holds 42 barrels of water\./);
      assert.match(text, /artifact_ref=af_/);
      assert.ok(text.indexOf("[Begin untrusted content") < text.indexOf("[Answer by"), "it is inside the fence");
      const [request] = setup.provider.exchanges;
      assert.ok(request?.json.includes(prompt) && request.json.includes("Weir 6 holds 42 barrels of water."));
      assert.equal(setup.provider.exchanges.length, 1);
    });
  }

  test("is not asked for by default, and nothing is sent", async () => {
    await using setup = await openAsked({}, null);
    const { text, fields } = await setup.ask();
    assert.match(text, /Weir 6 holds 42 barrels of water\./);
    assert.deepEqual([fields.answer, setup.provider.exchanges.length], [undefined, 0]);
    const wanted = await setup.ask({ answer: true });
    assert.match(wanted.text, /No answer was written: the setting web\.answer_model names no model\./);
  });

  test("can be left out of one call, and a fetch without a prompt has none", async () => {
    await using setup = await openAsked();
    for (const input of [{ answer: false }, { prompt: undefined }])
      assert.doesNotMatch((await setup.ask(input)).text, /\[Answer by/);
    assert.equal(setup.provider.exchanges.length, 0);
  });

  test("that the model does not give leaves the passages, and the reply says why", async () => {
    const cases = [
      [
        { always: { status: 500, body: '{"error":{"message":"boom"}}' } },
        /No answer was written: sim answered 500: boom/,
      ],
      [{ always: { status: 401, body: '{"error":{"message":"bad key"}}' } }, /No answer was written: sim .*key.*401/],
      [{ always: { status: 200, body: "not a stream" } }, /No answer was written: /],
      [{ script: () => ({ text: "" }) }, /No answer was written: sim sent an empty answer\./],
    ] as const;
    for (const [options, expected] of cases) {
      await using setup = await openAsked(options);
      const { text, fields, isError } = await setup.ask();
      assert.match(text, expected);
      assert.match(text, /Weir 6 holds 42 barrels of water\./);
      assert.deepEqual([fields.answer, isError], [undefined, false]);
      assert.equal(setup.provider.exchanges.length, 1, "it is asked once");
    }
    await using unknown = await openAsked({}, "nowhere:x");
    assert.match(
      (await unknown.ask()).text,
      /No answer was written: "nowhere:x" does not name a model .* Write provider:model/,
    );
  });

  test("that takes too long leaves the passages", async (t) => {
    const timeouts = controlTimeouts(t);
    const afterChunk = async () => timeouts.expire(60_000);
    await using setup = await openAsked({ afterChunk });
    const { text } = await setup.ask();
    assert.match(text, /No answer was written: sim did not answer within web\.answer_time\. Raise web\.answer_time/);
    assert.match(text, /Weir 6 holds 42 barrels of water\./);
  });

  test("reaches an agent through MCP", async () => {
    await using provider = await serveProvider({ script: () => ({ text: said }) });
    await using mcp = await openMcp();
    await mcp.write("weirs.html", page);
    const env = { ...runnerEnvironment(provider.url), SPILLWAY_WEB_ANSWER_MODEL: "sim:sim-1" };
    const client = await mcp.client("2025-11-25", { env });
    const reply = await client.callTool({ name: "fetch_content", arguments: { url: "weirs.html", prompt } });
    assert.ok(JSON.stringify(reply.content).includes(said));
  });

  test("fits every budget together with its passages, and is cut last", async () => {
    const long = "A long answer about weirs. ".repeat(400);
    await using setup = await openAsked({ script: () => ({ text: long }) });
    for (const maxChars of [200, 1_000, 5_000, 50_000]) {
      const { text, fields } = await setup.ask({ maxChars });
      assert.ok(text.length <= maxChars + 600, `${text.length} for ${maxChars}`);
      assert.ok(String(fields.answer).length <= Math.min(maxChars, 3_003));
      assert.match(text, /A long answer about weirs/);
    }
  });

  test("is written for the first three of several sources", async () => {
    await using setup = await openAsked();
    const urls = Array.from({ length: 5 }, (_, index) => `${setup.server.origin}/${index}`);
    const { text } = await setup.ask({ url: undefined, urls, maxChars: 30_000 });
    assert.equal(text.split("[Answer by").length - 1, 3);
    assert.equal(setup.provider.exchanges.length, 3);
  });
});
