/** Wrapped servers as processes: what a client starts after `spillway wrap`, and what `spillway doctor` says of it. */
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { openCli } from "./cli.ts";

/** A home folder in which Cursor has one server. */
async function openHome(entry: object) {
  const cli = await openCli();
  const path = join(cli.userHome, ".cursor", "mcp.json");
  await mkdir(join(path, ".."));
  await writeFile(path, JSON.stringify({ mcpServers: { files: entry } }));
  return { ...cli, path };
}

test("a client starts a wrapped server as its config says, with its variables, and large results are bounded", async () => {
  const args = [join(import.meta.dirname, "flooding-server.ts")];
  await using home = await openHome({ command: process.execPath, args, env: { FLOOD_TOKEN: "1" } });
  await home.run(["wrap", "--yes"]);
  const { command, args: wrapped, env } = JSON.parse(await readFile(home.path, "utf8")).mcpServers.files;
  // The test runner is not our program, so the script is named here.
  const program = join(import.meta.dirname, "../src/surfaces/cli/entry.ts");
  const own = command === "spillway" ? [program, ...wrapped] : [program, ...wrapped.slice(1)];
  const client = new Client({ name: "claude-code", version: "1" });
  const variables = { PATH: process.env.PATH ?? "", HOME: home.userHome, SPILLWAY_HOME: home.home, ...env };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: own, env: variables, stderr: "ignore" }),
  );
  try {
    const call = async (name: string, given: object) =>
      JSON.stringify((await client.callTool({ name, arguments: { ...given } })).content);
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
