/**
 * Real clients from the npm registry and a provider with a small window, alone and under `spillway with`. With
 * SPILLWAY_RECORD=1 the results are written to measured-recovery.json, from which the README has its table.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeTemporaryFolder } from "../bodies.ts";
import { clientPackages, installClients } from "./install-clients.ts";
import type { MeasuredRecovery, RecoveryOutcome } from "./measured-recovery.ts";
import { type RecoveryRun, recoveryRuns } from "./recovery-runs.ts";

/** The driver ends a client after two minutes. */
const RUN_MS = 150_000;
const driver = join(import.meta.dirname, "recovery-driver.ts");
const recordPath = join(import.meta.dirname, "measured-recovery.json");

const measured = new Map<string, MeasuredRecovery>();
let refusal: string | undefined;

before(() => {
  refusal = installClients();
});

for (const run of recoveryRuns) {
  test(`${run.name} finds its line although its commands print more than the window holds`, async (context) => {
    if (refusal !== undefined) return context.skip(refusal);
    if (!existsSync(join(clientPackages, "node_modules", run.program)))
      return context.skip(`${run.package} is not installed.`);
    const [without, with_] = [await measure(run, "without"), await measure(run, "with")];
    context.diagnostic(JSON.stringify({ without, with: with_ }));
    assert.equal(with_.end, "found");
    const [, version = ""] = /@([^@]+)$/.exec(run.package) ?? [];
    measured.set(run.name, { client: run.name, version, windowTokens: run.windowTokens, without, with: with_ });
  });
}

after(async () => {
  if (process.env.SPILLWAY_RECORD !== "1" || measured.size < recoveryRuns.length) return;
  await writeFile(recordPath, `${JSON.stringify([...measured.values()], null, 2)}\n`);
});

type Report = {
  readonly status: number | null;
  readonly end: "found" | "lost";
  readonly exchanges: readonly { readonly status: number; readonly tokens: number }[];
};

/** Runs a client without a network. What it found is what its model said last. */
async function measure(run: RecoveryRun, mode: "with" | "without"): Promise<RecoveryOutcome> {
  await using folder = await makeTemporaryFolder();
  const args = ["-rnpf", "--kill-child", process.execPath, driver, run.name, clientPackages, folder.path, mode];
  const { stdout, stderr } = spawnSync("unshare", args, { encoding: "utf8", timeout: RUN_MS });
  const { status, end, exchanges }: Report = JSON.parse(stdout || assert.fail(stderr));
  const accepted = exchanges.filter((exchange) => exchange.status === 200);
  return {
    end: status === 0 ? end : "error",
    requests: exchanges.length,
    refused: exchanges.length - accepted.length,
    tokens: accepted.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}
