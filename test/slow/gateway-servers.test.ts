/**
 * Real servers from the npm registry, directly and behind the gateway. Without the registry the tests are skipped. The
 * packages go to a temporary folder and stay there for the next run.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { before, describe, type TestContext, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { makeTemporaryFolder } from "../bodies.ts";
import { startServer } from "../server.ts";

const INSTALL_MS = 5 * 60_000;
const packages = join(tmpdir(), "spillway-gateway-servers");
const names = [
  "@modelcontextprotocol/server-everything",
  "@modelcontextprotocol/server-filesystem",
  "@modelcontextprotocol/server-memory",
  "@modelcontextprotocol/conformance@0.1.16",
  "@playwright/mcp",
  "chrome-devtools-mcp",
];
const program = join(import.meta.dirname, "../../src/surfaces/cli/process.ts");
const packageFile = (path: string): string => join(packages, "node_modules", path);
const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));

let refusal: string | undefined;

before(() => {
  const isInstalled = () => names.every((name) => existsSync(packageFile(name.replace(/(?<=.)@.*$/, ""))));
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", packages];
  if (!isInstalled()) spawnSync("npm", ["install", ...flags, ...names], { stdio: "ignore", timeout: INSTALL_MS });
  if (!isInstalled()) refusal = "The servers could not be installed from the npm registry.";
});

/** A client of a server, directly or behind the gateway. */
async function connect(home: string, command: readonly string[], isWrapped: boolean): Promise<Client> {
  const args = isWrapped ? [program, "gateway", "--env=*", "--", process.execPath, ...command] : [...command];
  // chrome-devtools-mcp would look for updates on a server elsewhere.
  const quiet = { CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS: "1", CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS: "1" };
  const env = { PATH: process.env.PATH ?? "", HOME: home, SPILLWAY_HOME: join(home, "store"), ...quiet };
  const client = new Client({ name: "opencode", version: "1" });
  // Playwright writes snapshots to its working folder.
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: home, stderr: "ignore" }));
  return client;
}

/** Runs with both clients of a server. */
async function compare(
  context: TestContext,
  makeCommand: (folder: string) => readonly string[],
  check: (direct: Client, wrapped: Client, folder: string) => Promise<void>,
): Promise<void> {
  if (refusal !== undefined) return context.skip(refusal);
  await using folder = await makeTemporaryFolder();
  const [direct, wrapped] = await Promise.all(
    [false, true].map((isWrapped) => connect(folder.path, makeCommand(folder.path), isWrapped)),
  );
  try {
    if (direct === undefined || wrapped === undefined) assert.fail();
    await sameTools(direct, wrapped);
    await check(direct, wrapped, folder.path);
  } finally {
    await Promise.all([direct?.close(), wrapped?.close()]);
  }
}

/** The same definitions, but for output schemas that bounded results could not keep, and our tool. */
async function sameTools(direct: Client, wrapped: Client): Promise<void> {
  const [{ tools }, { tools: offered }] = await Promise.all([direct.listTools(), wrapped.listTools()]);
  const plain = offered.slice(0, -1).map((tool, index) => ({ ...tool, outputSchema: tools[index]?.outputSchema }));
  assert.deepEqual(
    plain,
    tools.map((tool) => ({ ...tool, outputSchema: tool.outputSchema })),
  );
  assert.equal(offered.at(-1)?.name, "read_artifact");
}

type Result = { readonly content?: unknown };
const textOf = (result: Result): string =>
  (result.content as { text?: string }[]).map(({ text = "" }) => text).join("\n");

/** The whole text of an artifact, read page by page as a model would. */
async function readAll(client: Client, page: string): Promise<string> {
  const artifact_ref = /artifact_ref=(af_[0-9a-f]{32})/.exec(page)?.[1];
  let text = "";
  for (let reads = 0; reads < 100; reads++) {
    const reply = textOf(
      await client.callTool({ name: "read_artifact", arguments: { artifact_ref, offset: text.length } }),
    );
    text += /\[Begin untrusted[^\n]*\n\n([\s\S]*)\n\n\[End untrusted/.exec(reply)?.[1] ?? "";
    if (!/Read on: /.test(reply)) break;
  }
  return text;
}

describe("a real server behind the gateway", () => {
  test("everything: small results, pictures and resources are the same", (context) =>
    compare(
      context,
      () => [packageFile("@modelcontextprotocol/server-everything/dist/index.js"), "stdio"],
      async (direct, wrapped) => {
        for (const call of [
          { name: "echo", arguments: { message: "hello" } },
          { name: "get-tiny-image", arguments: {} },
          { name: "get-structured-content", arguments: { location: "New York" } },
        ])
          assert.deepEqual(await wrapped.callTool(call), await direct.callTool(call), call.name);
        assert.deepEqual(await wrapped.listResources(), await direct.listResources());
      },
    ));

  test("filesystem: a large file is bounded, and every byte is read through the ref", (context) =>
    compare(
      context,
      (folder) => [packageFile("@modelcontextprotocol/server-filesystem/dist/index.js"), folder],
      async (direct, wrapped, folder) => {
        const lines = Array.from({ length: 20_000 }, (_, n) => `${n}: the level of the river was ${n % 97} cm`);
        await writeFile(join(folder, "small.txt"), "A weir.\n");
        await writeFile(join(folder, "large.txt"), lines.join("\n"));
        const read = (client: Client, name: string) =>
          client.callTool({ name: "read_text_file", arguments: { path: join(folder, name) } });
        assert.deepEqual((await read(wrapped, "small.txt")).content, (await read(direct, "small.txt")).content);
        const page = textOf(await read(wrapped, "large.txt"));
        assert.ok(page.length < 50_000, `${page.length} characters`);
        assert.equal(await readAll(wrapped, page), lines.join("\n"));
      },
    ));

  test("memory: a large graph becomes whole items", (context) =>
    compare(
      context,
      () => [packageFile("@modelcontextprotocol/server-memory/dist/index.js")],
      async (_direct, wrapped) => {
        const entities = Array.from({ length: 2_000 }, (_, n) => ({
          name: `river ${n}`,
          entityType: "river",
          observations: [`It has ${n} weirs.`],
        }));
        await wrapped.callTool({ name: "create_entities", arguments: { entities } });
        const page = textOf(await wrapped.callTool({ name: "read_graph", arguments: {} }));
        assert.match(page, /^\[This result has [\d,]+ characters; this is its first page\. JSON object with 2 keys\./);
        assert.equal(JSON.parse(await readAll(wrapped, page)).entities.length, 2_000);
      },
    ));

  test("playwright: the snapshot of a long page is bounded", async (context) => {
    if (chromium === undefined) return context.skip("There is no Chromium on this machine.");
    const items = Array.from({ length: 4_000 }, (_, n) => `<li><a href="/${n}">River ${n}</a></li>`).join("");
    await using site = await startServer((_, response) =>
      response.setHeader("content-type", "text/html").end(`<title>Rivers</title><ul>${items}</ul>`),
    );
    const options = ["--headless", "--isolated", "--no-sandbox", "--executable-path", chromium];
    await compare(
      context,
      () => [packageFile("@playwright/mcp/cli.js"), ...options],
      async (_direct, wrapped) => {
        const navigated = textOf(await wrapped.callTool({ name: "browser_navigate", arguments: { url: site.origin } }));
        const snapshot = textOf(await wrapped.callTool({ name: "browser_snapshot", arguments: {} }));
        const page =
          [navigated, snapshot].find((text) => text.startsWith("[This result")) ?? assert.fail(snapshot.slice(0, 500));
        assert.ok(page.length < 50_000);
        assert.match(await readAll(wrapped, page), /River 3999/);
      },
    );
  });

  test("chrome-devtools: small results are the same, and the snapshot of a long page is bounded", async (context) => {
    if (chromium === undefined) return context.skip("There is no Chromium on this machine.");
    const items = Array.from({ length: 4_000 }, (_, n) => `<li><a href="/${n}">River ${n}</a></li>`).join("");
    await using site = await startServer((_, response) =>
      response.setHeader("content-type", "text/html").end(`<title>Rivers</title><ul>${items}</ul>`),
    );
    const browser = ["--headless", "--isolated", "--executablePath", chromium, "--chromeArg=--no-sandbox"];
    await compare(
      context,
      () => [packageFile("chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js"), ...browser],
      async (direct, wrapped) => {
        const callBoth = (name: string, given: object) =>
          Promise.all([direct, wrapped].map((client) => client.callTool({ name, arguments: { ...given } })));
        const [opened, openedBehind] = await callBoth("new_page", { url: site.origin });
        assert.deepEqual(openedBehind, opened);
        const [pages, pagesBehind] = await callBoth("list_pages", {});
        assert.deepEqual(pagesBehind, pages);
        const pageId = Number(/^(\d+): Rivers/m.exec(textOf(pages ?? {}))?.[1] ?? assert.fail(textOf(pages ?? {})));
        const script = { pageId, function: "() => document.querySelectorAll('li').length" };
        const [count, countBehind] = await callBoth("evaluate_script", script);
        assert.match(textOf(count ?? {}), /4000/);
        assert.deepEqual(countBehind, count);
        const [whole, page] = (await callBoth("take_snapshot", { pageId })).map(textOf);
        assert.ok((whole?.length ?? 0) > 200_000, `${whole?.length} characters without the gateway`);
        assert.ok((page?.length ?? 0) < 50_000, `${page?.length} characters behind it`);
        assert.equal(await readAll(wrapped, page ?? ""), whole);
        const [, picture] = await callBoth("take_screenshot", { pageId });
        assert.match(JSON.stringify(picture), /"type":"image"/, "a small picture passes");
      },
    );
  });
});

test("the conformance suite says the same of a server with and without the gateway", async (context) => {
  if (refusal !== undefined) return context.skip(refusal);
  await using folder = await makeTemporaryFolder();
  await mkdir(join(folder.path, "store"));
  const env = { PATH: process.env.PATH ?? "", HOME: folder.path, SPILLWAY_HOME: join(folder.path, "store") };
  const port = 20_000 + (process.pid % 20_000);
  const direct = `http://127.0.0.1:${port}/mcp`;
  const started: ChildProcess[] = [];
  const start = (args: readonly string[], more: object = {}) => {
    const child = spawn(process.execPath, args, { env: { ...env, ...more }, stdio: ["ignore", "pipe", "pipe"] });
    started.push(child);
    return child;
  };
  try {
    const everything = packageFile("@modelcontextprotocol/server-everything/dist/index.js");
    const server = start([everything, "streamableHttp"], { PORT: String(port) });
    for await (const line of createInterface({ input: server.stderr ?? assert.fail() }))
      if (/listening/.test(line)) break;
    const gateway = start([program, "gateway", "--port", "0", "--url", direct]);
    const [url] = await once(createInterface({ input: gateway.stdout ?? assert.fail() }), "line");
    await new Client({ name: "check", version: "1" }).connect(new StreamableHTTPClientTransport(new URL(url)));
    const [behind, plain] = [await judge(url, start), await judge(direct, start)];
    // Which hosts and origins are served is the gateway's own matter.
    const isOther = (line: string) => !line.includes("dns-rebinding-protection");
    assert.deepEqual(behind.filter(isOther), plain.filter(isOther));
    assert.ok(behind.includes("✓ dns-rebinding-protection: 2 passed, 0 failed"));
  } finally {
    for (const child of started) child.kill("SIGKILL");
  }
});

/** The verdict of each scenario. */
async function judge(url: string, start: (args: readonly string[]) => ChildProcess): Promise<string[]> {
  const suite = start([packageFile("@modelcontextprotocol/conformance/dist/index.js"), "server", "--url", url]);
  const out = await Array.fromAsync(suite.stdout ?? assert.fail());
  const lines = Buffer.concat(out)
    .toString()
    .split("\n")
    .filter((line) => /^[✓✗] /.test(line));
  assert.ok(lines.length >= 25, `${lines.length} scenarios`);
  return lines;
}
