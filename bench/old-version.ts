/** Checks out version 0.1.0 from the history of this repository, for benches that compare with it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** The last commit of version 0.1.0. */
const OLD_COMMIT = "740fe0c";

/** Writes the sources of 0.1.0 into a new folder, with the dependencies of this version. */
export function checkOutOldVersion(folder: string): void {
  mkdirSync(folder);
  const root = join(import.meta.dirname, "..");
  execFileSync("bash", ["-c", `git archive ${OLD_COMMIT} | tar x -C "$0"`, folder], { cwd: root });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
}
