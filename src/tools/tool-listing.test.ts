/** What a model learns about the tools: few definitions, found by many ways of asking, and no names beyond them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import tokenizer from "llama3-tokenizer-js";
import { searchTools } from "../../test/bm25.ts";
import { openServed, type ServedOptions } from "../../test/served-mcp.ts";
import { otherAsks, otherTools, type ToolAsk, tunedAsks } from "../../test/tool-asks.ts";
import { openTools } from "../../test/tools.ts";
import { waitUntil } from "../../test/waiting.ts";
import { builtInTools } from "./tools.ts";

type Listed = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly _meta?: object;
};

const withoutWeb: ServedOptions = {};
const withWeb: ServedOptions = { env: { BRAVE_API_KEY: "key" } };
const webTools = ["web_search", "code_search"];
const unlistedNames = builtInTools.filter(({ isUnlisted }) => isUnlisted).map(({ name }) => name);

async function listTools(options: ServedOptions) {
  await using served = await openServed(options);
  const { instructions } = await served.open();
  const { tools } = await served.request<{ tools: readonly Listed[] }>("tools/list");
  return { tools, instructions };
}

const countTokens = (value: unknown): number =>
  tokenizer.encode(JSON.stringify(value), { bos: false, eos: false }).length;

describe("the listing", () => {
  test("has at most six tools, and marks the core ones as always loaded", async () => {
    const { tools } = await listTools(withWeb);
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["fetch_content", "read_artifact", "search_code", "index_repository", ...webTools],
    );
    const alwaysLoaded = tools.filter(({ _meta = {} }) => "anthropic/alwaysLoad" in _meta).map(({ name }) => name);
    assert.deepEqual(alwaysLoaded, ["fetch_content", "read_artifact", "search_code"]);
    assert.equal((await listTools(withoutWeb)).tools.length, 4);
  });

  test("costs at most 1,200 tokens without the web tools", async () => {
    const { tools } = await listTools(withoutWeb);
    const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const tokens = countTokens(shown);
    assert.ok(tokens <= 1_200, `${tokens} tokens`);
  });

  test("names no tool that is not listed, and neither do the instructions", async () => {
    const { tools, instructions } = await listTools(withWeb);
    assert.ok(unlistedNames.length === 5);
    for (const name of unlistedNames) assert.ok(!JSON.stringify([tools, instructions]).includes(name), name);
    for (const { name } of builtInTools.filter((tool) => tool.isCore)) assert.ok(instructions.includes(name), name);
    assert.ok(instructions.length < 1_500);
  });

  test("has all tools if the setting says so; every name can be called in any case", async () => {
    const { tools } = await listTools({ settings: { "mcp.tools": "all" } });
    for (const name of unlistedNames)
      assert.ok(
        tools.some((tool) => tool.name === name),
        name,
      );
    await using served = await openServed();
    await served.open();
    for (const { name } of builtInTools) {
      const { content } = await served.request<{ content: unknown[] }>("tools/call", { name, arguments: {} });
      assert.equal(content.length, 1, name);
    }
    await assert.rejects(
      served.request("tools/call", { name: "nope" }),
      /^Error: Unknown tool: nope\. Tools: fetch_content, read_artifact, search_code, index_repository\.$/,
    );
  });
});

describe("a search over the definitions", () => {
  const RESULTS = 5;

  async function findMissed(asks: readonly ToolAsk[], options: ServedOptions): Promise<string[]> {
    const { tools } = await listTools(options);
    const ours = tools.map(({ name, title, description }) => ({
      name: `mcp__spillway__${name}`,
      text: `${title} ${description}`,
    }));
    const all = [...otherTools.map(({ name, description }) => ({ name, text: description })), ...ours];
    const isMissed = ({ ask, wants }: ToolAsk) => {
      const found = searchTools(ask, all, RESULTS);
      return !wants.every((name) => found.includes(`mcp__spillway__${name}`));
    };
    return asks.filter(isMissed).map(({ ask }) => ask);
  }

  for (const { name, options } of [
    { name: "without web tools", options: withoutWeb },
    { name: "with web tools", options: withWeb },
  ]) {
    test(`finds the right tool for thirty ways of asking, ${name}`, async () => {
      assert.equal(tunedAsks.length, 30);
      assert.deepEqual(await findMissed(tunedAsks, options), []);
    });

    test(`finds it for 25 of thirty other ways, ${name}`, async (t) => {
      assert.equal(otherAsks.length, 30);
      const missed = await findMissed(otherAsks, options);
      t.diagnostic(`missed: ${missed.join("; ")}`);
      assert.ok(missed.length <= 5, missed.join("; "));
    });
  }
});

describe("no reply names a tool that is not listed", () => {
  const assertListed = (text: string) => {
    for (const name of unlistedNames) assert.ok(!text.includes(name), text);
  };

  test("about many sources, in little room", async () => {
    await using bench = await openTools();
    const urls = await Promise.all(Array.from({ length: 20 }, (_, n) => bench.write(`${n}.txt`, "water ".repeat(900))));
    for (const maxChars of [1, 1_000, 5_000, 40_000]) {
      const { text, fields } = await bench.call("fetch_content", { urls, maxChars });
      assertListed(text);
      const listing = await bench.call("read_artifact", { responseId: fields.responseId, max_chars: maxChars });
      assertListed(listing.text);
      assert.match(listing.text, /^\[20 stored under responseId=rs_/);
    }
  });

  test("about handles, jobs and mistakes", async () => {
    await using bench = await openTools();
    await bench.write("src/gauge.ts", "export function readGauge() {}\n");
    const calls = [
      { name: "fetch_content", input: { url: `rs_${"0".repeat(32)}` } },
      { name: "fetch_content", input: { url: `af_${"0".repeat(32)}` } },
      { name: "read_artifact", input: {} },
      { name: "read_artifact", input: { responseId: `rs_${"0".repeat(32)}` } },
      { name: "read_artifact", input: { responseId: "rs_nonsense" } },
      { name: "index_repository", input: { repo_path: "src" } },
      { name: "index_repository", input: { action: "status", job_id: "nope" } },
      { name: "search_code", input: { query: "readGauge" } },
      { name: "search_code", input: { query: "readGauge", project_id: "nope" } },
    ];
    for (const { name, input } of calls) assertListed((await bench.call(name, input)).text);
  });
});

describe("read_artifact by responseId", () => {
  async function openStored(contents: readonly string[]) {
    const bench = await openTools();
    const urls = await Promise.all(contents.map((content, index) => bench.write(`${index}.md`, content)));
    const { fields } = await bench.call("fetch_content", { urls });
    return { ...bench, responseId: String(fields.responseId) };
  }

  test("lists several sources and reads the chosen one, in any way of choosing a part", async () => {
    await using bench = await openStored(["# One\n\nfirst words", "# Two\n\nsecond words\n\nthird words"]);
    const { responseId } = bench;
    const listing = await bench.call("read_artifact", { responseId });
    assert.match(listing.text, /^\[2 stored under responseId=rs_\w+\. Choose one by urlIndex\.\]/);
    const read = async (part: object) =>
      (await bench.call("read_artifact", { responseId, urlIndex: 1, ...part })).fields;
    assert.equal((await read({})).content, "# Two\n\nsecond words\n\nthird words");
    assert.match(String((await read({ lines: "5" })).content), /^third words/);
    assert.match(String((await read({ query: "third" })).content), /third words/);
    assert.equal((await read({})).responseId, responseId);
    assert.deepEqual(
      (await bench.call("read_artifact", { artifact_ref: responseId, urlIndex: 1 })).fields,
      await read({}),
    );
  });

  test("reads the only source at once, in the mode it was fetched in", async () => {
    await using bench = await openTools();
    await bench.write("a.html", "<p>Weirs &amp; gauges</p>");
    const { fields } = await bench.call("fetch_content", { url: "a.html", mode: "raw" });
    const again = await bench.call("read_artifact", { responseId: fields.responseId });
    assert.equal(again.fields.content, "<p>Weirs &amp; gauges</p>");
  });

  test("says what to do about an index that is out of range, and a source that failed", async () => {
    await using bench = await openStored(["one", "two"]);
    const { responseId } = bench;
    const outside = await bench.call("read_artifact", { responseId, urlIndex: 7 });
    assert.match(outside.text, /^urlIndex 7 out of range\. Valid: 0-1\nCall again with the responseId alone/);
    const mixed = await bench.call("fetch_content", { urls: ["0.md", "missing.md"] });
    const failed = await bench.call("read_artifact", { responseId: mixed.fields.responseId, urlIndex: 1 });
    assert.match(failed.text, /^Nothing is stored of missing\.md: Invalid URL\.\nFetch it with fetch_content\./);
    const none = await bench.call("read_artifact", { pages: "1" });
    assert.match(none.text, /^artifact_ref is missing\.\nSend the artifact_ref \(af_\.\.\.\) or the responseId/);
  });
});

describe("index_repository", () => {
  test("starts a job, reports its status and cancels it", async () => {
    await using bench = await openTools();
    await bench.write("src/gauge.ts", "export function readGauge() {}\n");
    const started = await bench.call("index_repository", { repo_path: "src" });
    const { job_id } = started.fields;
    const status = async (input: object) => (await bench.call("index_repository", { job_id, ...input })).fields;
    await waitUntil("the job ends", async () => (await status({ action: "status" })).status === "completed");
    assert.equal((await status({})).status, "completed", "a job_id alone asks for the status");
    assert.equal((await status({ action: "cancel" })).status, "completed");
  });

  const mistakes = [
    { input: {}, text: /^repo_path is missing\.\nSend repo_path/ },
    { input: { action: "start", job_id: "x" }, text: /^repo_path is missing\./ },
    { input: { action: "status" }, text: /^job_id is missing\.\nSend the job_id/ },
    { input: { action: "cancel" }, text: /^job_id is missing\./ },
    { input: { action: "pause" }, text: /^action must be one of start, status, cancel, not "pause"/ },
  ];
  for (const { input, text } of mistakes) {
    test(`answers ${JSON.stringify(input)} with what to send`, async () => {
      await using bench = await openTools();
      const reply = await bench.call("index_repository", input);
      assert.ok(reply.isError);
      assert.match(reply.text, text);
    });
  }
});
