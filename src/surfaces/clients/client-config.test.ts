/** Servers of other makers in the configs of clients: listed, started in another way, and put back. */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../../test/bodies.ts";
import { planRestoration, restoreConfig, writeConfig } from "./change-config.ts";
import { listServers, openClientConfig, setServer } from "./client-config.ts";
import { findClient } from "./find-clients.ts";

/** A user whose client has this config. */
async function openUser(id: string, text: string) {
  const folder = await makeTemporaryFolder();
  const machine = { env: {}, platform: process.platform, home: folder.path, cwd: folder.path };
  const client = findClient(id);
  const path = client.userFiles(machine)[0] ?? assert.fail();
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return {
    path,
    context: { purpose: "wrap", folder: join(folder.path, "backups") } as const,
    open: () => openClientConfig(client, "user", machine),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const samples: readonly [id: string, before: string, after: string][] = [
  [
    "cursor",
    '{\n  "mcpServers": {\n    "db": {\n      // why\n      "command": "db-mcp", // old\n      "args": ["--fast"],\n      "env": { "KEY": "1" }\n    }\n  }\n}\n',
    '{\n  "mcpServers": {\n    "db": {\n      // why\n      "command": "wrap", // old\n      "args": ["--", "db-mcp", "--fast"],\n      "env": { "KEY": "1" }\n    }\n  }\n}\n',
  ],
  [
    "codex",
    '[mcp_servers.db] # why\ncommand = "db-mcp" # old\nargs = ["--fast"]\n\n[mcp_servers.db.env]\nKEY = "1"\n',
    '[mcp_servers.db] # why\ncommand = "wrap" # old\nargs = ["--", "db-mcp", "--fast"]\n\n[mcp_servers.db.env]\nKEY = "1"\n',
  ],
  [
    "goose",
    "extensions:\n  db:\n    cmd: db-mcp # old\n    args: [--fast]\n    envs:\n      KEY: '1'\n",
    "extensions:\n  db:\n    cmd: wrap # old\n    args: [--, db-mcp, --fast]\n    envs:\n      KEY: '1'\n",
  ],
  [
    "continue",
    "mcpServers:\n  - name: db\n    command: db-mcp # old\n    args:\n      - --fast\n    env:\n      KEY: '1'\n",
    "mcpServers:\n  - name: db\n    command: wrap # old\n    args:\n      - --\n      - db-mcp\n      - --fast\n    env:\n      KEY: '1'\n",
  ],
  [
    "cline",
    '{ "mcpServers": { "db": { "transport": { "type": "stdio", "command": "db-mcp", "args": ["--fast"], "env": { "KEY": "1" } } } } }',
    '{ "mcpServers": { "db": { "transport": { "type": "stdio", "command": "wrap", "args": ["--", "db-mcp", "--fast"], "env": { "KEY": "1" } } } } }',
  ],
  [
    "opencode",
    '{ "mcp": { "db": { "type": "local", "command": ["db-mcp", "--fast"], "environment": { "KEY": "1" } } } }',
    '{ "mcp": { "db": { "type": "local", "command": ["wrap", "--", "db-mcp", "--fast"], "environment": { "KEY": "1" } } } }',
  ],
];

describe("a server of another maker", () => {
  for (const [id, before, after] of samples) {
    test(`${id}: is listed, started in another way with its comments and variables kept, and put back`, async () => {
      await using user = await openUser(id, before);
      const config = await user.open();
      const [entry] = listServers(config);
      assert.deepEqual(entry?.server, { command: "db-mcp", args: ["--fast"], env: { KEY: "1" } });
      const text = setServer(config, "db", { command: "wrap", args: ["--", "db-mcp", "--fast"] });
      assert.equal(text, after);
      await writeConfig(config, text, { ...user.context, hadChange: false });
      const changed = await user.open();
      const restoration = await planRestoration(changed, user.context, () => assert.fail("the file is unchanged"));
      await restoreConfig(changed, restoration, user.context);
      assert.equal(await readFile(user.path, "utf8"), before);
      assert.deepEqual(await readdir(user.context.folder), [], "the backup is gone with its change");
    });
  }

  test("is put back byte for byte although a second change could not be written", async () => {
    const [[id, before, after] = assert.fail()] = samples;
    await using user = await openUser(id, before);
    await writeConfig(await user.open(), after, { ...user.context, hadChange: false });
    const second = await user.open();
    await writeFile(user.path, `${after}// meanwhile\n`);
    await assert.rejects(writeConfig(second, `${after}// second\n`, { ...user.context, hadChange: true }), /changed/);
    await writeFile(user.path, after);
    const restoration = await planRestoration(await user.open(), user.context, () =>
      assert.fail("the file is unchanged"),
    );
    assert.deepEqual(restoration, { kind: "restore", bytes: Buffer.from(before) });
  });

  test("that is reached by a URL is listed without a command; what is not a server is left out", async () => {
    await using user = await openUser(
      "cursor",
      '{"mcpServers": {"a": {"url": "https://x"}, "b": 5, "c": {"command": "c"}}}',
    );
    const servers = listServers(await user.open()).map(({ name, server }) => [name, server]);
    assert.deepEqual(servers, [
      ["a", undefined],
      ["c", { command: "c", args: [] }],
    ]);
  });

  test("names variables of the client's environment, in Codex and in Goose", async () => {
    for (const [id, text] of [
      ["codex", '[mcp_servers.a]\ncommand = "a"\nenv_vars = ["ONE", { name = "TWO", source = "local" }]\n'],
      ["goose", "extensions:\n  a:\n    cmd: a\n    env_keys: [ONE, TWO]\n"],
    ] as const) {
      await using user = await openUser(id, text);
      const [entry] = listServers(await user.open());
      assert.deepEqual(entry?.server, { command: "a", args: [], envNames: ["ONE", "TWO"] });
    }
  });

  test("of ours gets the time in Cline that a slow start takes", async () => {
    await using user = await openUser("cline", "{}");
    const text = setServer(await user.open(), "spillway", { command: "spillway", args: ["mcp"] });
    assert.equal(JSON.parse(text).mcpServers.spillway.timeout, 60);
  });

  test("of opencode since version 2 is found below mcp.servers", async () => {
    await using user = await openUser("opencode", '{"mcp": {"servers": {"a": {"type": "local", "command": ["a"]}}}}');
    const config = await user.open();
    assert.deepEqual(
      listServers(config).map(({ name }) => name),
      ["a"],
    );
    const { mcp } = JSON.parse(setServer(config, "b", { command: "b", args: [] }));
    assert.deepEqual(Object.keys(mcp.servers), ["a", "b"]);
  });
});

describe("without a usable backup", () => {
  for (const [name, damage] of [
    ["a damaged one", "{"],
    ["one of another file", '{"path":"/elsewhere","after_sha256":"0","restorable":true}'],
    ["none", undefined],
  ] as const) {
    test(`${name}: the change is taken back by an edit`, async () => {
      await using user = await openUser("cursor", '{"mcpServers": {"a": {"command": "a"}}}');
      const config = await user.open();
      await writeConfig(config, setServer(config, "a", { command: "b", args: [] }), {
        ...user.context,
        hadChange: false,
      });
      for (const file of await readdir(user.context.folder))
        await writeFile(join(user.context.folder, file), damage ?? "");
      const changed = await user.open();
      const restoration = await planRestoration(changed, user.context, (before) => {
        assert.equal(before, undefined);
        return setServer(changed, "a", { command: "a", args: [] });
      });
      assert.equal(restoration.kind, "edit");
    });
  }
});
