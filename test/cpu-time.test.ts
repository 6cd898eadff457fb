import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertCpuTime, assertLinearTime } from "./cpu-time.ts";

/** Keeps the processor busy for a number of steps. */
function spin(steps: number): number {
  let sum = 0;
  for (let step = 0; step < steps; step++) sum = (sum ^ step) | 0;
  return sum;
}

describe("CPU time", () => {
  test("accepts linear work and rejects quadratic work", async () => {
    await assertLinearTime(5_000_000, (size) => spin(size));
    await assert.rejects(
      assertLinearTime(3_000, (size) => spin(size * size)),
      /for 4 times the size/,
    );
  });

  test("counts the work, not the wait for it", async () => {
    await assertCpuTime(1_000, () => spin(1_000));
    await assert.rejects(
      assertCpuTime(5, () => spin(50_000_000)),
      /ms of CPU, allowed are 5/,
    );
  });
});
