/** Wrapped servers as processes: what a client starts after `spillway wrap`, and what `spillway doctor` says of it. */
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { openCli } from "./cli.ts";
import { serveSdkStateless } from "./sdk-server.ts";
import { serveSse } from "./sse-server.ts";

/** A home folder in which Cursor has one server. */
async function openHome(entry: object) {
  const cli = await openCli();
  const path = join(cli.userHome, ".cursor", "mcp.json");
  await mkdir(join(path, ".."));
  await writeFile(path, JSON.stringify({ mcpServers: { files: entry } }));
  return { ...cli, path };
}

/** Connects as Cursor would, by what its config says now. */
async function connectByConfig({ path, userHome, home }: Awaited<ReturnType<typeof openHome>>) {
  const { command, args: wrapped, env } = JSON.parse(await readFile(path, "utf8")).mcpServers.files;
  // The test runner is not our program, so the script is named here.
  const program = join(import.meta.dirname, "../src/surfaces/cli/entry.ts");
  const own = command === "spillway" ? [program, ...wrapped] : [program, ...wrapped.slice(1)];
  const client = new Client({ name: "claude-code", version: "1" });
  const variables = { PATH: process.env.PATH ?? "", HOME: userHome, SPILLWAY_HOME: home, ...env };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: own, env: variables, stderr: "ignore" }),
  );
  const call = async (name: string, given: object = {}) =>
    JSON.stringify((await client.callTool({ name, arguments: { ...given } })).content);
  return { client, call };
}

test("a client starts a wrapped server as its config says, with its variables, and large results are bounded", async () => {
  const args = [join(import.meta.dirname, "flooding-server.ts")];
  await using home = await openHome({ command: process.execPath, args, env: { FLOOD_TOKEN: "1" } });
  await home.run(["wrap", "--yes"]);
  const { client, call } = await connectByConfig(home);
  try {
    assert.match(await call("env", {}), /FLOOD_TOKEN/);
    const page = await call("text", { chars: 250_000 });
    assert.ok(page.length < 55_000);
    assert.match(page, /Read on: mcp__files__read_artifact artifact_ref=af_/);
  } finally {
    await client.close();
  }
  assert.match(
    (await home.run(["wrap", "--list"])).out,
    /files: wrapped; last large result [\d,]+ characters \(text\)/,
  );
});

test("a wrapped server with a URL gets its headers, over either transport of HTTP", async () => {
  for (const isSse of [false, true]) {
    await using server = await (isSse ? serveSse() : serveSdkStateless());
    const headers = { Authorization: "Bearer key-0123456789", "X-Team": "weirs" };
    const url = `${server.origin}/sse?tenant=1`;
    await using home = await openHome(isSse ? { command: "spillway", args: sseArgs(url) } : { url, headers });
    await home.run(["wrap", "--yes"]);
    const { client, call } = await connectByConfig(home);
    try {
      const page = await call("text", { chars: 250_000 });
      assert.ok(page.length < 55_000, `${page.length} characters`);
      assert.match(page, /artifact_ref=af_/);
    } finally {
      await client.close();
    }
    for (const { headers: sent } of server.requests)
      assert.deepEqual([sent.authorization, sent["x-team"]], [headers.Authorization, headers["X-Team"]]);
    assert.ok(server.requests.length > 1);
  }
});

/** Cursor has no field for this transport, so the command is written by hand. */
const sseArgs = (url: string): string[] => [
  "gateway",
  `--url=${url}`,
  "--transport=sse",
  "--header=Authorization=Bearer key-0123456789",
  "--header=X-Team=weirs",
];

test("a server of the older transport that ends its stream, refuses, or names another address is reported", async () => {
  for (const [fault, sentence] of [
    ["ends", /closed its stream/],
    ["refuses", /HTTP 401 and no stream of events/],
    ["elsewhere", /named an address of another server/],
  ] as const) {
    await using server = await serveSse(fault);
    await using home = await openHome({ command: "spillway", args: sseArgs(`${server.origin}/sse`) });
    await assert.rejects(connectByConfig(home), sentence, fault);
  }
});

test("doctor names a wrapped server whose command is not there", async () => {
  await using home = await openHome({ command: "npx", args: ["-y", "some-server"] });
  await home.run(["wrap", "--yes"]);
  const { checks } = JSON.parse((await home.run(["doctor", "--json"], { env: { PATH: "" } })).out);
  const check = checks.find(({ name }: { name: string }) => name === "wrapped servers");
  assert.match(
    check.detail,
    /Cursor: files needs (spillway|npx), which is not there\. Install it, or run spillway unwrap files/,
  );
});
