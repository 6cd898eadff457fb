/** The gateway over HTTP on either side, and in front of several servers, with the SDK's own client and server. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { makeTemporaryFolder } from "./bodies.ts";
import { sendBeforeReading } from "./raw-socket.ts";
import { serveSdkSessions, serveSdkStateless } from "./sdk-server.ts";
import { startServer } from "./server.ts";

const program = join(import.meta.dirname, "../src/surfaces/cli/process.ts");
const stdioServer = [process.execPath, join(import.meta.dirname, "sdk-server.ts")];

type Revision = "2025-11-25" | "2026-07-28";
const revisions: readonly Revision[] = ["2025-11-25", "2026-07-28"];

const makeClient = (revision: Revision) =>
  new Client(
    { name: "opencode", version: "1" },
    { versionNegotiation: { mode: revision === "2026-07-28" ? { pin: revision } : "legacy" } },
  );

/** A folder of its own, in which gateways run. */
async function openTest() {
  const folder = await makeTemporaryFolder();
  const env = { PATH: process.env.PATH ?? "", HOME: folder.path, SPILLWAY_HOME: join(folder.path, "home") };
  const cleanups: (() => Promise<unknown>)[] = [];
  return {
    folder: folder.path,
    /** A client whose gateway is its child process. */
    async overStdio(revision: Revision, args: readonly string[]): Promise<Client> {
      const client = makeClient(revision);
      const command = { command: process.execPath, args: [program, "gateway", ...args], env, cwd: folder.path };
      await client.connect(new StdioClientTransport({ ...command, stderr: "ignore" }));
      cleanups.push(() => client.close());
      return client;
    },
    /** A client of a gateway that listens. */
    async overHttp(revision: Revision, args: readonly string[]): Promise<{ client: Client; url: string }> {
      const child = spawn(process.execPath, [program, "gateway", "--port", "0", ...args], { env, cwd: folder.path });
      cleanups.push(async () => {
        child.kill("SIGTERM");
        if (child.exitCode === null) await once(child, "exit");
      });
      const [url] = await once(createInterface({ input: child.stdout }), "line");
      const client = makeClient(revision);
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      cleanups.unshift(() => client.close());
      return { client, url };
    },
    /** A gateway whose client leaves at once. */
    async run(args: readonly string[]): Promise<{ code: unknown; err: string }> {
      const child = spawn(process.execPath, [program, "gateway", ...args], { env, cwd: folder.path });
      child.stdin.end();
      const [err, [code]] = await Promise.all([Array.fromAsync(child.stderr), once(child, "exit")]);
      return { code, err: Buffer.concat(err).toString() };
    },
    async [Symbol.asyncDispose]() {
      for (const stop of cleanups) await stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

type TextResult = { readonly content?: unknown };
const textOf = (result: TextResult): string =>
  (result.content as { text?: string }[]).map(({ text = "" }) => text).join("\n");

/** What every way through the gateway must do. */
async function checkGateway(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["text", "name", "read_artifact"],
  );
  assert.equal(textOf(await client.callTool({ name: "name", arguments: {} })), "sdk");
  const page = textOf(await client.callTool({ name: "text", arguments: { chars: 250_000 } }));
  assert.ok(page.length < 50_000 && !page.includes("NEEDLE"), `${page.length} characters`);
  const artifact_ref = /af_[0-9a-f]{32}/.exec(page)?.[0];
  const found = await client.callTool({ name: "read_artifact", arguments: { artifact_ref, query: "NEEDLE" } });
  assert.match(textOf(found), /NEEDLE 4711/);
  const { contents } = await client.readResource({ uri: "sdk://about" });
  assert.match(JSON.stringify(contents), /About sdk/);
}

for (const revision of revisions)
  describe(`a client of revision ${revision}`, () => {
    test("over stdio reaches a server over HTTP", async () => {
      await using server = await serveSdkStateless();
      await using setup = await openTest();
      await checkGateway(await setup.overStdio(revision, ["--url", `${server.origin}/mcp`]));
    });

    test("over HTTP reaches a server over HTTP", async () => {
      await using server = await serveSdkStateless();
      await using setup = await openTest();
      await checkGateway((await setup.overHttp(revision, ["--url", `${server.origin}/mcp`])).client);
    });

    test("over HTTP reaches a server over stdio", async () => {
      await using setup = await openTest();
      await checkGateway((await setup.overHttp(revision, ["--", ...stdioServer, "sdk"])).client);
    });

    test("sees several servers as one, under prefixes", async () => {
      await using server = await serveSdkStateless("web");
      await using setup = await openTest();
      const config = {
        servers: {
          web: { url: `${server.origin}/mcp` },
          files: { command: stdioServer[0], args: [stdioServer[1], "files"] },
        },
      };
      await writeFile(join(setup.folder, "g.jsonc"), `// Two servers.\n${JSON.stringify(config)}`);
      const client = await setup.overStdio(revision, ["--config", join(setup.folder, "g.jsonc")]);
      const names = (await client.listTools()).tools.map(({ name }) => name);
      assert.deepEqual(names, ["web_text", "web_name", "files_text", "files_name", "read_artifact"]);
      assert.equal(textOf(await client.callTool({ name: "files_name", arguments: {} })), "files");
      assert.equal(textOf(await client.callTool({ name: "web_name", arguments: {} })), "web");
      const page = textOf(await client.callTool({ name: "web_text", arguments: { chars: 250_000 } }));
      const artifact_ref = /af_[0-9a-f]{32}/.exec(page)?.[0];
      const found = await client.callTool({ name: "read_artifact", arguments: { artifact_ref, query: "NEEDLE" } });
      assert.match(textOf(found), /NEEDLE 4711/);
      assert.match(JSON.stringify(await client.getPrompt({ name: "files_greet" })), /Hello from files/);
      assert.match(JSON.stringify(await client.readResource({ uri: "files://about" })), /About files/);
      await assert.rejects(client.callTool({ name: "other_name", arguments: {} }), /There is no tool other_name/);
    });
  });

describe("a server over HTTP with sessions", () => {
  for (const way of ["overStdio", "overHttp"] as const)
    test(`is served ${way === "overStdio" ? "to stdio" : "to HTTP"}, and its session is closed at the end`, async () => {
      await using server = await serveSdkSessions();
      {
        await using setup = await openTest();
        const opened = await setup[way]("2025-11-25", ["--url", `${server.origin}/mcp`]);
        const client = "client" in opened ? opened.client : opened;
        await checkGateway(client);
        assert.equal(server.sessions.size, 1);
        if (way === "overHttp") await (client.transport as StreamableHTTPClientTransport).terminateSession();
      }
      assert.equal(server.sessions.size, 0);
    });

  test("that forgets the session is greeted again, and the client notices nothing", async () => {
    await using server = await serveSdkSessions();
    await using setup = await openTest();
    const client = await setup.overStdio("2025-11-25", ["--url", `${server.origin}/mcp`]);
    await client.listTools();
    server.forget();
    assert.equal(textOf(await client.callTool({ name: "name", arguments: {} })), "sdk");
  });
});

describe("a server over HTTP that wants a login", () => {
  const challenge = 'Bearer resource_metadata="https://example.com/.well-known/oauth-protected-resource"';
  const startLocked = () =>
    startServer((request, response) => {
      request.resume();
      response.writeHead(401, { "www-authenticate": challenge }).end("log in");
    });

  test("passes its challenge on to a client over HTTP", async () => {
    await using server = await startLocked();
    await using open = await serveSdkStateless();
    await using setup = await openTest();
    const { url } = await setup.overHttp("2025-11-25", ["--url", `${open.origin}/mcp`]);
    const locked = await setup.overHttp("2025-11-25", ["--url", `${server.origin}/mcp`]).catch((error) => error);
    assert.ok(locked instanceof Error && url.startsWith("http://127.0.0.1:"));
    assert.match(String(locked), /Unauthorized|401|log in/i);
  });

  test("gets the header that the command line names, with the value from the environment", async () => {
    await using setup = await openTest();
    const seen: (string | undefined)[] = [];
    await using server = await startServer((request, response) => {
      request.resume();
      seen.push(request.headers.authorization);
      response.writeHead(401).end();
    });
    const url = ["--url", `${server.origin}/mcp`];
    await setup.overStdio("2025-11-25", [...url, "--header", "Authorization=Bearer $HOME"]).catch(() => undefined);
    assert.equal(seen[0], `Bearer ${setup.folder}`);
    for (const [args, expected] of [
      [[...url, "--header", "x"], /is not a name and a value/],
      [[...url, "--header", "X=$NOT_SET"], /names a variable that is not set/],
      [["--header", "X=y", "--", "node"], /--header needs --url/],
    ] as const)
      assert.match((await setup.run(args)).err, expected);
  });

  test("is explained to a client over stdio", async () => {
    await using server = await startLocked();
    await using setup = await openTest();
    await assert.rejects(
      setup.overStdio("2025-11-25", ["--url", `${server.origin}/mcp`]),
      /HTTP 401: log in.*It asks to log in: Bearer resource_metadata=.*set the header Authorization/,
    );
  });
});

test("a stream that breaks off before its answer is continued by the id of its last event", async () => {
  const seen: string[] = [];
  await using server = await startServer(async (request, response) => {
    const { id, method } =
      request.method === "POST" ? JSON.parse(String(Buffer.concat(await Array.fromAsync(request)))) : {};
    const lastId = request.headers["last-event-id"];
    seen.push(`${request.method} ${method ?? lastId ?? ""}`);
    const event = (eventId: string, result: object) => `id: ${eventId}\nretry: 10\ndata: ${JSON.stringify(result)}\n\n`;
    if (request.method === "GET" && lastId === undefined) return void response.writeHead(405).end();
    if (method?.startsWith("notifications/")) return void response.writeHead(202).end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    const serverInfo = { name: "polling", version: "1" };
    const result = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo };
    if (method === "initialize") response.end(event("1", { jsonrpc: "2.0", id, result }));
    else if (method === "tools/call") response.end(`id: call-${id}\nretry: 10\ndata: \n\n`);
    else {
      const content = [{ type: "text", text: "late" }];
      response.end(event("9", { jsonrpc: "2.0", id: Number(String(lastId).slice(5)), result: { content } }));
    }
  });
  await using setup = await openTest();
  const client = await setup.overStdio("2025-11-25", ["--url", `${server.origin}/mcp`]);
  assert.equal(textOf(await client.callTool({ name: "t", arguments: {} })), "late");
  assert.ok(
    seen.some((line) => line.startsWith("GET call-")),
    seen.join("\n"),
  );
});

test("a server over HTTP that does not answer a call: the call ends with an error", async () => {
  await using server = await startServer(async (request, response) => {
    const { id, method } = JSON.parse(String(Buffer.concat(await Array.fromAsync(request))) || "{}");
    const result = {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "s", version: "1" },
    };
    if (method === "tools/call") return;
    if (id === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  await using setup = await openTest();
  const config = { servers: { silent: { url: `${server.origin}/mcp`, timeout: "1s" } } };
  await writeFile(join(setup.folder, "g.jsonc"), JSON.stringify(config));
  const args = ["--config", join(setup.folder, "g.jsonc")];
  for (const client of [await setup.overStdio("2025-11-25", args), (await setup.overHttp("2025-11-25", args)).client])
    await assert.rejects(client.callTool({ name: "t", arguments: {} }), /did not answer within 1 second/);
});

describe("a gateway that listens", () => {
  test("refuses web pages, other hosts and paths without the token", async () => {
    await using server = await serveSdkStateless();
    await using setup = await openTest();
    const { url } = await setup.overHttp("2025-11-25", ["--url", `${server.origin}/mcp`]);
    const status = async (address: string, headers: Record<string, string> = {}) =>
      (await fetch(address, { method: "POST", headers, body: "{}" })).status;
    const { origin } = new URL(url);
    assert.equal(await status(`${origin}/mcp`), 403);
    assert.equal(await status(url, { origin: "https://evil.example" }), 403);
    assert.equal(await status(url.replace(/mcp$/, "other")), 404);
  });

  test("sends its refusal to a client that sends everything before it reads", async () => {
    await using setup = await openTest();
    const { url } = await setup.overHttp("2025-11-25", ["--", ...stdioServer]);
    const { host, port, pathname } = new URL(url);
    const post = (path: string, body: string) =>
      sendBeforeReading(
        Number(port),
        `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    assert.match(await post("/mcp", " ".repeat(5_000_000)), /^HTTP\/1\.1 403 /);
    assert.match(await post(pathname, " ".repeat(20_000_000)), /^HTTP\/1\.1 413 /);
  });

  test("answers a body that is not a message, and a session that it does not know", async () => {
    await using setup = await openTest();
    const { url } = await setup.overHttp("2025-11-25", ["--", ...stdioServer]);
    const post = (body: string, headers: Record<string, string> = {}) => fetch(url, { method: "POST", headers, body });
    assert.equal((await post("[")).status, 400);
    assert.equal((await post('{"jsonrpc":"2.0","id":1,"method":"ping"}')).status, 400);
    assert.equal((await post('{"jsonrpc":"2.0","id":1,"method":"ping"}', { "mcp-session-id": "x" })).status, 404);
  });
});

describe("the file of servers", () => {
  test("is refused if others can write it, and never read from a project", async () => {
    await using setup = await openTest();
    const { run } = setup;
    const file = join(setup.folder, ".config", "spillway");
    const { mkdir } = await import("node:fs/promises");
    await mkdir(file, { recursive: true });
    await mkdir(join(setup.folder, ".spillway"));
    await writeFile(join(setup.folder, ".spillway", "gateway.jsonc"), '{"servers":{"evil":{"command":"evil"}}}');
    assert.match((await run([])).err, /does not exist/);
    await writeFile(join(file, "gateway.jsonc"), '{"servers":{"a":{"command":"a"}}}');
    await chmod(join(file, "gateway.jsonc"), 0o666);
    assert.match((await run([])).err, /can be written by every user/);
    await chmod(join(file, "gateway.jsonc"), 0o600);
    assert.match((await run(["--server", "b"])).err, /has no server "b"\.[\s\S]*It has a\./);
    for (const [text, expected] of [
      ['{"servers":{"a":{}}}', /servers\.a needs either a command or a url/],
      ['{"servers":{"a b":{"command":"x"}}}', /is not a name/],
      ['{"servers":{"a":{"command":"x","mod":"off"}}}', /unknown key mod/],
      ['{"servers":{"a":{"command":"x","mode":"of"}}}', /servers\.a\.mode is not a mode/],
      ['{"servers":{"a":{"url":"http://example.com"}}}', /must be an https address/],
      ['{"servers":{"a":{"command":"x","timeout":"90"}}}', /servers\.a\.timeout needs a unit of time/],
      ['{"servers":{"a":{"command":"x","env":{"K":"$NOT_SET"}}}}', /names a variable that is not set/],
      ['{"servers":', /not valid JSON with comments \(line 1/],
    ] as const) {
      await writeFile(join(file, "gateway.jsonc"), text);
      const { code, err } = await run([]);
      assert.match(err, expected);
      assert.notEqual(code, 0);
    }
  });
});
