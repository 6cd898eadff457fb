/** `spillway install` and `uninstall`, through the command, for every client and for files in every condition. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { chmod, lstat, mkdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { entryPath } from "../src/surfaces/clients/client.ts";
import { clients } from "../src/surfaces/clients/clients.ts";
import { valueAt } from "../src/surfaces/clients/edit-config.ts";
import { findClient } from "../src/surfaces/clients/find-clients.ts";
import { loadFormat } from "../src/surfaces/clients/formats/formats.ts";
import { type CliRunOptions, openCli } from "./cli.ts";
import { configs, layouts, writeSampleConfig } from "./client-configs.ts";
import { soakCount } from "./soak.ts";

/** A home folder with the config of one client. */
async function openHome(id: string, content?: string | Uint8Array) {
  const cli = await openCli();
  const client = findClient(id);
  const machine = { env: {}, platform: process.platform, home: cli.userHome, cwd: cli.work };
  const path = client.userFiles(machine)[0] ?? assert.fail();
  await mkdir(dirname(path), { recursive: true });
  if (content !== undefined) await writeFile(path, content);
  const format = await loadFormat(client.format);
  return {
    ...cli,
    path,
    client,
    install: (args: string[] = ["--yes"], more?: CliRunOptions) => cli.run(["install", id, ...args], more),
    uninstall: (args: string[] = ["--yes"]) => cli.run(["uninstall", id, ...args]),
    text: () => readFile(path, "utf8"),
    async entry(name = "spillway") {
      const value = format.parse((await readFile(path, "utf8")).replace(/^\ufeff/, ""));
      return valueAt(value, entryPath(client, value, name)) as Record<string, unknown> | undefined;
    },
  };
}

const samples = {
  JSON: '{\n  // mine\n  "theme": "dark", // why\n}\n',
  TOML: '# mine\ntheme = "dark" # why\n\n[tools]\nx = 1\n',
  YAML: "# mine\ntheme: dark # why\n",
};

describe("every client", () => {
  for (const { id, format, shape } of clients) {
    test(`${id}: the entry starts our server; taken out again, the file has its old bytes`, async () => {
      await using home = await openHome(id, samples[format]);
      const installed = await home.install();
      assert.deepEqual([installed.status, installed.err], [0, ""]);
      const server = shape.readServer(await home.entry());
      assert.deepEqual(server?.args.at(-1), "mcp");
      for (const line of samples[format].split("\n").filter((line) => /#|\/\//.test(line)))
        assert.ok((await home.text()).includes(line.replace(/,? \/\/ why/, "")), line);
      const again = await home.install();
      assert.match(again.out, /nothing to change/);
      assert.equal((await home.uninstall()).status, 0);
      assert.equal(await home.text(), samples[format]);
    });

    test(`${id}: a file that we made is deleted again`, async () => {
      await using home = await openHome(id);
      assert.equal((await home.install()).status, 0);
      assert.notEqual(await home.entry(), undefined);
      assert.match((await home.uninstall()).out, /: delete .*, which was made for the entry\n/);
      assert.equal(await stat(home.path).catch(() => "gone"), "gone");
    });
  }
});

for (const id of ["cursor", "codex", "goose", "continue"]) {
  test(`${id}: installing and uninstalling gives the same bytes for any config`, async () => {
    await using home = await openHome(id);
    await fc.assert(
      fc.asyncProperty(configs, layouts, fc.boolean(), async (config, layout, hasMark) => {
        const text = (hasMark ? "\ufeff" : "") + writeSampleConfig(home.client.format, config, layout);
        await writeFile(home.path, text);
        const { status, err } = await home.install();
        assert.equal(status, 0, err);
        assert.notEqual(await home.entry(), undefined);
        assert.equal((await home.uninstall()).status, 0);
        assert.equal(await home.text(), text);
      }),
      { numRuns: soakCount({ sample: 20, full: 500 }) },
    );
  });
}

describe("nothing is written", () => {
  const before = '{ "mcpServers": {} }\n';

  test("without a terminal and without --yes: the diff is shown and the exit status is 3", async () => {
    await using home = await openHome("cursor", before);
    const { status, out, err } = await home.install([]);
    assert.equal(status, 3);
    assert.match(
      out,
      /^Cursor: add an entry to .*mcp\.json\n--- .*\n\+\+\+ .*\n@@ -1,1 \+1,\d+ @@\n-\{ "mcpServers": \{\} \}\n\+/,
    );
    assert.match(err, /Nothing was written\. .*--yes/);
    assert.equal(await home.text(), before);
  });

  test("unless the person at the terminal agrees", async () => {
    await using home = await openHome("cursor", before);
    const questions: string[] = [];
    const answer = (text: string) => (question: string) => {
      questions.push(question);
      return text;
    };
    for (const no of ["", "n", "maybe"]) assert.equal((await home.install([], { ask: answer(no) })).status, 3);
    assert.equal(await home.text(), before);
    assert.equal((await home.install([], { ask: answer("Y") })).status, 0);
    assert.deepEqual(new Set(questions), new Set(["Write this change? [y/N] "]));
    assert.notEqual(await home.entry(), undefined);
  });

  test("if the file changed while the person was thinking", async () => {
    await using home = await openHome("codex", "a = 1");
    const ask = () => {
      writeFileSync(home.path, "a = 2\nb = 3");
      return "y";
    };
    const { status, err } = await home.install([], { ask });
    assert.equal(status, 1);
    assert.match(err, /has changed since the change was shown/);
    assert.equal(await home.text(), "a = 2\nb = 3");
  });

  for (const [name, text, sentence] of [
    ["to broken JSON", '{"mcpServers": {', /mcp\.json is malformed: .*at line 1, column/],
    ["to JSON that is not an object", "[1]", /its value is not an object/],
    ["where servers are not a map", '{"mcpServers": []}', /cannot be changed safely/],
    ["to a file that is not UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), /is not valid UTF-8/],
    ["over an entry of another program", '{"mcpServers": {"spillway": {"command": "dam"}}}', /that is not Spillway/],
    ["over an entry with a URL", '{"mcpServers": {"spillway": {"url": "http://x"}}}', /that is not Spillway/],
  ] as const) {
    test(name, async () => {
      await using home = await openHome("cursor", text);
      const { status, err } = await home.install();
      assert.equal(status, 1);
      assert.match(err, sentence);
      assert.match(err, /not changed|UTF-8 in an editor/);
      assert.deepEqual(await readFile(home.path), Buffer.from(text));
    });
  }

  test("without a backup", async () => {
    await using home = await openHome("cursor", before);
    await writeFile(join(home.userHome, "file"), "");
    const env = { SPILLWAY_HOME: join(home.userHome, "file", "store") };
    const { status } = await home.install(["--yes"], { env });
    assert.deepEqual([status, await home.text()], [1, before]);
  });

  test("to a file that the user may not write", {
    skip: process.getuid?.() === 0 && "root may write everything",
  }, async () => {
    await using home = await openHome("cursor", before);
    await chmod(home.path, 0o400);
    const { status, err } = await home.install();
    assert.equal(status, 1);
    assert.match(err, /cannot be written \(EACCES\)/);
    assert.equal(await home.text(), before);
  });
});

describe("the file", () => {
  test("keeps its mode", { skip: process.platform === "win32" }, async () => {
    await using home = await openHome("cursor", "{}");
    await chmod(home.path, 0o640);
    await home.install();
    assert.equal((await stat(home.path)).mode & 0o777, 0o640);
    await home.uninstall();
    assert.equal((await stat(home.path)).mode & 0o777, 0o640);
  });

  test("may be empty, blank or comments only", async () => {
    for (const text of ["", "\n\n", "// later\n"]) {
      await using home = await openHome("cursor", text);
      assert.equal((await home.install()).status, 0, JSON.stringify(text));
      assert.notEqual(await home.entry(), undefined);
      await home.uninstall();
      assert.equal(await home.text(), text);
    }
  });

  test("keeps a byte order mark and Windows line ends, also when only the entry is removed", async () => {
    await using home = await openHome("cursor", '\ufeff{\r\n  "a": 1\r\n}\r\n');
    await home.install();
    assert.doesNotMatch(await home.text(), /(?<!\r)\n/);
    await writeFile(home.path, (await home.text()).replace('"a": 1', '"a": 2'));
    await home.uninstall();
    assert.equal(await home.text(), '\ufeff{\r\n  "a": 2\r\n}\r\n');
  });

  test("is changed behind a link, which stays; a link to nothing is refused", {
    skip: process.platform === "win32",
  }, async () => {
    await using home = await openHome("cursor");
    const target = join(home.userHome, "dotfiles.json");
    await symlink(target, home.path);
    const { status, err } = await home.install();
    assert.equal(status, 1);
    assert.match(err, /is a link to a file that does not exist/);
    await writeFile(target, "{}");
    assert.equal((await home.install()).status, 0);
    assert.ok((await lstat(home.path)).isSymbolicLink());
    assert.match(await readFile(target, "utf8"), /spillway/);
    await home.uninstall();
    assert.equal(await readFile(target, "utf8"), "{}");
  });

  test("that a killed process left unfinished is removed by the next change, once it is old", async () => {
    await using home = await openHome("cursor", "{}");
    const [old, recent] = ["0123456789ab", "ba9876543210"].map((word) => `${home.path}.spillway-${word}`);
    const backup = join(home.home, "clients", "0123.json.4711");
    await mkdir(dirname(backup), { recursive: true });
    for (const path of [old, recent, backup]) await writeFile(path ?? "", "secret");
    for (const path of [old, backup]) await utimes(path ?? "", 0, 0);
    await home.install();
    const isThere = (path = "") =>
      stat(path).then(
        () => true,
        () => false,
      );
    assert.deepEqual(await Promise.all([old, recent, backup].map(isThere)), [false, true, false]);
  });

  test("is refused if it is a folder", async () => {
    await using home = await openHome("cursor");
    await mkdir(home.path);
    const { status, err } = await home.install();
    assert.equal(status, 1);
    assert.match(err, /is not a regular file/);
  });
});

describe("after other changes", () => {
  test("only the entry is removed, and the map that was made for it", async () => {
    await using home = await openHome("cursor", '{\n  "a": 1\n}\n');
    await home.install();
    await writeFile(home.path, (await home.text()).replace('"a": 1', '"a": 1, "b": 2'));
    const { out } = await home.uninstall();
    assert.match(out, /^Cursor: remove the entry from/);
    assert.equal(await home.text(), '{\n  "a": 1, "b": 2\n}\n');
  });

  test("a server that was added beside ours stays", async () => {
    await using home = await openHome("codex", "");
    await home.install();
    await writeFile(home.path, `${await home.text()}\n[mcp_servers.b] # mine\ncommand = "b"\n`);
    await home.uninstall();
    assert.equal((await home.text()).trim(), '[mcp_servers.b] # mine\ncommand = "b"');
  });

  test("an entry of an older installation gets the command of this one and keeps its other fields", async () => {
    const before =
      '{"mcpServers": {"spillway": {"command": "npx", "args": ["-y", "spillway", "mcp"], "env": {"A": "1"}}}}';
    await using home = await openHome("cursor", before);
    const { out } = await home.install();
    assert.match(out, /^Cursor: change /);
    const entry = await home.entry();
    assert.deepEqual([entry?.env, entry?.command === "npx"], [{ A: "1" }, false]);
    await home.uninstall();
    assert.deepEqual(JSON.parse(await home.text()), { mcpServers: {} }, "the old entry was ours too");
  });

  test("a second installation keeps the backup of the first", async () => {
    await using home = await openHome("cursor", "{ }");
    await home.install(["--yes"], { env: { PATH: await makeProgram(home.userHome, "spillway") } });
    await home.install();
    await home.uninstall();
    assert.equal(await home.text(), "{ }");
  });
});

/** A folder for the PATH with one program. */
async function makeProgram(folder: string, name: string): Promise<string> {
  const bin = join(folder, "bin");
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, name), "#!/bin/sh\n", { mode: 0o755 });
  return bin;
}

describe("which command the entry has", { skip: process.platform === "win32" }, () => {
  test("the name for clients of the terminal, paths for those of the desktop", async () => {
    await using home = await openHome("codex", "");
    const env = { PATH: await makeProgram(home.userHome, "spillway") };
    await home.install(["--yes"], { env });
    assert.deepEqual(await home.entry(), { command: "spillway", args: ["mcp"] });
    const desktop = await home.run(["install", "cursor"], { env });
    assert.ok(desktop.out.includes(JSON.stringify(process.execPath)), desktop.out);
  });
});

describe("the scope of a project", () => {
  test("is its folder, with a command that everyone has", async () => {
    await using cli = await openCli();
    assert.equal(
      (await cli.run(["install", "claude-code", "vscode", "codex", "--scope", "project", "--yes"])).status,
      0,
    );
    const entry = { command: "spillway", args: ["mcp"] };
    const read = async (name: string) => JSON.parse(await readFile(join(cli.work, name), "utf8"));
    assert.deepEqual(await read(".mcp.json"), { mcpServers: { spillway: entry } });
    assert.deepEqual(await read(".vscode/mcp.json"), { servers: { spillway: { type: "stdio", ...entry } } });
    assert.match(await readFile(join(cli.work, ".codex/config.toml"), "utf8"), /^\[mcp_servers\.spillway\]\n/);
  });

  test("says what everyone who shares it needs", async () => {
    await using cli = await openCli();
    const { out } = await cli.run(["install", "cursor", "--scope", "project"]);
    assert.match(out, /Everyone who works on this project needs the command spillway on the PATH\.\n---/);
  });

  test("a link out of the project is not followed", { skip: process.platform === "win32" }, async () => {
    await using cli = await openCli();
    await writeFile(join(cli.userHome, "victim.json"), "{}");
    await symlink(join(cli.userHome, "victim.json"), join(cli.work, ".mcp.json"));
    const { status, err } = await cli.run(["install", "claude-code", "--scope", "project", "--yes"]);
    assert.equal(status, 1);
    assert.match(err, /is a link out of its project/);
    assert.equal(await readFile(join(cli.userHome, "victim.json"), "utf8"), "{}");
  });

  test("is refused for a client without one", async () => {
    await using cli = await openCli();
    const { status, err } = await cli.run(["install", "goose", "--scope", "project", "--yes"]);
    assert.equal(status, 1);
    assert.match(err, /Goose has no config for a project\.\n {2}Use --scope user/);
  });
});

describe("without a client's name", () => {
  test("the clients are found by their folders and their programs", {
    skip: process.platform === "win32",
  }, async () => {
    await using cli = await openCli();
    await mkdir(join(cli.userHome, ".cursor"));
    const env = { PATH: await makeProgram(cli.userHome, "gemini") };
    const { out } = await cli.run(["install", "--json"], { env });
    const found = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      found.map(({ client, action }) => [client, action]),
      [
        ["cursor", "add"],
        ["gemini", "add"],
      ],
    );
  });

  test("none is found, or the name is wrong", async () => {
    await using cli = await openCli();
    const none = await cli.run(["install"]);
    assert.deepEqual([none.status, /No client was found.*\n.*claude-code, /.test(none.err)], [2, true]);
    const wrong = await cli.run(["install", "cursr"]);
    assert.deepEqual([wrong.status, /Did you mean cursor\?/.test(wrong.err)], [2, true]);
    assert.equal((await cli.run(["install", "cursor", "--scope", "team"])).status, 2);
    assert.equal((await cli.run(["install", "cursor", "--name", "a b"])).status, 2);
  });

  test("one that fails does not stop the others", async () => {
    await using home = await openHome("cursor", "{");
    const { status, out, err } = await home.run(["install", "cursor", "zed", "--yes"]);
    assert.equal(status, 1);
    assert.match(err, /malformed/);
    assert.match(out, /Zed: written/);
  });
});
