import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, test } from "node:test";
import { waitUntil } from "../waiting.ts";

const parentScript = join(import.meta.dirname, "orphan-parent.ts");

/** The children of a process, as the system lists them. */
function childrenOf(pid: number): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("a parent killed in the middle of a parse", () => {
  for (const command of ["plod", "stall", "loop"]) {
    test(`leaves no child behind, while the parser does ${command}`, async () => {
      const parent = spawn(process.execPath, [parentScript, command], { stdio: ["ignore", "pipe", "inherit"] });
      await once(parent.stdout, "data");
      const [child = 0] = childrenOf(parent.pid ?? 0);
      assert.ok(child > 0 && isAlive(child));
      parent.kill("SIGKILL");
      await once(parent, "exit");
      await waitUntil("the child ends", () => !isAlive(child));
    });
  }
});
