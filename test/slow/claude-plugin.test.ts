/**
 * The plugin in a real Claude Code, in a network namespace that holds nothing but loopback. A scripted model records what it
 * is shown. Skipped if the package cannot be installed.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeTemporaryFolder } from "../bodies.ts";

const INSTALL_MS = 300_000;
const RUN_MS = 200_000;
const root = join(import.meta.dirname, "..", "..");
const packages = join(tmpdir(), "spillway-claude-code");
const platform = `${process.platform}-${process.arch}`;
const program = join(packages, "node_modules", "@anthropic-ai", `claude-code-${platform}`, "claude");

/** Why Claude Code cannot be run here, if it cannot. */
function findRefusal(): string | undefined {
  if (spawnSync("unshare", ["-rn", "true"]).status !== 0) return "unshare -n is refused here.";
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", packages];
  const install = ["install", ...flags, "@anthropic-ai/claude-code@2.1.325"];
  if (!existsSync(program)) spawnSync("npm", install, { stdio: "ignore", timeout: INSTALL_MS });
  return existsSync(program) ? undefined : "Claude Code could not be installed from the npm registry.";
}

test("Claude Code shows its model bounded output, and the fact in its middle is one call away", async (context) => {
  const refusal = findRefusal();
  if (refusal !== undefined) return context.skip(refusal);
  spawnSync(process.execPath, [join(root, "scripts", "build.ts")], { stdio: "ignore" });
  await using folder = await makeTemporaryFolder();
  const driver = join(import.meta.dirname, "claude-plugin-driver.ts");
  const plugin = join(root, "adapters", "claude-code");
  const { stdout, stderr } = spawnSync("unshare", ["-rn", process.execPath, driver, program, plugin, folder.path], {
    encoding: "utf8",
    timeout: RUN_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  const { validation, status, output, results } = JSON.parse(stdout || assert.fail(stderr));
  assert.equal(validation.status, 0, validation.output);
  assert.equal(status, 0, output);
  const [saved, passed, command, short, fact] = results;
  for (const page of [saved, passed, command]) {
    assert.match(page, /^\[This result has [\d,]+ characters; this is its first page\./);
    assert.ok(page.length > 25_000 && page.length < 31_000, `${page.length} characters`);
    assert.doesNotMatch(page, /saved to|persisted-output/);
  }
  assert.match(saved, /500,053 characters/);
  assert.match(command, /108,894 characters/);
  assert.match(short, /^1\n2\n3\n/);
  assert.match(fact, /NEEDLE 4711/);
});
