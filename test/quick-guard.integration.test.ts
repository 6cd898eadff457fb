import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "./bodies.ts";

const guard = join(import.meta.dirname, "quick-guard.ts");
const noProcess = /A quick test must not start a process\. Rename its file to \*\.integration\.test\.ts\./;
const noSocket = /A quick test must not open a socket\. Rename its file to \*\.integration\.test\.ts\./;

/** Runs a quick test with this body, as `npm run test:quick` does. */
async function runQuick(body: string): Promise<{ readonly isGreen: boolean; readonly output: string }> {
  await using folder = await makeTemporaryFolder();
  const file = join(folder.path, "some.test.mjs");
  await writeFile(file, `import { test } from "node:test";\ntest("some test", async () => {\n${body}\n});\n`);
  const args = ["--import", guard, "--test", "--test-isolation=none", file];
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  return { isGreen: status === 0, output: stdout + stderr };
}

describe("a quick test", () => {
  test("that needs neither a process nor a socket passes", async () => {
    const { isGreen, output } = await runQuick("await new Promise(setImmediate);");
    assert.ok(isGreen, output);
    assert.match(output, /Quick tests: \d+\.\d s of CPU/);
  });

  for (const { name, body, says } of [
    { name: "starts a process", body: 'require("child_process").spawn("true");', says: noProcess },
    { name: "waits for a process", body: 'require("child_process").execFileSync("true");', says: noProcess },
    { name: "forks", body: 'require("child_process").fork("x.js");', says: noProcess },
    { name: "listens", body: 'require("net").createServer().listen(0);', says: noSocket },
    { name: "connects", body: 'require("net").connect(1, "127.0.0.1");', says: noSocket },
    { name: "fetches", body: 'await fetch("http://127.0.0.1:8080/");', says: noSocket },
    { name: "sends a datagram", body: 'require("dgram").createSocket("udp4").bind(0, "127.0.0.1");', says: noSocket },
  ]) {
    for (const catches of [false, true]) {
      test(`that ${name} fails, ${catches ? "even if it catches the error" : "and the sentence says what to do"}`, async () => {
        const load = 'const require = process.getBuiltinModule("module").createRequire("/");\n';
        const { isGreen, output } = await runQuick(catches ? `${load}try { ${body} } catch {}` : load + body);
        assert.ok(!isGreen, output);
        assert.match(output, says);
      });
    }
  }
});
