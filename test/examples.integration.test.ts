/** Every program of examples/ runs, on loopback. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { createOpenAI } from "@ai-sdk/openai";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { work } from "../examples/ai-sdk.ts";
import { ask, read } from "../examples/library.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { serveProvider, wordings } from "./provider.ts";
import { findResults } from "./scripted.ts";
import { openServedHttp } from "./served-http.ts";

test("the AI SDK example reads, overflows, recovers and answers", async () => {
  await using folder = await makeTemporaryFolder();
  process.env.SPILLWAY_HOME = folder.path;
  await using provider = await serveProvider({
    windowTokens: 3_200,
    wording: wordings.openai,
    script: (request, dialect) => {
      const results = findResults(request, dialect);
      const files = ["handbook.md", "levels.csv", "handbook.md", "handbook.md"];
      const next = files[results.length];
      if (next !== undefined) return { calls: [{ tool: "fetch_content", input: { url: next } }] };
      return { text: /power[^.]*\./i.exec(results.at(-1) ?? "")?.[0] ?? "nothing" };
    },
  });
  const model = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "sim" }).chat("sim-1");
  let answer = "";
  await work("What if the power fails?", model, (text) => {
    answer += text;
  });
  assert.match(answer, /^power/i);
  const statuses = provider.exchanges.map(({ status }) => status);
  assert.ok(statuses.includes(400) && statuses.at(-1) === 200, statuses.join());
});

test("the AI SDK example passes on a provider's error", async () => {
  await using folder = await makeTemporaryFolder();
  process.env.SPILLWAY_HOME = folder.path;
  await using provider = await serveProvider({ always: { status: 401, body: '{"error":{"message":"bad key"}}' } });
  const model = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "sim" }).chat("sim-1");
  await assert.rejects(
    work("What if the power fails?", model, () => undefined),
    /bad key/,
  );
});

const root = join(import.meta.dirname, "..");
const example = (name: string) => join(root, "examples", name);

test("the library example reads, asks and searches, and its request is made smaller", async () => {
  await using folder = await makeTemporaryFolder();
  process.env.SPILLWAY_HOME = folder.path;
  const [fetched = "", answer = "", found = ""] = await read();
  assert.match(fetched, /^300 of 2079 characters, has_more=true$/);
  assert.match(answer, /^If the power fails, the spillway still opens/);
  assert.equal(found, "search: levels.csv");
  await using provider = await serveProvider({ windowTokens: 3_000, wording: wordings.openai });
  const result = { role: "tool", tool_call_id: "c1", content: "a long log line\n".repeat(2_000) };
  const call = { id: "c1", type: "function", function: { name: "log", arguments: "{}" } };
  const messages = [
    { role: "user", content: "What happened?" },
    { role: "assistant", content: null, tool_calls: [call] },
    result,
  ];
  assert.equal(
    await ask(`${provider.url}/v1/chat/completions`, { model: "sim-1", messages }),
    "200 recovered; stubs=1",
  );
});

describe("the programs", () => {
  let folder: Awaited<ReturnType<typeof makeTemporaryFolder>>;
  let env: Record<string, string>;

  before(async () => {
    folder = await makeTemporaryFolder();
    const programs = join(folder.path, "bin");
    await mkdir(programs);
    const entry = join(root, "src", "surfaces", "cli", "entry.ts");
    await writeFile(join(programs, "spillway"), `#!/bin/sh\nexec "${process.execPath}" "${entry}" "$@"\n`);
    await chmod(join(programs, "spillway"), 0o755);
    const path = [programs, dirname(process.execPath), process.env.PATH].join(delimiter);
    env = { PATH: path, HOME: folder.path, SPILLWAY_HOME: join(folder.path, "home") };
  });
  after(() => folder[Symbol.asyncDispose]());

  const run = (command: string, args: readonly string[], more: Record<string, string> = {}) =>
    promisify(execFile)(command, args, { cwd: folder.path, env: { ...env, ...more } }).then(
      ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
      (error) => error,
    );

  /** Calls a tool of a server over standard input and output. */
  async function callTool(command: string, args: string[], name: string): Promise<string> {
    const client = new Client({ name: "example", version: "1" });
    await client.connect(new StdioClientTransport({ command, args, env, cwd: folder.path, stderr: "ignore" }));
    try {
      return JSON.stringify((await client.callTool({ name, arguments: {} })).content);
    } finally {
      await client.close();
    }
  }

  test("library.ts prints what it learnt", async () => {
    const { stdout, stderr } = await run(process.execPath, [example("library.ts")]);
    assert.match(stdout, /^300 of 2079 characters[\s\S]*search: levels\.csv\n$/, stderr);
  });

  test("cli-script.sh answers a question about a file, and fails where there is none", async () => {
    const question = "what if the power fails";
    const { stdout } = await run("sh", [example("cli-script.sh"), example("samples/handbook.md"), question]);
    assert.match(stdout, /If the power fails, the spillway still opens/);
    const missing = await run("sh", [example("cli-script.sh"), "missing.md", question]);
    assert.notEqual(missing.code, 0);
    assert.match(missing.stderr, /missing\.md/);
  });

  test("mcp-server.ts serves its own tool beside ours", async () => {
    assert.match(await callTool(process.execPath, [example("mcp-server.ts")], "list_artifacts"), /of \d+ artifacts/);
  });

  test("flooding-server.ts is bounded behind the gateway", async () => {
    const whole = await callTool(process.execPath, [example("flooding-server.ts")], "report");
    const args = ["gateway", "--", process.execPath, example("flooding-server.ts")];
    const page = await callTool("spillway", args, "report");
    assert.ok(whole.length > 400_000 && page.length < 10_000, `${whole.length} and ${page.length} characters`);
    assert.match(page, /read_artifact artifact_ref=af_/);
  });

  test("serve-client.ts reads through a server", async () => {
    await using served = await openServedHttp();
    const { stdout, stderr } = await run(process.execPath, [example("serve-client.ts")], {
      SERVER_URL: `${served.url}/mcp`,
      SERVER_TOKEN: served.localToken ?? "",
    });
    assert.match(stdout, /What a weir holds back/, stderr);
    const refused = await run(process.execPath, [example("serve-client.ts")], {
      SERVER_URL: `${served.url}/mcp`,
      SERVER_TOKEN: "wrong",
    });
    assert.match(refused.stderr, /Error: 401/);
  });

  test("plain-agent.ts dies alone and answers under with", async () => {
    await using provider = await serveProvider({ windowTokens: 20_000, wording: wordings.openai });
    const address = { OPENAI_BASE_URL: `${provider.url}/v1`, OPENAI_API_KEY: "k" };
    const alone = await run(process.execPath, [example("plain-agent.ts")], address);
    assert.match(alone.stdout, /^400: This model's maximum context length is 20000 tokens/);
    const own = ["with", "--openai-env", "OPENAI_BASE_URL", process.execPath, example("plain-agent.ts")];
    const recovered = await run("spillway", own, address);
    assert.equal(recovered.code, 0, recovered.stdout);
    assert.match(recovered.stderr, /1 request recovered/);
  });

  test("runner.sh answers with the model that it is given", async () => {
    await using provider = await serveProvider({
      script: (request, dialect) => {
        const [result] = findResults(request, dialect);
        if (result === undefined) return { calls: [{ tool: "fetch_content", input: { url: "handbook.md" } }] };
        return { text: /If the power fails[^.]*\./.exec(result)?.[0] ?? "nothing" };
      },
    });
    const { stdout, stderr } = await run("sh", [example("runner.sh"), "What if the power fails?"], {
      MODEL: "sim:sim-1",
      SPILLWAY_RUNNER_ENDPOINTS: `sim=${provider.url}/v1`,
    });
    assert.match(stdout, /^If the power fails, the spillway still opens/, stderr);
  });
});

test("every example is on their page", async () => {
  const page = await readFile(example("README.md"), "utf8");
  const files = (await readdir(join(root, "examples"))).filter((name) => /\.(?:ts|sh)$/.test(name));
  assert.deepEqual(
    files.filter((name) => !page.includes(`(${name})`)),
    [],
  );
});
