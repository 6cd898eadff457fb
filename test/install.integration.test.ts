/** `spillway install` as a process: two at once, a client with a command of its own, and a person at a terminal. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openCli } from "./cli.ts";

const entry = join(import.meta.dirname, "..", "src", "surfaces", "cli", "entry.ts");

/** Runs the real command to its end. */
async function runSpillway(cli: { userHome: string; home: string; work: string }, args: readonly string[], path = "") {
  const child = spawn(process.execPath, [entry, ...args], {
    cwd: cli.work,
    env: { HOME: cli.userHome, SPILLWAY_HOME: cli.home, PATH: `${path}:/usr/bin:/bin` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { out: "", err: "" };
  child.stdout.on("data", (chunk) => {
    texts.out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    texts.err += chunk;
  });
  const [status] = await once(child, "close");
  return { status, ...texts };
}

test("installations at the same time leave one entry and a backup that restores", async () => {
  await using cli = await openCli();
  const path = join(cli.userHome, ".cursor", "mcp.json");
  await mkdir(join(path, ".."));
  const before = '{\n  // mine\n  "mcpServers": { "a": { "command": "x" } }\n}\n';
  await writeFile(path, before);
  const runs = await Promise.all([1, 2, 3].map(() => runSpillway(cli, ["install", "cursor", "--yes"])));
  assert.deepEqual(
    runs.map(({ status, err }) => [status, err]),
    [
      [0, ""],
      [0, ""],
      [0, ""],
    ],
  );
  assert.equal((await readFile(path, "utf8")).split('"spillway"').length, 2);
  assert.deepEqual(await readdir(join(path, "..")), ["mcp.json"], "no temporary file is left");
  assert.equal((await runSpillway(cli, ["uninstall", "cursor", "--yes"])).status, 0);
  assert.equal(await readFile(path, "utf8"), before);
});

/** A stand-in for `claude`, which keeps its state and its servers in one file. */
const fakeClaude = `#!${process.execPath}
const { readFileSync, writeFileSync } = process.getBuiltinModule("node:fs");
const path = process.env.HOME + "/.claude.json";
const config = JSON.parse(readFileSync(path, "utf8"));
const [, verb, , , name, , command, ...args] = process.argv.slice(2);
if (name === "broken") { console.error("it does not work"); process.exit(1); }
config.numStartups++;
if (verb === "add") config.mcpServers = { ...config.mcpServers, [name]: { type: "stdio", command, args, env: {} } };
else delete config.mcpServers[name];
writeFileSync(path, JSON.stringify(config));
`;

describe("a client with a command of its own", { skip: process.platform === "win32" }, () => {
  async function openClaude() {
    const cli = await openCli();
    const bin = join(cli.userHome, "bin");
    await mkdir(bin);
    await writeFile(join(bin, "claude"), fakeClaude, { mode: 0o755 });
    const path = join(cli.userHome, ".claude.json");
    await writeFile(path, '{"numStartups":1}');
    return { ...cli, path, run: (...args: string[]) => runSpillway(cli, args, bin) };
  }

  test("is changed by it, and what it wrote beside the entry stays", async () => {
    await using claude = await openClaude();
    const { status, out, err } = await claude.run("install", "claude-code", "--yes");
    assert.deepEqual([status, err], [0, ""]);
    assert.match(out, /^Claude Code: add an entry to .*\.claude\.json, by claude mcp add --scope user spillway -- /);
    const { numStartups, mcpServers } = JSON.parse(await readFile(claude.path, "utf8"));
    assert.deepEqual([numStartups, mcpServers.spillway.args.at(-1)], [2, "mcp"]);
    await claude.run("uninstall", "claude-code", "--yes");
    assert.deepEqual(JSON.parse(await readFile(claude.path, "utf8")), { numStartups: 3, mcpServers: {} });
  });

  test("takes the entry out by it if its state has changed since", async () => {
    await using claude = await openClaude();
    await claude.run("install", "claude-code", "--yes");
    const config = JSON.parse(await readFile(claude.path, "utf8"));
    await writeFile(claude.path, JSON.stringify({ ...config, numStartups: 40 }));
    const { out } = await claude.run("uninstall", "claude-code", "--yes");
    assert.match(out, /, by claude mcp remove --scope user spillway\n/);
    assert.deepEqual(JSON.parse(await readFile(claude.path, "utf8")), { numStartups: 41, mcpServers: {} });
  });

  test("reports that the command failed", async () => {
    await using claude = await openClaude();
    const { status, err } = await claude.run("install", "claude-code", "--yes", "--name", "broken");
    assert.equal(status, 1);
    assert.match(err, /claude mcp add failed: it does not work\.\n {2}Run it yourself/);
    assert.equal(await readFile(claude.path, "utf8"), '{"numStartups":1}');
  });
});

test("a person at a terminal is asked, and no is no", { skip: process.platform !== "linux" }, async () => {
  await using cli = await openCli();
  await mkdir(join(cli.userHome, ".cursor"));
  const command = [process.execPath, entry, "install", "cursor"].join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: cli.work,
    env: { HOME: cli.userHome, SPILLWAY_HOME: cli.home, PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let screen = "";
  let hasAnswered = false;
  child.stdout.on("data", (chunk) => {
    screen += chunk;
    if (screen.includes("[y/N]") && !hasAnswered) child.stdin.write("n\n");
    hasAnswered ||= screen.includes("[y/N]");
  });
  const [status] = await once(child, "close");
  assert.equal(status, 3, screen);
  assert.match(screen, /Write this change\? \[y\/N\][\s\S]*Nothing was written\./);
  assert.deepEqual(await readdir(join(cli.userHome, ".cursor")), []);
});
