import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { listArtifacts, subtitles } from "../examples/extensions.ts";
import {
  callTool,
  defaultSettings,
  fetchSource,
  type Handler,
  type HandlerOptions,
  type LocalFile,
  makeBudget,
  mergeTools,
  openSession,
  readArtifact,
  runInChild,
  type SessionOptions,
  type Tool,
  withOverflowRecovery,
} from "../src/index.ts";
import { openaiChatSimulator } from "../src/overflow/dialects/openai-chat.simulator.ts";
import { openaiChat } from "../src/overflow/dialects/openai-chat.ts";
import { tools } from "../src/surfaces/ai-sdk/ai-sdk.ts";
import { dialectContract, type HttpSimulator, handlerContract, toolContract } from "../src/testing.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { simulateProvider, wordings } from "./provider.ts";

const srt =
  "1\n00:00:01,000 --> 00:00:04,000\nThe gate opens at dawn.\n\n2\n00:00:05,000 --> 00:00:06,000\nNot before.\n";

/** Reads every archive with an engine in a child process. */
const counter: Handler = {
  name: "byte-counter",
  version: 1,
  runs: "child",
  canHandle: (kind) => kind === "archive",
  extract: (file, options, signal) => runInChild(new URL("./own-engine.ts", import.meta.url), file, options, signal),
};

/** A chat service with the format of OpenAI at another path. */
const ownChat = { ...openaiChat, name: "own-chat", endpoint: /\/own\/talk$/ };
const address = "http://127.0.0.1/own/talk";
const ownSimulator: HttpSimulator = {
  ...openaiChatSimulator,
  dialect: ownChat,
  path: ownChat.endpoint,
  address,
  stream: { ...openaiChatSimulator.stream, address },
};

const open = (options: SessionOptions) =>
  openSession({ settings: defaultSettings, cwd: import.meta.dirname, inMemory: true, ...options });

describe("a library user's own handler", () => {
  test("reads what it can handle, before the built-in ones, in fetch and read", async () => {
    await using session = await open({ handlers: [subtitles] });
    const { content, fields } = await fetchSource(`data:application/x-subrip,${encodeURIComponent(srt)}`, {}, session);
    assert.equal(content, "The gate opens at dawn.\nNot before.");
    assert.equal(fields.handler, "subtitles");
    const answer = await readArtifact(fields.artifact_ref ?? "", { lines: "2" }, session);
    assert.equal(answer.content?.trim(), "Not before.");
  });

  test("leaves every other source to the built-in ones", async () => {
    await using session = await open({ handlers: [subtitles] });
    assert.equal((await fetchSource("data:,plain", {}, session)).fields.handler, "text");
  });

  test("runs in a child process by the URL of its engine, and a crash there is a typed reason", async () => {
    await using session = await open({ handlers: [counter] });
    const zip = (note: string) => `data:application/zip;base64,${Buffer.from(emptyZip(note)).toString("base64")}`;
    const { content } = await fetchSource(zip("fine"), {}, session);
    const [, bytes, pid] = /^(\d+) bytes, read by process (\d+)$/.exec(content ?? "") ?? [];
    assert.equal(Number(bytes), emptyZip("fine").length);
    assert.notEqual(Number(pid), process.pid);
    const crashed = await fetchSource(zip("crash"), {}, session);
    assert.match(crashed.fields.error ?? "", /damaged|corrupt|could not be read/i);
  });

  test("with pages needs no notes on them, and its text counts", async () => {
    const slides: Handler = {
      ...subtitles,
      async *extract(_, { from }) {
        yield { info: { pageCount: 2 } };
        for (const index of [0, 1].slice(from))
          yield {
            segment: { index, kind: "slide", label: `slide ${index + 1}`, text: `Slide ${index + 1}`, marks: [] },
          };
      },
    };
    await using session = await open({ handlers: [slides] });
    const { content, fields } = await fetchSource(`data:application/x-subrip,${encodeURIComponent(srt)}`, {}, session);
    assert.equal(content, "Slide 1\n\nSlide 2");
    assert.deepEqual([fields.error, fields.truncated, fields.warnings], [undefined, false, []]);
  });

  test("cannot flood or forge the fields of a reply", async () => {
    const forger: Handler = {
      ...subtitles,
      fields: { lines: "number", artifact_ref: "string" },
      describe: () => ({ fields: { lines: 2, artifact_ref: "af_forged", extra: Array(20_000).fill("word") } }),
    };
    await using session = await open({ handlers: [forger] });
    const { fields } = await fetchSource(`data:application/x-subrip,${encodeURIComponent(srt)}`, {}, session);
    assert.match(fields.artifact_ref ?? "", /^af_[0-9a-f]{32}$/);
    assert.deepEqual([Reflect.get(fields, "lines"), Reflect.get(fields, "extra")], [2, undefined]);
  });

  test("that throws is reported with its name, and the source keeps its ref", async () => {
    const broken: Handler = {
      ...subtitles,
      extract() {
        throw new Error("no such codec");
      },
    };
    await using session = await open({ handlers: [broken] });
    const { fields, summary } = await fetchSource(`data:application/x-subrip,${encodeURIComponent(srt)}`, {}, session);
    assert.match(fields.artifact_ref ?? "", /^af_/);
    assert.match(fields.warnings.join(), /subtitles handler failed: no such codec/);
    assert.match(fields.error ?? "", /^Failed to extract text from .*: reading it failed$/);
    assert.match(summary, /Kept as artifact_ref=\S+; it has no text to read\./);
  });

  test("with an engine that cannot be loaded is not stored as damaged", async () => {
    const missing: Handler = {
      ...counter,
      extract: (file, options, signal) => runInChild(new URL("./samples.ts", import.meta.url), file, options, signal),
    };
    const toUrl = (note: string) => `data:application/zip;base64,${Buffer.from(emptyZip(note)).toString("base64")}`;
    const [zip, otherZip] = [toUrl("fine"), toUrl("other")];
    await using session = await open({ handlers: [missing] });
    assert.match((await fetchSource(zip, {}, session)).fields.warnings.join(), /no engine/);
    await using repaired = await open({ handlers: [counter] });
    assert.match(
      (await fetchSource(zip, {}, { ...session, handlers: repaired.handlers })).content ?? "",
      /bytes, read by/,
    );
    const remote = {
      ...counter,
      extract: (file: LocalFile, options: HandlerOptions, signal: AbortSignal) =>
        runInChild(new URL("https://example.com/engine.js"), file, options, signal),
    };
    await assert.rejects(fetchSource(otherZip, {}, { ...session, handlers: [remote] }), { code: "config_invalid" });
  });

  for (const [name, hint] of [
    ["pdf", /own/],
    ["../escape", /lower-case/],
  ] as const) {
    test(`is refused under the name ${name}`, async () => {
      await assert.rejects(open({ handlers: [{ ...subtitles, name }] }), { code: "config_invalid", hint });
    });
  }

  handlerContract(subtitles, [
    {
      name: "a subtitle file",
      bytes: Buffer.from(srt),
      kind: "text",
      mediaType: "application/x-subrip",
      charset: "utf-8",
    },
  ]);
});

describe("a library user's own tool", () => {
  test("is called like the built-in ones, and its reply fits", async () => {
    await using session = await open({});
    await fetchSource("data:,kept", {}, session);
    const reply = await callTool(listArtifacts, {}, session);
    assert.match(reply.text, /1 of 1 artifacts\.\naf_[0-9a-f]{32} data:/);
  });

  test("that ignores its budget is answered with an error, not with a flood", async () => {
    const flood: Tool = {
      ...listArtifacts,
      run: async (_, { settings }) => ({
        budget: makeBudget({ default: settings["fit.read_chars"] }),
        render: () => ({ summary: "All of it.", notices: [], body: "x".repeat(500_000), structured: {} }),
      }),
    };
    await using session = await open({});
    const reply = await callTool(flood, {}, session);
    assert.deepEqual([reply.isError, reply.structured.code], [true, "reply_too_large"]);
    assert.ok(reply.text.length < 1_000);
  });

  test("joins the tools of the AI SDK", async () => {
    await using session = await open({});
    const all = tools({ session, tools: [listArtifacts] });
    assert.ok(all.list_artifacts && all.fetch_content);
  });

  test("joins the tools of the MCP server, with a handler", async () => {
    await using folder = await makeTemporaryFolder();
    const client = new Client({ name: "some-client", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(import.meta.dirname, "own-server.ts")],
        cwd: folder.path,
        env: { PATH: process.env.PATH ?? "", HOME: folder.path, SPILLWAY_HOME: join(folder.path, "home") },
        stderr: "ignore",
      }),
    );
    const names = (await client.listTools()).tools.map(({ name }) => name);
    assert.ok(names.includes("list_artifacts") && names.includes("fetch_content"), names.join());
    const url = `data:application/x-subrip,${encodeURIComponent(srt)}`;
    const fetched = await client.callTool({ name: "fetch_content", arguments: { url } });
    assert.match(JSON.stringify(fetched.content), /The gate opens at dawn\.\\nNot before/);
    const listed = await client.callTool({ name: "list_artifacts", arguments: {} });
    assert.match(JSON.stringify(listed.content), /1 of 1 artifacts/);
    await client.close();
  });

  test("is refused under the name of a built-in one", () => {
    for (const name of ["web_fetch", "bad name!", ""])
      assert.throws(() => mergeTools([{ ...listArtifacts, name }]), { code: "config_invalid" });
  });

  toolContract(listArtifacts, [{ name: "an empty store", input: {} }]);
});

describe("a library user's own dialect", async () => {
  test("is recovered at its own address, where nothing was looked at before", async () => {
    await using session = await open({});
    const request = ownSimulator.writeRequest({
      system: "Answer briefly.",
      turns: [
        {
          user: "Read it.",
          rounds: [[{ tool: "shell", result: { text: "word ".repeat(8_000), form: "text" } }]],
          answer: "Done.",
        },
        { user: "And now?", rounds: [], answer: "" },
      ],
      outputTokens: 100,
    });
    const send = async (options: object) => {
      const provider = simulateProvider({ windowTokens: 4_000, wording: wordings.openai });
      const asOpenai = (input: Parameters<typeof fetch>[0], init?: RequestInit) =>
        provider.fetch(String(input).replace("/own/talk", "/v1/chat/completions"), init);
      const recovering = withOverflowRecovery(asOpenai, { session, ...options });
      const response = await recovering("http://127.0.0.1:9/own/talk", {
        method: "POST",
        body: JSON.stringify(request),
      });
      return { status: response.status, requests: provider.exchanges.length };
    };
    assert.deepEqual(await send({}), { status: 400, requests: 1 });
    assert.deepEqual(await send({ dialects: [ownChat] }), { status: 200, requests: 2 });
  });

  await dialectContract(ownChat, ownSimulator);
});

/** A ZIP without members: its end record and a comment. */
function emptyZip(comment: string): Uint8Array {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([end, Buffer.from(comment)]);
}
