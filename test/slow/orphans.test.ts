import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";

const parentScript = join(import.meta.dirname, "orphan-parent.ts");

/** The processes below one, as the system tells. */
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

describe("a parent killed in the middle of a parse", { timeout: 60_000 }, () => {
  for (const { command, withinMs } of [
    { command: "plod", withinMs: 3_000 },
    { command: "stall", withinMs: 3_000 },
    { command: "loop", withinMs: 20_000 },
  ]) {
    test(`leaves no child behind, while the parser does ${command}`, async () => {
      const parent = spawn(process.execPath, [parentScript, command], { stdio: ["ignore", "pipe", "inherit"] });
      await once(parent.stdout, "data");
      await wait(200);
      const [child = 0] = childrenOf(parent.pid ?? 0);
      assert.ok(child > 0 && isAlive(child));
      parent.kill("SIGKILL");
      await once(parent, "exit");
      const deadline = Date.now() + withinMs;
      while (isAlive(child) && Date.now() < deadline) await wait(100);
      assert.ok(!isAlive(child), "the child is still there");
    });
  }
});
