/**
 * Real clients from the npm registry with our server, in a network namespace that holds nothing but loopback. A scripted model
 * records what each of them shows to it. With SPILLWAY_RECORD=1 the sizes are written to measured-clients.json, from which docs/mcp.md has its table.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { clientRows, findClientProfile } from "../../src/config/clients.ts";
import { findClient } from "../../src/surfaces/clients/find-clients.ts";
import { makeTemporaryFolder } from "../bodies.ts";
import { type ClientMeasures, findFaults, measureRun } from "./client-report.ts";
import { type ClientRun, clientRuns } from "./client-runs.ts";

const INSTALL_MS = 300_000;
/** The driver ends a client after two minutes. */
const RUN_MS = 150_000;

/** Outside the repository, and kept for the next run. */
const names = [...new Set(clientRuns.map((run) => run.package))];
const packages = join(
  tmpdir(),
  `spillway-clients-${createHash("sha256").update(names.join()).digest("hex").slice(0, 12)}`,
);
const driver = join(import.meta.dirname, "client-driver.ts");
const root = join(import.meta.dirname, "..", "..");
const recordPath = join(import.meta.dirname, "measured-clients.json");

const measured = new Map<string, ClientMeasures>();
let refusal: string | undefined;

before(() => {
  if (spawnSync("unshare", ["-rn", "true"]).status !== 0) {
    refusal = "unshare -n is refused here, so a client could reach the network.";
    return;
  }
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", packages];
  const isInstalled = () => clientRuns.every(({ program }) => existsSync(join(packages, "node_modules", program)));
  if (!isInstalled()) spawnSync("npm", ["install", ...flags, ...names], { stdio: "ignore", timeout: INSTALL_MS });
  // The built package, as users start it: from source our server starts too slowly for some clients on a busy machine.
  spawnSync(process.execPath, [join(root, "scripts", "build.ts")], { stdio: "inherit" });
  if (!isInstalled()) refusal = "The clients could not be installed from the npm registry.";
});

describe("the model receives our replies as they are meant", () => {
  for (const run of clientRuns) {
    const { needs } = run;
    const isReady = needs === undefined || Object.hasOwn(findRow(run) ?? {}, needs);
    test(run.name, isReady ? {} : { todo: `the server knows no ${needs} of this client` }, (context) =>
      useClient(run, context),
    );
  }
});

describe("a client connects to spillway serve by the line that it prints", () => {
  for (const run of clientRuns) test(run.name, (context) => useClient(run, context, "http"));
});

/** Nothing twice, nothing cut by the client, nothing over its limit, and the next call continues. */
async function useClient(run: ClientRun, context: TestContext, way: "stdio" | "http" = "stdio"): Promise<void> {
  if (refusal !== undefined) return context.skip(refusal);
  await using folder = await makeTemporaryFolder();
  const args = ["-rn", process.execPath, driver, run.name, packages, folder.path, way];
  const { stdout, stderr } = spawnSync("unshare", args, {
    encoding: "utf8",
    timeout: RUN_MS,
    maxBuffer: 256 * 1024 * 1024,
  });
  const { status, own, out, err, requests } = JSON.parse(stdout || assert.fail(stderr));
  for (const { command, status, output } of own) assert.equal(status, 0, `${command}: ${output}`);
  if (way === "stdio") assert.match(own.at(-1).output, /nothing to change/, "the entry is gone");
  assert.equal(status, 0, `${out}\n${err}`);
  const measures = measureRun(requests);
  if (way === "stdio") measured.set(run.name, measures);
  context.diagnostic(JSON.stringify(measures));
  assert.deepEqual(findFaults(requests, findRow(run)?.published ?? {}), []);
}

/** The server's row of the client, by the name that it introduces itself with. */
function findRow({ id }: ClientRun) {
  const name = findClientProfile(findClient(id).introducesAs)?.name;
  return clientRows.find((row) => row.name === name);
}

after(async () => {
  if (process.env.SPILLWAY_RECORD !== "1" || measured.size < clientRuns.length) return;
  const recorded = JSON.parse(await readFile(recordPath, "utf8").catch(() => "[]"));
  const rows = clientRuns.map((run) => ({
    client: run.name,
    version: run.package.split("@").at(-1),
    before: recorded.find((row: { client: string }) => row.client === run.name)?.before ?? measured.get(run.name),
    now: measured.get(run.name),
  }));
  await writeFile(recordPath, `${JSON.stringify(rows, null, 2)}\n`);
});
