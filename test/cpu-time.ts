/** CPU time of work in this process. Unlike wall time it hardly depends on what else the machine does. */
import assert from "node:assert/strict";

/** Asserts that the work takes at most this much CPU time. The limit is many times what the work needs. */
export async function assertCpuTime(maxMs: number, work: () => unknown, label = "the work"): Promise<void> {
  const usedMs = await measureCpuMs(work);
  assert.ok(usedMs <= maxMs, `${label} took ${usedMs} ms of CPU, allowed are ${maxMs}`);
}

/** How often a size is measured at most; the fastest counts, because noise only adds time. */
const MAX_MEASUREMENTS = 6;
/** Below this, start-up costs and noise decide. */
const MIN_MEASURABLE_MS = 5;
/** Four times the input takes 4 times the CPU time if the work is linear, 16 times if it is quadratic. */
const SCALE = 4;
const MAX_RATIO = 8;

/** Asserts that the CPU time of the work grows in proportion to its size. */
export async function assertLinearTime(size: number, work: (size: number) => unknown, label = "the work") {
  const small = await measureBest(() => work(size), MIN_MEASURABLE_MS);
  const maxMs = MAX_RATIO * Math.max(small, MIN_MEASURABLE_MS);
  const large = await measureBest(() => work(SCALE * size), maxMs);
  assert.ok(large <= maxMs, `${label} takes ${small} ms of CPU, and ${large} ms for ${SCALE} times the size`);
}

/** The CPU time of the work in milliseconds. */
export async function measureCpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The fastest of several measurements; one that is fast enough ends them. */
async function measureBest(work: () => unknown, enoughMs = 0): Promise<number> {
  let bestMs = Infinity;
  for (let round = 0; round < MAX_MEASUREMENTS && bestMs > enoughMs; round++) {
    bestMs = Math.min(bestMs, await measureCpuMs(work));
  }
  return bestMs;
}
