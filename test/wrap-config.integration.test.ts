/** `spillway wrap` and `unwrap`, through the command, for every client. */
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { listServers, openClientConfig, setServer } from "../src/surfaces/clients/client-config.ts";
import { clients } from "../src/surfaces/clients/clients.ts";
import { findClient } from "../src/surfaces/clients/find-clients.ts";
import { readWrapped } from "../src/surfaces/clients/own-command.ts";
import { noteResultSize } from "../src/surfaces/gateway/result-sizes.ts";
import { openCli } from "./cli.ts";

const plain = { command: "npx", args: ["-y", "some-server", "--flag"] };

/** A home folder in which one client has two servers of others. */
async function openHome(id: string) {
  const cli = await openCli();
  const client = findClient(id);
  const machine = { env: {}, platform: process.platform, home: cli.userHome, cwd: cli.work };
  const path = client.userFiles(machine)[0] ?? assert.fail();
  await mkdir(dirname(path), { recursive: true });
  const open = () => openClientConfig(client, "user", machine);
  for (const name of ["files", "issues"]) await writeFile(path, setServer(await open(), name, plain));
  const comment = { JSON: "// mine\n", TOML: "# mine\n", YAML: "# mine\n" }[client.format];
  const before = `${comment}${await readFile(path, "utf8")}`;
  await writeFile(path, before);
  return {
    ...cli,
    path,
    before,
    wrap: (...args: string[]) => cli.run(["wrap", "--client", id, ...args]),
    unwrap: (...args: string[]) => cli.run(["unwrap", "--client", id, ...args]),
    text: () => readFile(path, "utf8"),
    servers: async () => Object.fromEntries(listServers(await open()).map(({ name, server }) => [name, server])),
  };
}

describe("every client", () => {
  for (const { id } of clients)
    test(`${id}: its servers are wrapped, and the file is restored byte for byte`, async () => {
      await using home = await openHome(id);
      const wrapped = await home.wrap("--yes");
      assert.deepEqual([wrapped.status, wrapped.err], [0, ""]);
      for (const name of ["files", "issues"]) {
        const server = (await home.servers())[name];
        assert.deepEqual(readWrapped(server), plain, JSON.stringify(server));
        assert.deepEqual(server?.args.slice(-8), ["gateway", `--name=${name}`, "--env=*", "--", "npx", ...plain.args]);
      }
      assert.match(await home.text(), /mine/);
      assert.match((await home.wrap("--yes")).out, /nothing to change/);
      assert.equal((await home.unwrap("--yes")).status, 0);
      assert.equal(await home.text(), home.before);
    });
});

describe("wrapping", () => {
  test("takes only the servers that are named, and only those out again", async () => {
    await using home = await openHome("cursor");
    await home.wrap("files", "--yes");
    assert.deepEqual((await home.servers()).issues, plain);
    await home.wrap("--yes");
    await home.unwrap("files", "--yes");
    const { files, issues } = await home.servers();
    assert.deepEqual([files, readWrapped(issues)], [plain, plain]);
    await home.unwrap("--yes");
    assert.deepEqual(await home.servers(), { files: plain, issues: plain });
  });

  test("is taken out of a file that has changed since, and the change stays", async () => {
    await using home = await openHome("cursor");
    await home.wrap("--yes");
    await writeFile(home.path, `${await home.text()}// later\n`);
    await home.unwrap("--yes");
    assert.equal(await home.text(), `${home.before}// later\n`);
  });

  test("keeps the comments between arguments, and leaves no arguments where there were none", async () => {
    await using home = await openHome("cursor");
    const before =
      '{\n  "mcpServers": {\n    "a": {\n      "command": "a",\n      "args": [\n        // the port\n        "--port", // why\n        "80"\n      ]\n    },\n    "b": { "command": "b" }\n  }\n}\n';
    await writeFile(home.path, before);
    await home.wrap("--yes");
    assert.deepEqual(readWrapped((await home.servers()).b), { command: "b", args: [] });
    await writeFile(home.path, `${await home.text()}// later\n`);
    await home.unwrap("--yes");
    assert.equal(await home.text(), `${before}// later\n`);
  });

  test("is taken out of a file whose second change was not written before a kill", async () => {
    await using home = await openHome("cursor");
    await home.wrap("files", "--yes");
    const between = await home.text();
    await home.wrap("--yes");
    await writeFile(home.path, between);
    const { out } = await home.unwrap("--yes");
    assert.match(out, /Cursor: restore /);
    assert.equal(await home.text(), home.before);
  });

  test("of Claude Code includes the servers of single folders, each with its own path", async () => {
    await using home = await openHome("claude-code");
    const entry = { command: "npx", args: ["-y", "files"] };
    const config = {
      mcpServers: { files: entry },
      projects: { "/a": { mcpServers: { files: entry } }, "/b": { x: 1 } },
    };
    const before = JSON.stringify(config, null, 2);
    await writeFile(home.path, before);
    assert.match((await home.wrap("--list")).out, /files: not wrapped\n.*files in \/a: not wrapped\n$/);
    const { out } = await home.wrap("--yes");
    assert.match(out, /Quit Claude Code first: it writes this file while it runs/);
    const { mcpServers, projects } = JSON.parse(await home.text());
    for (const server of [mcpServers.files, projects["/a"].mcpServers.files])
      assert.deepEqual(readWrapped(server), entry);
    await writeFile(home.path, `${await home.text()}\n`);
    await home.unwrap("--yes");
    assert.equal(await home.text(), `${before}\n`);
  });

  test("leaves a whole command line alone and says what to do", async () => {
    await using home = await openHome("cursor");
    const text = JSON.stringify({ mcpServers: { a: { command: "npx -y files" } } });
    await writeFile(home.path, text);
    const { out } = await home.wrap("--yes");
    assert.match(out, /a is left as it is: its command is a whole command line; move all words but the first/);
    assert.equal(await home.text(), text);
  });

  test("keeps what else names variables of an entry", async () => {
    for (const [id, text] of [
      ["codex", '[mcp_servers.a]\ncommand = "a"\nenv_vars = ["TOKEN"]\n'],
      ["goose", "extensions:\n  a:\n    cmd: a\n    env_keys:\n      - TOKEN\n"],
      ["vscode", '{ "servers": { "a": { "command": "a", "envFile": ".env" } } }'],
    ] as const) {
      await using home = await openHome(id);
      await writeFile(home.path, text);
      await home.wrap("--yes");
      const { args } = (await home.servers()).a ?? assert.fail();
      assert.ok(args.includes("--env=*"), id);
      for (const line of text.match(/[^\n]*(?:TOKEN|env_keys|envFile)[^\n]*/g) ?? []) {
        const field = /env_vars = .*|env_keys:|- TOKEN|"envFile": ".env"/.exec(line)?.[0] ?? line;
        assert.ok((await home.text()).includes(field), `${id}: ${field}`);
      }
    }
  });

  test("of a config with many servers takes time by its size", async () => {
    const measure = async (count: number) => {
      await using home = await openHome("cursor");
      const names = Array.from({ length: count }, (_, index) => `server-${index}`);
      const mcpServers = Object.fromEntries(names.map((name) => [name, { command: "npx", args: ["-y", name] }]));
      await writeFile(home.path, JSON.stringify({ mcpServers }, null, 2));
      const start = process.cpuUsage();
      await home.wrap("--yes");
      const { user, system } = process.cpuUsage(start);
      assert.equal(Object.values(await home.servers()).filter(readWrapped).length, count);
      return user + system;
    };
    await measure(100);
    const [small, large] = [await measure(125), await measure(1_000)];
    assert.ok(large < 24 * small, `${large / small} times the CPU for 8 times the servers`);
  });

  test("names the variables of an entry, and leaves their values where they are", async () => {
    await using home = await openHome("cursor");
    const entry = { command: "server", args: [], env: { API_TOKEN: "secret" } };
    await writeFile(home.path, JSON.stringify({ mcpServers: { keyed: entry } }));
    await home.wrap("--yes");
    const { keyed } = JSON.parse(await home.text()).mcpServers;
    assert.deepEqual(keyed.args.slice(-4), ["--name=keyed", "--env=*", "--", "server"]);
    assert.deepEqual(keyed.env, { API_TOKEN: "secret" });
  });

  test("goes by the first of our commands, whatever the server's own arguments are called", async () => {
    await using home = await openHome("cursor");
    const mcpServers = {
      angular: { command: "npx", args: ["-y", "@angular/cli", "mcp"] },
      mcp: { command: "docker", args: ["mcp", "gateway", "run", "--", "x"] },
      "-dash": { command: "npx", args: ["files"] },
      own: { command: "spillway", args: ["gateway", "--url", "https://example.com/mcp"] },
    };
    const before = JSON.stringify({ mcpServers }, null, 2);
    await writeFile(home.path, before);
    await home.wrap("--yes");
    const servers = await home.servers();
    for (const name of ["angular", "mcp", "-dash"] as const)
      assert.deepEqual(readWrapped(servers[name]), mcpServers[name], name);
    assert.deepEqual(servers.own, mcpServers.own);
    await writeFile(home.path, `${await home.text()}\n`);
    await home.unwrap("--yes");
    assert.deepEqual(JSON.parse(await home.text()), { mcpServers });
  });

  test("leaves arguments that it does not understand alone", async () => {
    await using home = await openHome("cursor");
    const mcpServers = { a: { command: "srv", args: ["--port", 8080] }, b: { command: "srv", args: "-y pkg" } };
    await writeFile(home.path, JSON.stringify({ mcpServers }));
    await home.wrap("--yes");
    assert.deepEqual(JSON.parse(await home.text()), { mcpServers });
  });

  test("refuses two servers of one name", async () => {
    await using home = await openHome("continue");
    const text =
      "mcpServers:\n  - name: db\n    command: npx\n    args: [first]\n  - name: db\n    command: uvx\n    args: [second]\n";
    await writeFile(home.path, text);
    const { err, out } = await home.wrap("--yes");
    assert.match(err + out, /two servers named "db"/);
    assert.equal(await home.text(), text);
  });

  test("shows no secret", async () => {
    await using home = await openHome("cursor");
    const env = { GITHUB_TOKEN: "ghp_0123456789abcdefghijABCDEFGHIJ012345" };
    await writeFile(home.path, JSON.stringify({ mcpServers: { a: { command: "srv", args: [], env } } }));
    const { out } = await home.wrap("--dry-run");
    assert.ok(out.includes("gateway") && !out.includes("ghp_0123"), out);
  });

  test("writes nothing with --dry-run, nor without an answer", async () => {
    await using home = await openHome("codex");
    const dry = await home.wrap("--dry-run");
    assert.equal(dry.status, 0);
    assert.match(dry.out, /\+.*gateway/);
    assert.equal((await home.wrap()).status, 3);
    assert.equal(await home.text(), home.before);
  });

  test("leaves Spillway itself and servers that may need a login alone, and lists them", async () => {
    await using home = await openHome("cursor");
    const mcpServers = {
      own: { command: "spillway", args: ["mcp"] },
      web: { url: "https://example.com/mcp" },
      files: { command: "npx", args: ["-y", "files"] },
    };
    await writeFile(home.path, JSON.stringify({ mcpServers }));
    assert.match(
      (await home.wrap("--yes")).out,
      /web is left as it is: it has a URL and no key in its headers, .*\.\n/,
    );
    const after = JSON.parse(await home.text()).mcpServers;
    assert.deepEqual([after.own, after.web], [mcpServers.own, mcpServers.web]);
    noteResultSize(join(home.home, "gateway"), "files", "search", 276_781);
    const { out } = await home.wrap("--list");
    assert.match(
      out,
      /own: Spillway itself\n.*web: not wrapped: it has a URL and no key in its headers, .*\n.*files: wrapped; last large result 276,781 characters \(search\)/,
    );
  });

  test("lists the other clients if one has a broken config", async () => {
    await using home = await openHome("cursor");
    await mkdir(join(home.userHome, ".gemini"));
    await writeFile(join(home.userHome, ".gemini", "settings.json"), "{");
    await mkdir(join(home.userHome, ".qwen"));
    const { status, out, err } = await home.run(["wrap", "--list"]);
    assert.equal(status, 1);
    assert.match(err, /settings\.json is malformed/);
    assert.match(out, /Cursor: files: not wrapped\nCursor: issues: not wrapped\nQwen Code: no servers\n$/);
  });

  test("of a server that no client has says which there are", async () => {
    await using home = await openHome("cursor");
    const { status, err } = await home.wrap("fils", "--yes");
    assert.equal(status, 2);
    assert.match(err, /No client has a server "fils"\.[\s\S]*There are files, issues\./);
  });
});
