import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { clientRows, noClient } from "../src/config/clients.ts";
import { defaultSettings } from "../src/config/settings.ts";
import { openSession } from "../src/session/session.ts";
import { builtInTools, findTool, listShown } from "../src/tools/tools.ts";
import { makeMemorySpool, makeOrigin, plainTextDetection } from "./bodies.ts";
import { openCli } from "./cli.ts";
import { openMcp, type Revision } from "./mcp.ts";
import { makePdfWithPages, withPageMarks } from "./pdf.ts";
import { waitUntil } from "./waiting.ts";

const run = promisify(execFile);
const revisions: readonly Revision[] = ["2026-07-28", "2025-11-25"];

/** For tests of what only some clients get: structured content, and links beside the text. */
const bothForms = { env: { SPILLWAY_MCP_FORM: "both" } };

type Block = { type: string; text?: string; uri?: string; _meta?: { page?: number } };
type Result = Record<string, unknown> & { content: Block[]; isError?: boolean };

for (const revision of revisions) {
  describe(`a client of revision ${revision}`, () => {
    test("lists the tools with their titles, hints and schemas, always the same", async () => {
      await using mcp = await openMcp();
      const client = await mcp.client(revision, bothForms);
      const { tools: listed } = await client.listTools();
      assert.deepEqual(
        listed.map(({ name }) => name),
        listShown(builtInTools, { settings: defaultSettings, env: {} }).map(({ name }) => name),
      );
      for (const { title, annotations, description, outputSchema } of listed) {
        assert.ok(title && annotations?.readOnlyHint && description && description.length < 1_000 && outputSchema);
      }
      const shownToModel = listed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
      assert.ok(
        JSON.stringify(shownToModel).length < 5_000,
        `a model reads ${JSON.stringify(shownToModel).length} characters`,
      );
      const allChars = JSON.stringify(listed).length;
      assert.ok(allChars < 14_400, `${allChars} characters in all`);
      assert.deepEqual((await client.listTools()).tools, listed);
      assert.match(client.getInstructions() ?? "", /artifact_ref/);
    });

    test("calls every tool, and each reply matches its schema", async () => {
      await using mcp = await openMcp();
      await mcp.write("a.md", `# Title\n\n${"Water level and weir.\n".repeat(4_000)}`);
      await mcp.write("a.pdf", makePdfWithPages(["The first page", "The second page"]));
      const client = await mcp.client(revision, bothForms);
      const { tools: listed } = await client.listTools();
      const ajv = new Ajv2020({ strict: false });
      const call = async (name: string, input: Record<string, unknown>) => {
        const result = (await client.callTool({ name, arguments: input })) as Result;
        const { output } = findTool(name) ?? assert.fail(name);
        assert.deepEqual(listed.find((tool) => tool.name === name)?.outputSchema ?? output, output);
        assert.ok(ajv.validate(output, result.structuredContent), JSON.stringify(ajv.errors));
        return {
          ...result,
          fields: result.structuredContent as Record<string, unknown>,
          text: result.content[0]?.text ?? "",
        };
      };
      const fetched = await call("fetch_content", { urls: ["a.md", "a.pdf"], max_chars: "5000" });
      const [first] = fetched.fields.results as { artifact_ref: string }[];
      assert.ok(fetched.text.includes(first?.artifact_ref ?? "?") && fetched.text.length <= 5_600);
      const link = fetched.content.find(({ type }) => type === "resource_link");
      assert.equal(link?.uri, `artifact://${first?.artifact_ref}`);
      const second = await call("get_search_content", { responseId: fetched.fields.responseId, urlIndex: 1 });
      assert.equal(second.fields.content, withPageMarks(["The first page", "The second page"]));
      const page = await call("read_artifact", { artifact_ref: second.fields.artifact_ref, pages: 2 });
      assert.equal(page.fields.content, withPageMarks(["The second page"], 2));
      const asked = await call("web_fetch", { url: "a.pdf", query: "second" });
      assert.ok(asked.content.some(({ text }) => text?.includes("The second page")));
      assert.match((await call("web_fetch_html", { url: "a.md" })).text, /# Title/);
      const bounded = listed.filter(({ inputSchema }) => "maxChars" in (inputSchema.properties ?? {}));
      assert.ok(bounded.length > 0);
      const chosen = await call("fetch_content", { url: "a.pdf", pages: "2" });
      assert.equal(chosen.fields.content, withPageMarks(["The second page"], 2));
      for (const { name } of bounded) {
        const reply = await call(name, { maxChars: {} });
        assert.equal(reply.isError, true);
        assert.match(reply.text, /^.+\n.{10,}/);
      }
      await assert.rejects(
        client.callTool({ name: "nope", arguments: {} }),
        /Unknown tool: nope\. Tools: fetch_content/,
      );
    });

    test("lists artifacts in pages, and refuses a cursor that is not its own", async () => {
      await using mcp = await openMcp();
      const client = await mcp.client(revision);
      await using session = await openSession({
        settings: { ...defaultSettings, home: join(mcp.path, "home"), run: "elsewhere" },
      });
      for (let index = 0; index < 130; index++) {
        await session.store.keep(makeMemorySpool(`${index}`), plainTextDetection, makeOrigin(`${index}.txt`));
      }
      const list = (cursor?: string) => client.request({ method: "resources/list", params: cursor ? { cursor } : {} });
      const first = await list();
      const second = await list(first.nextCursor);
      assert.deepEqual([first.resources.length, second.resources.length, second.nextCursor], [102, 30, undefined]);
      for (const cursor of ["2", "bm9uc2Vuc2U", Buffer.from("1 af_x 3").toString("base64url")]) {
        await assert.rejects(list(cursor), { code: -32602, message: /begin at the first page/ }, cursor);
      }
    });

    test("reads artifacts as resources, within the same budget", async () => {
      await using mcp = await openMcp();
      await mcp.write("a.txt", "0123456789".repeat(10_000));
      const client = await mcp.client(revision, bothForms);
      const result = (await client.callTool({ name: "web_fetch", arguments: { url: "a.txt" } })) as Result;
      const uri = result.content[1]?.uri ?? "";
      const { resources } = await client.listResources();
      assert.deepEqual(
        resources.map((resource) => resource.uri),
        ["health://status", "metrics://prometheus", uri],
      );
      assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
      const read = async (address: string) => {
        const [content] = (await client.readResource({ uri: address })).contents;
        return content && "text" in content ? content.text : assert.fail("no text");
      };
      assert.ok((await read(uri)).length <= 8_000);
      assert.match(await read(`${uri}?offset=99995`), /\n\n56789\n\n\[End untrusted content \w+\.\]$/);
      const { status, store } = JSON.parse(await read("health://status"));
      assert.deepEqual([status, (await readdir(store.folder)).includes("catalogue.db")], ["ok", true]);
      for (const uri of [`artifact://af_${"0".repeat(32)}`, "artifact://../../x", "file:///etc/passwd", "nonsense"]) {
        await assert.rejects(client.readResource({ uri }), { code: -32602 });
      }
    });

    test("gets a PDF as one block per page, with a link to the whole", async () => {
      await using mcp = await openMcp();
      await mcp.write("report.pdf", makePdfWithPages(["The weir", "The gauge"]));
      const client = await mcp.client(revision, bothForms);
      const { content } = (await client.callTool({ name: "web_fetch", arguments: { url: "report.pdf" } })) as Result;
      assert.deepEqual(
        content.map(({ type, _meta }) => [type, _meta?.page]),
        [
          ["text", undefined],
          ["text", 1],
          ["text", 2],
          ["text", undefined],
          ["resource_link", undefined],
        ],
      );
      const pages = [content[1]?.text?.trim(), content[2]?.text?.trim()];
      assert.deepEqual(pages, [withPageMarks(["The weir"]), withPageMarks(["The gauge"], 2)]);
      const { contents } = await client.readResource({ uri: content[4]?.uri ?? "" });
      assert.match(JSON.stringify(contents), /The weir.*The gauge/);
    });

    test("gets replies that fit its limit", async () => {
      await using mcp = await openMcp();
      await mcp.write("a.txt", '水 "level"\n'.repeat(20_000));
      for (const { name, args = [] } of [{ name: "Visual Studio Code" }, { name: "x", args: ["--client", "vscode"] }]) {
        const client = await mcp.client(revision, { name, args });
        const result = (await client.callTool({ name: "web_fetch", arguments: { url: "a.txt" } })) as Result;
        const { text = "" } = result.content[0] ?? {};
        assert.ok(Buffer.byteLength(text) <= 8_192 && Buffer.byteLength(text) > 7_500);
        assert.match(text, /The client takes no more in one reply\. Read on as said above\.\]$/);
        assert.equal(result.structuredContent, undefined);
      }
    });

    test("reads files only in its roots", async () => {
      await using mcp = await openMcp();
      for (const name of ["root", "other"]) {
        await mkdir(join(mcp.path, name));
        await writeFile(join(mcp.path, name, "a.txt"), `in ${name}`);
      }
      await mcp.write("a.txt", "at work");
      const client = await mcp.client(revision, {
        roots: [pathToFileURL(join(mcp.path, "root")).href],
      });
      const fetch = async (url: string) => (await client.callTool({ name: "web_fetch", arguments: { url } })) as Result;
      assert.match((await fetch(join(mcp.path, "root", "a.txt"))).content[0]?.text ?? "", /\n\nin root\n\n/);
      assert.match(
        (await fetch(pathToFileURL(join(mcp.path, "root", "a.txt")).href)).content[0]?.text ?? "",
        /\n\nin root\n\n/,
      );
      assert.match((await fetch("a.txt")).content[0]?.text ?? "", /\n\nat work\n\n/);
      assert.match((await fetch("../other/a.txt")).content[0]?.text ?? "", /outside the folders/);
      const rootless = await mcp.client(revision);
      const reply = (await rootless.callTool({ name: "web_fetch", arguments: { url: "../root/a.txt" } })) as Result;
      assert.match(reply.content[0]?.text ?? "", /outside the folders/);
    });

    test("reads the note about the settings whole: in the first reply that has room for it", async () => {
      await using mcp = await openMcp();
      const keys = [
        "artifacts.keep",
        "events.runs",
        "artifacts.keep_bytes",
        "artifacts.keep_tombstones",
        "events.bytes",
      ];
      await mkdir(join(mcp.work, ".spillway"));
      await mcp.write(".spillway/config.jsonc", JSON.stringify(Object.fromEntries(keys.map((key) => [key, 1]))));
      await mcp.write("long.txt", "A line of a long text.\n".repeat(5_000));
      const client = await mcp.client(revision);
      const fetch = async (maxChars: number) => {
        const reply = await client.callTool({ name: "fetch_content", arguments: { url: "long.txt", maxChars } });
        const text = (reply as Result).content[0]?.text ?? "";
        assert.ok(text.length <= maxChars + 600, `${text.length} for ${maxChars}`);
        return text;
      };
      const note =
        /\nThe settings have a problem; this part is ignored: .*artifacts\.keep may not be set by .*; see health:\/\/status\.\n/;
      assert.doesNotMatch(await fetch(20), /The settings/);
      assert.match(await fetch(30_000), note);
      assert.doesNotMatch(await fetch(30_000), /The settings/);
    });

    test("is warned of a malformed config once, and still served", async () => {
      await using mcp = await openMcp();
      await mkdir(join(mcp.work, ".spillway"));
      await mcp.write(".spillway/config.jsonc", '{\n  "fit.inline_chars": 5\n  "x"');
      const client = await mcp.client(revision);
      const fetch = async () =>
        (await client.callTool({ name: "web_fetch", arguments: { url: "data:,hello" } })) as Result;
      const [first, second] = [await fetch(), await fetch()];
      assert.match(
        first.content[0]?.text ?? "",
        /The settings have a problem; this part is ignored: .*config\.jsonc, line 3/,
      );
      assert.match(first.content[0]?.text ?? "", /\n\nhello\n\n/);
      assert.ok(!second.content[0]?.text?.includes("problem"));
      const [content] = (await client.readResource({ uri: "health://status" })).contents;
      const status = JSON.parse(content && "text" in content ? content.text : "");
      assert.equal(status.status, "degraded");
      assert.match(status.settings.problems[0], /config\.jsonc, line 3/);
    });
  });
}

describe("standard output", () => {
  /** Prints in every way a library can, at each call. */
  const noisy = `data:text/javascript,${encodeURIComponent(`
    const any = AbortSignal.any;
    AbortSignal.any = (signals) => {
      console.log("a library prints");
      console.info({ and: "an object" });
      process.stdout.write("and writes without a line end");
      console.table([[1, 2]]);
      return any.call(AbortSignal, signals);
    };
  `)}`;

  test("carries only JSON-RPC, even when a library prints", async () => {
    await using mcp = await openMcp();
    const server = mcp.lines({ nodeArgs: ["--import", noisy] });
    await server.open();
    for (let call = 0; call < 5; call++) {
      const answer = await server.request("tools/call", { name: "web_fetch", arguments: { url: "data:,hello" } });
      assert.ok("result" in answer);
    }
    server.child.stdin.end();
    await server.exited;
    assert.equal(server.received.length, 6);
    for (const line of server.received) assert.equal(JSON.parse(line).jsonrpc, "2.0");
    assert.match(server.stderr(), /a library prints[\s\S]*and writes without a line end/);
  });

  test("stays silent on lines that are not messages, and continues", async () => {
    await using mcp = await openMcp();
    const server = mcp.lines();
    await server.open();
    server.child.stdin.write(`not JSON\n\n[]\n7\n{"jsonrpc":"1.0"}\n${"x".repeat(17 * 1024 * 1024)}\n`);
    assert.ok("result" in (await server.request("ping")));
    assert.match(
      server.stderr(),
      /skipped a line of 8 characters that is not JSON[\s\S]*skipped a line of 17825792 bytes/,
    );
    assert.equal(server.received.length, 2);
  });

  test("answers a request that is too long, and repeats nothing of it", async () => {
    await using mcp = await openMcp();
    const server = mcp.lines();
    await server.open();
    const long = { jsonrpc: "2.0", id: 99, method: "tools/call", params: { s3cret: "x".repeat(17 * 1024 * 1024) } };
    server.child.stdin.write(`s3cret, not JSON\n${JSON.stringify(long)}\n`);
    assert.ok("result" in (await server.request("ping")));
    const reply = server.received.map((line) => JSON.parse(line)).find(({ id }) => id === 99);
    assert.equal(reply?.error.code, -32600);
    assert.ok(!server.stderr().includes("s3cret"));
  });
});

describe("the line protocol", () => {
  for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
    test(`works in revision ${revision}`, async () => {
      await using mcp = await openMcp();
      const server = mcp.lines(bothForms);
      const { result } = await server.open(revision);
      assert.equal((result as { protocolVersion: string }).protocolVersion, revision);
      const answer = await server.request("tools/call", { name: "web_fetch", arguments: { url: "data:,hello" } });
      const { content } = answer.result as Result;
      assert.deepEqual(
        content.map(({ type }) => type),
        revision >= "2025-06-18" ? ["text", "resource_link"] : ["text"],
      );
      assert.equal("structuredContent" in (answer.result as Result), revision >= "2025-06-18");
    });
  }

  test("passes arguments to callTool that the SDK would refuse", async () => {
    await using mcp = await openMcp();
    const server = mcp.lines();
    await server.open();
    const cases = [
      { given: '{"url":"data:,hello"}', text: /\n\nhello\n\n\[End / },
      { given: null, text: /^url is missing/ },
      { given: undefined, text: /^url is missing/ },
      { given: "  ", text: /^url is missing/ },
      { given: "data:,hello", text: /^url is missing\. "arguments" is not known/ },
      { given: [1], text: /^url is missing\. "arguments" is not known/ },
    ];
    for (const { given, text } of cases) {
      const { result } = await server.request("tools/call", { name: "web_fetch", arguments: given });
      assert.match((result as Result)?.content[0]?.text ?? "", text);
    }
  });

  test("answers pending requests after the input ended, then exits", async () => {
    await using mcp = await openMcp();
    await mcp.write("a.pdf", makePdfWithPages(["Asked and answered"]));
    const server = mcp.lines();
    await server.open();
    const answer = server.request("tools/call", { name: "web_fetch", arguments: { url: "a.pdf" } });
    server.child.stdin.end();
    assert.match(JSON.stringify(await answer), /Asked and answered/);
    assert.deepEqual(await server.exited, [0, null]);
  });

  test("answers many parallel calls, each with its own reply", async () => {
    await using mcp = await openMcp();
    const server = mcp.lines();
    await server.open();
    const numbers = Array.from({ length: 60 }, (_, index) => index);
    const answers = await Promise.all(
      numbers.map((n) => server.request("tools/call", { name: "web_fetch", arguments: { url: `data:,number ${n}` } })),
    );
    assert.deepEqual(
      answers.map(({ result }) => (result as Result).content[0]?.text?.split("\n").at(-3)),
      numbers.map((n) => `number ${n}`),
    );
  });

  test("reports progress if the client asks for it", async () => {
    await using mcp = await openMcp();
    const server = mcp.lines();
    await server.open();
    const urls = ["data:,a", "data:,b", "data:,c"];
    await server.request("tools/call", { name: "fetch_content", arguments: { urls }, _meta: { progressToken: "p" } });
    const progress = server.received
      .map((line) => JSON.parse(line))
      .filter(({ method }) => method === "notifications/progress");
    assert.deepEqual(
      progress.map(({ params }) => params),
      [1, 2, 3].map((progress) => ({ progressToken: "p", progress, message: `Fetched ${progress} of 3` })),
    );
  });
});

test("an unknown client is wrong usage, and a known one is accepted", async () => {
  await using cli = await openCli();
  const { status, out, err } = await cli.run(["mcp", "--client", "nosuch"]);
  assert.deepEqual([status, out], [2, ""]);
  assert.match(err, /^spillway: The limits of the client "nosuch" are not known\.\n {2}Known clients: Claude Code, /);
  for (const { name } of [...clientRows.slice(0, 2), noClient])
    assert.equal((await cli.run(["mcp", "--client", name])).status, 0, name);
});

describe("ending", () => {
  /** Starts a call that parses for a long time, so that it is still running while the test acts. */
  async function startBusyCall(mcp: Awaited<ReturnType<typeof openMcp>>) {
    const pages = Array.from({ length: 6_000 }, (_, index) => `Page ${index} ${"of the long report ".repeat(3)}`);
    await mcp.write("long.pdf", makePdfWithPages(pages));
    const server = mcp.lines();
    await server.open();
    const id = 77;
    const params = { name: "web_fetch", arguments: { url: "long.pdf", query: "page 5999" } };
    server.send({ id, method: "tools/call", params });
    const child = await findParser(server.child.pid ?? 0);
    return { server, id, child };
  }

  test("a cancelled call stops at once without an answer", async () => {
    await using mcp = await openMcp();
    const { server, id, child } = await startBusyCall(mcp);
    server.send({ method: "notifications/cancelled", params: { requestId: id, reason: "changed my mind" } });
    await waitUntilGone(child);
    assert.ok("result" in (await server.request("ping")));
    assert.ok(server.received.every((line) => JSON.parse(line).id !== id));
    server.child.stdin.end();
    assert.deepEqual(await server.exited, [0, null]);
  });

  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    test(`${signal} leaves no process behind`, async () => {
      await using mcp = await openMcp();
      const { server, child } = await startBusyCall(mcp);
      server.child.kill(signal);
      await server.exited;
      await waitUntilGone(child);
    });
  }

  test("the death of the client leaves no process behind", async () => {
    await using mcp = await openMcp();
    const script = `
      import { spawn } from "node:child_process";
      const server = spawn(process.execPath, [${JSON.stringify(join(import.meta.dirname, "../src/surfaces/cli/process.ts"))}, "mcp"],
        { stdio: ["pipe", "pipe", "ignore"] });
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
      server.stdout.once("data", () => { console.log(server.pid); process.kill(process.pid, "SIGKILL"); });
      server.stdin.write(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }) + "\\n");`;
    await mcp.write("client.mjs", script);
    const { stdout } = await run(process.execPath, ["client.mjs"], { cwd: mcp.work }).catch((error) => error);
    await waitUntilGone(Number(stdout.trim()));
  });
});

/** Waits for the parser that a process starts. */
async function findParser(parent: number): Promise<number> {
  let child: string | undefined;
  await waitUntil("a parser is started", async () => {
    const children = await readFile(`/proc/${parent}/task/${parent}/children`, "utf8").catch(() => "");
    [child] = children.trim().split(" ").filter(Boolean);
    return child !== undefined;
  });
  return Number(child);
}

async function waitUntilGone(pid: number): Promise<void> {
  assert.ok(pid > 0);
  await waitUntil(`process ${pid} ends`, async () => {
    // An ended process that has not been reaped yet is shown as a zombie.
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    return stat === "" || /\) Z /.test(stat);
  });
}
