/** `spillway with` and a real client from the npm registry, in a network namespace that holds nothing but loopback. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { makeTemporaryFolder } from "../bodies.ts";

/** Clients that are plain JavaScript, so that any Node can run them, and how often the provider refuses them at first. */
const clients = [
  // The first request asks for more output than the window holds, the second one has the large result.
  { name: "pi", package: "@mariozechner/pi-coding-agent@0.73.1", statuses: [400, 200, 400, 200] },
  { name: "gemini", package: "@google/gemini-cli@0.61.0", statuses: [200, 400, 200] },
];
const INSTALL_MS = 300_000;

for (const { name, package: clientPackage, statuses: expected } of clients) {
  test(`${name} finishes its task although its tool's output overflows the window`, async (context) => {
    const namespace = spawnSync("unshare", ["-rn", "true"]);
    if (namespace.status !== 0)
      return context.skip("unshare -n is refused here, so the client could reach the network.");
    await using folder = await makeTemporaryFolder();
    const [home, work] = [join(folder.path, "home"), join(folder.path, "work")];
    await Promise.all([mkdir(home), mkdir(work)]);
    const install = ["install", "--prefix", folder.path, "--ignore-scripts", "--no-audit", "--no-fund", clientPackage];
    spawnSync("npm", install, { stdio: "ignore", timeout: INSTALL_MS });
    const client = join(folder.path, "node_modules", ".bin", name);
    if (!existsSync(client)) return context.skip(`${clientPackage} could not be installed.`);
    const driver = join(import.meta.dirname, "with-client.ts");
    const { stdout, stderr } = spawnSync("unshare", ["-rn", process.execPath, driver, client, name, home, work], {
      encoding: "utf8",
      timeout: INSTALL_MS,
    });
    const { status, out, err, statuses } = JSON.parse(stdout || assert.fail(stderr));
    assert.deepEqual([status, out.trim()], [0, "The lines are found."], err);
    assert.deepEqual(statuses.slice(0, expected.length), expected);
    assert.match(err, /^spillway: \d requests? recovered, about [\d,]+ tokens kept out of the context\.$/m);
  });
}
