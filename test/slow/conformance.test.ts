/**
 * The official conformance suite against `spillway serve`: the same HTTP server, sessions and limits, with the suite's fixtures
 * in place of our tools. Without the npm registry the tests are skipped. The packages stay in a temporary folder.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";

const INSTALL_MS = 5 * 60_000;
const RUN_MS = 10 * 60_000;
const packages = join(tmpdir(), "spillway-conformance");
const suites = { stable: "0.1.16", next: "0.2.0-alpha.12" };
const programOf = (name: string): string => join(packages, "node_modules", name, "dist", "index.js");

/** Scenarios that no revision requires and that do not apply to this server, with the reason. */
const notApplicable: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      "tasks-lifecycle",
      "tasks-capability-negotiation",
      "tasks-wire-fields",
      "tasks-request-state-removal",
      "tasks-mrtr-input",
      "tasks-request-headers",
      "tasks-dispatch-and-envelope",
      "tasks-required-task-error",
      "tasks-mrtr-composition",
    ].map((name) => [name, "an extension that this server does not declare; its calls report progress"]),
  ),
  "http-custom-header-server-validation": "no tool declares x-mcp-header, so there is no header to compare",
};

let refusal: string | undefined;
let server: ReturnType<typeof spawn> | undefined;
let url = "";

before(async () => {
  const isInstalled = () => Object.keys(suites).every((name) => existsSync(programOf(name)));
  const specs = Object.entries(suites).map(
    ([name, version]) => `${name}@npm:@modelcontextprotocol/conformance@${version}`,
  );
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", packages];
  if (!isInstalled()) spawnSync("npm", ["install", ...flags, ...specs], { stdio: "ignore", timeout: INSTALL_MS });
  if (!isInstalled()) {
    refusal = "The suite could not be installed from the npm registry.";
    return;
  }
  server = spawn(process.execPath, [join(import.meta.dirname, "conformance", "conformance-process.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface({ input: server.stdout ?? assert.fail() }), "line");
  url = String(line);
});

after(async () => {
  server?.kill("SIGTERM");
  if (server !== undefined && server.exitCode === null) await once(server, "exit");
});

/** Runs the suite and returns its exit status and the scenarios with failures. */
function run(suite: keyof typeof suites, ...args: string[]) {
  const { status, stdout } = spawnSync(process.execPath, [programOf(suite), "server", "--url", url, ...args], {
    encoding: "utf8",
    timeout: RUN_MS,
    cwd: packages,
  });
  const summary = stdout.slice(stdout.indexOf("=== SUMMARY ==="));
  const scenarios = [...summary.matchAll(/^([✓✗]) (\S+): (\d+) passed, (\d+) failed/gm)];
  const failed = scenarios.filter(([, mark]) => mark === "✗").map(([, , name = ""]) => name);
  return { status, summary, count: scenarios.length, failed };
}

test("0.1.16: every scenario passes", (context) => {
  if (refusal !== undefined) return context.skip(refusal);
  const { status, summary, count, failed } = run("stable");
  assert.deepEqual(failed, [], summary);
  assert.equal(status, 0, summary);
  assert.ok(count >= 30, summary);
});

for (const [revision, minScenarios] of [
  ["2025-11-25", 30],
  ["2026-07-28", 37],
] as const) {
  test(`0.2, required by ${revision}: every scenario passes, and what else fails does not apply`, (context) => {
    if (refusal !== undefined) return context.skip(refusal);
    const { status, summary, count, failed } = run("next", "--requirements", revision);
    // The suite's own verdict counts only what the revision requires.
    assert.equal(status, 0, summary);
    assert.ok(count >= minScenarios, summary);
    for (const name of failed) assert.ok(notApplicable[name] !== undefined, `${name} failed:\n${summary}`);
  });
}
