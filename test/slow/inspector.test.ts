import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { tools } from "../../src/tools/tools.ts";
import { temporaryFolder } from "../bodies.ts";

const run = promisify(execFile);

/** Not one of our dependencies: it runs a script when it is installed. Whoever has it on the PATH gets this test. */
const installed = spawnSync("mcp-inspector", ["--cli", "--version"]).status === 0;
const skip = installed ? false : "mcp-inspector is not on the PATH";

test("the inspector finds nothing to object to in the tools, and calls one", { skip }, async () => {
  await using folder = await temporaryFolder();
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
    tools.map(({ name }) => name),
  );
  assert.ok(!/warning|error/i.test(stderr), stderr);
  const call = await inspect("--method", "tools/call", "--tool-name", "web_fetch", "--tool-arg", "url=data:,hello");
  assert.match(JSON.parse(call.stdout).content[0].text, /hello$/);
});
