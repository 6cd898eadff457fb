/** Installs the real clients once, in a folder outside the repository that is kept for the next run. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clientRuns } from "./client-runs.ts";

const INSTALL_MS = 300_000;

const names = [...new Set(clientRuns.flatMap((run) => [run.package, ...(run.extensions ?? [])]))];

export const clientPackages = join(
  tmpdir(),
  `spillway-clients-${createHash("sha256").update(names.join()).digest("hex").slice(0, 12)}`,
);

/** Says why clients cannot be run here; undefined if they can. */
export function installClients(): string | undefined {
  if (spawnSync("unshare", ["-rnpf", "--kill-child", "true"]).status !== 0)
    return "unshare -n is refused here, so a client could reach the network.";
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", clientPackages];
  const isInstalled = () =>
    clientRuns.every(({ program }) => existsSync(join(clientPackages, "node_modules", program)));
  if (!isInstalled()) spawnSync("npm", ["install", ...flags, ...names], { stdio: "ignore", timeout: INSTALL_MS });
  return isInstalled() ? undefined : "The clients could not be installed from the npm registry.";
}
