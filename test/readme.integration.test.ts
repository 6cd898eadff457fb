/** Everything that the README shows: its length, its picture, its table, and each of its command lines. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { renderReadme } from "../scripts/measured-recovery.ts";
import { drawTerminal, recordCommands } from "../scripts/terminal-picture.ts";
import { clients } from "../src/surfaces/clients/clients.ts";
import { version } from "../src/version.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { startRegistry } from "./loopback-registry.ts";

const MAX_WORDS = 600;
const root = join(import.meta.dirname, "..");
const run = promisify(execFile);
const readme = await readFile(join(root, "README.md"), "utf8");

test("the README is short", () => {
  const words = readme.split(/\s+/).filter((word) => /\w/.test(word));
  assert.ok(words.length < MAX_WORDS, `${words.length} words`);
});

test("the README counts the clients that install knows", () => {
  assert.match(readme, new RegExp(`Claude Code, Codex, Cursor and ${clients.length - 3} more clients`));
});

test("the README has the measured table", async () => {
  assert.ok(readme === (await renderReadme()), "README.md is out of date. Run `npm run docs` and commit the result.");
});

test("the picture in the README is what the commands print", async () => {
  const committed = await readFile(join(root, "docs", "images", "terminal.svg"), "utf8");
  assert.equal(
    maskRandom(committed),
    maskRandom(drawTerminal(await recordCommands())),
    "node scripts/terminal-picture.ts draws it again.",
  );
});

/** Refs and the words of fences are random, also where a line of the terminal breaks inside them. */
const maskRandom = (svg: string): string =>
  svg.replaceAll(/af_[0-9a-f]{32}/g, "af_...").replaceAll(/(untrusted content) [a-z0-9]{8}/g, "$1 ...");

describe("the command lines of the README", () => {
  let folder: Awaited<ReturnType<typeof makeTemporaryFolder>>;
  let registry: Awaited<ReturnType<typeof startRegistry>>;
  let env: NodeJS.ProcessEnv;
  const [building = [], using = []] = listShellBlocks(readme);

  before(async () => {
    folder = await makeTemporaryFolder();
    registry = await startRegistry();
    const [home, programs] = [join(folder.path, "home"), join(folder.path, "programs")];
    await Promise.all([mkdir(join(home, ".cursor"), { recursive: true }), mkdir(programs)]);
    const servers = { files: { command: "npx", args: ["-y", "some-mcp-server"] } };
    await writeFile(join(home, ".cursor", "mcp.json"), JSON.stringify({ mcpServers: servers }, null, 2));
    await mkdir(join(folder.path, "docs"));
    await copyFile(join(root, "docs", "api.md"), join(folder.path, "docs", "api.md"));
    await writeFile(join(programs, "claude"), '#!/bin/sh\necho "asks $ANTHROPIC_BASE_URL"\n');
    await chmod(join(programs, "claude"), 0o755);
    env = {
      HOME: home,
      PATH: [join(folder.path, "global", "bin"), programs, dirname(process.execPath), process.env.PATH].join(delimiter),
      npm_config_registry: registry.origin,
      npm_config_prefix: join(folder.path, "global"),
      npm_config_cache: join(folder.path, "cache"),
      npm_config_pack_destination: folder.path,
      npm_config_update_notifier: "false",
    };
  });

  after(async () => {
    await registry[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  const shell = (line: string, cwd: string) =>
    run("sh", ["-c", line], { cwd, env }).then(
      ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
      (error) => error,
    );

  test("npm start shows the tour", async () => {
    assert.equal(building[0], "npm start");
    const { stdout, stderr, code } = await shell(building[0], root);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /\$ spillway fetch handbook\.md[\s\S]*artifact_ref=af_/);
  });

  test("it is packed and installed for all folders of a user", async () => {
    const [pack = "", install = ""] = (building[1] ?? "").split(" && ");
    assert.equal(pack, "npm pack");
    const packed = await shell(pack, root);
    assert.equal(packed.code, 0, packed.stderr);
    const installed = await shell(install, folder.path);
    assert.equal(installed.code, 0, installed.stderr);
    assert.equal((await shell("spillway --version", folder.path)).stdout, `${version}\n`);
  });

  test("it runs without being installed", async () => {
    const line = building[2] ?? "";
    assert.match(line, /^npx \.\/spillway-[\d.]+\.tgz --version$/);
    await mkdir(join(folder.path, "empty"));
    const [tarball = ""] = /spillway-[\d.]+\.tgz/.exec(line) ?? [];
    await copyFile(join(folder.path, tarball), join(folder.path, "empty", tarball));
    const { stdout, stderr } = await shell(`${line} </dev/null`, join(folder.path, "empty"));
    assert.equal(stdout, `${version}\n`, stderr);
  });

  const expected: Readonly<Record<string, readonly [code: number, out: RegExp]>> = {
    "spillway fetch docs/api.md --max-chars 500": [
      0,
      /artifact_ref=af_[0-9a-f]{32}[\s\S]*Content truncated at 500 chars/,
    ],
    // Without a terminal the change is shown, and there is no person to confirm it.
    "spillway install": [3, /\+.*"spillway"/],
    "spillway with claude": [0, /^asks http:\/\/127\.0\.0\.1:\d+\/\w+\/anthropic$/m],
    "spillway wrap": [3, /\+.*gateway/],
  };

  for (const line of using)
    test(`${line} works as shown`, async () => {
      const [code, out] = expected[line] ?? assert.fail("a line without a test");
      const result = await shell(line, folder.path);
      assert.equal(result.code, code, result.stderr);
      assert.match(result.stdout, out);
    });

  test("every line has a test", () => {
    assert.deepEqual([building.length, using.length], [3, Object.keys(expected).length]);
    assert.equal(listShellBlocks(readme).length, 2);
  });
});

/** The command lines of each block, without comments. */
function listShellBlocks(markdown: string): string[][] {
  return [...markdown.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = ""]) =>
    block
      .trim()
      .split("\n")
      .map((line) => line.replace(/\s+#.*$/, "")),
  );
}
