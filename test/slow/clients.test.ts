/**
 * Real clients from the npm registry with our server, in a network namespace that holds nothing but loopback. A scripted model
 * records what each of them shows to it. With SPILLWAY_RECORD=1 the sizes are written to measured-clients.json, from which docs/mcp.md has its table.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { clientRows, findClientProfile } from "../../src/config/clients.ts";
import { findClient } from "../../src/surfaces/clients/find-clients.ts";
import { makeTemporaryFolder } from "../bodies.ts";
import { FLOOD_CHARS, NEEDLE, type SeenRequest } from "./client-model.ts";
import { type ClientMeasures, findFaults, isOver, measureRun } from "./client-report.ts";
import { type ClientRun, clientRuns } from "./client-runs.ts";
import { clientPackages, installClients } from "./install-clients.ts";

/** The driver ends a client after two minutes. */
const RUN_MS = 150_000;

const driver = join(import.meta.dirname, "client-driver.ts");
const root = join(import.meta.dirname, "..", "..");
const recordPath = join(import.meta.dirname, "measured-clients.json");

const measured = new Map<string, ClientMeasures>();
let refusal: string | undefined;

before(() => {
  refusal = installClients();
  // The built package, as users start it: from source our server starts too slowly for some clients on a busy machine.
  if (refusal === undefined) spawnSync(process.execPath, [join(root, "scripts", "build.ts")], { stdio: "inherit" });
});

describe("the model receives our replies as they are meant", () => {
  for (const run of clientRuns) test(run.name, (context) => useClient(run, context));
});

describe("a client connects to spillway serve by the line that it prints", () => {
  for (const run of clientRuns) test(run.name, (context) => useClient(run, context, "http"));
});

describe("the model receives a page of a server that answers too much, and finds the fact in its middle", () => {
  for (const run of clientRuns.filter(({ isWrapped }) => isWrapped))
    test(run.name, (context) => useWrapped(run, context));
});

/** Our server over stdio or over HTTP, or another server behind our gateway. */
type RunMode = "own" | "http" | "wrapped";

/** What the driver reports of a run. */
type RunReport = {
  readonly status: number | null;
  readonly own: readonly { readonly command: string; readonly status: number; readonly output: string }[];
  readonly out: string;
  readonly err: string;
  readonly requests: readonly SeenRequest[];
};

/** Runs a client without a network, and checks that our commands and the client succeeded. */
async function runClient(run: ClientRun, mode: RunMode): Promise<RunReport> {
  const report = await startClient(run, mode);
  const hasAsked = report.requests.some(({ results }) => results.length > 0);
  // On a busy machine a client may ask the model before any server has started.
  const final = hasAsked ? report : await startClient(run, mode);
  for (const { command, status, output } of final.own) assert.equal(status, 0, `${command}: ${output}`);
  if (mode !== "http") assert.match(final.own.at(-1)?.output ?? "", /nothing to change/, "the config is as it was");
  assert.equal(final.status, 0, `${final.out}\n${final.err}`);
  return final;
}

async function startClient(run: ClientRun, mode: RunMode): Promise<RunReport> {
  await using folder = await makeTemporaryFolder();
  const args = ["-rnpf", "--kill-child", process.execPath, driver, run.name, clientPackages, folder.path, mode];
  const { stdout, stderr } = spawnSync("unshare", args, {
    encoding: "utf8",
    timeout: RUN_MS,
    maxBuffer: 256 * 1024 * 1024,
  });
  return JSON.parse(stdout || assert.fail(stderr));
}

/** Nothing twice, nothing cut by the client, nothing over its limit, and the next call continues. */
async function useClient(run: ClientRun, context: TestContext, mode: RunMode = "own"): Promise<void> {
  if (refusal !== undefined) return context.skip(refusal);
  const { requests } = await runClient(run, mode);
  const measures = measureRun(requests);
  if (mode === "own") measured.set(run.name, measures);
  context.diagnostic(JSON.stringify(measures));
  assert.deepEqual(findFaults(requests, findRow(run)?.published ?? {}), []);
}

/** What arrives of 500 KB is within the client's limit, and one more call brings the fact. */
async function useWrapped(run: ClientRun, context: TestContext): Promise<void> {
  if (refusal !== undefined) return context.skip(refusal);
  const { requests } = await runClient(run, "wrapped");
  const pages = requests.at(-1)?.results.filter((text) => /af_[0-9a-f]{32}/.test(text)) ?? [];
  context.diagnostic(`${pages.map(({ length }) => length).join(" and ")} characters of ${FLOOD_CHARS}`);
  const [first = "", second = ""] = pages;
  assert.equal(pages.length, 2, "one more call");
  assert.ok(!first.includes(NEEDLE) && second.includes(NEEDLE), "the fact is in the second reply");
  for (const page of pages) assert.ok(!isOver(page, findRow(run)?.published ?? {}), `${page.length} characters`);
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
