/** Learned limits: when they count, which target they belong to, and how a wrong one is forgotten. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Verdict } from "../classify/verdict.ts";
import type { Target } from "../wire/outgoing-request.ts";
import { createKnownLimits } from "./known-limits.ts";

const target: Target = { endpoint: "api.sim", model: "sim-1" };
const refusal = (limit: number, input: number): Verdict => ({
  class: "context_tokens",
  confidence: 0.95,
  unit: "tokens",
  limit,
  input,
  actual: input,
});

/** Limits with a manual clock, after this many refusals that name the same number. */
function learnedLimits(times: number, lines: readonly string[] = []) {
  const clock = { ms: 0 };
  const limits = createKnownLimits(lines, () => clock.ms);
  for (let count = 0; count < times; count++) limits.learn(target, refusal(8_000, 9_000), 9_000);
  return { limits, clock };
}

describe("a learned limit", () => {
  test("counts from the second refusal that names it", () => {
    assert.deepEqual(
      [1, 2].map((times) => learnedLimits(times).limits.tokensFor(target)),
      [undefined, 8_000],
    );
  });

  test("belongs to one upstream and one model", () => {
    const { limits } = learnedLimits(2);
    assert.equal(limits.tokensFor({ ...target, endpoint: "other.sim" }), undefined);
    assert.equal(limits.tokensFor({ ...target, model: "sim-2" }), undefined);
  });

  test("stays while accepted requests are below it, and is forgotten when one is above", () => {
    const { limits } = learnedLimits(2);
    limits.disprove(target, 8_000);
    assert.equal(limits.tokensFor(target), 8_000);
    limits.disprove({ ...target, model: "sim-2" }, 50_000);
    assert.equal(limits.tokensFor(target), 8_000);
    limits.disprove(target, 8_001);
    assert.deepEqual([limits.tokensFor(target), limits.hasAny()], [undefined, false]);
  });

  test("is replaced by another number once that has been named twice", () => {
    const { limits } = learnedLimits(2);
    limits.learn(target, refusal(16_000, 20_000), 20_000);
    assert.equal(limits.tokensFor(target), undefined);
    limits.learn(target, refusal(16_000, 20_000), 20_000);
    assert.equal(limits.tokensFor(target), 16_000);
  });

  test("expires after an hour, until one more refusal confirms it", () => {
    const { limits, clock } = learnedLimits(2);
    clock.ms = 60 * 60 * 1_000;
    assert.equal(limits.tokensFor(target), 8_000);
    clock.ms += 1;
    assert.equal(limits.tokensFor(target), undefined);
    limits.learn(target, refusal(8_000, 9_000), 9_000);
    assert.equal(limits.tokensFor(target), 8_000);
  });

  test("never overrides a limit that the user set, which nothing disproves", () => {
    const { limits, clock } = learnedLimits(2, ["sim-1=4_000"]);
    limits.disprove(target, 100_000);
    clock.ms = 10 ** 9;
    assert.deepEqual([limits.tokensFor(target), limits.learnedFor(target)], [4_000, undefined]);
  });
});
