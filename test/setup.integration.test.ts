/** The first start from a clone: it installs, and says so on standard error before anything else. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { makeTemporaryFolder } from "./bodies.ts";

/** A clone with an npm that does what the script given does. */
async function runSetup(npm: string) {
  await using folder = await makeTemporaryFolder();
  await mkdir(join(folder.path, "scripts"));
  await copyFile(join(import.meta.dirname, "..", "scripts", "setup.js"), join(folder.path, "scripts", "setup.js"));
  await writeFile(join(folder.path, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder.path, "package-lock.json"), "{}");
  const stub = join(folder.path, "npm-stub.js");
  await writeFile(stub, `import { mkdirSync, symlinkSync } from "node:fs";\n${npm}`);
  const run = () =>
    spawnSync(process.execPath, [join(folder.path, "scripts", "setup.js")], {
      env: { ...process.env, npm_execpath: stub },
      encoding: "utf8",
    });
  return { first: run(), second: run(), path: folder.path };
}

test("a first start says what it does and what to do, and the next one is silent", async () => {
  const install = `mkdirSync("node_modules/.bin", { recursive: true });
    symlinkSync(process.execPath, "node_modules/.bin/node");
    console.log("npm was here");`;
  const { first, second, path } = await runSetup(install);
  assert.equal(first.status, 0, first.stderr);
  assert.equal(first.stdout, "", "standard output is for the protocol");
  assert.match(first.stderr, /^spillway: installing dependencies, which takes up to a minute/);
  assert.ok(first.stderr.includes(`run "npm install" in ${path}`) && first.stderr.includes("npm was here"));
  assert.deepEqual([second.status, second.stdout, second.stderr], [0, "", ""]);
});

test("a failed installation ends the start with a sentence", async () => {
  const { first } = await runSetup("process.exit(7);");
  assert.equal(first.status, 1);
  assert.match(first.stderr, /spillway: npm install failed in .* \(exit 7\)\. See the lines above\./);
});
