/** `spillway doctor --client`: the real server, and servers that are broken in the ways that users meet. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { openCli } from "./cli.ts";

const entry = join(import.meta.dirname, "..", "src", "surfaces", "cli", "entry.ts");

/** A home whose Cursor and VS Code start this as Spillway. */
async function openHome(args: readonly string[], command = process.execPath) {
  const cli = await openCli();
  const server = { command, args: [...args, "mcp"] };
  for (const [path, key] of [
    [".cursor/mcp.json", "mcpServers"],
    [".config/Code/User/mcp.json", "servers"],
  ] as const) {
    const file = join(cli.userHome, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify({ [key]: { spillway: server } }));
  }
  const env = { PATH: "/usr/bin:/bin" };
  return { ...cli, doctor: (client: string) => cli.run(["doctor", "--client", client, "--json"], { env }) };
}

type Check = { readonly name: string; readonly ok: boolean; readonly detail: string };

const checksOf = (out: string): Check[] => JSON.parse(out).checks;

describe("the real server", () => {
  test("is started from the config, fits the client's limit and reads on where it was cut", async () => {
    await using home = await openHome([entry]);
    const { status, out } = await home.doctor("vscode");
    const checks = checksOf(out);
    assert.equal(status, 0, out);
    assert.deepEqual(
      checks.map(({ name }) => name),
      ["config", "server", "tools", "reply", "cut"],
    );
    const details = Object.fromEntries(checks.map(({ name, detail }) => [name, detail]));
    assert.match(details.config ?? "", /mcp\.json: spillway starts .*entry\.ts mcp$/);
    assert.match(details.reply ?? "", /limit 7,782 bytes$/);
    assert.match(
      details.cut ?? "",
      /was cut after line 1\d\d; read_artifact artifact_ref=af_\w{32} offset=\d+ reads on to line \d+$/,
    );
  });
});

/** A server in a folder that is called like ours: `reply` answers a call. */
async function writeServer(folder: string, body: string): Promise<string> {
  const path = join(folder, "spillway", "server.mjs");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, body);
  return path;
}

const answering = (text: string) => `
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  const tools = [{ name: "fetch_content" }, { name: "read_artifact" }];
  const result = method === "initialize" ? { protocolVersion: "2025-06-18", serverInfo: { name: "fake", version: "1" } }
    : method === "tools/list" ? { tools } : { content: [{ type: "text", text: ${text} }] };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
}`;

const line = (number: number | string) =>
  `"sample " + String(${number}).padStart(5, "0") + ": water flows over the weir. "`;

describe("what is wrong is named", () => {
  for (const [name, body, check, sentence] of [
    [
      "a server that ends",
      "console.error('no such module'); process.exit(3);",
      "server",
      /^It ended with code 3: no such module\. Run spillway install cursor/,
    ],
    [
      "a server that logs to standard output",
      "console.log('Listening!'); process.stdin.resume();",
      "server",
      /not a message: "Listening!"/,
    ],
    [
      "a reply over the limit",
      answering('"x".repeat(9000)'),
      "reply",
      /text 9,000 characters; over the limit of VS Code \(text: 9,000 bytes/,
    ],
    ["a cut that names no next call", answering(line(1)), "cut", /cut after line 1, and no reply says how to read on/],
    [
      "a next call that continues elsewhere",
      answering(`(id === 3 ? ${line(1)} : ${line(50)}) + "af_" + "0".repeat(32) + " offset=7"`),
      "cut",
      /cut after line 1, but read_artifact artifact_ref=af_0+ offset=7 continues at line 50/,
    ],
    [
      "lines that are missing in the middle",
      answering(`${line(1)} + ${line(3)}`),
      "server",
      /Lines are missing in the middle/,
    ],
  ] as const) {
    test(name, async () => {
      await using scripts = await openCli();
      await using home = await openHome([await writeServer(scripts.work, body)]);
      const { status, out } = await home.doctor(check === "reply" ? "vscode" : "cursor");
      assert.equal(status, 1, out);
      const found = checksOf(out).find((each) => each.name === check);
      assert.deepEqual([found?.ok, sentence.test(found?.detail ?? "")], [false, true], out);
    });
  }

  test("a program that is not there, a client without an entry, a malformed config, an unknown client", async () => {
    await using home = await openHome([], "/nowhere/spillway");
    assert.match((await home.doctor("cursor")).out, /It cannot be started \(spawn \/nowhere\/spillway ENOENT\)/);
    assert.match(
      (await home.doctor("codex")).out,
      /Codex does not have Spillway in .*config\.toml\. Run spillway install codex/,
    );
    await writeFile(join(home.userHome, ".cursor", "mcp.json"), "{");
    assert.match((await home.doctor("cursor")).out, /mcp\.json is malformed/);
    assert.equal((await home.doctor("emacs")).status, 2);
  });
});
