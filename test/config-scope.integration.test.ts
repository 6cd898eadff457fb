/** A project may be a stranger's repository: what its files may set, and that nothing else of the user's changes. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, chown, mkdir, readdir, rename, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { describeProblem } from "../src/config/config-problem.ts";
import { loadConfig, settingsDespiteProblems } from "../src/config/load-config.ts";
import type { SettingRow } from "../src/config/rows/setting-row.ts";
import { defaultSettings, isSettingName, rowOf, type SettingName, settingNames } from "../src/config/settings.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { openCli } from "./cli.ts";
import { openRunner } from "./runner.ts";

/** A valid value that differs from the default: the smallest and the largest number, or something of the attacker's. */
function harmfulValues({ type, default: own, min = 0, ceiling = 9_000_000_000, choices = [] }: SettingRow): unknown[] {
  switch (type) {
    case "integer":
    case "bytes":
      return [min, ceiling].filter((value) => value !== own);
    case "duration":
      return [min, ceiling].filter((value) => value !== own).map((ms) => `${ms}ms`);
    case "choice":
      return choices.filter((choice) => choice !== own);
    case "list":
      return [["10.0.0.0"]];
    case "headers":
      return [{ "evil.example": { Cookie: "stolen" } }];
    case "text":
    case "path":
      return ["/evil"];
  }
}

/** A user's home with a project in it. */
async function openMachine() {
  const folder = await makeTemporaryFolder();
  const project = join(folder.path, "repo");
  await mkdir(join(project, ".git"), { recursive: true });
  const userPath = join(folder.path, ".config", "spillway", "config.jsonc");
  return {
    project,
    projectPath: join(project, ".spillway", "config.jsonc"),
    userPath,
    async write(path: string, content: unknown) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
    },
    load: (env: Record<string, string> = {}, flags: Record<string, string> = {}) =>
      loadConfig({ cwd: project, env, flags, homeDir: folder.path, platform: "linux" }),
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

describe("the scope of every setting", () => {
  for (const name of settingNames) {
    const row = rowOf(name);
    for (const value of harmfulValues(row)) {
      test(`${name} (${row.scope}) set to ${JSON.stringify(value)} by a project`, async () => {
        await using machine = await openMachine();
        await machine.write(machine.projectPath, { [name]: value });
        const { settings, origins, problems } = await machine.load();
        const isLowered = row.scope === "project may lower" && Number(settings[name]) < Number(defaultSettings[name]);
        if (row.scope === "project" || isLowered) {
          assert.deepEqual(problems, []);
          assert.deepEqual(origins[name], { file: machine.projectPath });
          return;
        }
        assert.deepEqual(settings, defaultSettings);
        assert.equal(origins[name], "default");
        assert.deepEqual(
          problems.map(({ key, owner }) => [key, owner]),
          [[name, "project"]],
        );
      });
    }
  }

  test("is user for all that deletes, names a place, runs a program, or leaves this machine", () => {
    const userGroups = /^(home|run|artifacts|events|files|network|render|runner|overflow|proxy|tokens)\b/;
    for (const name of settingNames) {
      const row = rowOf(name);
      const isUserOnly = userGroups.test(name) || row.isRetention || ["path", "list", "headers"].includes(row.type);
      if (isUserOnly || /embed_(url|model|batch)/.test(name)) assert.equal(row.scope, "user", name);
      if (row.scope === "project may lower") assert.equal(typeof row.default, "number", name);
    }
  });

  test("lets a project lower a limit below the user's value, and not above it", async () => {
    await using machine = await openMachine();
    await machine.write(machine.userPath, { "fit.read_chars": 5_000 });
    await machine.write(machine.projectPath, { "fit.read_chars": 6_000 });
    const raised = await machine.load();
    assert.equal(raised.settings["fit.read_chars"], 5_000);
    assert.match(
      describeProblem(raised.problems[0] ?? assert.fail()),
      /config\.jsonc, line 1, column 2: A project's file may only lower fit\.read_chars: 6,000 is more than your 5,000\./,
    );
    await machine.write(machine.projectPath, { "fit.read_chars": 4_000 });
    const lowered = await machine.load();
    assert.deepEqual([lowered.settings["fit.read_chars"], lowered.problems], [4_000, []]);
    const own = await machine.load({}, { "fit.read_chars": "20000" });
    assert.deepEqual([own.settings["fit.read_chars"], own.problems], [20_000, []], "a flag wins");
  });
});

describe("a project's file is not read", () => {
  const linkedTo = async (link: string, target: string) => {
    await mkdir(dirname(link), { recursive: true });
    await symlink(target, link);
  };

  test("through a symbolic link, of the file or of its folder", async () => {
    await using machine = await openMachine();
    const elsewhere = join(machine.project, "elsewhere");
    await machine.write(join(elsewhere, "config.jsonc"), { "search.context_lines": 9, "secret-of-another-file": 1 });
    const load = async () => {
      const { settings, problems } = await machine.load();
      assert.equal(settings["search.context_lines"], defaultSettings["search.context_lines"]);
      assert.equal(problems.length, 1);
      assert.match(problems[0]?.sentence ?? "", /not read through a symbolic link/);
    };
    await linkedTo(machine.projectPath, join(elsewhere, "config.jsonc"));
    await load();
    await rename(dirname(machine.projectPath), join(machine.project, "unused"));
    await symlink(elsewhere, dirname(machine.projectPath));
    await load();
  });

  test("if it is a pipe, a device behind a link, or huge", async () => {
    await using machine = await openMachine();
    await mkdir(dirname(machine.projectPath), { recursive: true });
    execFileSync("mkfifo", [machine.projectPath]);
    assert.match((await machine.load()).problems[0]?.sentence ?? "", /not a regular file/);
    await rename(machine.projectPath, `${machine.projectPath}.pipe`);
    await symlink("/dev/zero", machine.projectPath);
    assert.match((await machine.load()).problems[0]?.sentence ?? "", /symbolic link/);
    await rename(machine.projectPath, `${machine.projectPath}.link`);
    await machine.write(machine.projectPath, `{}${" ".repeat(70_000)}`);
    assert.match((await machine.load()).problems[0]?.sentence ?? "", /has 70002 bytes/);
  });

  const isRoot = process.getuid?.() === 0;
  test("if it belongs to another user", { skip: !isRoot && "only root can give a file away" }, async () => {
    await using machine = await openMachine();
    for (const path of [machine.projectPath, machine.userPath]) {
      await machine.write(path, { "search.context_lines": 9 });
      await chown(path, 65_534, 65_534);
    }
    const { settings, problems } = await machine.load();
    assert.equal(settings["search.context_lines"], defaultSettings["search.context_lines"]);
    assert.deepEqual(
      problems.map(({ owner, sentence }) => [owner, sentence.includes("belongs to another user")]),
      [
        ["user", true],
        ["project", true],
      ],
    );
    const named = await machine.load({ SPILLWAY_CONFIG: machine.userPath });
    assert.equal(named.settings["search.context_lines"], 9, "unless the user names it");
  });

  test("and the user's own is not, if every user can write it", { skip: process.platform === "win32" }, async () => {
    await using machine = await openMachine();
    await machine.write(machine.userPath, { "events.runs": 7 });
    await chmod(machine.userPath, 0o666);
    const { settings, problems } = await machine.load();
    assert.equal(settings["events.runs"], defaultSettings["events.runs"]);
    assert.match(problems[0]?.sentence ?? "", /can be written by every user/);
    assert.match(problems[0]?.hint ?? "", /SPILLWAY_CONFIG/);
  });
});

describe("config.json", () => {
  test("is read if there is no config.jsonc, for user and project", async () => {
    await using machine = await openMachine();
    await machine.write(machine.userPath.slice(0, -1), { "events.runs": 7 });
    await machine.write(machine.projectPath.slice(0, -1), { "search.context_lines": 9, home: "/evil" });
    const { settings, problems, files } = await machine.load();
    assert.deepEqual([settings["events.runs"], settings["search.context_lines"], settings.home], [7, 9, null]);
    assert.deepEqual(
      problems.map(({ key }) => key),
      ["home"],
    );
    assert.deepEqual(
      files.map(({ path }) => path),
      [machine.userPath.slice(0, -1), machine.projectPath.slice(0, -1)],
    );
  });

  test("is named if config.jsonc lies beside it", async () => {
    await using machine = await openMachine();
    await machine.write(machine.userPath, { "events.runs": 8 });
    await machine.write(machine.userPath.slice(0, -1), { "events.runs": 7 });
    const { settings, problems } = await machine.load();
    assert.equal(settings["events.runs"], 8);
    assert.match(describeProblem(problems[0] ?? assert.fail()), /config\.json: This file is not read/);
  });
});

test("while the user's own sources have a problem, nothing is deleted", async () => {
  await using machine = await openMachine();
  await machine.write(machine.userPath, '{ "artifacts.keep": "10w", "artifacts.keep_bytes": "1 TB" "');
  const broken = settingsDespiteProblems(await machine.load());
  const retention = settingNames.filter((name) => rowOf(name).isRetention);
  assert.ok(retention.length >= 8);
  for (const name of retention) assert.ok(Number(broken[name]) > 1e15, name);
  await machine.write(machine.userPath, {});
  await machine.write(machine.projectPath, { "artifacts.keep": "0s" });
  assert.deepEqual(settingsDespiteProblems(await machine.load()), defaultSettings);
});

describe("a hostile project", () => {
  /** Every setting at a value that would hurt. */
  const hostileConfig = Object.fromEntries(
    settingNames.map((name) => [name, harmfulValues(rowOf(name)).at(rowOf(name).isRetention ? 0 : -1)]),
  );
  const hostileVariables = "SPILLWAY_HOME=/evil\nSPILLWAY_ARTIFACTS_KEEP=0s\nDATABASE_URL=postgres://evil/db\n";

  async function plant(write: (name: string, content: string) => Promise<unknown>): Promise<void> {
    const schema = { $schema: "http://evil.example/schema.json" };
    await write(".spillway/config.jsonc", JSON.stringify({ ...schema, ...hostileConfig }));
    for (const name of [".env", ".env.local", ".spillway/.env"]) await write(name, hostileVariables);
    await write("notes.ts", "export const heron = 1;\n");
  }

  const list = async (folder: string) => (await readdir(folder, { recursive: true })).sort();

  test("resolves every user setting to the user's value, under every one of its names", async () => {
    await using machine = await openMachine();
    const own: Partial<Record<SettingName, unknown>> = {
      "artifacts.keep": "30d",
      "events.runs": 77,
      "network.tries": 2,
    };
    await machine.write(machine.userPath, own);
    const users = (await machine.load()).settings;
    const nested = Object.groupBy(Object.entries(hostileConfig), ([name]) => name.split(".")[0] ?? "");
    const grouped = Object.fromEntries(
      Object.entries(nested).map(([group, entries = []]) =>
        isSettingName(group)
          ? [group, entries[0]?.[1]]
          : [group, Object.fromEntries(entries.map(([name, value]) => [name.slice(group.length + 1), value]))],
      ),
    );
    for (const config of [hostileConfig, grouped]) {
      await machine.write(machine.projectPath, config);
      const { settings, problems } = await machine.load();
      const keys = problems.map(({ key }) => key);
      for (const name of settingNames) {
        const { scope } = rowOf(name);
        if (scope !== "project") assert.deepEqual(settings[name], users[name], name);
        assert.equal(keys.includes(name), scope !== "project", name);
      }
    }
  });

  test("deletes nothing of other projects through fetch, search, mcp and run, and is named once each", async () => {
    await using runner = await openRunner({ script: () => ({ text: "done" }) });
    const home = join(dirname(runner.home), "elsewhere");
    await mkdir(home, { recursive: true });
    for (let each = 0; each < 3; each++) {
      await writeFile(join(home, `${each}.txt`), `heron ${each}`);
      await runner.run(["fetch", `${each}.txt`], { SPILLWAY_RUN: `run-${each}` }, { cwd: home });
    }
    const [gone] = (await runner.run(["artifacts", "ls"])).out.split("  ");
    await runner.run(["artifacts", "rm", gone ?? ""]);
    await runner.run(["run", "Say done.", "--model", "sim:sim-1"], {}, { cwd: home });
    const before = await list(runner.home);
    for (const kind of ["transcripts", "events", "blobs"])
      assert.ok(
        before.some((name) => name.includes(kind)),
        kind,
      );
    const listRefs = async (): Promise<string[]> =>
      (await runner.run(["artifacts", "ls"])).out.match(/af_[0-9a-f]{32}/g) ?? [];
    const refs = await listRefs();
    assert.equal(refs.length, 2);

    await plant(runner.write);
    const call = (id: number, method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id, method, params });
    const clientInfo = { name: "client", version: "1" };
    const messages = [
      call(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }),
      call(2, "tools/call", { name: "web_fetch", arguments: { url: "notes.ts" } }),
    ];
    const calls: readonly { argv: string[]; stdin?: string }[] = [
      { argv: ["fetch", "notes.ts"] },
      { argv: ["search", "heron"] },
      { argv: ["run", "Say done.", "--model", "sim:sim-1"] },
      { argv: ["artifacts", "sweep"] },
      { argv: ["mcp"], stdin: `${messages.join("\n")}\n` },
    ];
    for (const { argv, stdin = "" } of calls) {
      const { status, out, err } = await runner.run(argv, { SPILLWAY_RUN: `hostile-${argv[0]}` }, { stdin });
      assert.equal(status, 0, `${argv[0]}: ${err}`);
      const after = await list(runner.home);
      const isKept = (name: string) => after.includes(name) || /^(?:tmp|search|catalogue\.db-)/.test(name);
      assert.deepEqual(
        before.filter((name) => !isKept(name)),
        [],
        `${argv.join(" ")} deleted these`,
      );
      const keptRefs = await listRefs();
      assert.ok(refs.every((ref) => keptRefs.includes(ref)));
      assert.match((await runner.run(["read", gone ?? ""])).err, /expired on .*removed by its owner/);
      if (argv[0] === "mcp") {
        assert.match(out, /home may not be set by a project's file.*Also ignored: run, mcp\.form/);
        assert.match(err, /events\.runs may not be set by a project's file/);
      } else {
        assert.equal(err.match(/may not be set by a project's file/g)?.length, 1, err);
      }
    }
    const doctor = await runner.run(["doctor"]);
    assert.equal(doctor.status, 1);
    for (const name of settingNames) {
      if (rowOf(name).scope !== "project") assert.ok(doctor.out.includes(name), name);
    }
  });

  test("cannot stop a command with a broken file", async () => {
    await using cli = await openCli();
    await cli.write("a.txt", "heron");
    const broken = ['{ "fit": ', "[]", '{"colour": 1}', '{"fit.read_chars": "lots"}', "\xff".repeat(3)];
    for (const text of broken) {
      await cli.write(".spillway/config.jsonc", Buffer.from(text, "latin1"));
      const { status, out, err } = await cli.run(["fetch", "a.txt"]);
      assert.equal(status, 0, err);
      assert.match(out, /heron/);
      assert.match(err, /^spillway: .*config\.jsonc/);
    }
  });

  test("cannot join a project of the user with its project.json; doctor says so", async () => {
    await using cli = await openCli();
    await cli.write("own/a.ts", "export const heron = 1;\n");
    await cli.run(["index", "own", "--project", "work"]);
    await cli.write("clone/b.ts", "export const heron = 2;\n");
    await cli.write("clone/.spillway/project.json", '{"project_id": "work"}');
    const cwd = join(cli.work, "clone");
    const named = /project\.json names "work", a project of other folders, so the project "default" is used\./;
    for (const command of [["search", "heron"], ["index"]]) assert.match((await cli.run(command, { cwd })).err, named);
    const { status, out } = await cli.run(["doctor"], { cwd });
    assert.equal(status, 1);
    assert.match(out, /FAIL {2}project: .*If it belongs there, run spillway index --project/);
    assert.doesNotMatch((await cli.run(["search", "heron", "--project", "work"])).out, /clone|= 2/);
    assert.equal((await cli.run(["index", "--project", "work"], { cwd })).status, 0);
    assert.match((await cli.run(["doctor"], { cwd })).out, /ok {4}project: searches use "work"/);
  });

  test("cannot hang a search with its project.json", async () => {
    await using cli = await openCli();
    await cli.write("a.ts", "export const heron = 1;\n");
    await mkdir(join(cli.work, ".spillway"));
    const file = join(cli.work, ".spillway", "project.json");
    execFileSync("mkfifo", [file]);
    assert.match((await cli.run(["search", "heron"])).err, /project\.json is broken: it is not a regular file/);
    await rename(file, `${file}.pipe`);
    await symlink("/dev/zero", file);
    assert.match((await cli.run(["search", "heron"])).err, /project\.json is broken: it is reached through a symbolic/);
    await rename(file, `${file}.link`);
    await writeFile(file, `{"project_id": "a"}${" ".repeat(70_000)}`);
    assert.match((await cli.run(["search", "heron"])).err, /project\.json is broken: it is too large/);
  });

  test("has a folder whose name reaches the terminal without control characters", async () => {
    await using cli = await openCli();
    const cwd = join(cli.work, "evil\n\x1b[2Jname");
    await cli.write("evil\n\x1b[2Jname/.spillway/config.jsonc", '{"home": "/evil"}');
    const { err } = await cli.run(["fetch", "data:,x"], { cwd });
    assert.match(err, /evil\\u\{a\}\\u\{1b\}\[2Jname.*home may not/);
    assert.ok(!err.includes("\x1b"));
  });
});
