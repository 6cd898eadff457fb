import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { defaultSettings } from "../../src/config/settings.ts";
import { builtInTools, listShown } from "../../src/tools/tools.ts";
import { makeTemporaryFolder } from "../bodies.ts";

const run = promisify(execFile);

/** Not a dependency, because it runs an install script. The test runs if the inspector is on the PATH. */
const isInstalled = spawnSync("mcp-inspector", ["--cli", "--version"]).status === 0;
const skip = isInstalled ? false : "mcp-inspector is not on the PATH";

test("the inspector accepts the tools and calls one", { skip }, async () => {
  await using folder = await makeTemporaryFolder();
  await mkdir(join(folder.path, "work"));
  const program = join(import.meta.dirname, "..", "..", "src", "surfaces", "cli", "process.ts");
  const inspect = (...args: string[]) => {
    const place = ["--cwd", join(folder.path, "work"), "-e", `SPILLWAY_HOME=${folder.path}`];
    const server = ["--", process.execPath, program, "mcp"];
    return run("mcp-inspector", ["--cli", ...args, ...place, ...server], {
      env: { ...process.env, HOME: folder.path },
    });
  };
  const { stdout, stderr } = await inspect("--method", "tools/list", "--strict");
  assert.deepEqual(
    JSON.parse(stdout).tools.map(({ name }: { name: string }) => name),
    listShown(builtInTools, { settings: defaultSettings, env: {} }).map(({ name }) => name),
  );
  assert.ok(!/warning|error/i.test(stderr), stderr);
  const call = await inspect("--method", "tools/call", "--tool-name", "web_fetch", "--tool-arg", "url=data:,hello");
  assert.match(JSON.parse(call.stdout).content[0].text, /\n\nhello\n\n\[End untrusted content /);
});
